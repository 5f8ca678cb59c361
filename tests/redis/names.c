/* Leases of names on a server: what is harmed there, what its clock does to them, and when it is
 * full. What they have in common with all stores is tests/store/grants.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "redis/queue.h"

#define SPACE_KEY(name) "rv:{test}:" name

enum { LEASE_MS = 30000, TICKET_MS = 10000, TIMEOUT_MS = 20000, HOUR_MS = 3600000, CROWD = 250 };

static const char grants_key[] = SPACE_KEY("grants");

struct world {
    struct line *line;
    struct rv_store *store;
    uint64_t token; /* of holder 1, who leads "boss" */
};

static uint64_t ask(struct world *w, enum rv_grant_kind kind, const char *name, uint64_t holder,
                    struct rv_grant_answer *out) {
    struct rv_grant_ask wish = {.kind = kind,
                                .name = name,
                                .holder = holder,
                                .lease_ms = LEASE_MS,
                                .ticket_ms = kind == RV_GRANT_LOCK ? TICKET_MS : 0,
                                .by = "tester"};
    CHECK_OK(rv_store_grant_take(w->store, &wish, TIMEOUT_MS, out, &w->line->err));
    return out->token;
}

static uint64_t take(struct world *w, const char *name, uint64_t holder) {
    struct rv_grant_answer answer;
    return ask(w, RV_GRANT_LEADER, name, holder, &answer);
}

static struct rv_grant_answer line_up(struct world *w, const char *name, uint64_t holder) {
    struct rv_grant_answer answer;
    (void)ask(w, RV_GRANT_LOCK, name, holder, &answer);
    return answer;
}

static int renew(struct world *w, bool *lost) {
    struct rv_grant_renewal renewal = {.kind = RV_GRANT_LEADER,
                                       .name = "boss",
                                       .holder = 1,
                                       .token = w->token,
                                       .lease_ms = LEASE_MS};
    int rc = rv_store_grant_renew(w->store, &renewal, 1, TIMEOUT_MS, &w->line->err);
    *lost = renewal.lost;
    return rc;
}

/* "boss" is led; the lock "l" is held, and two wait for it. */
static struct world begin(void **state) {
    struct world w = {.line = *state};
    start_queue(w.line, "aof");
    w.store = open_store(w.line);
    w.token = take(&w, "boss", 1);
    CHECK(w.token);
    CHECK(line_up(&w, "l", 1).token);
    CHECK_INT(line_up(&w, "l", 2).ahead, 0);
    CHECK_INT(line_up(&w, "l", 3).ahead, 1);
    return w;
}

static void end(struct world *w) {
    rv_store_close(w->store);
}

/* ---- the doctor ---- */
/* How many findings there are of "names" with that health. */
static size_t examine(struct world *w, bool repair, enum reeve_health health) {
    struct rv_findings findings;
    size_t count = 0;
    CHECK_OK(rv_store_examine(w->store, repair, &findings, &w->line->err));
    for (size_t i = 0; i < findings.count; i++) {
        const struct rv_finding *finding = &findings.findings[i];
        count += finding->health == health && strcmp(finding->check, "names") == 0;
    }
    free(findings.findings);
    return count;
}

static void check_mended(struct world *w, enum reeve_health health) {
    CHECK(examine(w, false, health) > 0);
    CHECK(examine(w, true, REEVE_REPAIRED) > 0);
    CHECK_INT(examine(w, false, REEVE_FINE), 1);
}

static void the_doctor_finds_nothing_where_only_we_wrote(void **state) {
    struct world w = begin(state);
    CHECK_INT(examine(&w, false, REEVE_FINE), 1);
    end(&w);
}

