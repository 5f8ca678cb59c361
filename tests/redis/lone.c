/* One who pushes and waits, and is the only one of his handle: he hears of the end by himself, on a
 * connection of his own; and what becomes of him when that breaks, is forbidden, or somebody else
 * uses it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "api/handle.h"
#include "base/list.h"
#include "harness/eventually.h"
#include "redis/caller.h"

enum {
    SOON_MS = 30000,
    RECHECKED_MS = 10000, /* by then who heard nothing has looked, also under a sanitizer */
    CALLS = 20,
    KILLS = 5,
    TRIES = 20,
};

static struct rv_rd *rd_of(const reeve *r) {
    return rv_container_of(r->service.store, struct rv_rd, base);
}

/* Of the box that is idle; 0: there is none. Nobody may call meanwhile. */
static uint32_t idle_address(const reeve *r) {
    const struct rv_rd_box *box = rd_of(r)->ends.idle;
    return box ? box->base.address : 0;
}

/* Where it was told. On a crowded machine it may find the end by looking, before it is heard of:
 * then it has no box any more, and another is called for. */
static uint32_t be_told(struct line *line, struct rv_store *store, reeve *r) {
    for (int i = 0; i < TRIES && !idle_address(r); i++) {
        char id[32]; /* of this call alone */
        (void)snprintf(id, sizeof id, "t%lld", (long long)rv_clock_boot_us(&rv_clock_real));
        call_once(line, store, r, id);
    }
    CHECK(idle_address(r));
    return idle_address(r);
}

/* A handle that has called, and where it was told. */
static reeve *open_told(struct line *line, struct rv_store *store, uint32_t *address) {
    reeve *r = open_handle(line);
    call_once(line, store, r, "first");
    *address = be_told(line, store, r);
    return r;
}

/* He listened there to the last; or he looked first, and then has none any more. */
static void check_told_at(const reeve *r, uint32_t address) {
    CHECK(!idle_address(r) || idle_address(r) == address);
}

struct ear {
    struct line *line;
    uint32_t address;
};

static bool is_heard(void *arg) {
    struct ear *ear = arg;
    return publish(ear->line, ear->address, "", 0) == 1;
}

static void await_heard(struct line *line, uint32_t address) {
    CHECK(eventually(is_heard, &(struct ear){line, address}, SOON_MS));
}

/* ---- as it should be ---- */
static void check_alone(struct line *line) {
    uint32_t address;
    struct rv_store *store = open_store(line);
    reeve *r = open_told(line, store, &address);
    int told = 0;
    for (int i = 0; i < CALLS; i++) {
        char id[] = {'j', (char)('a' + i), '\0'};
        call_once(line, store, r, id);
        told += idle_address(r) == address; /* or it would be closed */
        address = be_told(line, store, r);
    }
    CHECK_BETWEEN(told, CALLS / 2, CALLS);
    CHECK(!r->service.listener);
    reeve_close(r);
    rv_store_close(store);
}

static void nobody_listens_for_one_who_is_alone(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    check_alone(line);
}

static void so_it_is_by_tls(void **state) {
    struct line *line = *state;
    start_queue(line, "tls");
    check_alone(line);
}

static void who_comes_meanwhile_goes_in_company(void **state) {
    struct line *line = *state;
    uint32_t address;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_told(line, store, &address);
    for (int i = 0; i < 2; i++) { /* the first, then the second ends first */
        struct caller first, second;
        const char *ids[] = {i ? "c" : "a", i ? "d" : "b"};
        caller_begin(&first, r, ids[0]);
        struct held_claim first_claim = claim_next(store);
        CHECK(i || !r->service.listener);
        caller_begin(&second, r, ids[1]);
        struct held_claim second_claim = claim_next(store);
        CHECK(r->service.listener);
        if (!i) CHECK_OK(finish_one(line, store, ids[0], first_claim, REEVE_DONE));
        CHECK_OK(finish_one(line, store, ids[1], second_claim, REEVE_DONE));
        if (i) CHECK_OK(finish_one(line, store, ids[0], first_claim, REEVE_DONE));
        caller_end(&first);
        caller_end(&second);
    }
    check_told_at(r, address);
    call_once(line, store, r, "last");
    reeve_close(r);
    rv_store_close(store);
}

