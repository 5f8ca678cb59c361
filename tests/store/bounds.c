/* Bounds of a queue, and what goes by them: nothing uncounted (J12). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "store/topics.h"

static void set(struct fixture *f, struct reeve_queue_settings settings) {
    settings.size = sizeof settings;
    CHECK_CALL(f, rv_store_set(handle(f), f->queue, &settings, &f->err));
}

/* Each shard has its share, as those below are of one. */
static int64_t whole(const struct fixture *f, int64_t share) {
    return share > 0 ? share * f->shards : share;
}

static void bound_length(struct fixture *f, int64_t max_length, enum reeve_on_full on_full) {
    set(f, (struct reeve_queue_settings){.max_length = whole(f, max_length), .on_full = on_full});
}

static void bound_failed(struct fixture *f, int64_t keep_failed) {
    set(f, (struct reeve_queue_settings){.keep_failed = whole(f, keep_failed)});
}

/* Pushes some that may be refused. dropped: how many are to make room. */
static void offer_jobs(struct fixture *f, const struct rv_new_job *jobs, size_t count,
                       size_t dropped, struct rv_pushed *outs) {
    CHECK_CALL(f, rv_store_push(handle(f), f->queue, jobs, count, outs, &f->err));
    for (size_t i = 0; i < count; i++) {
        (void)adopt(f, outs[i].done);
        CHECK(outs[i].error == 0 || outs[i].error == REEVE_EFULL);
        CHECK((outs[i].status == 0) == (outs[i].error != 0));
        f->expected.pushed += outs[i].status == REEVE_QUEUED;
        f->expected.refused += outs[i].error != 0;
    }
    f->expected.removed += dropped;
}

static struct rv_pushed offer(struct fixture *f, const char *id, size_t dropped) {
    struct rv_new_job job = new_job(f, id);
    struct rv_pushed out;
    offer_jobs(f, &job, 1, dropped, &out);
    return out;
}

static void offer_urgent(struct fixture *f, const char *id, int priority, size_t dropped) {
    struct rv_new_job job = new_job(f, id);
    struct rv_pushed out;
    job.priority = priority;
    offer_jobs(f, &job, 1, dropped, &out);
    CHECK_INT(out.status, REEVE_QUEUED);
}

static void offer_delayed(struct fixture *f, const char *id, int64_t delay_ms, size_t dropped) {
    struct rv_new_job job = new_job(f, id);
    struct rv_pushed out;
    job.delay_ms = delay_ms;
    offer_jobs(f, &job, 1, dropped, &out);
    CHECK_INT(out.status, REEVE_QUEUED);
}

/* ---- settings ---- */
static void settings_are_shown_and_changed_one_by_one(struct fixture *f) {
    (void)push(f, AISLE "a");
    struct reeve_queue queue = stats(f);
    CHECK_INT(queue.max_length, 0);
    CHECK_INT(queue.keep_failed, 0);
    CHECK_INT(queue.on_full, REEVE_REFUSE);
    set(f, (struct reeve_queue_settings){.max_length = 10});
    set(f, (struct reeve_queue_settings){.keep_failed = 20});
    set(f, (struct reeve_queue_settings){.on_full = REEVE_DROP_OLDEST});
    queue = stats(f);
    CHECK_INT(queue.max_length, 10);
    CHECK_INT(queue.keep_failed, 20);
    CHECK_INT(queue.on_full, REEVE_DROP_OLDEST);
    set(f, (struct reeve_queue_settings){.max_length = REEVE_NONE});
    queue = stats(f);
    CHECK_INT(queue.max_length, 0);
    CHECK_INT(queue.keep_failed, 20);
    set(f, (struct reeve_queue_settings){.keep_failed = REEVE_NONE, .on_full = REEVE_REFUSE});
    queue = stats(f);
    CHECK_INT(queue.keep_failed, 0);
    CHECK_INT(queue.on_full, REEVE_REFUSE);
}

