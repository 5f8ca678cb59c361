/* Exchanges that stand by, for whom the next job is claimed by the step that pushes it. */
#include <stdlib.h>
#include <string.h>

#include "redis/queue.h"

enum {
    LONG_MS = 60000,
    STAND_MS = 30000, /* longer than any test takes that does not wait for its end */
    SOON_MS = 10000,
    LANE = 7,
    HOLDER = 77,
};

/* Who stands by, with a handle of his own. */
struct idler {
    struct rv_store *store;
    struct rv_exchange exchange;
    struct rv_exchanged exchanged;
    struct rv_error err;
};

static int64_t now_ms(void) {
    return rv_clock_boot_ms(&rv_clock_real);
}

static struct idler idler_of(struct line *line, uint64_t lane) {
    return (struct idler){.store = open_store(line),
                          .exchange = {.queue = "jobs",
                                       .timeout_ms = LONG_MS,
                                       .lane = lane,
                                       .number = 1,
                                       .want = 2,
                                       .holder = HOLDER + lane,
                                       .lease_ms = LONG_MS,
                                       .worker = "w",
                                       .stand_by_ms = STAND_MS}};
}

static void ask(struct idler *idler) {
    rv_exchanged_release(&idler->exchanged);
    CHECK_OK(rv_store_exchange(idler->store, &idler->exchange, &idler->exchanged, &idler->err));
}

static void ask_anew(struct idler *idler) {
    idler->exchange.number++;
    idler->exchange.holder += 1000;
    ask(idler);
}

static void attend(struct idler *idler, int64_t ms) {
    rv_exchanged_release(&idler->exchanged);
    CHECK_OK(rv_store_attend(idler->store, &idler->exchange, ms, &idler->exchanged, &idler->err));
}

static void leave(struct idler *idler) {
    rv_exchanged_release(&idler->exchanged);
    rv_store_close(idler->store);
}

/* A queue that was used, is empty, and has somebody who stands by. */
static struct idler begin(struct line *line, struct rv_store **store, const char *with) {
    size_t got;
    start_queue(line, with);
    *store = open_store(line);
    push_one(line, *store, "first");
    struct held_claim claim = claim_some(line, *store, 1, &got);
    CHECK_OK(finish_one(line, *store, "first", claim, REEVE_DONE));
    struct idler idler = idler_of(line, LANE);
    CHECK(rv_store_is_patient(idler.store));
    ask(&idler);
    CHECK_INT(idler.exchanged.count, 0);
    CHECK(idler.exchanged.stands_by);
    return idler;
}

static void end(struct line *line, struct rv_store *store, struct idler *idler) {
    CHECK(is_sound(line, store));
    leave(idler);
    rv_store_close(store);
}

static struct reeve_job *see(struct line *line, struct rv_store *store, const char *id) {
    struct reeve_job *job;
    CHECK_OK(rv_store_read(store, "jobs", id, &job, &line->err));
    CHECK(job);
    return job;
}

static enum reeve_state state_of(struct line *line, struct rv_store *store, const char *id) {
    struct reeve_job *job = see(line, store, id);
    enum reeve_state state = job->state;
    free(job);
    return state;
}

/* ---- given ---- */
static void check_has(const struct idler *idler, const char *id) {
    CHECK_INT(idler->exchanged.count, 1);
    const struct reeve_job *job = idler->exchanged.jobs[0];
    CHECK_STR(job->id, id);
    CHECK_STR(job->queue, "jobs");
    CHECK_INT(job->state, REEVE_RUNNING);
    CHECK_INT(job->attempt, 1);
    CHECK_STR(job->worker, "w");
}

static struct held_claim claim_of(const struct idler *idler) {
    return (struct held_claim){.holder = idler->exchange.holder, .token = idler->exchanged.token};
}

static void a_push_is_claimed_for_who_stands_by(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    push_one(line, store, "a");
    CHECK_INT(state_of(line, store, "a"), REEVE_RUNNING);
    CHECK_INT(ask_server(line, "LLEN " KEY("ready:8")), 0);
    CHECK_INT(ask_server(line, "EXISTS " KEY("offers")), 0);
    attend(&idler, STAND_MS);
    check_has(&idler, "a");
    struct reeve_job *seen = see(line, store, "a");
    CHECK_STR(seen->worker, "w");
    CHECK_INT(seen->attempt, 1);
    free(seen);
    CHECK(is_sound(line, store));
    CHECK_OK(finish_one(line, store, "a", claim_of(&idler), REEVE_DONE));
    end(line, store, &idler);
}

