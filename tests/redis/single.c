/* Who has one job at a time hands it in and takes the next in one step, by a way of its own
 * (lua/single.lua): it comes to what the other comes to, also where it has to leave it to that. */
#include <stdlib.h>
#include <string.h>

#include "redis/queue.h"

enum { TIMEOUT_MS = 20000, LEASE_MS = 30000, KEPT_MS = 3600000 };

static struct rv_store *start(struct line *line) {
    start_queue(line, "");
    return open_store(line);
}

static struct rv_exchange one_more(void) {
    static uint64_t holder = 1;
    return (struct rv_exchange){.queue = "jobs",
                                .timeout_ms = TIMEOUT_MS,
                                .want = 1,
                                .holder = holder++,
                                .lease_ms = LEASE_MS,
                                .worker = "worker"};
}

static struct rv_outcome done(const char *id, const struct rv_exchange *by, uint64_t token,
                              int64_t keep_ms) {
    return (struct rv_outcome){.id = id,
                               .token = token,
                               .holder = by->holder,
                               .ending = RV_SUCCEEDED,
                               .state = REEVE_DONE,
                               .attempt = 1,
                               .keep_ms = keep_ms,
                               .result = "yes",
                               .result_size = 3,
                               .has_result = keep_ms > 0};
}

/* The job that comes is that one; NULL: none does. Returns its token. */
static uint64_t check_next(struct line *line, struct rv_store *store, struct rv_exchange *exchange,
                           const char *id) {
    struct rv_exchanged got;
    CHECK_OK(rv_store_exchange(store, exchange, &got, &line->err));
    for (size_t i = 0; i < exchange->outcome_count; i++)
        CHECK_INT(exchange->outcomes[i].status, REEVE_OK);
    CHECK_INT(got.count, id ? 1 : 0);
    if (id) CHECK_STR(got.jobs[0]->id, id);
    uint64_t token = got.token;
    rv_exchanged_release(&got);
    return token;
}

/* Hands in the one, and gets the other. */
static uint64_t swap(struct line *line, struct rv_store *store, struct rv_exchange *by,
                     struct rv_outcome outcome, const char *next) {
    struct rv_exchange exchange = one_more();
    exchange.outcomes = &outcome;
    exchange.outcome_count = 1;
    uint64_t token = check_next(line, store, &exchange, next);
    *by = exchange;
    return token;
}

/* A job is in hand, and "b" is next. */
static uint64_t take_first(struct line *line, struct rv_store *store, struct rv_exchange *by,
                           const char *id) {
    push_one(line, store, id);
    push_one(line, store, "b");
    return check_next(line, store, by, id);
}

static void hand_in(struct line *line, struct rv_store *store, struct rv_outcome *outcome) {
    struct rv_exchange exchange = one_more();
    struct rv_exchanged got;
    exchange.want = 0;
    exchange.outcomes = outcome;
    exchange.outcome_count = 1;
    CHECK_OK(rv_store_exchange(store, &exchange, &got, &line->err));
    rv_exchanged_release(&got);
}

