/* Entries of delayed, kept and failed jobs lie beside their records: lua/sets.lua. That every
 * operation finds them there is shown by the conformance tests on redis-spread (tests/servers).
 * This is about their order, how many one key has, and what other libraries and hands leave. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/queue.h"

enum { JOBS = 2000, FAILED = 300, FIRST = 64, HASHES = 16, HOUR_MS = 3600000, BATCH = 250 };

/* ---- a queue of many jobs ---- */
static struct rv_store *open_spread(struct line *line) {
    start_queue(line, "");
    line->options = "records_per_key=64";
    return open_store(line);
}

static void name(char id[16], int i) {
    (void)snprintf(id, 16, "job-%d", i);
}

/* Hundreds are due at the same time, and hardly any in the order in which they come. */
static int64_t due_after(int i) {
    return HOUR_MS + i * 37 % 7 * 1000;
}

static void push_many(struct line *line, struct rv_store *store, int count, int64_t base_ms) {
    static struct rv_new_job jobs[BATCH];
    static struct rv_pushed pushed[BATCH];
    static char ids[BATCH][16];
    for (int from = 0; from < count; from += BATCH) {
        int n = count - from < BATCH ? count - from : BATCH;
        for (int i = 0; i < n; i++) {
            name(ids[i], from + i);
            jobs[i] = new_one(ids[i]);
            if (base_ms) jobs[i].run_at_ms = base_ms + due_after(from + i);
        }
        CHECK_OK(rv_store_push(store, "jobs", jobs, (size_t)n, pushed, &line->err));
    }
}

/* All that are ready, one after the other, come to an end in this state. */
static void end_all(struct line *line, struct rv_store *store, int count, enum reeve_state state) {
    for (int i = 0; i < count; i++) {
        char id[16];
        size_t got;
        name(id, i);
        struct held_claim claim = claim_some(line, store, 1, &got);
        CHECK_INT(got, 1);
        CHECK_OK(finish_one(line, store, id, claim, state));
    }
}

static struct rv_tended tend(struct line *line, struct rv_store *store) {
    struct rv_tended out;
    CHECK_OK(rv_store_tend(store, "jobs", &out, &line->err));
    return out;
}

static void tend_all(struct line *line, struct rv_store *store) {
    while (tend(line, store).more)
        continue;
}

/* ---- the server's side ---- */
/* Entries of a set outside of its first key; *largest: of any one key. */
static int64_t count_beside(struct line *line, const char *set, int64_t *largest) {
    char key[64];
    int64_t sum = 0;
    (void)snprintf(key, sizeof key, KEY("%s"), set);
    *largest = COMMAND(line, "ZCARD", key);
    for (int i = 0; i < HASHES; i++) {
        (void)snprintf(key, sizeof key, KEY("%s:%d"), set, i);
        int64_t count = COMMAND(line, "ZCARD", key);
        if (count > *largest) *largest = count;
        sum += count;
    }
    return sum;
}

static void check_sizes(struct line *line, const char *set, int64_t beside) {
    int64_t largest, most = 2 * beside / HASHES > FIRST ? 2 * beside / HASHES : FIRST;
    CHECK_INT(count_beside(line, set, &largest), beside);
    CHECK_BETWEEN(largest, 1, most);
}

/* Of the queue's meta, but for what it tells of claims: 8 more. */
static int64_t layout_of(struct line *line) {
    static const char script[] = "return (string.byte(redis.call('GET', KEYS[1])) - 1) % 8 + 1";
    return COMMAND(line, "EVAL", script, "1", KEY("meta"));
}