/* Its answer comes at once, and no end will: the quickest of many shows that nobody slept. */
static void what_is_known_is_told_at_once(void **state) {
    struct line *line = *state;
    struct reeve_push push = {.size = sizeof push, .queue = "jobs", .id = "first"};
    int64_t least_us = INT64_MAX;
    uint32_t address;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_told(line, store, &address);
    for (int i = 0; i < 10 * CALLS; i++) {
        struct reeve_pushed out = {.size = sizeof out};
        struct reeve_job *job;
        int64_t from_us = rv_clock_boot_us(&rv_clock_real);
        CHECK_OK(reeve_push_wait(r, &push, SOON_MS, &out, &job));
        int64_t us = rv_clock_boot_us(&rv_clock_real) - from_us;
        if (us < least_us) least_us = us;
        CHECK_INT(out.status, REEVE_DUPLICATE_DONE);
        reeve_free(job);
    }
    CHECK_BETWEEN(least_us, 0, 1999);
    reeve_close(r);
    rv_store_close(store);
}

/* ---- what is lost ---- */
static void who_lost_his_connection_listens_again(void **state) {
    struct line *line = *state;
    uint32_t address;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_told(line, store, &address);
    int told = 0;
    for (int i = 0; i < KILLS; i++) {
        struct caller c;
        char id[] = {'j', (char)('a' + i), '\0'};
        caller_begin(&c, r, id);
        struct held_claim claim = claim_next(store);
        CHECK_INT(COMMAND(line, "CLIENT", "KILL", "TYPE", "pubsub"), 1);
        await_heard(line, address);
        CHECK_OK(finish_one(line, store, id, claim, REEVE_DONE));
        caller_end(&c);
        told += idle_address(r) == address; /* or it would be closed */
        address = be_told(line, store, r);
    }
    CHECK_BETWEEN(told, 1, KILLS);
    reeve_close(r);
    rv_store_close(store);
}

/* Nor may he listen again. */
static void an_end_that_was_not_told_is_found(void **state) {
    struct line *line = *state;
    uint32_t address;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_told(line, store, &address);
    for (int i = 0; i < KILLS; i++) {
        struct caller c;
        char id[] = {'j', (char)('a' + i), '\0'};
        caller_begin(&c, r, id);
        struct held_claim claim = claim_next(store);
        COMMAND(line, "ACL", "SETUSER", "default", "resetchannels", "&rv:{test/*");
        CHECK_OK(finish_one(line, store, id, claim, REEVE_DONE));
        int64_t begun_ms = elapsed_ms();
        caller_end(&c);
        CHECK(elapsed_ms() - begun_ms < RECHECKED_MS);
        CHECK(!idle_address(r)); /* nobody relies on it any more */
        COMMAND(line, "ACL", "SETUSER", "default", "allchannels");
        atomic_store(&r->service.awaits.no_box_ms, 0);
    }
    reeve_close(r);
    rv_store_close(store);
}

static void a_server_that_was_started_again_is_listened_to(void **state) {
    struct line *line = *state;
    uint32_t address;
    start_queue(line, "aof");
    struct rv_store *store = open_store(line);
    reeve *r = open_told(line, store, &address);
    struct caller c;
    caller_begin(&c, r, "a");
    await_known(store, "a");
    server_stop(line->server);
    server_again(line->server);
    await_heard(line, address);
    serve(line, store, "a");
    caller_end(&c);
    check_told_at(r, address);
    reeve_close(r);
    rv_store_close(store);
}

/* What was idle broke: he who takes it is told all the same. */
static void one_that_broke_while_nobody_listened_is_mended(void **state) {
    struct line *line = *state;
    uint32_t address;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_told(line, store, &address);
    struct caller c;
    CHECK_INT(COMMAND(line, "CLIENT", "KILL", "TYPE", "pubsub"), 1);
    caller_begin(&c, r, "a");
    struct held_claim claim = claim_next(store);
    await_heard(line, address);
    CHECK_OK(finish_one(line, store, "a", claim, REEVE_DONE));
    caller_end(&c);
    check_told_at(r, address);
    reeve_close(r);
    rv_store_close(store);
}

/* ---- what is forbidden ---- */
static void a_user_who_may_not_listen_has_his_result(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_handle(line);
    COMMAND(line, "ACL", "SETUSER", "default", "resetchannels", "&rv:{test/*");
    int64_t begun_ms = elapsed_ms();
    call_once(line, store, r, "a");
    CHECK(!idle_address(r));
    CHECK(atomic_load(&r->service.awaits.no_box_ms)); /* not tried for each time */
    call_once(line, store, r, "b");
    CHECK(elapsed_ms() - begun_ms < 2 * RECHECKED_MS);
    COMMAND(line, "ACL", "SETUSER", "default", "allchannels");
    reeve_close(r);
    rv_store_close(store);
}

