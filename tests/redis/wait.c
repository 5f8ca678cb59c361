/* Waiting: what it costs the server, whom a push wakes, and that no bell is lost. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/eventually.h"
#include "redis/queue.h"

enum {
    LONG_MS = 60000,
    SOON_MS = 4000, /* sooner than the look that finds what no bell told */
    WORKERS = 64,
};

#define MUTE_ALL (RV_MUTE_ENDED | RV_MUTE_CANCELLED | RV_MUTE_EVENTS)

static int64_t now_ms(void) {
    return rv_clock_boot_ms(&rv_clock_real);
}

static struct rv_bell wait_on(struct line *line, struct rv_store *store, struct rv_bell bell,
                              int64_t timeout_ms) {
    bell.queue = "jobs";
    CHECK_OK(rv_store_wait(store, &bell, 1, timeout_ms, &line->err));
    return bell;
}

/* ---- a thread that waits ---- */
struct waiter {
    struct rv_store *store;
    pthread_t thread;
    struct rv_bell bell;
    struct rv_error err;
    int64_t timeout_ms;
    bool claims; /* what it is woken for */
    _Atomic int rc, woken;
};

static void *wait_in_thread(void *arg) {
    struct waiter *waiter = arg;
    waiter->bell.queue = "jobs";
    int rc = rv_store_wait(waiter->store, &waiter->bell, 1, waiter->timeout_ms, &waiter->err);
    struct held_claim claim;
    if (!rc && waiter->bell.ready && waiter->claims)
        rc = try_claim(waiter->store, 1, &claim, NULL, &waiter->err);
    waiter->rc = rc;
    waiter->woken = 1;
    return NULL;
}

static void start(struct waiter *waiter) {
    if (!waiter->timeout_ms) waiter->timeout_ms = LONG_MS;
    waiter->woken = 0;
    CHECK_INT(pthread_create(&waiter->thread, NULL, wait_in_thread, waiter), 0);
}

static void join(struct waiter *waiter) {
    CHECK_INT(pthread_join(waiter->thread, NULL), 0);
}

static bool is_woken(void *arg) {
    return ((struct waiter *)arg)->woken;
}

struct sleepers {
    struct line *line;
    int64_t count;
};

/* So many clients sleep on a bell. */
static bool are_asleep(void *arg) {
    struct sleepers *sleepers = arg;
    static const char *const words[] = {"INFO", "clients"};
    struct rv_rd_command command = {.argc = 2, .argv = words};
    redisReply *reply;
    CHECK_OK(rv_rd_call(&sleepers->line->rd, NULL, &command, 1, LONG_MS, &reply, NULL));
    const char *at = strstr(reply->str, "blocked_clients:");
    int64_t count = at ? strtoll(at + strlen("blocked_clients:"), NULL, 10) : 0;
    freeReplyObject(reply);
    return count == sleepers->count;
}

static void await_sleepers(struct line *line, int64_t count) {
    struct sleepers sleepers = {line, count};
    CHECK(eventually(are_asleep, &sleepers, LONG_MS));
}

/* ---- what it costs ---- */
static void an_idle_wait_costs_less_than_a_command_a_second(void **state) {
    enum { IDLE_MS = 11000 };
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    struct rv_bell bell = {.want_ready = true};
    COMMAND(line, "PING");
    bell = wait_on(line, store, bell, 200); /* connects */
    int64_t before = count_commands(line);
    (void)wait_on(line, store, bell, IDLE_MS);
    int64_t spent = count_commands(line) - before;
    CHECK_BETWEEN(spent, 1, IDLE_MS / 1000);
    rv_store_close(store);
}

static void one_push_wakes_few(void **state) {
    struct line *line = *state;
    static struct waiter waiters[WORKERS];
    start_queue(line, "");
    for (size_t i = 0; i < WORKERS; i++) {
        waiters[i] = (struct waiter){.store = open_store(line),
                                     .claims = true,
                                     .bell = {.want_ready = true, .mute = MUTE_ALL}};
        start(&waiters[i]);
    }
    await_sleepers(line, WORKERS);
    push_one(line, waiters[0].store, "a");
    int woken = 0;
    for (int64_t begun = now_ms(); now_ms() - begun < 1000;) {
        woken = 0;
        for (size_t i = 0; i < WORKERS; i++)
            woken += waiters[i].woken;
    }
    CHECK_BETWEEN(woken, 1, 4);
    for (size_t i = 0; i < WORKERS; i++)
        rv_store_wake(waiters[i].store);
    for (size_t i = 0; i < WORKERS; i++)
        join(&waiters[i]);
    for (size_t i = 0; i < WORKERS; i++)
        rv_store_close(waiters[i].store);
}