/* As a library leaves it that knows of no sets but the first. */
static void make_old(struct line *line) {
    static const char script[] =
        "for _, set in ipairs({'delayed', 'kept', 'failed'}) do\n"
        "  for i = 0, 15 do\n"
        "    local first, part = KEYS[1] .. set, KEYS[1] .. set .. ':' .. i\n"
        "    local all = redis.call('ZRANGE', part, 0, -1, 'WITHSCORES')\n"
        "    for j = 1, #all, 2 do redis.call('ZADD', first, all[j + 1], all[j]) end\n"
        "    redis.call('DEL', part)\n"
        "  end\n"
        "end\n"
        "local v = redis.call('GET', KEYS[1] .. 'meta')\n"
        "redis.call('SET', KEYS[1] .. 'meta', string.char(string.byte(v) - 4) .. string.sub(v, 2))";
    (void)COMMAND(line, "EVAL", script, "1", KEY(""));
}

/* ---- delayed ---- */
/* The next place, after at, of what is to come: by when it is due, then as it was pushed. */
static int next_due(int at) {
    for (int i = at + 1; at >= 0 && i < JOBS; i++)
        if (due_after(i) == due_after(at)) return i;
    int64_t after = at < 0 ? 0 : due_after(at), best = INT64_MAX;
    int found = -1;
    for (int i = 0; i < JOBS; i++)
        if (due_after(i) > after && due_after(i) < best) {
            best = due_after(i);
            found = i;
        }
    return found;
}

/* Claims all, some at a time; they come in their order. */
static void claim_in_order(struct line *line, struct rv_store *store) {
    int at = -1, count = 0;
    struct rv_exchange exchange = {.queue = "jobs",
                                   .timeout_ms = 20000,
                                   .want = 33,
                                   .lease_ms = HOUR_MS,
                                   .holder = 1,
                                   .worker = "w"};
    struct rv_exchanged answer = {.count = 1};
    while (answer.count) {
        CHECK_OK(rv_store_exchange(store, &exchange, &answer, &line->err));
        exchange.holder++;
        for (size_t i = 0; i < answer.count; i++, count++) {
            char id[16];
            at = next_due(at);
            name(id, at);
            CHECK_STR(answer.jobs[i]->id, id);
        }
        size_t got = answer.count;
        rv_exchanged_release(&answer);
        answer.count = got;
    }
    CHECK_INT(count, JOBS);
}