static void what_was_lost_of_names_is_found_and_mended(void **state) {
    static const char *const keys[] = {SPACE_KEY("grants_by_name"), SPACE_KEY("grants_until"),
                                       SPACE_KEY("grants"),         SPACE_KEY("tickets"),
                                       SPACE_KEY("line"),           SPACE_KEY("tickets_until")};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct world w = begin(state);
        CHECK_INT(COMMAND(w.line, "DEL", keys[i]), 1);
        check_mended(&w, i < 2 ? REEVE_BAD : REEVE_DOUBTFUL);
        uint64_t next = take(&w, "boss", 7); /* nothing that was harmed is in the way for ever */
        if (!next) rv_clock_move(&w.line->clock, LEASE_MS + 1);
        CHECK(next || take(&w, "boss", 7));
        rv_clock_move(&w.line->clock, LEASE_MS + TICKET_MS + 1);
        CHECK(line_up(&w, "l", 9).token);
        end(&w);
        server_destroy(w.line->server);
        w.line->server = NULL;
        atomic_store(&w.line->clock.offset_ms, 0);
    }
}

/* ---- tampering ---- */
static void a_value_that_was_tampered_with_is_lost_or_told(void **state) { /* A22 */
    static const char other[] = "\0\0\0\0\0\0\0\7";
    struct world w = begin(state);
    bool lost;
    const char *const script = "local v = redis.call('HGET', KEYS[1], '1boss') return redis.call("
                               "'HSET', KEYS[1], '1boss', v:sub(1, 2) .. ARGV[1] .. v:sub(11))";
    const char *const words[] = {"EVAL", script, "1", grants_key, other, NULL};
    const size_t sizes[] = {4, strlen(script), 1, strlen(grants_key), 8};
    (void)command(w.line, words, sizes);
    CHECK_OK(renew(&w, &lost));
    CHECK(lost);
    (void)COMMAND(w.line, "HSET", grants_key, "1boss", "\1junk");
    CHECK_FAILS(renew(&w, &lost), REEVE_ECORRUPT);
    CHECK_INT(examine(&w, true, REEVE_BAD), 1); /* its lease may stand: not yet */
    rv_clock_move(&w.line->clock, LEASE_MS + 1);
    CHECK_INT(examine(&w, true, REEVE_REPAIRED), 1);
    CHECK(take(&w, "boss", 8) > w.token);
    (void)COMMAND(w.line, "HSET", grants_key, "1boss", "\2what comes after us");
    CHECK_FAILS(renew(&w, &lost), REEVE_ESCHEMA);
    end(&w);
}

static void a_name_that_is_gone_is_lost(void **state) { /* A22 T13 */
    struct world w = begin(state);
    bool lost;
    CHECK_INT(COMMAND(w.line, "DEL", grants_key, SPACE_KEY("grants_until")), 2);
    CHECK_OK(renew(&w, &lost));
    CHECK(lost);
    CHECK(take(&w, "boss", 1) > w.token); /* J4: as large as the time at least */
    end(&w);
}

/* ---- the clock ---- */
static void a_clock_set_back_keeps_no_name_from_others_for_long(void **state) { /* J8 R16 */
    struct world w = begin(state);
    struct rv_grant_answer answer;
    rv_clock_move(&w.line->clock, -HOUR_MS);
    (void)ask(&w, RV_GRANT_LEADER, "boss", 2, &answer);
    CHECK_INT(answer.token, 0);
    CHECK_BETWEEN(answer.free_in_ms, 1, LEASE_MS);
    rv_clock_move(&w.line->clock, LEASE_MS + 1);
    CHECK(take(&w, "boss", 2) > w.token);
    for (int dead = 0; dead < 2; dead++) { /* the holder and the first in line, then the next */
        CHECK(!line_up(&w, "l", 9).token);
        rv_clock_move(&w.line->clock, LEASE_MS + 1);
    }
    CHECK(line_up(&w, "l", 9).token);
    end(&w);
}