static void jobs_go_from_hand_to_hand(void **state) { /* J3 J4 J15 */
    struct line *line = *state;
    struct rv_store *store = start(line);
    struct rv_exchange by = one_more(), first = by;
    struct reeve_queue stats;
    struct reeve_job *job;
    uint64_t token = take_first(line, store, &by, "a"), old = token;
    token = swap(line, store, &by, done("a", &by, token, KEPT_MS), "b");
    CHECK(token > old);
    CHECK_INT(COMMAND(line, "HLEN", KEY("claims")), 1);
    CHECK_INT(COMMAND(line, "ZCARD", KEY("lease")), 1);
    CHECK_INT(COMMAND(line, "ZCARD", KEY("kept")), 1);
    CHECK_OK(rv_store_read(store, "jobs", "a", &job, &line->err));
    CHECK_INT(job->state, REEVE_DONE);
    CHECK_INT(job->attempt, 1);
    CHECK_INT(job->token, old);
    CHECK_STR(job->worker, first.worker);
    CHECK_BYTES(job->result, job->result_size, "yes", 3);
    CHECK(job->started_at_ms > 0 && job->ended_at_ms >= job->started_at_ms);
    free(job);
    (void)swap(line, store, &by, done("b", &by, token, 0), NULL);
    CHECK_INT(COMMAND(line, "EXISTS", KEY("claims"), KEY("lease"), KEY("ready:8")), 0);
    CHECK_INT(rv_store_read(store, "jobs", "b", &job, &line->err), REEVE_ENOENT);
    CHECK_OK(rv_store_stats(store, "jobs", &stats, &line->err));
    CHECK_INT(stats.ready + stats.running, 0);
    CHECK_INT(stats.done, 1);
    CHECK_INT(stats.finished_total, 2);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* And nothing is taken for it. */
static void what_is_not_held_is_fenced(void **state) { /* J3 */
    struct line *line = *state;
    struct rv_store *store = start(line);
    struct rv_exchange by = one_more();
    uint64_t token = take_first(line, store, &by, "one");
    struct rv_outcome wrong[] = {done("b", &by, token, 0), done("two", &by, token, KEPT_MS),
                                 done("one", &by, token + 1, 0), done("ne", &by, token, 0)};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hand_in(line, store, &wrong[i]);
        CHECK_INT(wrong[i].status, REEVE_EFENCED);
    }
    (void)swap(line, store, &by, done("one", &by, token, 0), "b");
    rv_store_close(store);
}

static void check_attempt(struct line *line, struct rv_store *store, const char *id,
                          enum reeve_state state, int attempt) {
    struct reeve_job *job;
    CHECK_OK(rv_store_read(store, "jobs", id, &job, &line->err));
    CHECK_INT(job->state, state);
    CHECK_INT(job->attempt, attempt);
    free(job);
}