/* What is claimed next follows in the same line. */
static void what_comes_behind_it_stands_in_line(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    size_t got;
    struct idler idler = begin(line, &store, "");
    push_one(line, store, "a");
    push_one(line, store, "b");
    CHECK_INT(state_of(line, store, "b"), REEVE_READY);
    attend(&idler, STAND_MS);
    check_has(&idler, "a");
    (void)claim_some(line, store, 2, &got);
    CHECK_INT(got, 1);
    CHECK_INT(state_of(line, store, "b"), REEVE_RUNNING);
    end(line, store, &idler);
}

static void outcomes_are_handed_in_by_who_stands_by_then(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    push_one(line, store, "a");
    attend(&idler, STAND_MS);
    struct rv_outcome done = {.id = "a",
                              .holder = idler.exchange.holder,
                              .token = idler.exchanged.token,
                              .ending = RV_SUCCEEDED,
                              .state = REEVE_DONE};
    idler.exchange.outcomes = &done;
    idler.exchange.outcome_count = 1;
    ask_anew(&idler);
    CHECK_INT(done.status, 0);
    CHECK(idler.exchanged.stands_by);
    idler.exchange.outcome_count = 0;
    push_one(line, store, "b");
    attend(&idler, STAND_MS);
    check_has(&idler, "b");
    end(line, store, &idler);
}

static void a_vigil_survives_forgotten_scripts(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    COMMAND(line, "SCRIPT", "FLUSH");
    push_one(line, store, "a");
    attend(&idler, STAND_MS);
    check_has(&idler, "a");
    end(line, store, &idler);
}

/* J7: the message is lost, the claim is not. */
static void what_was_claimed_for_it_is_told_to_its_repeat(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    push_one(line, store, "a");
    ask(&idler);
    CHECK(idler.exchanged.replayed);
    CHECK(!idler.exchanged.stands_by);
    check_has(&idler, "a");
    CHECK_OK(finish_one(line, store, "a", claim_of(&idler), REEVE_DONE));
    end(line, store, &idler);
}

static void a_connection_that_is_cut_is_told(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    COMMAND(line, "CLIENT", "KILL", "TYPE", "pubsub");
    for (int i = 0; i < 2; i++) /* nor is another listened to: what was told is not told there */
        CHECK_FAILS(
            rv_store_attend(idler.store, &idler.exchange, STAND_MS, &idler.exchanged, &idler.err),
            REEVE_EUNREACHABLE);
    push_one(line, store, "a"); /* nobody hears of it */
    CHECK_INT(state_of(line, store, "a"), REEVE_READY);
    ask(&idler);
    CHECK_INT(idler.exchanged.count, 0);
    ask_anew(&idler);
    check_has(&idler, "a");
    end(line, store, &idler);
}

/* ---- not given ---- */
static void nobody_stands_by_at_a_queue_that_nobody_knows(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct idler idler = idler_of(line, LANE);
    int64_t keys = ask_server(line, "DBSIZE");
    ask(&idler);
    CHECK(!idler.exchanged.stands_by);
    CHECK_INT(ask_server(line, "DBSIZE"), keys);
    leave(&idler);
}

static void nobody_stands_by_while_there_are_jobs(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    struct idler idler = idler_of(line, LANE);
    push_one(line, store, "a");
    ask(&idler);
    CHECK(!idler.exchanged.stands_by);
    check_has(&idler, "a");
    end(line, store, &idler);
}

static void its_time_ends(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    int64_t begun_ms = now_ms();
    attend(&idler, 300);
    CHECK_BETWEEN(now_ms() - begun_ms, 300, SOON_MS);
    CHECK_INT(idler.exchanged.count, 0);
    CHECK(!idler.exchanged.more);
    CHECK_INT(ask_server(line, "LLEN " KEY("offers")), 1);
    ask(&idler);
    CHECK(idler.exchanged.replayed);
    CHECK_INT(ask_server(line, "EXISTS " KEY("offers")), 0);
    push_one(line, store, "a");
    CHECK_INT(state_of(line, store, "a"), REEVE_READY);
    end(line, store, &idler);
}