static void setting_makes_a_queue(struct fixture *f) {
    struct reeve_queue unknown;
    CHECK_FAILS(rv_store_stats(handle(f), "jobs", &unknown, &f->err), REEVE_ENOENT);
    bound_length(f, 5, 0);
    CHECK_INT(stats(f).max_length, whole(f, 5));
    f->queue = "others";
    CHECK_FAILS(rv_store_stats(handle(f), "others", &unknown, &f->err), REEVE_ENOENT);
}

static void settings_out_of_range_are_refused(struct fixture *f) {
    static const struct reeve_queue_settings wrong[] = {
        {.max_length = -2},
        {.max_length = RV_QUEUE_LENGTH_MAX + 1},
        {.keep_failed = -2},
        {.keep_failed = RV_QUEUE_LENGTH_MAX + 1},
        {.on_full = REEVE_DROP_OLDEST + 1},
    };
    bound_length(f, 5, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(rv_store_set(handle(f), "jobs", &wrong[i], &f->err), REEVE_EINVAL);
    CHECK_INT(stats(f).max_length, whole(f, 5));
}

static void bounds_survive_opening_again(struct fixture *f) {
    bound_length(f, 1, REEVE_REFUSE);
    (void)push(f, AISLE "a");
    CHECK_INT(offer(f, AISLE "b", 0).error, REEVE_EFULL);
    fixture_reopen(f);
    CHECK_INT(stats(f).max_length, whole(f, 1));
    CHECK_INT(stats(f).refused_total, 1);
    CHECK_INT(offer(f, AISLE "b", 0).error, REEVE_EFULL);
}

static void a_bound_concerns_one_queue(struct fixture *f) {
    bound_length(f, 1, REEVE_REFUSE);
    (void)push(f, AISLE "a");
    f->queue = "others";
    push_many(f, LINE, 5, NULL);
    struct rv_store *space = shared(f) ? fixture_open_space(f, "elsewhere") : NULL;
    struct rv_new_job jobs[] = {new_job(f, AISLE "a"), new_job(f, AISLE "b")};
    struct rv_pushed outs[2];
    if (space) CHECK_CALL(f, rv_store_push(space, "jobs", jobs, 2, outs, &f->err));
    if (space) CHECK_INT(outs[1].status, REEVE_QUEUED);
    rv_store_close(space);
}

/* ---- refuse ---- */
static void a_full_queue_refuses(struct fixture *f) {
    bound_length(f, 3, REEVE_REFUSE);
    push_many(f, LINE, 2, NULL);
    (void)push_delayed(f, LINE "2", 60000); /* those waiting for their time count */
    CHECK_INT(offer(f, LINE "3", 0).error, REEVE_EFULL);
    CHECK_GONE(f, LINE "3");
    CHECK_INT(stats(f).refused_total, 1);
    struct held held = claim_as(f, "w", LINE "0"); /* those that run do not */
    CHECK_INT(offer(f, LINE "3", 0).status, REEVE_QUEUED);
    CHECK_INT(offer(f, LINE "4", 0).error, REEVE_EFULL);
    CHECK_OK(finish(f, held, RV_SUCCEEDED)); /* nor do records */
    CHECK_INT(offer(f, LINE "4", 0).error, REEVE_EFULL);
    CHECK_OK(cancel(f, LINE "3", NULL));
    CHECK_INT(offer(f, LINE "4", 0).status, REEVE_QUEUED);
    bound_length(f, REEVE_NONE, 0);
    push_many(f, "m", 10, NULL);
}

static void refusing_one_does_not_sink_the_others(struct fixture *f) { /* T20 */
    static const char *const ids[] = {AISLE "a", AISLE "b", AISLE "b",
                                      AISLE "c", AISLE "a", AISLE "d"};
    struct rv_new_job jobs[6];
    struct rv_pushed outs[6];
    bound_length(f, 3, REEVE_REFUSE);
    (void)push(f, AISLE "c");
    for (int i = 0; i < 6; i++)
        jobs[i] = new_job(f, ids[i]);
    offer_jobs(f, jobs, 6, 0, outs);
    CHECK_INT(outs[0].status, REEVE_QUEUED);
    CHECK_INT(outs[1].status, REEVE_QUEUED);
    CHECK_INT(outs[2].status, REEVE_DUPLICATE);
    CHECK_INT(outs[3].status, REEVE_DUPLICATE);
    CHECK_INT(outs[4].status, REEVE_DUPLICATE);
    CHECK_INT(outs[5].error, REEVE_EFULL);
    (void)claim_as(f, "w", AISLE "c");
    (void)claim_as(f, "w", AISLE "a");
    (void)claim_as(f, "w", AISLE "b");
}

static void what_is_known_is_answered_though_it_is_full(struct fixture *f) { /* J7 J14 */
    static const char waiting[] = LINE "0", done[] = LINE "1", cancelled[] = LINE "2";
    struct rv_new_job job = new_job(f, waiting);
    bound_length(f, 1, REEVE_REFUSE);
    (void)push(f, done);
    CHECK_OK(finish(f, claim_as(f, "w", done), RV_SUCCEEDED));
    (void)push(f, cancelled);
    CHECK_OK(cancel(f, cancelled, NULL));
    (void)push_job(f, &job);
    CHECK_INT(offer(f, waiting, 0).status, REEVE_DUPLICATE);
    CHECK_INT(offer(f, done, 0).status, REEVE_DUPLICATE_DONE);
    struct rv_pushed out;
    CHECK_CALL(f, rv_store_push(handle(f), "jobs", &job, 1, &out, &f->err)); /* a repeat */
    CHECK_INT(out.status, REEVE_QUEUED);
    CHECK_INT(offer(f, cancelled, 0).error, REEVE_EFULL); /* would have to wait anew */
    CHECK_STATE(f, cancelled, REEVE_CANCELLED);
    move_clock(f, KEEP_MS + 1);
    CHECK_INT(offer(f, done, 0).error, REEVE_EFULL); /* expired: as if it were new */
}

static void what_comes_back_is_not_refused(struct fixture *f) {
    bound_length(f, 1, REEVE_REFUSE);
    (void)push(f, AISLE "a");
    struct held back = claim_as(f, "w", AISLE "a");
    (void)push(f, AISLE "b");
    struct held retry = claim_as(f, "w", AISLE "b");
    (void)push(f, AISLE "c");
    CHECK_OK(finish(f, back, RV_HANDED_BACK));
    CHECK_OK(finish(f, retry, RV_FAILED_ATTEMPT));
    CHECK_INT(stats(f).ready, 2);
    CHECK_INT(stats(f).delayed, 1);
    CHECK_INT(offer(f, AISLE "d", 0).error, REEVE_EFULL);
}

/* ---- drop oldest ---- */
static void the_first_of_the_least_urgent_makes_room(struct fixture *f) {
    static const char urgent0[] = LINE "0", late0[] = LINE "1", late1[] = LINE "2",
                      delayed[] = LINE "3", new0[] = LINE "4", new1[] = LINE "5", new2[] = LINE "6",
                      new3[] = LINE "7";
    bound_length(f, 4, REEVE_DROP_OLDEST);
    offer_urgent(f, urgent0, -1, 0);
    offer_urgent(f, late0, 5, 0);
    offer_urgent(f, late1, 5, 0);
    offer_delayed(f, delayed, 60000, 0);
    offer_urgent(f, new0, 7, 1); /* though it is less urgent than all */
    CHECK_GONE(f, late0);
    offer_urgent(f, new1, 0, 1);
    CHECK_GONE(f, new0);
    offer_urgent(f, new2, 0, 1);
    CHECK_GONE(f, late1);
    offer_urgent(f, new3, 0, 1);
    CHECK_GONE(f, new1);
    CHECK_STATE(f, delayed, REEVE_DELAYED); /* as long as some are ready */
    CHECK_INT(stats(f).dropped_total, 4);
    CHECK_INT(stats(f).finished_total, 0);
    CHECK_INT(stats(f).ready + stats(f).delayed, 4);
    CHECK_INT(stats(f).refused_total, 0);
    (void)claim_as(f, "w", urgent0);
    (void)claim_as(f, "w", new2);
    (void)claim_as(f, "w", new3);
    CHECK_NOTHING_TO_CLAIM(f);
}

static void the_next_due_makes_room_if_none_is_ready(struct fixture *f) {
    static const char later[] = LINE "0", sooner[] = LINE "1", as_soon[] = LINE "2",
                      new[] = LINE "3", newer[] = LINE "4", ready[] = LINE "5";
    bound_length(f, 3, REEVE_DROP_OLDEST);
    offer_delayed(f, later, 90000, 0);
    offer_delayed(f, sooner, 30000, 0);
    offer_delayed(f, as_soon, 30000, 0);
    offer_delayed(f, new, 1000, 1);
    CHECK_GONE(f, sooner);
    offer_delayed(f, newer, 70000, 1);
    CHECK_GONE(f, new);
    (void)offer(f, ready, 1);
    CHECK_GONE(f, as_soon);
    CHECK_STATE(f, later, REEVE_DELAYED);
}

static void a_dropped_id_is_new(struct fixture *f) { /* T19 */
    bound_length(f, 1, REEVE_DROP_OLDEST);
    (void)push(f, AISLE "a");
    (void)offer(f, AISLE "b", 1);
    CHECK_INT(offer(f, AISLE "a", 1).status, REEVE_QUEUED);
    CHECK_GONE(f, AISLE "b");
    CHECK_INT(offer(f, AISLE "a", 0).status, REEVE_DUPLICATE); /* and drops none */
    (void)claim_as(f, "w", AISLE "a");
    CHECK_NOTHING_TO_CLAIM(f);
}

static void a_batch_larger_than_the_bound_leaves_its_end(struct fixture *f) {
    enum { COUNT = 50, BOUND = 7 };
    struct rv_new_job jobs[COUNT];
    struct rv_pushed outs[COUNT];
    char ids[COUNT][8];
    bound_length(f, BOUND, REEVE_DROP_OLDEST);
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "n%d", i);
        jobs[i] = new_job(f, ids[i]);
    }
    offer_jobs(f, jobs, COUNT, COUNT - BOUND, outs);
    for (int i = 0; i < COUNT; i++)
        CHECK_INT(outs[i].status, REEVE_QUEUED);
    struct claimed claimed = claim_up_to(f, "w", COUNT);
    CHECK_INT(claimed.got.count, BOUND);
    for (int i = 0; i < BOUND; i++)
        CHECK_STR(claimed.got.jobs[i]->id, ids[COUNT - BOUND + i]);
}

