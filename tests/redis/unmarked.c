/* Jobs of the line that most stand in are claimed by their places: nothing is written into their
 * records, and yet everybody knows who has them. */
#include <stdlib.h>
#include <string.h>

#include "redis/queue.h"

static struct rv_store *start(struct line *line) {
    start_queue(line, "");
    return open_store(line);
}

static void check_state(struct line *line, struct rv_store *store, const char *id,
                        enum reeve_state state, uint64_t token) {
    struct reeve_job *job;
    CHECK_OK(rv_store_read(store, "jobs", id, &job, &line->err));
    CHECK_INT(job->state, state);
    CHECK_INT(job->attempt, state == REEVE_RUNNING ? 1 : 0);
    CHECK_INT(job->token, token);
    CHECK((job->worker != NULL) == (state == REEVE_RUNNING));
    free(job);
}

static int64_t record_size(struct line *line, const char *id) {
    return COMMAND(line, "HSTRLEN", KEY("job"), id);
}

static void a_claim_leaves_records_as_they_are(void **state) { /* J2 J3 */
    struct line *line = *state;
    struct rv_store *store = start(line);
    enum reeve_state found;
    size_t got;
    push_one(line, store, "a");
    push_one(line, store, "b");
    push_one(line, store, "c");
    int64_t size = record_size(line, "a");
    struct held_claim first = claim_some(line, store, 1, &got),
                      second = claim_some(line, store, 1, &got);
    CHECK_INT(record_size(line, "a"), size);
    check_state(line, store, "a", REEVE_RUNNING, first.token);
    check_state(line, store, "b", REEVE_RUNNING, second.token);
    check_state(line, store, "c", REEVE_READY, 0);
    CHECK(is_sound(line, store));
    CHECK_INT(finish_one(line, store, "b", first, REEVE_DONE), REEVE_EFENCED);
    CHECK_INT(finish_one(line, store, "c", first, REEVE_DONE), REEVE_EFENCED);
    CHECK_OK(rv_store_cancel(store, "jobs", "b", &found, &line->err));
    CHECK_INT(found, REEVE_RUNNING); /* its claim was to be found */
    check_state(line, store, "b", REEVE_RUNNING, second.token);
    CHECK_OK(finish_one(line, store, "a", first, REEVE_DONE));
    CHECK_OK(finish_one(line, store, "b", second, REEVE_DONE));
    CHECK_INT(COMMAND(line, "EXISTS", KEY("claims")), 0);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* Somebody has put it in line once more. */
static void a_place_is_claimed_once(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line);
    size_t got;
    push_one(line, store, "a");
    struct held_claim claim = claim_some(line, store, 1, &got);
    push_one(line, store, "b");
    CHECK_INT(COMMAND(line, "LPUSH", KEY("ready:8"), "a"), 2);
    CHECK_INT(COMMAND(line, "HSET", KEY("claims"), "nobody", "x"), 1); /* and this is no claim */
    struct held_claim next = claim_some(line, store, 2, &got);
    CHECK_INT(got, 1);
    check_state(line, store, "a", REEVE_RUNNING, claim.token);
    check_state(line, store, "b", REEVE_RUNNING, next.token);
    rv_store_close(store);
}

/* Twice in line, or in line and among those that were handed back, as a repair may leave it: one
 * claim has it once. */
