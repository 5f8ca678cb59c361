/* Connections that are kept. */
#include "redis/redis_tests.h"

static void start(struct line *line) {
    line->server = server_start("");
    line->proxy = proxy_open(line->server->port);
    line_to_port(line, proxy_port(line->proxy));
}

static struct rv_rd_conn *take(struct line *line) {
    struct rv_rd_conn *conn = NULL;
    CHECK_OK(
        rv_rd_pool_take(&line->rd.pool, &line->rd.topology.server, soon_ms(), &conn, &line->err));
    return conn;
}

static void a_connection_is_used_again(void **state) {
    struct line *line = *state;
    int64_t reply;
    start(line);
    for (int i = 0; i < 10; i++)
        CHECK_OK(call_words(line, "INCR n", 30000, &reply));
    CHECK_INT(proxy_lines(line->proxy), 1);
    struct rv_rd_conn *one = take(line), *two = take(line);
    CHECK(one != two);
    rv_rd_pool_give(&line->rd.pool, one);
    rv_rd_pool_give(&line->rd.pool, two);
    CHECK(take(line) == two); /* the warmer one */
    rv_rd_pool_give(&line->rd.pool, two);
    CHECK_INT(proxy_lines(line->proxy), 2);
}

static void a_broken_one_is_not_kept(void **state) {
    struct line *line = *state;
    start(line);
    struct rv_rd_conn *conn = take(line);
    conn->broken = true;
    rv_rd_pool_give(&line->rd.pool, conn);
    CHECK(!line->rd.pool.idle);
}

static void those_that_nobody_needs_are_closed(void **state) {
    struct line *line = *state;
    start(line);
    struct rv_rd_conn *one = take(line), *two = take(line), *three = take(line);
    rv_rd_pool_give(&line->rd.pool, one);
    rv_rd_pool_give(&line->rd.pool, two);
    one->idle_since_ms -= 3600000;
    rv_rd_pool_give(&line->rd.pool, three);
    CHECK(line->rd.pool.idle == three && three->next == two && !two->next);
}

/* Twice as many as one call could try without noticing. */
static void a_server_that_restarts_is_not_paid_by_the_caller(void **state) {
    struct line *line = *state;
    struct rv_rd_conn *conns[8];
    line->server = server_start("");
    line_to(line, line->server->url);
    for (size_t i = 0; i < 8; i++)
        conns[i] = take(line);
    for (size_t i = 0; i < 8; i++)
        rv_rd_pool_give(&line->rd.pool, conns[i]);
    server_stop(line->server);
    server_again(line->server);
    int64_t reply;
    CHECK_OK(call_words(line, "INCR n", 30000, &reply));
    CHECK_INT(reply, 1);
}

static void a_server_that_restarts_meanwhile_is_waited_for(void **state) {
    struct line *line = *state;
    int64_t reply;
    line->server = server_start("aof");
    line_to(line, line->server->url);
    CHECK_OK(call_words(line, "INCR n", 30000, &reply));
    server_stop(line->server);
    CHECK_FAILS(call_words(line, "INCR n", 50, &reply), REEVE_EUNREACHABLE);
    server_again(line->server);
    CHECK_OK(call_words(line, "INCR n", 30000, &reply));
    CHECK_INT(reply, 2);
}

const struct CMUnitTest pool_tests[] = {
    REDIS_TEST(a_connection_is_used_again),
    REDIS_TEST(a_broken_one_is_not_kept),
    REDIS_TEST(those_that_nobody_needs_are_closed),
    REDIS_TEST(a_server_that_restarts_is_not_paid_by_the_caller),
    REDIS_TEST(a_server_that_restarts_meanwhile_is_waited_for),
};
const size_t pool_test_count = sizeof pool_tests / sizeof *pool_tests;
