/* Events: written by the step that makes the transition, while somebody watches. */
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "store/topics.h"

/* Reads page by page, and looks at one event after the other. */
struct watch {
    struct rv_events page;
    size_t next; /* of the page */
};

/* Where one stands in several shards is known to the handle that has told it. */
static struct rv_events events_after(struct fixture *f, uint64_t after) {
    struct rv_events events;
    struct rv_store *store = f->shards > 1 ? f->first : handle(f);
    CHECK_CALL(f, rv_store_events(store, f->queue, after, &events, &f->err));
    (void)adopt(f, events.events);
    return events;
}

static struct watch start_watching(struct fixture *f) {
    struct rv_events events = events_after(f, UINT64_MAX);
    CHECK_INT(events.count, 0);
    return (struct watch){.page = events};
}

static void turn_page(struct fixture *f, struct watch *watch) {
    if (watch->next < watch->page.count) return;
    *watch = (struct watch){.page = events_after(f, watch->page.after)};
}

/* The next event is this one; returns it. */
static const struct reeve_event *check_next(struct fixture *f, struct watch *watch,
                                            enum reeve_event_type type, enum reeve_state state,
                                            const char *id) {
    turn_page(f, watch);
    CHECK(watch->page.count > 0);
    const struct reeve_event *event = &watch->page.events[watch->next++];
    CHECK_STR(reeve_event_name(event->type), reeve_event_name(type));
    CHECK_STR(reeve_state_name(event->state), reeve_state_name(state));
    CHECK_STR(event->id, id);
    CHECK_STR(event->queue, f->queue);
    return event;
}

static void check_no_more(struct fixture *f, struct watch *watch) {
    uint64_t after = watch->page.after;
    turn_page(f, watch);
    CHECK_INT(watch->page.count, 0);
    CHECK_INT(watch->page.after, after);
}

static void a_life_is_told_in_order(struct fixture *f) { /* A56 A57 */
    move_clock(f, 86400000);
    struct watch watch = start_watching(f);
    (void)push(f, "a");
    struct held held = claim_as(f, "w1", "a");
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
    (void)check_next(f, &watch, REEVE_JOB_PUSHED, REEVE_READY, "a");
    const struct reeve_event *event = check_next(f, &watch, REEVE_JOB_CLAIMED, REEVE_RUNNING, "a");
    CHECK_STR(event->worker, "w1");
    CHECK_INT(event->token, held.token);
    event = check_next(f, &watch, REEVE_JOB_ENDED, REEVE_DONE, "a");
    CHECK_INT(event->token, held.token);
    int64_t now = rv_clock_wall_ms(&f->clock);
    CHECK_BETWEEN(event->at_ms, now - 60000, now);
    check_no_more(f, &watch);
}

static void retries_and_hand_backs_are_told(struct fixture *f) {
    struct watch watch = start_watching(f);
    (void)push_delayed(f, "a", 10000);
    (void)check_next(f, &watch, REEVE_JOB_PUSHED, REEVE_DELAYED, "a");
    move_clock(f, 10001);
    CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_HANDED_BACK));
    (void)check_next(f, &watch, REEVE_JOB_CLAIMED, REEVE_RUNNING, "a");
    (void)check_next(f, &watch, REEVE_JOB_HANDED_BACK, REEVE_READY, "a");
    CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_FAILED_ATTEMPT));
    (void)check_next(f, &watch, REEVE_JOB_CLAIMED, REEVE_RUNNING, "a");
    (void)check_next(f, &watch, REEVE_JOB_RETRIED, REEVE_DELAYED, "a");
    check_no_more(f, &watch);
}