static void who_mutes_an_end_does_not_listen(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    push_one(line, store, "a");
    struct rv_bell bell = wait_on(line, store, (struct rv_bell){.mute = MUTE_ALL}, 0);
    struct waiter waiter = {.store = store, .bell = bell, .timeout_ms = 1000};
    start(&waiter);
    struct held_claim claim = claim_some(line, store, 1, NULL);
    CHECK_OK(finish_one(line, store, "a", claim, REEVE_DONE));
    CHECK_INT(COMMAND(line, "PUBLISH", KEY("events"), ""), 0); /* subscribers */
    int64_t begun = now_ms();
    join(&waiter);
    CHECK(now_ms() - begun > 300);
    CHECK_OK(waiter.rc);
    rv_store_close(store);
}

/* Waits that follow one another know what was heard in between. */
static void the_next_wait_need_not_look(void **state) {
    enum { WAITS = 50 };
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    push_one(line, store, "a");
    struct rv_bell bell = wait_on(line, store, (struct rv_bell){0}, 200); /* subscribes */
    int64_t before = count_commands(line);
    for (int i = 0; i < WAITS; i++)
        bell = wait_on(line, store, bell, 20);
    CHECK(count_commands(line) - before < WAITS / 2);
    rv_store_close(store);
}

/* ---- what is heard ---- */
static void an_end_between_two_waits_is_heard(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line), *other = open_store(line);
    push_one(line, store, "a");
    struct rv_bell before = wait_on(line, store, (struct rv_bell){0}, 200);
    struct held_claim claim = claim_some(line, other, 1, NULL);
    CHECK_OK(finish_one(line, other, "a", claim, REEVE_DONE));
    int64_t begun = now_ms();
    CHECK_INT(wait_on(line, store, before, LONG_MS).ended, before.ended + 1);
    CHECK_INT(wait_on(line, store, before, LONG_MS).ended,
              before.ended + 1); /* no news, but to him */
    CHECK(now_ms() - begun < SOON_MS);
    rv_store_close(other);
    rv_store_close(store);
}

/* Whoever was not listening has to look. */
static void an_end_is_not_missed_with_the_connection(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line), *other = open_store(line);
    push_one(line, store, "a");
    struct rv_bell before = wait_on(line, store, (struct rv_bell){0}, 200);
    struct held_claim claim = claim_some(line, other, 1, NULL);
    (void)COMMAND(line, "CLIENT", "KILL", "TYPE", "pubsub");
    CHECK_OK(finish_one(line, other, "a", claim, REEVE_DONE));
    int64_t begun = now_ms();
    CHECK_INT(wait_on(line, store, before, LONG_MS).ended, before.ended + 1);
    CHECK(now_ms() - begun < SOON_MS);
    rv_store_close(other);
    rv_store_close(store);
}

static void an_end_is_heard_at_once(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line), *other = open_store(line);
    push_one(line, store, "a");
    struct waiter waiter = {.store = store, .bell = wait_on(line, store, (struct rv_bell){0}, 300)};
    uint64_t before = waiter.bell.ended;
    start(&waiter);
    enum reeve_state now;
    int64_t begun = now_ms();
    CHECK_OK(rv_store_cancel(other, "jobs", "a", &now, &line->err));
    join(&waiter);
    CHECK(now_ms() - begun < SOON_MS);
    CHECK_OK(waiter.rc);
    CHECK(waiter.bell.ended > before);
    rv_store_close(other);
    rv_store_close(store);
}

/* Two wait; one is woken by its own process at about the moment of a push. If that took the bell,
 * it has to say so; if not, the other hears it. */
static void a_bell_is_not_lost_to_a_wait_that_ends(void **state) {
    enum { ROUNDS = 60 };
    struct line *line = *state;
    start_queue(line, "");
    struct waiter one = {.store = open_store(line)};
    struct waiter other = {.store = open_store(line)};
    struct rv_store *pusher = open_store(line);
    int taken = 0;
    for (int i = 0; i < ROUNDS; i++) {
        (void)wait_on(line, one.store, (struct rv_bell){0}, 0); /* wakes that came too late */
        (void)wait_on(line, other.store, (struct rv_bell){0}, 0);
        one.bell = other.bell = (struct rv_bell){.want_ready = true, .mute = MUTE_ALL};
        start(&one); /* sleeps longest, so the bell is his */
        await_sleepers(line, 1);
        start(&other);
        await_sleepers(line, 2);
        int64_t begun = now_ms();
        if (i % 2) rv_store_wake(one.store);
        push_one(line, pusher, "a");
        if (!(i % 2)) rv_store_wake(one.store);
        join(&one);
        taken += one.bell.ready;
        if (!one.bell.ready) CHECK(eventually(is_woken, &other, SOON_MS));
        CHECK(now_ms() - begun < SOON_MS);
        CHECK(one.bell.ready || other.bell.ready);
        rv_store_wake(other.store);
        join(&other);
        CHECK_OK(rv_store_remove(pusher, "jobs", "a", &line->err));
        COMMAND(line, "DEL", KEY("bell"));
    }
    print_message("# %d of %d bells went to the one that was woken\n", taken, ROUNDS);
    rv_store_close(pusher);
    rv_store_close(other.store);
    rv_store_close(one.store);
}

