/* Ends that the store tells to who waits for them: what that costs the server, and what comes of
 * messages that are lost, forbidden, or somebody else's. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "harness/eventually.h"
#include "redis/caller.h"

enum {
    SOON_MS = 30000,
    RECHECKED_MS = 10000, /* by then who heard nothing has looked, also under a sanitizer */
    PLAIN = 40,
    KILLS = 5,
};

/* As if somebody else pushed and waited, too: he who is alone is in lone.c. */
static reeve *open_in_company(struct line *line) {
    reeve *r = open_handle(line);
    (void)rv_awaits_come(&r->service.awaits);
    return r;
}

/* ---- the channel ---- */
static void channel_of(const reeve *r, char out[64]) {
    (void)snprintf(out, 64, "rv:{test}:ends:%08x", (unsigned)r->service.awaits.address);
}

/* How many hear it. */
static int64_t tell(struct line *line, const reeve *r, const void *text, size_t size) {
    return publish(line, r->service.awaits.address, text, size);
}

static bool is_heard(void *arg) {
    return tell(((void **)arg)[0], ((void **)arg)[1], "", 0) == 1;
}

static void await_listening(struct line *line, reeve *r) {
    CHECK(eventually(is_heard, (void *[]){line, r}, SOON_MS));
}

static void an_end_is_told_on_a_channel_of_the_space(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_in_company(line);
    call_once(line, store, r, "a");
    CHECK_INT(tell(line, r, "", 0), 1);
    char channel[64];
    channel_of(r, channel);
    CHECK_INT(COMMAND(line, "EXISTS", channel), 0); /* nothing is kept for it */
    reeve_close(r);
    CHECK(is_sound(line, store));
    rv_store_close(store);
}

/* ---- what it costs ---- */
static int64_t count_scripts(struct line *line) {
    static const char *const words[] = {"INFO", "commandstats"};
    struct rv_rd_command command = {.argc = 2, .argv = words};
    redisReply *reply;
    CHECK_OK(rv_rd_call(&line->rd, NULL, &command, 1, SOON_MS, &reply, NULL));
    const char *at = strstr(reply->str, "cmdstat_evalsha:calls=");
    int64_t count = at ? strtoll(at + strlen("cmdstat_evalsha:calls="), NULL, 10) : 0;
    freeReplyObject(reply);
    return count;
}

/* A push, and here a claim and the end: one more only for whoever took long. Told in one go, for a
 * claim that comes too soon is a script, too. */
static void check_cost(struct line *line, reeve *r) {
    struct rv_store *store = open_store(line);
    call_once(line, store, r, "first");
    int64_t before = count_scripts(line), idle = 0;
    for (int i = 0; i < PLAIN; i++) {
        char id[16];
        struct caller c;
        struct held_claim claim;
        size_t got = 0;
        (void)snprintf(id, sizeof id, "j%d", i);
        caller_begin(&c, r, id);
        for (; !got; idle += !got)
            claim = claim_some(line, store, 1, &got);
        CHECK_OK(finish_one(line, store, id, claim, REEVE_DONE));
        caller_end(&c);
    }
    CHECK_BETWEEN(count_scripts(line) - before - idle, 3 * PLAIN, 3 * PLAIN + PLAIN / 4);
    reeve_close(r);
    rv_store_close(store);
}

static void a_plain_call_needs_no_script_to_read(void **state) {
    start_queue(*state, "");
    check_cost(*state, open_in_company(*state));
}

static void nor_does_that_of_one_who_is_alone(void **state) {
    start_queue(*state, "");
    check_cost(*state, open_handle(*state));
}

/* ---- what is lost ---- */
static void a_message_that_is_lost_costs_a_look(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_in_company(line);
    call_once(line, store, r, "first");
    for (int i = 0; i < KILLS; i++) {
        char id[16];
        struct caller c;
        (void)snprintf(id, sizeof id, "j%d", i);
        await_listening(line, r);
        caller_begin(&c, r, id);
        struct held_claim claim = claim_next(store);
        CHECK_INT(COMMAND(line, "CLIENT", "KILL", "TYPE", "pubsub"), 1);
        CHECK_OK(finish_one(line, store, id, claim, REEVE_DONE));
        int64_t begun_ms = elapsed_ms();
        caller_end(&c);
        CHECK(elapsed_ms() - begun_ms < RECHECKED_MS);
    }
    reeve_close(r);
    rv_store_close(store);
}

/* The step that ends a job is made all the same, and whole. */
static void a_user_who_may_not_tell_ends_jobs_all_the_same(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_in_company(line);
    COMMAND(line, "ACL", "SETUSER", "default", "resetchannels", "&rv:{test/*");
    struct caller c;
    int64_t begun_ms = elapsed_ms();
    caller_begin(&c, r, "done");
    serve(line, store, "done");
    caller_end(&c);
    caller_begin(&c, r, "large"); /* not by the short way */
    struct held_claim claim = claim_next(store);
    struct rv_note note = {
        .id = "large", .token = claim.token, .holder = claim.holder, .line = "x"};
    CHECK_OK(rv_store_note(store, "jobs", &note, &line->err));
    CHECK_OK(finish_one(line, store, "large", claim, REEVE_DONE));
    caller_end(&c);
    CHECK(elapsed_ms() - begun_ms < 2 * RECHECKED_MS);
    COMMAND(line, "ACL", "SETUSER", "default", "allchannels");
    CHECK(is_sound(line, store));
    reeve_close(r);
    rv_store_close(store);
}