/* Commands that it takes to end a vigil. */
static int64_t count_rising(struct line *line, struct idler *idler, bool again) {
    ask_anew(idler);
    CHECK(idler->exchanged.stands_by);
    int64_t before = count_commands(line);
    idler->exchange.again = again;
    ask(idler);
    idler->exchange.again = false;
    CHECK(idler->exchanged.replayed);
    return count_commands(line) - before;
}

/* Who says that it is a repeat sends at once all that it takes: one script. */
static void it_ends_in_one_call(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    int64_t untold = count_rising(line, &idler, false);
    CHECK_INT(count_rising(line, &idler, true), untold - 4); /* EVALSHA, TIME, GET, HGET */
    end(line, store, &idler);
}

/* A handle that is closed, as one whose process was killed, hears nothing: the next one does. */
static void who_has_left_is_passed_over(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler gone = begin(line, &store, ""), next = idler_of(line, LANE + 1);
    next.exchange.stand_by_ms++; /* the other is tried first */
    ask(&next);
    leave(&gone);
    push_one(line, store, "a");
    attend(&next, STAND_MS);
    check_has(&next, "a");
    CHECK_INT(ask_server(line, "HLEN " KEY("claims")), 1);
    CHECK_INT(ask_server(line, "ZCARD " KEY("lease")), 1);
    end(line, store, &next);
}

