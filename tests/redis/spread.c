/* Records beyond the first so many of a queue lie in other keys: lua/records.lua. That every
 * operation finds them there is shown by the conformance tests on redis-spread (tests/servers). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/queue.h"

enum { JOBS = 100, FIRST = 4 };

static void push_many(struct line *line, struct rv_store *store, int from, int count) {
    for (int i = from; i < from + count; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "job-%d", i);
        push_one(line, store, id);
    }
}

/* Records outside of the first key; *largest: of one key. */
static int64_t count_spread(struct line *line, int64_t *largest) {
    int64_t sum = 0;
    *largest = 0;
    for (int i = 0; i < 16; i++) {
        char key[64];
        (void)snprintf(key, sizeof key, KEY("job:%d"), i);
        int64_t count = COMMAND(line, "HLEN", key);
        if (count > *largest) *largest = count;
        sum += count;
    }
    return sum;
}

/* Of the queue's meta, but for what it tells of claims: 8 more. */
static int64_t layout_of(struct line *line) {
    static const char script[] = "return (string.byte(redis.call('GET', KEYS[1])) - 1) % 8 + 1";
    return COMMAND(line, "EVAL", script, "1", KEY("meta"));
}

/* Claims all, a few at a time, and hands them in; then their records go. */
static void work_off(struct line *line, struct rv_store *store) {
    size_t got = 1;
    while (got) {
        struct held_claim claim = {0};
        struct rv_exchange exchange = {.queue = "jobs",
                                       .timeout_ms = 20000,
                                       .want = 7,
                                       .lease_ms = 30000,
                                       .holder = 1 + got,
                                       .worker = "w"};
        struct rv_exchanged answer;
        CHECK_OK(rv_store_exchange(store, &exchange, &answer, &line->err));
        claim.holder = exchange.holder;
        claim.token = answer.token;
        got = answer.count;
        for (size_t i = 0; i < got; i++)
            CHECK_OK(finish_one(line, store, answer.jobs[i]->id, claim, REEVE_DONE));
        rv_exchanged_release(&answer);
    }
    for (got = 1; got;)
        CHECK_OK(rv_store_purge(store, "jobs", REEVE_DONE, &got, &line->err));
}

static void no_key_holds_more_records_than_it_may(void **state) {
    struct line *line = *state;
    int64_t largest;
    start_queue(line, "");
    line->options = "records_per_key=4";
    struct rv_store *store = open_store(line);
    push_many(line, store, 0, FIRST);
    CHECK_INT(layout_of(line), 1);
    push_many(line, store, FIRST, JOBS - FIRST);
    CHECK_INT(COMMAND(line, "HLEN", KEY("job")), FIRST);
    CHECK_INT(count_spread(line, &largest), JOBS - FIRST);
    CHECK_BETWEEN(largest, 1, 20);
    CHECK_INT(layout_of(line), 2);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* Whoever has never heard of it is told by the meta; and it ends with the last of them. */
static void a_handle_with_another_bound_finds_them_all(void **state) {
    struct line *line = *state;
    int64_t largest;
    start_queue(line, "");
    line->options = "records_per_key=4";
    struct rv_store *store = open_store(line);
    push_many(line, store, 0, JOBS);
    rv_store_close(store);
    line->options = NULL;
    store = open_store(line);
    push_many(line, store, JOBS, 1);
    CHECK_INT(COMMAND(line, "HLEN", KEY("job")), FIRST + 1);
    work_off(line, store);
    CHECK_INT(count_spread(line, &largest), 0);
    CHECK_INT(layout_of(line), 1);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* How many there are is what says whether to look for them. */
static void the_doctor_counts_them(void **state) {
    struct line *line = *state;
    struct rv_findings findings;
    start_queue(line, "");
    line->options = "records_per_key=4";
    struct rv_store *store = open_store(line);
    push_many(line, store, 0, JOBS);
    static const char script[] = "local v = redis.call('GET', KEYS[1])\n"
                                 "redis.call('SET', KEYS[1], '\\1' .. string.sub(v, 2, -7))";
    (void)COMMAND(line, "EVAL", script, "1", KEY("meta"));
    CHECK_INT(layout_of(line), 1);
    CHECK_OK(rv_store_examine(store, true, &findings, &line->err));
    free(findings.findings);
    CHECK_INT(layout_of(line), 2);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

static void a_queue_of_a_newer_library_is_left_alone(void **state) {
    struct line *line = *state;
    struct reeve_job *job = NULL;
    struct rv_new_job new = new_one("b");
    struct rv_pushed pushed;
    struct reeve_queue queue;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    push_one(line, store, "a");
    static const char script[] =
        "local v = redis.call('GET', KEYS[1])\n"
        "redis.call('SET', KEYS[1], string.char(ARGV[1]) .. string.sub(v, 2))";
    static const char *const newer[] = {"5", "7", "13", "255"};
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++) {
        (void)COMMAND(line, "EVAL", script, "1", KEY("meta"), newer[i]);
        CHECK_FAILS(rv_store_read(store, "jobs", "a", &job, &line->err), REEVE_ESCHEMA);
        CHECK_FAILS(rv_store_push(store, "jobs", &new, 1, &pushed, &line->err), REEVE_ESCHEMA);
        CHECK_FAILS(rv_store_stats(store, "jobs", &queue, &line->err), REEVE_ESCHEMA);
    }
    CHECK_INT(COMMAND(line, "HLEN", KEY("job")), 1);
    rv_store_close(store);
}

static void a_meta_that_is_not_ours_is_named(void **state) {
    struct line *line = *state;
    struct reeve_job *job = NULL;
    struct reeve_queue queue;
    struct rv_new_job new = new_one("b");
    struct rv_pushed pushed;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    push_one(line, store, "a");
    (void)COMMAND(line, "SET", KEY("meta"), "planted");
    CHECK_FAILS(rv_store_push(store, "jobs", &new, 1, &pushed, &line->err), REEVE_ECORRUPT);
    CHECK(strstr(line->err.text, KEY("meta")));
    CHECK_FAILS(try_claim(store, 1, NULL, NULL, &line->err), REEVE_ECORRUPT);
    CHECK_FAILS(rv_store_read(store, "jobs", "a", &job, &line->err), REEVE_ECORRUPT);
    CHECK_FAILS(rv_store_stats(store, "jobs", &queue, &line->err), REEVE_ECORRUPT);
    CHECK_INT(COMMAND(line, "STRLEN", KEY("meta")), strlen("planted"));
    CHECK_INT(COMMAND(line, "HLEN", KEY("job")), 1);
    rv_store_close(store);
}

const struct CMUnitTest spread_tests[] = {
    REDIS_TEST(no_key_holds_more_records_than_it_may),
    REDIS_TEST(a_handle_with_another_bound_finds_them_all),
    REDIS_TEST(the_doctor_counts_them),
    REDIS_TEST(a_queue_of_a_newer_library_is_left_alone),
    REDIS_TEST(a_meta_that_is_not_ours_is_named),
};
const size_t spread_test_count = sizeof spread_tests / sizeof *spread_tests;
