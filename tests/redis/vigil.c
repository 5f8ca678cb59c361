/* Exchanges that wait for a job and claim it in the same step. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/eventually.h"
#include "redis/queue.h"

enum {
    LONG_MS = 60000,
    PATIENCE_MS = 30000, /* longer than any test takes that does not wait for its end */
    SOON_MS = 10000,
};

struct vigil {
    struct rv_store *store;
    pthread_t thread;
    struct rv_exchange exchange;
    struct rv_exchanged exchanged;
    struct rv_error err;
    int rc;
};

static struct rv_exchange patient(int64_t patience_ms) {
    return (struct rv_exchange){.queue = "jobs",
                                .timeout_ms = LONG_MS,
                                .lane = 7,
                                .number = 1,
                                .want = 2,
                                .holder = 77,
                                .lease_ms = LONG_MS,
                                .worker = "w",
                                .patience_ms = patience_ms};
}

static void *keep(void *arg) {
    struct vigil *vigil = arg;
    vigil->rc = rv_store_exchange(vigil->store, &vigil->exchange, &vigil->exchanged, &vigil->err);
    return NULL;
}

static bool is_blocked(void *arg) {
    struct line *line = arg;
    static const char *const words[] = {"INFO", "clients"};
    struct rv_rd_command command = {.argc = 2, .argv = words};
    redisReply *reply;
    CHECK_OK(rv_rd_call(&line->rd, NULL, &command, 1, LONG_MS, &reply, NULL));
    bool blocked = strstr(reply->str, "blocked_clients:1") != NULL;
    freeReplyObject(reply);
    return blocked;
}

/* When it returns, the vigil is kept at the server. */
static void begin(struct vigil *vigil, struct line *line, int64_t patience_ms) {
    *vigil = (struct vigil){.store = open_store(line), .exchange = patient(patience_ms)};
    CHECK(rv_store_is_patient(vigil->store));
    CHECK_INT(pthread_create(&vigil->thread, NULL, keep, vigil), 0);
    CHECK(eventually(is_blocked, line, LONG_MS));
}

static void join(struct vigil *vigil) {
    CHECK_INT(pthread_join(vigil->thread, NULL), 0);
}

static void end(struct vigil *vigil) {
    rv_exchanged_release(&vigil->exchanged);
    rv_store_close(vigil->store);
}

static int64_t now_ms(void) {
    return rv_clock_boot_ms(&rv_clock_real);
}

static void a_push_ends_a_vigil_with_its_job(void **state) {
    struct line *line = *state;
    struct vigil vigil;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    int64_t begun_ms = now_ms();
    begin(&vigil, line, PATIENCE_MS);
    push_one(line, store, "a");
    join(&vigil);
    CHECK_INT(vigil.rc, 0);
    CHECK_INT(vigil.exchanged.count, 1);
    CHECK_STR(vigil.exchanged.jobs[0]->id, "a");
    CHECK_INT(vigil.exchanged.jobs[0]->state, REEVE_RUNNING);
    CHECK_BETWEEN(now_ms() - begun_ms, 0, PATIENCE_MS - 1);
    end(&vigil);
    rv_store_close(store);
}

static void a_vigil_ends_when_its_time_is_over(void **state) {
    struct line *line = *state;
    struct vigil vigil;
    start_queue(line, "");
    int64_t begun_ms = now_ms();
    begin(&vigil, line, 1500);
    join(&vigil);
    CHECK_INT(vigil.rc, 0);
    CHECK_INT(vigil.exchanged.count, 0);
    CHECK_BETWEEN(now_ms() - begun_ms, 1400, LONG_MS);
    end(&vigil);
}

static void a_vigil_is_ended_by_its_holder_alone(void **state) {
    struct line *line = *state;
    struct vigil vigil;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    int64_t begun_ms = now_ms();
    begin(&vigil, line, PATIENCE_MS);
    CHECK_OK(rv_store_stir(store, "jobs", 78, &line->err)); /* somebody else's */
    CHECK(is_blocked(line));
    CHECK_OK(rv_store_stir(store, "jobs", 77, &line->err));
    join(&vigil);
    CHECK_INT(vigil.rc, 0);
    CHECK_INT(vigil.exchanged.count, 0);
    CHECK_BETWEEN(now_ms() - begun_ms, 0, PATIENCE_MS - 1);
    end(&vigil);
    rv_store_close(store);
}

/* Who wants it to end may be quicker than the vigil itself. */
static void one_that_was_stirred_before_it_began_ends_at_once(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct vigil vigil = {.store = open_store(line), .exchange = patient(PATIENCE_MS)};
    CHECK_OK(rv_store_stir(vigil.store, "jobs", 77, &line->err));
    int64_t begun_ms = now_ms();
    (void)keep(&vigil);
    CHECK_INT(vigil.rc, 0);
    CHECK_BETWEEN(now_ms() - begun_ms, 0, SOON_MS);
    end(&vigil);
}

/* The script behind it is not known there any more: it is sent whole, and nothing is lost. */
static void a_vigil_survives_forgotten_scripts(void **state) {
    struct line *line = *state;
    struct vigil vigil;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    begin(&vigil, line, PATIENCE_MS);
    COMMAND(line, "SCRIPT", "FLUSH");
    push_one(line, store, "a");
    join(&vigil);
    CHECK_INT(vigil.rc, 0);
    CHECK_INT(vigil.exchanged.count, 1);
    end(&vigil);
    rv_store_close(store);
}

/* J7: what it claimed just then is told to the repeat. */
static void one_whose_connection_is_cut_is_unsure_and_can_be_repeated(void **state) {
    struct line *line = *state;
    struct vigil vigil;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    begin(&vigil, line, PATIENCE_MS);
    COMMAND(line, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    join(&vigil);
    CHECK_INT(vigil.rc, REEVE_EUNSURE);
    push_one(line, store, "a");
    vigil.exchange.patience_ms = 0;
    (void)keep(&vigil);
    CHECK_INT(vigil.rc, 0);
    CHECK_INT(vigil.exchanged.count, 1);
    end(&vigil);
    rv_store_close(store);
}

/* What nobody takes does not stay. */
static void what_stirs_nobody_goes_by_itself(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    CHECK_OK(rv_store_stir(store, "jobs", 79, &line->err));
    CHECK_BETWEEN(ask_server(line, "PTTL rv:{test/jobs#0}:stir:000000000000004f"), 1, 10000);
    rv_store_close(store);
}

const struct CMUnitTest vigil_tests[] = {
    REDIS_TEST(a_push_ends_a_vigil_with_its_job),
    REDIS_TEST(a_vigil_ends_when_its_time_is_over),
    REDIS_TEST(a_vigil_is_ended_by_its_holder_alone),
    REDIS_TEST(one_that_was_stirred_before_it_began_ends_at_once),
    REDIS_TEST(a_vigil_survives_forgotten_scripts),
    REDIS_TEST(one_whose_connection_is_cut_is_unsure_and_can_be_repeated),
    REDIS_TEST(what_stirs_nobody_goes_by_itself),
};
const size_t vigil_test_count = sizeof vigil_tests / sizeof *vigil_tests;
