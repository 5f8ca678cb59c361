/* Groups of streams on a server that is full, was harmed, or whose clock was set back; several who
 * recover at once. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/queue.h"

enum { TIMEOUT_MS = 20000, LEASE_MS = 30000, SCANNERS = 3, ROUNDS = 20 };

#define GROUP_KEY(name) "rv:{test/~feeds#0}:" name

static const struct rv_group group = {.name = "feeds"};

/* ---- words ---- */
static int offer(struct line *line, struct rv_store *store, const char *name) {
    bool known;
    return rv_store_stream_offer(store, &group, name, "x", 1, &known, &line->err);
}

/* All that waits; the token. */
static uint64_t take(struct line *line, struct rv_store *store, uint64_t holder, size_t count) {
    const struct rv_stream_ask ask = {.member = "m",
                                      .by = "me",
                                      .holder = holder,
                                      .want = count,
                                      .lease_ms = LEASE_MS,
                                      .timeout_ms = TIMEOUT_MS};
    struct rv_streams streams;
    CHECK_OK(rv_store_stream_take(store, &group, &ask, &streams, &line->err));
    CHECK_INT(streams.count, count);
    uint64_t token = streams.token;
    rv_streams_release(&streams);
    return token;
}

static uint64_t offer_and_take(struct line *line, struct rv_store *store, const char *name) {
    CHECK_OK(offer(line, store, name));
    return take(line, store, 1, 1);
}

static bool is_lost(struct line *line, struct rv_store *store, const char *name, uint64_t holder,
                    uint64_t token) {
    struct rv_stream_renewal renewal = {
        .name = name, .holder = holder, .token = token, .lease_ms = LEASE_MS};
    CHECK_OK(rv_store_stream_renew(store, &group, &renewal, 1, TIMEOUT_MS, &line->err));
    return renewal.lost;
}

static uint64_t scan(struct rv_store *store, int64_t min_idle_ms, struct rv_error *err) {
    const struct rv_stream_scan step = {.min_idle_ms = min_idle_ms, .max_retries = 100};
    struct rv_stream_scanned scanned;
    if (rv_store_stream_recover(store, &group, &step, &scanned, err)) return 0;
    uint64_t requeued = scanned.requeued;
    rv_stream_scanned_release(&scanned);
    return requeued;
}

static void check_health(struct line *line, struct rv_store *store, bool repair,
                         enum reeve_health health) {
    struct rv_findings findings;
    bool found = false;
    CHECK_OK(rv_store_examine(store, repair, &findings, &line->err));
    for (size_t i = 0; i < findings.count; i++) {
        if (strcmp(findings.findings[i].check, "streams") != 0) continue;
        found = true;
        if (findings.findings[i].health != health) print_error("%s\n", findings.findings[i].text);
        CHECK_INT(findings.findings[i].health, health);
    }
    free(findings.findings);
    CHECK(found);
}

/* ---- a full server ---- */
static void all_but_offers_go_on_in_a_full_server(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    const struct rv_stream_fault fault = {.reason = "broken", .max_retries = 0};
    bool dead;
    CHECK_OK(offer(line, store, "a"));
    CHECK_OK(offer(line, store, "b"));
    CHECK_OK(offer(line, store, "c"));
    (void)COMMAND(line, "CONFIG", "SET", "maxmemory", "1");
    CHECK_FAILS(offer(line, store, "d"), REEVE_EUNREACHABLE);
    uint64_t token = take(line, store, 1, 3);
    CHECK(!is_lost(line, store, "a", 1, token));
    struct rv_stream_ref a = {"a", 1, token}, b = {"b", 1, token}, c = {"c", 1, token};
    CHECK_OK(rv_store_stream_end(store, &group, &a, TIMEOUT_MS, &line->err));
    CHECK_OK(rv_store_stream_yield(store, &group, &b, NULL, TIMEOUT_MS, &dead, &line->err));
    CHECK_FAILS(rv_store_stream_end(store, &group, &b, TIMEOUT_MS, &line->err), REEVE_EFENCED);
    CHECK_OK(rv_store_stream_yield(store, &group, &c, &fault, TIMEOUT_MS, &dead, &line->err));
    CHECK(dead);
    (void)take(line, store, 2, 1);
    atomic_store(&line->clock.offset_ms, 3 * LEASE_MS);
    CHECK_INT(scan(store, 0, &line->err), 1);
    check_health(line, store, false, REEVE_FINE);
    rv_store_close(store);
}

/* ---- the clock ---- */
static void a_clock_set_back_makes_no_lease_endless(void **state) { /* J8 */
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    atomic_store(&line->clock.offset_ms, INT64_C(3600000));
    uint64_t token = offer_and_take(line, store, "a");
    atomic_store(&line->clock.offset_ms, 0); /* an hour back */
    CHECK_INT(scan(store, 0, &line->err), 0);
    CHECK(!is_lost(line, store, "a", 1, token));
    CHECK_INT(scan(store, 0, &line->err), 0);
    atomic_store(&line->clock.offset_ms, LEASE_MS + 1);
    CHECK_INT(scan(store, 0, &line->err), 1);
    CHECK(take(line, store, 2, 1) > token); /* J4 */
    rv_store_close(store);
}