static void what_makes_room_leaves_nothing_behind(struct fixture *f) {
    static const char id[] = LINE "0";
    static char large[100000];
    struct rv_new_job job = new_job(f, id);
    job.body = (struct rv_bytes){large, sizeof large};
    bound_length(f, 1, REEVE_DROP_OLDEST);
    (void)push_job(f, &job);
    struct held held = claim_as(f, "w", id);
    struct rv_note note = {
        .id = id, .token = held.token, .holder = held.holder, .progress = 3, .line = "x"};
    CHECK_CALL(f, rv_store_note(handle(f), "jobs", &note, &f->err));
    CHECK_OK(finish(f, held, RV_HANDED_BACK));
    (void)offer(f, LINE "1", 1);
    CHECK_GONE(f, id);
    job.body = (struct rv_bytes){"s", 1};
    struct rv_pushed out;
    offer_jobs(f, &job, 1, 1, &out);
    const struct reeve_job *read = read_job(f, id);
    CHECK_INT(read->progress, REEVE_NONE);
    CHECK_BYTES(read->body, read->body_size, "s", 1);
}

static void making_room_is_told_and_heard(struct fixture *f) {
    struct rv_bell bell = {.queue = "jobs"};
    struct rv_events events;
    bound_length(f, 1, REEVE_DROP_OLDEST);
    (void)push(f, AISLE "a");
    CHECK_CALL(f, rv_store_events(handle(f), "jobs", UINT64_MAX, &events, &f->err));
    CHECK_CALL(f, rv_store_wait(handle(f), &bell, 1, 0, &f->err));
    uint64_t ended = bell.ended;
    (void)offer(f, AISLE "b", 1);
    CHECK_CALL(f, rv_store_wait(handle(f), &bell, 1, 0, &f->err));
    CHECK(bell.ended > ended); /* who waits for "a" looks again */
    CHECK_CALL(f, rv_store_events(handle(f), "jobs", events.after, &events, &f->err));
    (void)adopt(f, events.events);
    CHECK_INT(events.count, 2);
    CHECK_INT(events.events[0].type, REEVE_JOB_ENDED);
    CHECK_INT(events.events[0].state, REEVE_CANCELLED);
    CHECK_STR(events.events[0].id, AISLE "a");
    CHECK_INT(events.events[1].type, REEVE_JOB_PUSHED);
    CHECK_STR(events.events[1].id, AISLE "b");
}