/* Under each lease as it was handed in; which lease comes first is the store's affair. */
static void an_exchange_tells_what_came_in_before_what_went_out(struct fixture *f) {
    static const size_t turns[] = {2, 0, 1}; /* of the jobs of each lease */
    struct rv_report report = {.ending = RV_SUCCEEDED};
    struct rv_outcome outcomes[6];
    char ended[2][16] = {"", ""};
    push_many(f, "n", 7, NULL);
    struct claimed claims[] = {claim_up_to(f, "w", 3), claim_up_to(f, "v", 3)};
    for (size_t i = 0; i < 6; i++)
        outcomes[i] = judge(f, held_of(&claims[(i + 1) % 2], turns[i / 2]), &report);
    struct watch watch = start_watching(f);
    struct rv_exchange request = claim_request(f, "w", 1);
    request.outcomes = outcomes;
    request.outcome_count = 6;
    (void)exchange(f, &request);
    for (size_t i = 0; i < 6; i++) {
        turn_page(f, &watch);
        const struct reeve_event *event = &watch.page.events[watch.next++];
        CHECK_INT(event->type, REEVE_JOB_ENDED);
        (void)strncat(ended[event->token != claims[0].got.token], event->id, 4);
        count_outcome(f, &outcomes[i]);
        rv_outcome_release(&outcomes[i]);
    }
    CHECK_STR(ended[0], "n2n0n1");
    CHECK_STR(ended[1], "n5n3n4");
    (void)check_next(f, &watch, REEVE_JOB_CLAIMED, REEVE_RUNNING, "n6");
    check_no_more(f, &watch);
}

static void a_lapse_is_told_and_what_follows_from_it(struct fixture *f) {
    struct rv_new_job job = new_job(f, "a");
    job.policy.attempts_max = 2;
    (void)push_job(f, &job);
    for (int i = 0; i < 2; i++) {
        (void)claim_as(f, "w", "a");
        lapse_leases(f);
        struct watch watch = start_watching(f);
        CHECK_INT(upkeep(f), 1);
        (void)check_next(f, &watch, REEVE_JOB_LAPSED, i ? REEVE_FAILED : REEVE_DELAYED, "a");
        (void)check_next(f, &watch, i ? REEVE_JOB_ENDED : REEVE_JOB_RETRIED,
                         i ? REEVE_FAILED : REEVE_DELAYED, "a");
        check_no_more(f, &watch);
        move_clock(f, RETRY_MS + 1);
    }
}

static void cancelling_is_told_as_an_end(struct fixture *f) { /* T25 */
    struct watch watch = start_watching(f);
    (void)push(f, "a");
    CHECK_OK(cancel(f, "a", NULL));
    (void)check_next(f, &watch, REEVE_JOB_PUSHED, REEVE_READY, "a");
    (void)check_next(f, &watch, REEVE_JOB_ENDED, REEVE_CANCELLED, "a");
    (void)push(f, "b");
    struct held held = claim_as(f, "w", "b");
    CHECK_OK(cancel(f, "b", NULL));
    CHECK_OK(finish(f, held, RV_FAILED_ATTEMPT)); /* comes to CANCELLED */
    (void)check_next(f, &watch, REEVE_JOB_PUSHED, REEVE_READY, "b");
    (void)check_next(f, &watch, REEVE_JOB_CLAIMED, REEVE_RUNNING, "b");
    (void)check_next(f, &watch, REEVE_JOB_ENDED, REEVE_CANCELLED, "b");
    check_no_more(f, &watch);
}

static void what_changes_nothing_is_not_told(struct fixture *f) {
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a"), stranger = held;
    stranger.holder++;
    struct watch watch = start_watching(f);
    CHECK_INT(push(f, "a").status, REEVE_DUPLICATE);
    CHECK_FAILS(finish(f, stranger, RV_SUCCEEDED), REEVE_EFENCED);
    CHECK_FAILS(finish(f, held, RV_LAPSED), REEVE_ESTATE);
    CHECK_FAILS(cancel(f, "unknown", NULL), REEVE_ENOENT);
    CHECK(renew(f, held));
    CHECK_NOTHING_TO_CLAIM(f);
    check_no_more(f, &watch);
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
    (void)check_next(f, &watch, REEVE_JOB_ENDED, REEVE_DONE, "a");
    CHECK_OK(repeat_finish(f, held, RV_SUCCEEDED)); /* J7 */
    check_no_more(f, &watch);
}