/* ---- being told ---- */
/* Without a message who waits would look only every few seconds. */
static void a_release_is_told_to_those_who_listen(void **state) { /* L7 T29 */
    struct world w = begin(state);
    static const char *const words[] = {"SUBSCRIBE", SPACE_KEY("grants:1boss")};
    const struct rv_rd_command subscribe = {.argc = 2, .argv = words};
    struct rv_rd_url url;
    struct rv_rd_conn *conn;
    redisReply *reply;
    CHECK_OK(rv_rd_url_parse(w.line->server->url, &url, &w.line->err));
    CHECK_OK(rv_rd_conn_open(&url.target, soon_ms(), &conn, &w.line->err));
    CHECK_OK(rv_rd_conn_call(conn, &subscribe, 1, &reply, soon_ms(), &w.line->err));
    freeReplyObject(reply);
    CHECK_OK(rv_store_grant_release(w.store, RV_GRANT_LEADER, "boss", 1, TIMEOUT_MS, &w.line->err));
    CHECK_OK(rv_rd_conn_receive(conn, &reply, soon_ms(), &w.line->err));
    CHECK_INT(reply->elements, 3);
    CHECK_STR(reply->element[0]->str, "message");
    freeReplyObject(reply);
    rv_rd_conn_close(conn);
    rv_rd_url_release(&url);
    end(&w);
}

/* ---- bounds ---- */
static void more_dead_waiters_than_one_step_forgets(void **state) { /* J11 L5 */
    struct world w = begin(state);
    for (uint64_t holder = 100; holder < 100 + CROWD; holder++)
        CHECK(!line_up(&w, "l", holder).token);
    rv_clock_move(&w.line->clock, LEASE_MS + TICKET_MS + 1);
    for (int steps = 0; !line_up(&w, "l", 9).token; steps++)
        CHECK(steps <= CROWD / RV_GRANT_PRUNE_MAX);
    CHECK_INT(examine(&w, false, REEVE_FINE), 1);
    end(&w);
}

static void names_free_for_long_are_forgotten_and_their_tokens_are_not(void **state) { /* J4 */
    struct world w = begin(state);
    rv_clock_move(&w.line->clock, RV_GRANT_KEPT_MS + LEASE_MS + 1);
    CHECK(take(&w, "another", 5));
    CHECK_INT(COMMAND(w.line, "HEXISTS", grants_key, "1boss"), 0);
    CHECK_INT(COMMAND(w.line, "ZCARD", SPACE_KEY("grants_by_name")), 1);
    CHECK_INT(COMMAND(w.line, "ZCARD", SPACE_KEY("line")), 0);
    rv_clock_move(&w.line->clock, -2 * RV_GRANT_KEPT_MS); /* so that time alone would not do */
    CHECK(take(&w, "boss", 6) > w.token);
    end(&w);
}

/* ---- a full server ---- */
static void a_full_server_goes_on_leasing_names(void **state) { /* R10 */
    struct world w = begin(state);
    bool lost;
    (void)COMMAND(w.line, "CONFIG", "SET", "maxmemory", "1");
    CHECK_OK(renew(&w, &lost));
    CHECK(!lost);
    CHECK_OK(rv_store_grant_check(w.store, RV_GRANT_LEADER, "boss", w.token, &w.line->err));
    CHECK_OK(rv_store_grant_resign(w.store, RV_GRANT_LEADER, "boss", &w.line->err));
    CHECK_OK(rv_store_grant_release(w.store, RV_GRANT_LEADER, "boss", 1, TIMEOUT_MS, &w.line->err));
    CHECK(take(&w, "boss", 2) > w.token);
    end(&w);
}

const struct CMUnitTest name_tests[] = {
    REDIS_TEST(the_doctor_finds_nothing_where_only_we_wrote),
    REDIS_TEST(what_was_lost_of_names_is_found_and_mended),
    REDIS_TEST(a_value_that_was_tampered_with_is_lost_or_told),
    REDIS_TEST(a_name_that_is_gone_is_lost),
    REDIS_TEST(a_clock_set_back_keeps_no_name_from_others_for_long),
    REDIS_TEST(a_release_is_told_to_those_who_listen),
    REDIS_TEST(more_dead_waiters_than_one_step_forgets),
    REDIS_TEST(names_free_for_long_are_forgotten_and_their_tokens_are_not),
    REDIS_TEST(a_full_server_goes_on_leasing_names),
};
const size_t name_test_count = sizeof name_tests / sizeof *name_tests;