/* ---- what is foreign ---- */
static void what_is_told_amiss_is_nothing_to_him(void **state) {
    struct line *line = *state;
    uint32_t address;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_told(line, store, &address);
    redisReply *other = record_of(line, "first");
    struct caller c;
    caller_begin(&c, r, "mine");
    await_known(store, "mine");
    plant(line, address, atomic_load(&r->service.awaits.next) - 1, other);
    freeReplyObject(other);
    serve(line, store, "mine");
    caller_end(&c);
    check_told_at(r, address);
    reeve_close(r);
    rv_store_close(store);
}

/* He had no more time; what he would have been told lies there when the next one comes. */
static void what_came_too_late_is_not_told_to_the_next(void **state) {
    struct line *line = *state;
    struct reeve_push push = {.size = sizeof push, .queue = "jobs", .id = "late"};
    struct reeve_job *job;
    uint32_t address;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_told(line, store, &address);
    CHECK_FAILS(reeve_push_wait(r, &push, 10, NULL, &job), REEVE_ETIMEDOUT);
    CHECK_INT(job->state, REEVE_READY);
    reeve_free(job);
    serve(line, store, "late");
    call_once(line, store, r, "next");
    check_told_at(r, address);
    reeve_close(r);
    rv_store_close(store);
}

/* ---- a server that stands still ---- */
enum { PATIENCE_MS = 500, CALL_MS = 5000 }; /* the latter is the handle's own */

static int call_in_time(reeve *r, const char *id) {
    struct reeve_push push = {.size = sizeof push, .queue = "jobs", .id = id};
    struct reeve_job *job;
    int64_t begun_ms = elapsed_ms();
    int rc = reeve_push_wait(r, &push, PATIENCE_MS, NULL, &job);
    CHECK(elapsed_ms() - begun_ms < CALL_MS - 1000);
    reeve_free(job);
    return rc;
}

static void where_the_server_stands_still_he_is_told_in_time(void **state) {
    struct line *line = *state;
    uint32_t address;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_told(line, store, &address);
    CHECK_INT(kill(line->server->pid, SIGSTOP), 0);
    CHECK_INT(call_in_time(r, "a"), REEVE_EUNSURE); /* it was sent, and nobody answered */
    CHECK_INT(call_in_time(r, "b"), REEVE_EUNREACHABLE);
    CHECK_INT(kill(line->server->pid, SIGCONT), 0);
    serve(line, store, "a");
    call_once(line, store, r, "c");
    reeve_close(r);
    rv_store_close(store);
}

/* It was queued, and then nothing is known of it. */
static void who_waits_when_the_server_stops_is_told_in_time(void **state) {
    struct line *line = *state;
    uint32_t address;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_told(line, store, &address);
    struct caller c;
    caller_begin_within(&c, r, "a", PATIENCE_MS);
    await_known(store, "a");
    (void)ask_server(line, "DBSIZE"); /* what was answered before this is on its way by now */
    CHECK_INT(kill(line->server->pid, SIGSTOP), 0);
    int64_t begun_ms = elapsed_ms();
    caller_join(&c);
    CHECK_FAILS(c.rc, REEVE_ETIMEDOUT);
    CHECK(elapsed_ms() - begun_ms < CALL_MS - 1000);
    CHECK_INT(c.out.status, REEVE_QUEUED);
    reeve_free(c.job);
    CHECK_INT(kill(line->server->pid, SIGCONT), 0);
    reeve_close(r);
    rv_store_close(store);
}

const struct CMUnitTest lone_tests[] = {
    REDIS_TEST(nobody_listens_for_one_who_is_alone),
    REDIS_TEST(so_it_is_by_tls),
    REDIS_TEST(who_comes_meanwhile_goes_in_company),
    REDIS_TEST(what_is_known_is_told_at_once),
    REDIS_TEST(who_lost_his_connection_listens_again),
    REDIS_TEST(an_end_that_was_not_told_is_found),
    REDIS_TEST(a_server_that_was_started_again_is_listened_to),
    REDIS_TEST(one_that_broke_while_nobody_listened_is_mended),
    REDIS_TEST(a_user_who_may_not_listen_has_his_result),
    REDIS_TEST(what_is_told_amiss_is_nothing_to_him),
    REDIS_TEST(what_came_too_late_is_not_told_to_the_next),
    REDIS_TEST(where_the_server_stands_still_he_is_told_in_time),
    REDIS_TEST(who_waits_when_the_server_stops_is_told_in_time),
};
const size_t lone_test_count = sizeof lone_tests / sizeof *lone_tests;