static void an_unwatched_queue_writes_none(struct fixture *f) {
    (void)push(f, "before");
    struct watch watch = start_watching(f);
    check_no_more(f, &watch);
    move_clock(f, RV_WATCHED_MS / 2);
    check_no_more(f, &watch); /* asking prolongs */
    move_clock(f, RV_WATCHED_MS / 2 + 1000);
    (void)push(f, "seen");
    (void)check_next(f, &watch, REEVE_JOB_PUSHED, REEVE_READY, "seen");
    move_clock(f, RV_WATCHED_MS + 1);
    (void)push(f, "unseen");
    check_no_more(f, &watch);
}

static void events_are_of_one_queue(struct fixture *f) { /* A40 T22 */
    struct watch watch = start_watching(f);
    f->queue = "others";
    (void)start_watching(f);
    (void)push(f, "a:b:processing");
    f->queue = "jobs";
    check_no_more(f, &watch);
}

static void watching_does_not_make_a_queue(struct fixture *f) {
    (void)start_watching(f);
    struct rv_names names;
    CHECK_CALL(f, rv_store_queues(handle(f), NULL, 10, &names, &f->err));
    free(names.names);
    CHECK_INT(names.count, 0);
}

static void announce(struct fixture *f, enum reeve_event_type type, const char *worker) {
    struct rv_announcement news = {.type = type, .id = "", .worker = worker};
    CHECK_CALL(f, rv_store_announce(handle(f), f->queue, &news, CALL_MS, &f->err));
}

static int announce_wrongly(struct fixture *f, const char *queue, enum reeve_event_type type) {
    struct rv_announcement news = {.type = type, .id = "", .worker = "w"};
    return rv_store_announce(handle(f), queue, &news, CALL_MS, &f->err);
}

static void workers_are_told_of_where_one_watches(struct fixture *f) { /* P30 */
    announce(f, REEVE_WORKER_STARTED, "w0");                           /* nobody watches */
    struct watch watch = start_watching(f);
    announce(f, REEVE_WORKER_STARTED, "w1");
    move_clock(f, 1000); /* of several shards they are told by time */
    (void)push(f, "a");
    move_clock(f, 1000);
    announce(f, REEVE_WORKER_STOPPED, "w1");
    CHECK_STR(check_next(f, &watch, REEVE_WORKER_STARTED, 0, "")->worker, "w1");
    (void)check_next(f, &watch, REEVE_JOB_PUSHED, REEVE_READY, "a");
    const struct reeve_event *event = check_next(f, &watch, REEVE_WORKER_STOPPED, 0, "");
    int64_t now = rv_clock_wall_ms(&f->clock);
    CHECK_STR(event->worker, "w1");
    CHECK_BETWEEN(event->at_ms, now - 60000, now);
    check_no_more(f, &watch);
    struct rv_bell bell = {.queue = "jobs"};
    CHECK_CALL(f, rv_store_wait(handle(f), &bell, 1, 0, &f->err));
    uint64_t heard = bell.events;
    announce(f, REEVE_WORKER_STARTED, "w2");
    CHECK_CALL(f, rv_store_wait(handle(f), &bell, 1, 0, &f->err));
    CHECK(bell.events > heard);
    CHECK_FAILS(announce_wrongly(f, "jobs", REEVE_JOB_ENDED), REEVE_EINVAL);
    CHECK_FAILS(announce_wrongly(f, "@jobs", REEVE_WORKER_STARTED), REEVE_EINVAL);
}

static void announce_leader(struct fixture *f, enum reeve_event_type type, enum reeve_lost why) {
    struct rv_announcement news = {
        .type = type, .why = why, .id = "boss", .worker = "w1", .token = UINT64_C(1) << 50};
    CHECK_CALL(f, rv_store_announce(handle(f), RV_NAMES, &news, CALL_MS, &f->err));
}