/* ---- harm ---- */
static void harm_is_found_and_mended(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    uint64_t token = offer_and_take(line, store, "owned");
    CHECK_OK(offer(line, store, "waiting"));
    check_health(line, store, false, REEVE_FINE);

    (void)COMMAND(line, "ZREM", GROUP_KEY("lease"), "owned"); /* would be owned for ever */
    check_health(line, store, false, REEVE_BAD);
    check_health(line, store, true, REEVE_REPAIRED);
    CHECK(is_lost(line, store, "owned", 1, token));
    CHECK_INT(scan(store, 0, &line->err), 1);
    check_health(line, store, false, REEVE_FINE);

    (void)COMMAND(line, "XTRIM", GROUP_KEY("input"), "MAXLEN", "0"); /* could never be offered */
    check_health(line, store, false, REEVE_BAD);
    check_health(line, store, true, REEVE_REPAIRED);
    CHECK_OK(offer(line, store, "waiting"));
    CHECK_OK(offer(line, store, "owned"));
    check_health(line, store, false, REEVE_FINE);

    (void)COMMAND(line, "ZADD", GROUP_KEY("lease"), "1", "nobody");
    (void)COMMAND(line, "ZADD", GROUP_KEY("held"), "0", "12345678nobody");
    check_health(line, store, false, REEVE_DOUBTFUL);
    check_health(line, store, true, REEVE_REPAIRED);
    check_health(line, store, false, REEVE_FINE);
    rv_store_close(store);
}

static void the_doctor_knows_groups_of_the_published_layout(void **state) {
    struct line *line = *state;
    const struct rv_group published = {.name = "feeds", .compat = true};
    bool known;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    CHECK_OK(rv_store_stream_offer(store, &published, "a", "{}", 2, &known, &line->err));
    check_health(line, store, false, REEVE_FINE);
    (void)COMMAND(line, "XTRIM", "feeds-input", "MAXLEN", "0"); /* could never be offered again */
    check_health(line, store, false, REEVE_BAD);
    check_health(line, store, true, REEVE_REPAIRED);
    CHECK_OK(rv_store_stream_offer(store, &published, "a", "{}", 2, &known, &line->err));
    CHECK(!known);
    check_health(line, store, false, REEVE_FINE);
    rv_store_close(store);
}

/* What was read by hand, and never acknowledged. */
static void what_a_stranger_read_comes_back(void **state) {
    struct line *line = *state;
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    (void)offer_and_take(line, store, "owned");
    CHECK_OK(offer(line, store, "a"));
    (void)COMMAND(line, "XREADGROUP", "GROUP", "members", "he", "STREAMS", GROUP_KEY("input"), ">");
    CHECK_INT(scan(store, LEASE_MS, &line->err), 0); /* not so soon */
    CHECK_INT(scan(store, 0, &line->err), 1);
    (void)take(line, store, 3, 1);
    check_health(line, store, false, REEVE_FINE);
    rv_store_close(store);
}

/* ---- several at once ---- */
struct scanner {
    struct rv_store *store;
    uint64_t requeued;
};

static void *scan_once(void *arg) {
    struct scanner *scanner = arg;
    struct rv_error err;
    scanner->requeued = scan(scanner->store, 0, &err);
    return NULL;
}

static void of_several_scanners_one_recovers(void **state) { /* A173 R05 */
    struct line *line = *state;
    struct scanner scanners[SCANNERS] = {{0}};
    pthread_t threads[SCANNERS];
    start_queue(line, "");
    for (size_t i = 0; i < SCANNERS; i++)
        scanners[i].store = open_store(line);
    CHECK_OK(offer(line, scanners[0].store, "a"));
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t sum = 0;
        (void)take(line, scanners[0].store, round, 1);
        atomic_fetch_add(&line->clock.offset_ms, 2 * LEASE_MS);
        for (size_t i = 0; i < SCANNERS; i++)
            CHECK_INT(pthread_create(&threads[i], NULL, scan_once, &scanners[i]), 0);
        for (size_t i = 0; i < SCANNERS; i++) {
            CHECK_INT(pthread_join(threads[i], NULL), 0);
            sum += scanners[i].requeued;
        }
        CHECK_INT(sum, 1);
        CHECK_INT(ask_server(line, "XLEN " GROUP_KEY("input")), 1);
    }
    for (size_t i = 0; i < SCANNERS; i++)
        rv_store_close(scanners[i].store);
}

/* Readers of members that are gone go, unless something is pending for them. */
static void readers_go_with_their_members(void **state) {
    struct line *line = *state;
    struct rv_member_row row = {.id = "m", .name = "me"};
    start_queue(line, "");
    struct rv_store *store = open_store(line);
    uint64_t token = offer_and_take(line, store, "a");
    const struct rv_stream_ref ref = {"a", 1, token};
    CHECK_OK(rv_store_stream_beat(store, &group, &row, LEASE_MS, &line->err));
    CHECK_OK(rv_store_stream_beat(store, &group, &row, 0, &line->err));
    CHECK(!is_lost(line, store, "a", 1, token)); /* S9: nothing hangs on it */
    CHECK_OK(rv_store_stream_beat(store, &group, &row, LEASE_MS, &line->err));
    CHECK_OK(rv_store_stream_end(store, &group, &ref, TIMEOUT_MS, &line->err));
    CHECK_OK(rv_store_stream_beat(store, &group, &row, 0, &line->err));
    CHECK_INT(
        ask_server(line,
                   "EVAL return(#redis.call('XINFO','CONSUMERS',KEYS[1],'members')) 1 " GROUP_KEY(
                       "input")),
        0);
    rv_store_close(store);
}

const struct CMUnitTest stream_tests[] = {
    REDIS_TEST(all_but_offers_go_on_in_a_full_server),
    REDIS_TEST(a_clock_set_back_makes_no_lease_endless),
    REDIS_TEST(harm_is_found_and_mended),
    REDIS_TEST(the_doctor_knows_groups_of_the_published_layout),
    REDIS_TEST(what_a_stranger_read_comes_back),
    REDIS_TEST(of_several_scanners_one_recovers),
    REDIS_TEST(readers_go_with_their_members),
};
const size_t stream_test_count = sizeof stream_tests / sizeof *stream_tests;