/* ---- what is foreign ---- */
static void what_is_told_amiss_is_passed_over(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_in_company(line);
    call_once(line, store, r, "other");
    redisReply *other = record_of(line, "other");
    await_listening(line, r);
    struct caller c;
    caller_begin(&c, r, "mine");
    await_known(store, "mine");
    plant(line, r->service.awaits.address, atomic_load(&r->service.awaits.next) - 1, other);
    freeReplyObject(other);
    serve(line, store, "mine");
    caller_end(&c);
    await_listening(line, r);
    reeve_close(r);
    rv_store_close(store);
}

/* As two in many millions have. */
static void who_share_an_address_are_told_of_their_own(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    reeve *r = open_in_company(line), *twin = open_in_company(line);
    twin->service.awaits.address = r->service.awaits.address;
    struct caller c, d;
    call_once(line, store, r, "first");
    call_once(line, store, twin, "second");
    atomic_store(&twin->service.awaits.next, atomic_load(&r->service.awaits.next));
    caller_begin(&c, r, "mine");
    await_known(store, "mine");
    caller_begin(&d, twin, "his");
    await_known(store, "his");
    serve(line, store, "mine");
    serve(line, store, "his");
    caller_end(&c);
    caller_end(&d);
    reeve_close(r);
    reeve_close(twin);
    rv_store_close(store);
}

static void a_record_without_a_nonce_is_waited_for_by_nobody(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    push_one(line, store, "a");
    redisReply *record = record_of(line, "a");
    memcpy(record->str + 45, "\0\0\0", 3); /* no flags, and nothing as pushed */
    const char *key = KEY("job"), *words[] = {"HSET", key, "a", record->str, NULL};
    CHECK_INT(command(line, words, (const size_t[]){4, strlen(key), 1, 48}), 0);
    freeReplyObject(record);
    enum reeve_state now;
    CHECK_OK(rv_store_cancel(store, "jobs", "a", &now, &line->err));
    rv_store_close(store);
}

/* One message on the channel of that address: of queue "jobs", push 7, id "a", and no record. */
static void tell_of_seven(struct line *line, uint32_t address) {
    static const char text[] = "\4jobs\0\0\0\7\1a\0\0\0\0";
    CHECK_INT(publish(line, address, text, sizeof text - 1), 1);
}

/* It comes before the answer to the subscription, on the same connection. */
static void what_is_told_while_another_channel_is_subscribed_to_is_heard(void **state) {
    const uint32_t address = 0x80000001;
    struct line *line = *state;
    struct rv_list told;
    rv_list_init(&told);
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    struct rv_bell bells[] = {{.told = &told, .address = address}, {.queue = "jobs"}};
    CHECK_OK(rv_store_wait(store, bells, 1, 50, &line->err)); /* subscribes */
    tell_of_seven(line, address);
    int64_t begun_ms = rv_clock_boot_ms(&rv_clock_real);
    CHECK_OK(rv_store_wait(store, bells, 2, SOON_MS, &line->err));
    CHECK_BETWEEN(rv_clock_boot_ms(&rv_clock_real) - begun_ms, 0, SOON_MS / 2);
    CHECK(!rv_list_empty(&told));
    CHECK_INT(rv_container_of(told.next, struct rv_told, link)->number, 7);
    rv_told_release(&told);
    rv_store_close(store);
}

/* ---- a server that stands still ---- */
enum { PATIENCE_MS = 500, CALL_MS = 5000 }; /* the latter is the handle's own */

static int64_t now_ms(void) {
    return rv_clock_boot_ms(&rv_clock_real);
}

/* Who was given half of a second is not kept for as long as any call may take. */
static void a_wait_is_no_longer_than_it_may_be(void **state) {
    struct line *line = *state;
    struct reeve_push push = {.size = sizeof push, .queue = "jobs", .id = "a"};
    struct reeve_job *job;
    line->server = server_start("");
    reeve *r = open_in_company(line);
    CHECK_OK(reeve_push(r, &push, NULL));
    CHECK_INT(kill(line->server->pid, SIGSTOP), 0);
    int64_t began_ms = now_ms();
    CHECK_FAILS(reeve_wait(r, "jobs", "a", PATIENCE_MS, &job), REEVE_ETIMEDOUT);
    CHECK(!job); /* nothing is known of it */
    CHECK(now_ms() - began_ms < CALL_MS - 1000);
    began_ms = now_ms();
    push.id = "b";
    CHECK_FAILS(reeve_push_wait(r, &push, PATIENCE_MS, NULL, &job), REEVE_EUNREACHABLE);
    CHECK(now_ms() - began_ms < CALL_MS - 1000);
    CHECK_INT(kill(line->server->pid, SIGCONT), 0);
    CHECK_FAILS(reeve_wait(r, "jobs", "a", PATIENCE_MS, &job), REEVE_ETIMEDOUT);
    CHECK_INT(job->state, REEVE_READY);
    reeve_free(job);
    reeve_close(r);
}

const struct CMUnitTest end_tests[] = {
    REDIS_TEST(an_end_is_told_on_a_channel_of_the_space),
    REDIS_TEST(a_plain_call_needs_no_script_to_read),
    REDIS_TEST(nor_does_that_of_one_who_is_alone),
    REDIS_TEST(a_message_that_is_lost_costs_a_look),
    REDIS_TEST(a_user_who_may_not_tell_ends_jobs_all_the_same),
    REDIS_TEST(what_is_told_amiss_is_passed_over),
    REDIS_TEST(who_share_an_address_are_told_of_their_own),
    REDIS_TEST(a_record_without_a_nonce_is_waited_for_by_nobody),
    REDIS_TEST(what_is_told_while_another_channel_is_subscribed_to_is_heard),
    REDIS_TEST(a_wait_is_no_longer_than_it_may_be),
};
const size_t end_test_count = sizeof end_tests / sizeof *end_tests;