/* ---- delayed jobs ---- */
static void push_delayed(struct line *line, struct rv_store *store, const char *id, int64_t ms) {
    struct rv_new_job job = new_one(id);
    job.delay_ms = ms;
    push_new(line, store, &job);
}

static void check_woken_for_delayed(struct line *line, struct rv_store *store, const char *id) {
    struct waiter waiter = {.store = store, .bell = {.want_ready = true, .mute = MUTE_ALL}};
    size_t got;
    start(&waiter);
    await_sleepers(line, 1);
    int64_t begun = now_ms();
    push_delayed(line, store, id, 300);
    join(&waiter);
    CHECK_OK(waiter.rc);
    CHECK(wait_on(line, store, waiter.bell, LONG_MS).ready);
    CHECK_BETWEEN(now_ms() - begun, 0, SOON_MS);
    do {
        (void)claim_some(line, store, 1, &got);
        CHECK(now_ms() - begun < SOON_MS);
    } while (!got);
}

/* Who sleeps has to hear of it, to know when it is due. */
static void a_delayed_job_wakes_who_waits(void **state) {
    struct reeve_queue_settings bounds = {.max_length = 1000};
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    push_one(line, store, "first");
    (void)claim_some(line, store, 1, NULL);
    check_woken_for_delayed(line, store, "a");
    CHECK_OK(rv_store_set(store, "jobs", &bounds, &line->err)); /* pushed one by one */
    check_woken_for_delayed(line, store, "b");
    rv_store_close(store);
}

/* Nobody has to look sooner than he would. */
static void a_job_that_is_due_after_others_wakes_nobody(void **state) {
    struct reeve_queue_settings bounds = {.max_length = 1000};
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    push_delayed(line, store, "a", LONG_MS);
    CHECK_INT(COMMAND(line, "DEL", KEY("bell")), 1);
    push_delayed(line, store, "b", LONG_MS + 1000);
    CHECK_OK(rv_store_set(store, "jobs", &bounds, &line->err));
    push_delayed(line, store, "c", LONG_MS + 1000);
    CHECK_INT(COMMAND(line, "EXISTS", KEY("bell")), 0);
    push_delayed(line, store, "d", LONG_MS / 2);
    CHECK_INT(COMMAND(line, "EXISTS", KEY("bell")), 1);
    rv_store_close(store);
}

/* ---- lost connections ---- */
static void a_lost_connection_is_made_again(void **state) {
    static const char *const kinds[] = {"normal", "pubsub"};
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    struct waiter waiter = {.store = store};
    for (size_t i = 0; i < 2; i++) {
        waiter.bell = wait_on(line, store, (struct rv_bell){.want_ready = true}, 100);
        start(&waiter);
        await_sleepers(line, 1);
        CHECK(COMMAND(line, "CLIENT", "KILL", "TYPE", kinds[i], "SKIPME", "yes") > 0);
        if (i == 0) await_sleepers(line, 1);
        CHECK(!waiter.woken);
        int64_t begun = now_ms();
        push_one(line, store, kinds[i]);
        join(&waiter);
        CHECK(now_ms() - begun < SOON_MS);
        CHECK_OK(waiter.rc);
        CHECK(waiter.bell.ready);
        (void)claim_some(line, store, 1, NULL);
    }
    rv_store_close(store);
}

static void a_server_that_is_gone_is_told(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = NULL;
    struct rv_store_config config = {
        .space = "test", .timeout_ms = 500, .log = &line->log, .clock = &line->clock};
    CHECK_OK(rv_store_open(&store, line->server->url, &config, &line->err));
    struct waiter waiter = {.store = store, .bell = {.want_ready = true, .mute = MUTE_ALL}};
    start(&waiter);
    await_sleepers(line, 1);
    server_stop(line->server);
    join(&waiter);
    CHECK_INT(waiter.rc, REEVE_EUNREACHABLE);
    CHECK(*waiter.err.text);
    server_again(line->server);
    push_one(line, store, "a");
    CHECK(wait_on(line, store, (struct rv_bell){.want_ready = true}, LONG_MS).ready);
    rv_store_close(store);
}

const struct CMUnitTest wait_tests[] = {
    REDIS_TEST(an_idle_wait_costs_less_than_a_command_a_second),
    REDIS_TEST(one_push_wakes_few),
    REDIS_TEST(who_mutes_an_end_does_not_listen),
    REDIS_TEST(the_next_wait_need_not_look),
    REDIS_TEST(an_end_between_two_waits_is_heard),
    REDIS_TEST(an_end_is_not_missed_with_the_connection),
    REDIS_TEST(an_end_is_heard_at_once),
    REDIS_TEST(a_bell_is_not_lost_to_a_wait_that_ends),
    REDIS_TEST(a_delayed_job_wakes_who_waits),
    REDIS_TEST(a_job_that_is_due_after_others_wakes_nobody),
    REDIS_TEST(a_lost_connection_is_made_again),
    REDIS_TEST(a_server_that_is_gone_is_told),
};
const size_t wait_test_count = sizeof wait_tests / sizeof *wait_tests;