/* Its own entry is in line once more, one of a job that is not due, or of one that has a past. */
static void what_is_special_goes_the_other_way(void **state) { /* J2 J9 */
    struct line *line = *state;
    struct rv_store *store = start(line);
    struct rv_exchange by = one_more();
    uint64_t token = take_first(line, store, &by, "a");
    CHECK_INT(COMMAND(line, "LPUSH", KEY("ready:8"), "a"), 2);
    (void)swap(line, store, &by, done("a", &by, token, KEPT_MS), NULL); /* it does not come back */
    by = one_more();
    token = check_next(line, store, &by, "b");
    struct rv_new_job late = new_one("late");
    late.delay_ms = 3600000;
    push_new(line, store, &late);
    push_one(line, store, "d");
    CHECK_INT(COMMAND(line, "LPUSH", KEY("ready:8"), "late"), 2);
    struct rv_exchange other = one_more();
    (void)check_next(line, store, &other, NULL);
    check_attempt(line, store, "late", REEVE_DELAYED, 0);
    uint64_t its_token = check_next(line, store, &other, "d");
    (void)swap(line, store, &other, done("d", &other, its_token, 0), NULL);
    struct rv_outcome retry = done("b", &by, token, 0);
    retry.ending = RV_FAILED_ATTEMPT;
    retry.state = REEVE_READY;
    hand_in(line, store, &retry);
    by = one_more();
    token = check_next(line, store, &by, "b");
    check_attempt(line, store, "b", REEVE_RUNNING, 2);
    push_one(line, store, "c");
    retry = done("b", &by, token, KEPT_MS);
    retry.attempt = 2;
    token = swap(line, store, &by, retry, "c");
    check_attempt(line, store, "b", REEVE_DONE, 2);
    (void)swap(line, store, &by, done("c", &by, token, KEPT_MS), NULL);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* Ids are packed in two ways, by their size. The lane is known from before. */
static void a_claim_is_told_again_whatever_its_id(void **state) { /* J7 */
    struct line *line = *state;
    struct rv_store *store = start(line);
    static const char *const ids[] = {"first", "of-thirty-one-letters-in-a-row.",
                                      "of-thirty-two-letters-in-a-row..",
                                      "of-so-many-letters-that-nobody-would-like-to-count-them"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct rv_exchange exchange = one_more();
        exchange.lane = 7;
        exchange.number = i + 1;
        push_one(line, store, ids[i]);
        uint64_t token = check_next(line, store, &exchange, ids[i]);
        CHECK_INT(check_next(line, store, &exchange, ids[i]), token);
    }
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* It is told, and all is as it was: the job in line, nothing in hand but what was. */
static void a_key_of_a_wrong_type_is_met_in_time(void **state) {
    struct line *line = *state;
    static const char *const keys[] = {KEY("claims"), KEY("lease"), KEY("job"), KEY("ready:8")};
    struct rv_store *store = start(line);
    struct rv_exchanged got;
    push_one(line, store, "a");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct rv_exchange exchange = one_more();
        int64_t there = COMMAND(line, "EXISTS", keys[i]);
        if (there) (void)COMMAND(line, "RENAME", keys[i], KEY("aside"));
        (void)COMMAND(line, "SET", keys[i], "somebody's");
        CHECK_INT(rv_store_exchange(store, &exchange, &got, &line->err), REEVE_ECORRUPT);
        (void)COMMAND(line, "DEL", keys[i]);
        CHECK_INT(COMMAND(line, "EXISTS", KEY("claims"), KEY("lease")), 0);
        if (there) (void)COMMAND(line, "RENAME", KEY("aside"), keys[i]);
    }
    CHECK_INT(COMMAND(line, "LLEN", KEY("ready:8")), 1);
    struct rv_exchange by = one_more();
    uint64_t token = check_next(line, store, &by, "a");
    push_one(line, store, "b");
    struct rv_outcome outcome = done("a", &by, token, KEPT_MS);
    struct rv_exchange exchange = one_more();
    exchange.outcomes = &outcome;
    exchange.outcome_count = 1;
    (void)COMMAND(line, "SET", KEY("kept"), "somebody's");
    CHECK_INT(rv_store_exchange(store, &exchange, &got, &line->err), REEVE_ECORRUPT);
    (void)COMMAND(line, "DEL", KEY("kept"));
    CHECK_INT(COMMAND(line, "LLEN", KEY("ready:8")), 1);
    (void)swap(line, store, &by, done("a", &by, token, KEPT_MS), "b");
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* Its first write is one that such a server allows; then all are. */
static void a_full_server_takes_what_is_handed_in(void **state) { /* R10 */
    struct line *line = *state;
    struct rv_store *store = start(line);
    struct rv_exchange by = one_more();
    uint64_t token = take_first(line, store, &by, "a");
    (void)COMMAND(line, "CONFIG", "SET", "maxmemory", "1");
    token = swap(line, store, &by, done("a", &by, token, KEPT_MS), "b");
    (void)swap(line, store, &by, done("b", &by, token, KEPT_MS), NULL);
    (void)COMMAND(line, "CONFIG", "SET", "maxmemory", "0");
    check_attempt(line, store, "a", REEVE_DONE, 1);
    check_attempt(line, store, "b", REEVE_DONE, 1);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* Upkeep cuts every lease to the longest that anybody asked for: this one was asked for, too. */
static void a_lease_stands_for_its_time(void **state) { /* J8 */
    struct line *line = *state;
    struct rv_store *store = start(line);
    struct rv_exchange by = one_more();
    struct rv_lapsed lapsed;
    struct rv_tended tended;
    push_one(line, store, "a");
    (void)check_next(line, store, &by, "a");
    for (int i = 0; i < 2; i++) {
        CHECK_OK(rv_store_tend(store, "jobs", &tended, &line->err));
        CHECK_OK(rv_store_lapsed(store, "jobs", &lapsed, &line->err));
        CHECK_INT(lapsed.count, i);
        rv_lapsed_release(&lapsed);
        rv_clock_move(&line->clock, LEASE_MS + 1);
    }
    rv_store_close(store);
}

const struct CMUnitTest single_tests[] = {
    REDIS_TEST(jobs_go_from_hand_to_hand),
    REDIS_TEST(what_is_not_held_is_fenced),
    REDIS_TEST(what_is_special_goes_the_other_way),
    REDIS_TEST(a_claim_is_told_again_whatever_its_id),
    REDIS_TEST(a_key_of_a_wrong_type_is_met_in_time),
    REDIS_TEST(a_full_server_takes_what_is_handed_in),
    REDIS_TEST(a_lease_stands_for_its_time),
};
const size_t single_test_count = sizeof single_tests / sizeof *single_tests;