/* ---- many at once ---- */
enum { THREADS = 6, EACH = 40, ROOM = 25 };

struct pusher {
    pthread_t thread;
    struct fixture *f;
    struct rv_store *store;
    int number, queued, refused, rc;
};

static void *push_each(void *arg) {
    struct pusher *pusher = arg;
    for (int i = 0; i < EACH && !pusher->rc; i++) {
        char id[32];
        struct rv_pushed out;
        (void)snprintf(id, sizeof id, "t%d-%d", pusher->number, i);
        struct rv_new_job job = new_job(pusher->f, id);
        pusher->rc = rv_store_push(pusher->store, "jobs", &job, 1, &out, NULL);
        pusher->queued += out.status == REEVE_QUEUED;
        pusher->refused += out.error == REEVE_EFULL;
    }
    return NULL;
}

static void a_crowd_does_not_overfill(struct fixture *f) {
    struct pusher pushers[THREADS];
    bound_length(f, ROOM, REEVE_REFUSE);
    for (int i = 0; i < THREADS; i++) {
        pushers[i] = (struct pusher){.f = f, .store = i % 2 ? f->second : f->first, .number = i};
        CHECK_INT(pthread_create(&pushers[i].thread, NULL, push_each, &pushers[i]), 0);
    }
    int queued = 0, refused = 0;
    for (int i = 0; i < THREADS; i++) {
        CHECK_INT(pthread_join(pushers[i].thread, NULL), 0);
        CHECK_OK(pushers[i].rc);
        queued += pushers[i].queued;
        refused += pushers[i].refused;
    }
    CHECK_INT(queued, whole(f, ROOM));
    CHECK_INT(refused, THREADS * EACH - queued);
    f->expected.pushed += (uint64_t)queued;
    f->expected.refused += (uint64_t)refused;
}