static void leaders_are_told_of_apart_from_queues(struct fixture *f) {
    struct rv_bell bell = {.queue = RV_NAMES};
    announce_leader(f, REEVE_LEADER_GAINED, 0); /* nobody watches */
    f->queue = RV_NAMES;
    uint64_t after = events_after(f, UINT64_MAX).after;
    CHECK_CALL(f, rv_store_wait(handle(f), &bell, 1, 0, &f->err));
    uint64_t heard = bell.events;
    announce_leader(f, REEVE_LEADER_GAINED, 0);
    announce_leader(f, REEVE_LEADER_LOST, REEVE_LOST_EXPIRED);
    CHECK_CALL(f, rv_store_wait(handle(f), &bell, 1, 0, &f->err));
    CHECK(bell.events > heard);
    struct rv_events told = events_after(f, after);
    CHECK_INT(told.count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct reeve_event *event = &told.events[i];
        CHECK_INT(event->type, i ? REEVE_LEADER_LOST : REEVE_LEADER_GAINED);
        CHECK_INT(event->why, i ? REEVE_LOST_EXPIRED : 0);
        CHECK_INT(event->state, 0);
        CHECK(event->token == UINT64_C(1) << 50);
        CHECK_STR(event->leader, "boss");
        CHECK_STR(event->worker, "w1");
        CHECK_STR(event->queue, "");
        CHECK_STR(event->id, "");
    }
    f->queue = "jobs";
    watching_does_not_make_a_queue(f);
}

static void announcing_does_not_make_a_queue(struct fixture *f) {
    struct reeve_queue unknown;
    announce(f, REEVE_WORKER_STARTED, "w");
    CHECK_FAILS(rv_store_stats(handle(f), "jobs", &unknown, &f->err), REEVE_ENOENT);
}

static void events_come_in_pages(struct fixture *f) { /* J11 */
    enum { COUNT = RV_EVENTS_MAX + 50 };
    struct watch watch = start_watching(f);
    push_many(f, "n", COUNT, NULL);
    struct rv_events first = events_after(f, watch.page.after);
    CHECK_INT(first.count, RV_EVENTS_MAX);
    CHECK_STR(first.events[0].id, "n0");
    struct rv_events again =
        events_after(f, watch.page.after); /* reading takes nothing away: T26 */
    CHECK_INT(again.count, RV_EVENTS_MAX);
    CHECK_STR(again.events[0].id, "n0");
    struct rv_events rest = events_after(f, first.after);
    CHECK_INT(rest.count, COUNT - RV_EVENTS_MAX);
    CHECK_STR(rest.events[0].id, "n256");
    CHECK_INT(events_after(f, rest.after).count, 0);
}

static void old_events_go_by_upkeep(struct fixture *f) {
    struct watch watch = start_watching(f);
    (void)push(f, "old");
    move_clock(f, RV_EVENT_KEPT_MS + 1);
    (void)start_watching(f);
    (void)push(f, "new");
    (void)tend(f);
    (void)check_next(f, &watch, REEVE_JOB_PUSHED, REEVE_READY, "new");
    check_no_more(f, &watch);
}

static const struct store_test tests[] = {
    TEST(a_life_is_told_in_order),
    TEST(retries_and_hand_backs_are_told),
    TEST_NEEDING(ONE_SHARD, an_exchange_tells_what_came_in_before_what_went_out),
    TEST(a_lapse_is_told_and_what_follows_from_it),
    TEST(cancelling_is_told_as_an_end),
    TEST(what_changes_nothing_is_not_told),
    TEST(an_unwatched_queue_writes_none),
    TEST(events_are_of_one_queue),
    TEST(watching_does_not_make_a_queue),
    TEST(workers_are_told_of_where_one_watches),
    TEST(leaders_are_told_of_apart_from_queues),
    TEST(announcing_does_not_make_a_queue),
    TEST_NEEDING(ONE_SHARD, events_come_in_pages),
    TEST(old_events_go_by_upkeep),
    {0},
};

const struct topic topic_events = {"events", tests};