static void a_job_that_nobody_hears_of_stands_in_line(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    size_t got;
    struct idler gone = begin(line, &store, "");
    leave(&gone);
    COMMAND(line, "DEL", KEY("bell"));
    push_one(line, store, "a");
    CHECK_INT(state_of(line, store, "a"), REEVE_READY);
    CHECK_INT(ask_server(line, "HLEN " KEY("claims")), 0);
    CHECK_INT(ask_server(line, "ZCARD " KEY("lease")), 0);
    CHECK_INT(ask_server(line, "LLEN " KEY("bell")), 1);
    (void)claim_some(line, store, 1, &got);
    CHECK_INT(got, 1);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

static const char unheard[] = "~~~~~~0000000000000009somebody000000worker"; /* until long after */

static void what_is_no_offer_is_dropped(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler gone = begin(line, &store, "");
    leave(&gone);
    CHECK_INT(COMMAND(line, "RPUSH", KEY("offers"), "nobody"), 2); /* with that of who left */
    push_one(line, store, "a");
    CHECK_INT(state_of(line, store, "a"), REEVE_READY);
    CHECK_INT(ask_server(line, "EXISTS " KEY("offers")), 0);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* They are in the way of nobody, nor is one whom nobody hears. */
static void who_stands_behind_them_is_given_to(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    CHECK_INT(COMMAND(line, "LPUSH", KEY("offers"), unheard, "nobody", "none"), 4);
    push_one(line, store, "a");
    CHECK_INT(ask_server(line, "EXISTS " KEY("offers")), 0);
    attend(&idler, STAND_MS);
    check_has(&idler, "a");
    end(line, store, &idler);
}

/* One that is stopped does not say that it stands by no more. */
static void an_offer_is_good_for_its_time_only(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    COMMAND(line, "DEL", KEY("bell"));
    atomic_store(&line->clock.offset_ms, STAND_MS + 2000);
    push_one(line, store, "a");
    CHECK_INT(state_of(line, store, "a"), REEVE_READY);
    CHECK_INT(ask_server(line, "EXISTS " KEY("offers")), 0);
    CHECK_INT(ask_server(line, "LLEN " KEY("bell")), 1); /* for others */
    end(line, store, &idler);
}

static void upkeep_forgets_offers(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct rv_tended tended;
    struct idler idler = begin(line, &store, "");
    CHECK_OK(rv_store_tend(store, "jobs", &tended, &line->err));
    CHECK_INT(ask_server(line, "LLEN " KEY("offers")), 1);
    CHECK_INT(COMMAND(line, "LPUSH", KEY("offers"), unheard), 2); /* as by another clock */
    CHECK_OK(rv_store_tend(store, "jobs", &tended, &line->err));
    CHECK_INT(ask_server(line, "LLEN " KEY("offers")), 1);
    atomic_store(&line->clock.offset_ms, STAND_MS + 2000);
    CHECK_OK(rv_store_tend(store, "jobs", &tended, &line->err));
    CHECK_INT(ask_server(line, "EXISTS " KEY("offers")), 0);
    end(line, store, &idler);
}

/* ---- rung for ---- */
static void check_rung(struct line *line, struct idler *idler, size_t jobs) {
    CHECK_INT(ask_server(line, "EXISTS " KEY("offers")), 0);
    attend(idler, STAND_MS);
    CHECK_INT(idler->exchanged.count, 0);
    CHECK(idler->exchanged.more);
    ask_anew(idler);
    CHECK_INT(idler->exchanged.count, jobs);
}

static void several_jobs_ring(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct rv_new_job jobs[] = {new_one("a"), new_one("b")};
    struct rv_pushed outs[2];
    struct idler idler = begin(line, &store, "");
    CHECK_OK(rv_store_push(store, "jobs", jobs, 2, outs, &line->err));
    check_rung(line, &idler, 2);
    end(line, store, &idler);
}

static void an_urgent_job_rings(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct rv_new_job job = new_one("a");
    struct idler idler = begin(line, &store, "");
    job.priority = -1;
    push_new(line, store, &job);
    check_rung(line, &idler, 1);
    end(line, store, &idler);
}

static void a_delayed_job_rings_when_it_is_due(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct rv_tended tended;
    struct rv_new_job job = new_one("a");
    struct idler idler = begin(line, &store, "");
    job.delay_ms = 1000;
    push_new(line, store, &job);
    CHECK_INT(state_of(line, store, "a"), REEVE_DELAYED);
    check_rung(line, &idler, 0); /* so he knows when it is */
    CHECK_BETWEEN(idler.exchanged.due_in_ms, 1, 1000);
    CHECK(idler.exchanged.stands_by);
    atomic_store(&line->clock.offset_ms, 1500);
    CHECK_OK(rv_store_tend(store, "jobs", &tended, &line->err));
    check_rung(line, &idler, 1);
    end(line, store, &idler);
}

/* A job that is due goes before one that is pushed then. */
static void a_due_job_comes_before_a_new_one(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct rv_new_job job = new_one("a");
    struct idler idler = begin(line, &store, "");
    job.delay_ms = 1000;
    push_new(line, store, &job);
    check_rung(line, &idler, 0);
    atomic_store(&line->clock.offset_ms, 1500);
    push_one(line, store, "b");
    CHECK_INT(state_of(line, store, "b"), REEVE_READY);
    check_rung(line, &idler, 2);
    end(line, store, &idler);
}

static void a_paused_queue_gives_nothing(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    CHECK_OK(rv_store_pause(store, "jobs", true, &line->err));
    push_one(line, store, "a");
    CHECK_INT(state_of(line, store, "a"), REEVE_READY);
    CHECK_INT(ask_server(line, "LLEN " KEY("offers")), 1);
    CHECK_OK(rv_store_pause(store, "jobs", false, &line->err));
    check_rung(line, &idler, 1);
    end(line, store, &idler);
}

static void who_finds_a_queue_paused_stands_by(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    CHECK_OK(rv_store_pause(store, "jobs", true, &line->err));
    push_one(line, store, "a");
    ask_anew(&idler);
    CHECK(idler.exchanged.stands_by);
    CHECK_INT(ask_server(line, "LLEN " KEY("offers")), 2);
    ask(&idler); /* leaves the first offer, of a request that was forgotten here */
    CHECK_INT(ask_server(line, "LLEN " KEY("offers")), 1);
    end(line, store, &idler);
}

/* ---- stirred ---- */
static void it_is_stirred_by_its_lane_alone(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    CHECK_OK(rv_store_stir(store, "jobs", LANE + 1, &line->err)); /* somebody else's */
    attend(&idler, 300);
    int64_t begun_ms = now_ms();
    CHECK_OK(rv_store_stir(store, "jobs", LANE, &line->err));
    attend(&idler, STAND_MS);
    CHECK_BETWEEN(now_ms() - begun_ms, 0, SOON_MS);
    CHECK_INT(idler.exchanged.count, 0);
    CHECK(!idler.exchanged.more);
    end(line, store, &idler);
}

static void what_is_for_another_exchange_is_not_taken(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    COMMAND(line, "PUBLISH", KEY("offers:0000000000000007"), "somebody and nonsense");
    attend(&idler, STAND_MS);
    CHECK_INT(idler.exchanged.count, 0);
    CHECK(!idler.exchanged.more);
    end(line, store, &idler);
}

/* ---- servers ---- */
/* R10: a push is refused, and who stands by goes on doing so. */
static void a_full_server_gives_nothing(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct rv_new_job job = new_one("a");
    struct rv_pushed out;
    struct idler idler = begin(line, &store, "");
    CHECK_INT(COMMAND(line, "LPUSH", KEY("offers"), "nobody"), 2);
    COMMAND(line, "CONFIG", "SET", "maxmemory", "1");
    CHECK_FAILS(rv_store_push(store, "jobs", &job, 1, &out, &line->err), REEVE_EUNREACHABLE);
    CHECK_INT(ask_server(line, "LLEN " KEY("offers")), 2);
    CHECK_INT(ask_server(line, "HLEN " KEY("claims")), 0);
    ask(&idler);
    ask_anew(&idler);
    CHECK(idler.exchanged.stands_by);
    COMMAND(line, "CONFIG", "SET", "maxmemory", "0");
    push_one(line, store, "a");
    attend(&idler, STAND_MS);
    check_has(&idler, "a");
    end(line, store, &idler);
}

/* Who may not listen to the channel does not stand by, and is not asked to again. */
static void a_user_without_the_channel_does_without(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "");
    leave(&idler);
    COMMAND(line, "ACL", "SETUSER", "default", "resetchannels", "&rv:{test}:*");
    idler = idler_of(line, LANE + 1);
    CHECK(rv_store_is_patient(idler.store));
    ask(&idler);
    CHECK(!idler.exchanged.stands_by);
    CHECK(!rv_store_is_patient(idler.store));
    push_one(line, store, "a");
    CHECK_INT(state_of(line, store, "a"), REEVE_READY);
    leave(&idler);
    rv_store_close(store);
}

static void who_stands_by_over_tls_is_given_jobs(void **state) {
    struct line *line = *state;
    struct rv_store *store;
    struct idler idler = begin(line, &store, "tls");
    push_one(line, store, "a");
    attend(&idler, STAND_MS);
    check_has(&idler, "a");
    end(line, store, &idler);
}

const struct CMUnitTest vigil_tests[] = {
    REDIS_TEST(a_push_is_claimed_for_who_stands_by),
    REDIS_TEST(what_comes_behind_it_stands_in_line),
    REDIS_TEST(outcomes_are_handed_in_by_who_stands_by_then),
    REDIS_TEST(a_vigil_survives_forgotten_scripts),
    REDIS_TEST(what_was_claimed_for_it_is_told_to_its_repeat),
    REDIS_TEST(a_connection_that_is_cut_is_told),
    REDIS_TEST(nobody_stands_by_at_a_queue_that_nobody_knows),
    REDIS_TEST(nobody_stands_by_while_there_are_jobs),
    REDIS_TEST(its_time_ends),
    REDIS_TEST(it_ends_in_one_call),
    REDIS_TEST(who_has_left_is_passed_over),
    REDIS_TEST(a_job_that_nobody_hears_of_stands_in_line),
    REDIS_TEST(what_is_no_offer_is_dropped),
    REDIS_TEST(who_stands_behind_them_is_given_to),
    REDIS_TEST(an_offer_is_good_for_its_time_only),
    REDIS_TEST(upkeep_forgets_offers),
    REDIS_TEST(several_jobs_ring),
    REDIS_TEST(an_urgent_job_rings),
    REDIS_TEST(a_delayed_job_rings_when_it_is_due),
    REDIS_TEST(a_due_job_comes_before_a_new_one),
    REDIS_TEST(a_paused_queue_gives_nothing),
    REDIS_TEST(who_finds_a_queue_paused_stands_by),
    REDIS_TEST(it_is_stirred_by_its_lane_alone),
    REDIS_TEST(what_is_for_another_exchange_is_not_taken),
    REDIS_TEST(a_full_server_gives_nothing),
    REDIS_TEST(a_user_without_the_channel_does_without),
    REDIS_TEST(who_stands_by_over_tls_is_given_jobs),
};
const size_t vigil_test_count = sizeof vigil_tests / sizeof *vigil_tests;
