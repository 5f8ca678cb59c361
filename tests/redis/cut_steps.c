/* The line is cut at every byte of a push and of an exchange, and of their answers. Whatever became
 * of it, the same request again tells the outcome, and nothing has happened twice (J7). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "redis/queue.h"

enum { TIMEOUT_MS = 20000, LEASE_MS = 600000, ENOUGH = 100000 };

/* One request, made anew until it is answered, the line being cut after so many bytes the first
 * time. */
typedef int attempt_fn(void *arg, struct rv_error *err);

/* Returns whether the line was cut: not once `after` is beyond the last byte. */
static bool attempt_cut(struct line *line, enum proxy_way way, int64_t after, attempt_fn *attempt,
                        void *arg) {
    proxy_cut(line->proxy, way, after);
    int rc = attempt(arg, &line->err);
    proxy_cut_none(line->proxy);
    if (!rc) return false;
    CHECK(rc == REEVE_EUNSURE || rc == REEVE_EUNREACHABLE);
    CHECK_OK(attempt(arg, &line->err));
    return true;
}

static struct rv_store *start(struct line *line) {
    char url[64];
    start_queue(line, "");
    line->proxy = proxy_open(line->server->port);
    (void)snprintf(url, sizeof url, "redis://127.0.0.1:%d", proxy_port(line->proxy));
    return open_store_at(line, url);
}

static uint64_t finished_of(struct line *line, struct rv_store *store, uint64_t *pushed) {
    struct reeve_queue queue = {0};
    CHECK_OK(rv_store_stats(store, "jobs", &queue, &line->err));
    *pushed = queue.pushed_total;
    return queue.finished_total;
}

/* ---- push ---- */
struct push {
    struct rv_store *store;
    struct rv_new_job job;
    struct rv_pushed pushed;
};

static int push(void *arg, struct rv_error *err) {
    struct push *p = arg;
    return rv_store_push(p->store, "jobs", &p->job, 1, &p->pushed, err);
}

/* Returns how many were pushed. */
static uint64_t push_cut(struct line *line, struct rv_store *store, enum proxy_way way) {
    uint64_t count = 0;
    bool cut = true;
    for (int64_t after = 1; cut && after < ENOUGH; after++) {
        char id[32];
        (void)snprintf(id, sizeof id, "%d-%lld", way, (long long)after);
        struct push p = {.store = store, .job = new_one(id)};
        cut = attempt_cut(line, way, after, push, &p);
        CHECK_INT(p.pushed.status, REEVE_QUEUED);
        count++;
    }
    CHECK(!cut);
    return count;
}

static void a_push_that_is_cut_anywhere_is_made_once(void **state) { /* J7 */
    struct line *line = *state;
    struct rv_store *store = start(line);
    uint64_t pushed;
    push_one(line, store, "first");
    uint64_t count = 1 + push_cut(line, store, PROXY_REQUESTS);
    CHECK(count > 200); /* bytes of a request */
    count += push_cut(line, store, PROXY_REPLIES);
    CHECK_INT(finished_of(line, store, &pushed), 0);
    CHECK_INT(pushed, count);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* ---- exchange ---- */
struct trade {
    struct rv_store *store;
    struct rv_exchange exchange;
    struct rv_outcome outcome;
    struct rv_exchanged got;
};

static int trade(void *arg, struct rv_error *err) {
    struct trade *t = arg;
    return rv_store_exchange(t->store, &t->exchange, &t->got, err);
}

/* Hands in what the last one brought, and claims the next: of a push by the server itself, whose
 * line is not cut. */
static bool trade_cut(struct line *line, struct trade *t, char id[32], enum proxy_way way,
                      int64_t after) {
    struct rv_exchange *exchange = &t->exchange;
    t->outcome = (struct rv_outcome){.id = id,
                                     .token = t->got.token,
                                     .holder = exchange->holder,
                                     .ending = RV_SUCCEEDED,
                                     .state = REEVE_DONE,
                                     .attempt = 1};
    exchange->outcome_count = t->got.count;
    exchange->holder = rv_random_nonzero(&rv_random_system);
    exchange->number++;
    bool cut = attempt_cut(line, way, after, trade, t);
    CHECK_INT(t->outcome.status, 0);
    CHECK_INT(t->got.count, 1);
    CHECK_INT(t->got.jobs[0]->attempt, 1);
    (void)snprintf(id, 32, "%s", t->got.jobs[0]->id);
    free(t->got.jobs[0]);
    free(t->got.jobs);
    return cut;
}

static void an_exchange_that_is_cut_anywhere_is_made_once(void **state) { /* J7 */
    struct line *line = *state;
    struct trade t = {.store = start(line)};
    struct rv_store *beside = open_store(line);
    char id[32] = "", next[32];
    uint64_t count = 0, pushed;
    t.exchange = (struct rv_exchange){.queue = "jobs",
                                      .timeout_ms = TIMEOUT_MS,
                                      .lane = 77,
                                      .want = 1,
                                      .lease_ms = LEASE_MS,
                                      .worker = "w",
                                      .outcomes = &t.outcome};
    for (enum proxy_way way = PROXY_REQUESTS; way <= PROXY_REPLIES; way++) {
        bool cut = true;
        for (int64_t after = 1; cut && after < ENOUGH; after++) {
            (void)snprintf(next, sizeof next, "job-%llu", (unsigned long long)++count);
            push_one(line, beside, next);
            cut = trade_cut(line, &t, id, way, after);
            CHECK_STR(id, next);
        }
        CHECK(!cut);
    }
    CHECK(count > 500); /* bytes of a request and of an answer */
    CHECK_INT(finished_of(line, beside, &pushed), count - 1);
    CHECK_INT(pushed, count);
    CHECK(is_sound(line, beside));
    rv_store_close(beside);
    rv_store_close(t.store);
}

const struct CMUnitTest cut_step_tests[] = {
    REDIS_TEST(a_push_that_is_cut_anywhere_is_made_once),
    REDIS_TEST(an_exchange_that_is_cut_anywhere_is_made_once),
};
const size_t cut_step_test_count = sizeof cut_step_tests / sizeof *cut_step_tests;