/* ---- keep_failed ---- */
static void fail_job(struct fixture *f, const char *id) {
    (void)push(f, id);
    CHECK_OK(finish(f, claim_as(f, "w", id), RV_GIVEN_UP));
}

static void the_first_that_failed_goes(struct fixture *f) { /* D8 I7 J12 */
    bound_failed(f, 2);
    push_many(f, LINE, 4, NULL);
    struct claimed claimed = claim_up_to(f, "w", 4);
    CHECK_OK(finish(f, held_of(&claimed, 2), RV_GIVEN_UP)); /* by their ends, not their pushes */
    CHECK_OK(finish(f, held_of(&claimed, 0), RV_GIVEN_UP));
    CHECK_OK(finish(f, held_of(&claimed, 1), RV_SUCCEEDED)); /* these do not count */
    CHECK_INT(stats(f).trimmed_total, 0);
    CHECK_OK(finish(f, held_of(&claimed, 3), RV_GIVEN_UP));
    CHECK_GONE(f, LINE "2");
    CHECK_STATE(f, LINE "0", REEVE_FAILED);
    CHECK_STATE(f, LINE "1", REEVE_DONE);
    CHECK_STATE(f, LINE "3", REEVE_FAILED);
    CHECK_INT(stats(f).trimmed_total, 1);
    CHECK_INT(stats(f).failed, 2);
    CHECK_OK(revive(f, LINE "0"));
    struct held again = claim_as(f, "w", LINE "0");
    fail_job(f, LINE "4");
    CHECK_STATE(f, LINE "3", REEVE_FAILED);  /* there was room */
    CHECK_OK(finish(f, again, RV_GIVEN_UP)); /* the last to fail now */
    CHECK_GONE(f, LINE "3");
    CHECK_STATE(f, LINE "0", REEVE_FAILED);
    CHECK_INT(stats(f).finished_total, 6);
}