static void a_job_that_stands_twice_is_claimed_once(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line);
    size_t got;
    push_one(line, store, "a");
    push_one(line, store, "b");
    CHECK_INT(COMMAND(line, "RPUSH", KEY("ready:8"), "b"), 3);
    struct held_claim claim = claim_some(line, store, 3, &got);
    CHECK_INT(got, 2);
    CHECK_OK(finish_one(line, store, "b", claim, REEVE_READY)); /* handed back */
    CHECK_INT(COMMAND(line, "ZCARD", KEY("back")), 1);
    CHECK_INT(COMMAND(line, "RPUSH", KEY("ready:8"), "b"), 1);
    struct held_claim again = claim_some(line, store, 3, &got);
    CHECK_INT(got, 1);
    CHECK_OK(finish_one(line, store, "b", again, REEVE_DONE));
    CHECK_OK(finish_one(line, store, "a", claim, REEVE_DONE));
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* The meta was lost, and begins anew with lower places than the jobs have that wait. */
static void a_job_that_waits_is_claimed_whatever_its_place(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line);
    size_t got;
    push_one(line, store, "a");
    push_one(line, store, "b");
    CHECK_INT(COMMAND(line, "RENAME", KEY("meta"), KEY("gone")), 0);
    push_one(line, store, "c");
    push_one(line, store, "d");
    struct held_claim first = claim_some(line, store, 2, &got); /* "a" and "b" */
    CHECK_INT(got, 2);
    push_one(line, store, "e");
    push_one(line, store, "f");
    push_one(line, store, "g");
    struct held_claim second = claim_some(line, store, 3, &got);
    CHECK_INT(got, 3);
    check_state(line, store, "b", REEVE_RUNNING, first.token);
    check_state(line, store, "c", REEVE_RUNNING, second.token);
    check_state(line, store, "e", REEVE_RUNNING, second.token);
    check_state(line, store, "f", REEVE_READY, 0);
    rv_store_close(store);
}

/* Makes of a claim of one job, "a", what a library has written that knew of no places. */
static void make_old(struct line *line, const struct held_claim *claim) {
    static const char script[] =
        "local meta, job, claims, name = KEYS[1], KEYS[2], KEYS[3], ARGV[1]\n"
        "local text, v = redis.call('GET', meta), redis.call('HGET', claims, name)\n"
        "redis.call('SET', meta, string.char(string.byte(text) - 8) .. string.sub(text, 2, -7))\n"
        "redis.call('HSET', claims, name, string.sub(v, 1, 9 + string.byte(v, 3)) .. "
        "cmsgpack.pack({ 'a' }))\n"
        "redis.call('HDEL', claims, name .. '\\0')\n"
        "redis.call('HSET', job, 'a', redis.call('HGET', job, 'a') .. '\\3\\0\\0\\1' .. name)";
    const char *const words[] = {"EVAL",     script,        "3",          KEY("meta"),
                                 KEY("job"), KEY("claims"), claim->lease, NULL};
    const size_t sizes[] = {4,
                            sizeof script - 1,
                            1,
                            sizeof KEY("meta") - 1,
                            sizeof KEY("job") - 1,
                            sizeof KEY("claims") - 1,
                            sizeof claim->lease};
    (void)command(line, words, sizes);
}

static void what_an_older_library_has_claimed_is_its_own(void **state) {
    struct line *line = *state;
    struct rv_store *store = start(line);
    struct rv_lapsed lapsed;
    size_t got;
    push_one(line, store, "a");
    struct held_claim claim = claim_some(line, store, 1, &got), other = claim;
    make_old(line, &claim);
    push_one(line, store, "b");
    check_state(line, store, "a", REEVE_RUNNING, claim.token);
    CHECK(is_sound(line, store));
    other.token++;
    CHECK_INT(finish_one(line, store, "a", other, REEVE_DONE), REEVE_EFENCED);
    (void)claim_some(line, store, 1, &got);
    CHECK_INT(got, 1);
    rv_clock_move(&line->clock, 3600000);
    CHECK_OK(rv_store_lapsed(store, "jobs", &lapsed, &line->err));
    CHECK_INT(lapsed.count, 2); /* of both */
    rv_lapsed_release(&lapsed);
    CHECK_OK(finish_one(line, store, "a", claim, REEVE_DONE));
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

const struct CMUnitTest unmarked_tests[] = {
    REDIS_TEST(a_claim_leaves_records_as_they_are),
    REDIS_TEST(a_place_is_claimed_once),
    REDIS_TEST(a_job_that_stands_twice_is_claimed_once),
    REDIS_TEST(a_job_that_waits_is_claimed_whatever_its_place),
    REDIS_TEST(what_an_older_library_has_claimed_is_its_own),
};
const size_t unmarked_test_count = sizeof unmarked_tests / sizeof *unmarked_tests;