static void delayed_jobs_of_all_keys_come_in_their_order(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    int64_t base_ms = rv_store_now_ms(store), largest;
    push_many(line, store, JOBS, base_ms);
    check_sizes(line, "delayed", JOBS - FIRST);
    CHECK_INT(COMMAND(line, "ZCARD", KEY("delayed")), FIRST);
    CHECK_INT(layout_of(line), 6);
    CHECK(is_sound(line, store));
    rv_clock_move(&line->clock, 2 * HOUR_MS);
    claim_in_order(line, store);
    CHECK_INT(count_beside(line, "delayed", &largest), 0);
    CHECK_INT(largest, 0);
    CHECK_INT(layout_of(line), 2); /* all of them run */
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* Not all that are due go at once: those that stay are due later, wherever they lie. */
static void upkeep_takes_the_first_of_all_keys(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    push_many(line, store, JOBS, rv_store_now_ms(store));
    rv_clock_move(&line->clock, 2 * HOUR_MS);
    CHECK_INT(tend(line, store).promoted, 100);
    for (int i = 0, at = next_due(-1); i < 110; i++, at = next_due(at)) {
        struct reeve_job *job = NULL;
        char id[16];
        name(id, at);
        CHECK_OK(rv_store_read(store, "jobs", id, &job, &line->err));
        CHECK_INT(job->state, i < 100 ? REEVE_READY : REEVE_DELAYED);
        free(job);
    }
    rv_store_close(store);
}

/* What is told of the next one is of the first in all keys, also after that is gone. */
static void the_next_of_all_keys_is_told(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    enum { FEW = 200 };
    for (int i = 0; i < FEW; i++) {
        char id[16];
        name(id, i);
        struct rv_new_job job = new_one(id);
        job.delay_ms = (int64_t)(FEW - i) * HOUR_MS;
        push_new(line, store, &job);
    }
    for (int i = FEW - 1; i >= 0; i--) {
        char id[16];
        int64_t hours = FEW - i;
        name(id, i);
        CHECK_BETWEEN(tend(line, store).next_in_ms, (hours - 1) * HOUR_MS + 1, hours * HOUR_MS);
        CHECK_OK(rv_store_remove(store, "jobs", id, &line->err));
    }
    CHECK_INT(tend(line, store).next_in_ms, -1);
    CHECK_INT(layout_of(line), 1);
    rv_store_close(store);
}

/* ---- failed ---- */
/* The next so many of those that failed are these, in their order, each once. */
static void check_failed(struct line *line, struct rv_store *store, int from, int to) {
    char cursor[RV_CURSOR_SIZE] = "", id[16];
    do {
        struct rv_jobs page;
        struct rv_list_query query = {
            .queue = "jobs", .state = REEVE_FAILED, .after = *cursor ? cursor : NULL, .limit = 7};
        CHECK_OK(rv_store_list(store, &query, &page, &line->err));
        for (size_t i = 0; i < page.count; i++) {
            name(id, from++);
            CHECK_STR(page.jobs[i]->id, id);
        }
        memcpy(cursor, page.cursor, sizeof cursor);
        rv_jobs_release(&page);
    } while (*cursor);
    CHECK_INT(from, to);
}

static void failed_jobs_of_all_keys_are_listed_once_and_the_oldest_go(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    struct reeve_queue_settings settings = {.keep_failed = 100};
    int64_t largest;
    push_many(line, store, FAILED, 0);
    end_all(line, store, FAILED, REEVE_FAILED);
    check_sizes(line, "failed", FAILED - FIRST);
    CHECK_INT(layout_of(line), 6);
    check_failed(line, store, 0, FAILED);
    CHECK_OK(rv_store_set(store, "jobs", &settings, &line->err));
    tend_all(line, store);
    check_failed(line, store, FAILED - 100, FAILED);
    CHECK_OK(rv_store_revive(store, "jobs", "job-299", &line->err));
    check_failed(line, store, FAILED - 100, FAILED - 1);
    CHECK(is_sound(line, store));
    for (size_t removed = 1; removed;)
        CHECK_OK(rv_store_purge(store, "jobs", REEVE_FAILED, &removed, &line->err));
    CHECK_INT(count_beside(line, "failed", &largest), 0);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* Each further one that fails takes the place of the oldest. */
static void whoever_fails_beyond_the_bound_sends_away_the_oldest(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    struct reeve_queue_settings settings = {.keep_failed = 90};
    CHECK_OK(rv_store_set(store, "jobs", &settings, &line->err));
    push_many(line, store, FAILED, 0);
    end_all(line, store, FAILED, REEVE_FAILED);
    check_failed(line, store, FAILED - 90, FAILED);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* ---- kept ---- */
static void records_of_all_keys_expire(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    int64_t largest;
    push_many(line, store, FAILED, 0);
    end_all(line, store, FAILED, REEVE_DONE);
    check_sizes(line, "kept", FAILED - FIRST);
    CHECK_INT(tend(line, store).expired, 0);
    CHECK_OK(rv_store_keep(store, "jobs", "job-298", 9 * HOUR_MS, &line->err));
    check_sizes(line, "kept", FAILED - FIRST);
    rv_clock_move(&line->clock, 2 * HOUR_MS);
    CHECK_INT(tend(line, store).expired, 200); /* no step takes more */
    tend_all(line, store);
    CHECK_INT(count_beside(line, "kept", &largest), 1);
    CHECK_OK(rv_store_remove(store, "jobs", "job-298", &line->err));
    CHECK_INT(count_beside(line, "kept", &largest), 0);
    CHECK_INT(layout_of(line), 1);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* Its record is replaced by one in the same place, though there is room in the first key by now. */
static void a_job_that_is_pushed_over_leaves_no_entry(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    enum reeve_state now;
    int64_t largest;
    push_many(line, store, FAILED, 0);
    CHECK_OK(rv_store_cancel(store, "jobs", "job-200", &now, &line->err));
    CHECK_INT(count_beside(line, "kept", &largest), 1);
    CHECK_OK(rv_store_remove(store, "jobs", "job-0", &line->err));
    push_one(line, store, "job-200");
    CHECK_INT(count_beside(line, "kept", &largest), 0);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* ---- what others leave ---- */
static void delayed_jobs_of_an_older_library_come_in_their_order(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    int64_t base_ms = rv_store_now_ms(store), largest;
    push_many(line, store, JOBS / 2, base_ms);
    make_old(line);
    CHECK_INT(layout_of(line), 2);
    CHECK(is_sound(line, store));
    push_many(line, store, JOBS, base_ms); /* the second half of these is new */
    CHECK_INT(count_beside(line, "delayed", &largest), JOBS / 2);
    CHECK(is_sound(line, store));
    rv_clock_move(&line->clock, 2 * HOUR_MS);
    claim_in_order(line, store);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

static void each_step_finds_what_an_older_library_left(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    enum reeve_state now;
    push_many(line, store, FAILED, 0);
    end_all(line, store, FAILED / 3, REEVE_DONE);
    size_t got;
    for (int i = FAILED / 3; i < FAILED; i++) {
        char id[16];
        name(id, i);
        struct held_claim claim = claim_some(line, store, 1, &got);
        CHECK_OK(finish_one(line, store, id, claim, REEVE_FAILED));
    }
    struct rv_new_job job = new_one("later");
    job.delay_ms = HOUR_MS;
    push_new(line, store, &job);
    make_old(line);
    CHECK_OK(rv_store_keep(store, "jobs", "job-90", 9 * HOUR_MS, &line->err));
    CHECK_OK(rv_store_remove(store, "jobs", "job-91", &line->err));
    CHECK_OK(rv_store_keep(store, "jobs", "job-298", 9 * HOUR_MS, &line->err));
    CHECK_OK(rv_store_revive(store, "jobs", "job-299", &line->err));
    CHECK_OK(rv_store_cancel(store, "jobs", "later", &now, &line->err));
    CHECK(is_sound(line, store));
    CHECK_INT(COMMAND(line, "ZCARD", KEY("delayed")), 0);
    CHECK_INT(COMMAND(line, "ZCARD", KEY("failed")), FAILED - FAILED / 3 - 1);
    CHECK_INT(COMMAND(line, "ZCARD", KEY("kept")), FAILED / 3 - 2);
    CHECK_INT(COMMAND(line, "EXISTS", KEY("delayed")), 0);
    check_failed(line, store, FAILED / 3, FAILED - 1);
    rv_store_close(store);
}

/* ---- the doctor ---- */
static size_t count_findings(struct line *line, struct rv_store *store, bool repair) {
    struct rv_findings findings;
    size_t count = 0;
    CHECK_OK(rv_store_examine(store, repair, &findings, &line->err));
    for (size_t i = 0; i < findings.count; i++)
        count += strcmp(findings.findings[i].check, "orphans") == 0 &&
                 findings.findings[i].health != REEVE_FINE;
    free(findings.findings);
    return count;
}

static void the_doctor_mends_what_is_in_no_key_or_the_wrong_one(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    push_many(line, store, JOBS, rv_store_now_ms(store));
    (void)COMMAND(line, "ZADD", KEY("kept:3"), "5", "nobody");
    (void)COMMAND(line, "ZADD", KEY("failed:15"), "5", "123456job-1");
    CHECK_INT(count_findings(line, store, false), 2);
    CHECK_INT(count_findings(line, store, true), 2);
    CHECK_INT(count_findings(line, store, false), 0);
    (void)COMMAND(line, "DEL", KEY("delayed:7"));
    CHECK_INT(count_findings(line, store, true), 1);
    CHECK_INT(count_findings(line, store, false), 0);
    check_sizes(line, "delayed", JOBS - FIRST);
    static const char twice[] = "local all = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')\n"
                                "redis.call('ZADD', KEYS[1], all[2], all[1])";
    (void)COMMAND(line, "EVAL", twice, "2", KEY("delayed"), KEY("delayed:7"));
    (void)COMMAND(line, "EVAL", twice, "2", KEY("delayed:7"), KEY("delayed"));
    CHECK_INT(count_findings(line, store, true), 1);
    CHECK_INT(count_findings(line, store, false), 0);
    check_sizes(line, "delayed", JOBS - FIRST);
    rv_store_close(store);
}

/* The meta tells neither of records outside of `job` nor when the next job is due. */
static void make_ignorant(struct line *line) {
    static const char script[] = "local v = redis.call('GET', KEYS[1])\n"
                                 "redis.call('SET', KEYS[1], '\\1' .. string.sub(v, 2, 23) ..\n"
                                 "           string.rep('\\0', 6) .. string.sub(v, 30, -7))";
    (void)COMMAND(line, "EVAL", script, "1", KEY("meta"));
    CHECK_INT(layout_of(line), 1);
}

/* Whatever the meta says: nothing that has its record is taken for litter. */
static void the_doctor_looks_at_all_keys_unasked(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    int64_t base_ms = rv_store_now_ms(store);
    push_many(line, store, JOBS, base_ms);
    make_ignorant(line);
    CHECK_INT(count_findings(line, store, true), 0);
    CHECK_INT(layout_of(line), 6);
    CHECK(is_sound(line, store));
    rv_clock_move(&line->clock, 2 * HOUR_MS);
    claim_in_order(line, store);
    rv_store_close(store);
}

static void the_doctor_finds_the_next_wherever_it_lies(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    push_many(line, store, JOBS, rv_store_now_ms(store));
    for (int i = 0; i < FIRST; i++) { /* those of the first key */
        char id[16];
        name(id, i);
        CHECK_OK(rv_store_remove(store, "jobs", id, &line->err));
    }
    make_ignorant(line);
    CHECK_INT(count_findings(line, store, true), 0);
    rv_clock_move(&line->clock, 2 * HOUR_MS);
    CHECK_INT(tend(line, store).promoted, 100);
    rv_store_close(store);
}

static void the_doctor_leaves_what_an_older_library_left(void **state) {
    struct line *line = *state;
    struct rv_store *store = open_spread(line);
    push_many(line, store, JOBS, rv_store_now_ms(store));
    make_old(line);
    make_ignorant(line);
    CHECK_INT(count_findings(line, store, true), 0);
    CHECK_INT(COMMAND(line, "ZCARD", KEY("delayed")), JOBS);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

const struct CMUnitTest set_tests[] = {
    REDIS_TEST(delayed_jobs_of_all_keys_come_in_their_order),
    REDIS_TEST(upkeep_takes_the_first_of_all_keys),
    REDIS_TEST(the_next_of_all_keys_is_told),
    REDIS_TEST(failed_jobs_of_all_keys_are_listed_once_and_the_oldest_go),
    REDIS_TEST(whoever_fails_beyond_the_bound_sends_away_the_oldest),
    REDIS_TEST(records_of_all_keys_expire),
    REDIS_TEST(a_job_that_is_pushed_over_leaves_no_entry),
    REDIS_TEST(delayed_jobs_of_an_older_library_come_in_their_order),
    REDIS_TEST(each_step_finds_what_an_older_library_left),
    REDIS_TEST(the_doctor_mends_what_is_in_no_key_or_the_wrong_one),
    REDIS_TEST(the_doctor_looks_at_all_keys_unasked),
    REDIS_TEST(the_doctor_finds_the_next_wherever_it_lies),
    REDIS_TEST(the_doctor_leaves_what_an_older_library_left),
};
const size_t set_test_count = sizeof set_tests / sizeof *set_tests;