static void a_failure_by_proxy_counts_as_well(struct fixture *f) {
    bound_failed(f, 1);
    fail_job(f, AISLE "a");
    struct rv_new_job job = new_job(f, AISLE "b");
    job.policy.attempts_max = 1;
    (void)push_job(f, &job);
    (void)claim_as(f, "w", AISLE "b");
    CHECK_INT(recover(f), 1);
    CHECK_STATE(f, AISLE "b", REEVE_FAILED);
    CHECK_GONE(f, AISLE "a");
}

static void failures_of_one_hand_in_go_in_their_order(struct fixture *f) { /* A64 */
    struct rv_outcome outcomes[3];
    struct rv_report report = {.ending = RV_GIVEN_UP};
    bound_failed(f, 1);
    push_many(f, LINE, 3, NULL);
    struct claimed claimed = claim_up_to(f, "w", 3);
    for (size_t i = 0; i < 3; i++)
        outcomes[i] = judge(f, held_of(&claimed, i), &report);
    struct rv_exchange request = {
        .queue = "jobs", .timeout_ms = CALL_MS, .outcomes = outcomes, .outcome_count = 3};
    (void)exchange(f, &request);
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(outcomes[i].status);
        count_outcome(f, &outcomes[i]);
        rv_outcome_release(&outcomes[i]);
    }
    CHECK_GONE(f, LINE "0");
    CHECK_GONE(f, LINE "1");
    CHECK_STATE(f, LINE "2", REEVE_FAILED);
}

static void what_is_too_much_already_goes_by_upkeep(struct fixture *f) { /* J11 A60 A64 */
    enum { COUNT = RV_TEND_MAX + 50 };
    char id[16];
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(id, sizeof id, "n%d", i);
        fail_job(f, id);
    }
    CHECK_INT(tend(f).expired, 0); /* without a bound they stay */
    bound_failed(f, 10);
    CHECK_INT(stats(f).failed, COUNT);
    struct rv_tended tended = tend(f);
    CHECK_INT(tended.expired, RV_TEND_MAX);
    CHECK(tended.more);
    CHECK_INT(tended.next_in_ms, 0);
    tended = tend(f);
    CHECK_INT(tended.expired, 40);
    CHECK(!tended.more);
    CHECK_INT(tended.next_in_ms, -1);
    CHECK_INT(stats(f).failed, 10);
    CHECK_INT(stats(f).trimmed_total, COUNT - 10);
    CHECK_GONE(f, "n239");
    CHECK_STATE(f, "n240", REEVE_FAILED);
}

static const struct store_test tests[] = {
    TEST(settings_are_shown_and_changed_one_by_one),
    TEST(setting_makes_a_queue),
    TEST(settings_out_of_range_are_refused),
    TEST_NEEDING(RV_CAP_DURABLE, bounds_survive_opening_again),
    TEST(a_bound_concerns_one_queue),
    TEST(a_full_queue_refuses),
    TEST(refusing_one_does_not_sink_the_others),
    TEST(what_is_known_is_answered_though_it_is_full),
    TEST(what_comes_back_is_not_refused),
    TEST(the_first_of_the_least_urgent_makes_room),
    TEST(the_next_due_makes_room_if_none_is_ready),
    TEST(a_dropped_id_is_new),
    TEST_NEEDING(ONE_SHARD, a_batch_larger_than_the_bound_leaves_its_end),
    TEST(what_makes_room_leaves_nothing_behind),
    TEST(making_room_is_told_and_heard),
    TEST(a_crowd_does_not_overfill),
    TEST(the_first_that_failed_goes),
    TEST(a_failure_by_proxy_counts_as_well),
    TEST(failures_of_one_hand_in_go_in_their_order),
    TEST_NEEDING(ONE_SHARD, what_is_too_much_already_goes_by_upkeep),
    {0},
};

const struct topic topic_bounds = {"bounds", tests};
