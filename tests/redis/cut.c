/* The line is cut at every byte of what is asked and of what is answered. Whatever a call then says
 * has to be true: done, or nothing happened, or unsure. */
#include <string.h>

#include "redis/redis_tests.h"

static void start(struct line *line) {
    line->server = server_start("");
    line->proxy = proxy_open(line->server->port);
    line_to_port(line, proxy_port(line->proxy));
}

/* INCR counts how often it was obeyed. */
static const char *const words[] = {"INCR", "n"};
enum { REQUEST_SIZE = sizeof "*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n" - 1 };

/* count of them on a connection of their own. Tells how many were obeyed. */
static int64_t call_cut(struct line *line, enum proxy_way way, int64_t after, size_t count,
                        int *rc) {
    struct rv_rd_command commands[4];
    redisReply *replies[4];
    struct rv_rd_conn *conn;
    for (size_t i = 0; i < count; i++)
        commands[i] = (struct rv_rd_command){.argc = 2, .argv = words};
    int64_t before = ask_server(line, "GET n");
    CHECK_OK(rv_rd_conn_open(&line->rd.topology.server, soon_ms(), &conn, &line->err));
    proxy_cut(line->proxy, way, after);
    *rc = rv_rd_conn_call(conn, commands, count, replies, soon_ms(), &line->err);
    proxy_cut_none(line->proxy);
    if (*rc) {
        CHECK(conn->broken);
        CHECK(!replies[0]);
    } else {
        CHECK(!conn->broken);
        CHECK_INT(replies[count - 1]->integer, before + (int64_t)count);
        rv_rd_replies_free(replies, count);
    }
    rv_rd_conn_close(conn);
    return ask_server(line, "GET n") - before;
}

static void a_request_that_is_cut_is_not_obeyed(void **state) {
    struct line *line = *state;
    int rc;
    start(line);
    for (int64_t after = 0; after < REQUEST_SIZE; after++) {
        CHECK_INT(call_cut(line, PROXY_REQUESTS, after, 1, &rc), 0);
        CHECK(rc == REEVE_EUNSURE || rc == REEVE_EUNREACHABLE);
    }
    CHECK_INT(call_cut(line, PROXY_REQUESTS, REQUEST_SIZE, 1, &rc), 1);
    CHECK_OK(rc);
}

static void an_answer_that_is_cut_leaves_doubt(void **state) {
    struct line *line = *state;
    int rc;
    start(line);
    CHECK_INT(ask_server(line, "INCRBY n 100000"), 100000);
    int64_t size = sizeof ":100000\r\n" - 1;
    for (int64_t after = 0; after < size; after++) {
        CHECK_INT(call_cut(line, PROXY_REPLIES, after, 1, &rc), 1);
        CHECK_FAILS(rc, REEVE_EUNSURE);
    }
    CHECK_INT(call_cut(line, PROXY_REPLIES, size, 1, &rc), 1);
    CHECK_OK(rc);
}

static void of_a_pipeline_a_part_may_be_obeyed(void **state) {
    struct line *line = *state;
    int rc;
    start(line);
    for (int64_t after = 0; after < 3 * REQUEST_SIZE; after++) {
        CHECK_INT(call_cut(line, PROXY_REQUESTS, after, 3, &rc), after / REQUEST_SIZE);
        CHECK(rc == REEVE_EUNSURE || (rc == REEVE_EUNREACHABLE && after < REQUEST_SIZE));
    }
    CHECK_INT(call_cut(line, PROXY_REQUESTS, 3 * REQUEST_SIZE, 3, &rc), 3);
    CHECK_OK(rc);
}

/* The pool's connection was good when it was taken; what breaks in the call is the caller's to
 * know, and the next call is on a new one. */
static void a_call_is_never_obeyed_twice(void **state) {
    struct line *line = *state;
    start(line);
    for (int64_t after = 0; after < REQUEST_SIZE + 4; after++) {
        int64_t reply, before = ask_server(line, "GET n");
        CHECK_OK(call_words(line, "STRLEN n", 30000, &reply));
        if (after < REQUEST_SIZE)
            proxy_cut(line->proxy, PROXY_REQUESTS, after);
        else
            proxy_cut(line->proxy, PROXY_REPLIES, after - REQUEST_SIZE);
        int rc = call_words(line, "INCR n", 30000, &reply);
        proxy_cut_none(line->proxy);
        int64_t obeyed = ask_server(line, "GET n") - before;
        if (rc == 0)
            CHECK_INT(obeyed, 1);
        else
            CHECK_FAILS(rc, REEVE_EUNSURE);
        CHECK_BETWEEN(obeyed, 0, 1);
    }
}

/* The greeting changes nothing: whatever happens to it, nothing was asked yet, and it is tried
 * again. */
static void a_greeting_that_is_cut_is_made_again(void **state) {
    struct line *line = *state;
    start(line);
    enum { GREETING_SIZE = 60, WELCOME_SIZE = 12 };
    for (int64_t after = 0; after < GREETING_SIZE + WELCOME_SIZE; after++) {
        int64_t reply;
        line_to_port(line, proxy_port(line->proxy)); /* no connection stands */
        if (after < GREETING_SIZE)
            proxy_cut(line->proxy, PROXY_REQUESTS, after);
        else
            proxy_cut(line->proxy, PROXY_REPLIES, after - GREETING_SIZE);
        int rc = call_words(line, "INCR n", 30000, &reply);
        proxy_cut_none(line->proxy);
        if (after >= GREETING_SIZE || after < 30) CHECK_OK(rc);
        CHECK(rc == 0 || rc == REEVE_EUNSURE); /* beyond the greeting, it was the call itself */
    }
}

static void an_answer_that_never_comes_is_waited_for_as_long_as_allowed(void **state) {
    struct line *line = *state;
    int64_t reply;
    start(line);
    CHECK_OK(call_words(line, "INCR n", 30000, &reply));
    proxy_swallow(line->proxy, PROXY_REPLIES, 1);
    CHECK_FAILS(call_words(line, "INCR n", 100, &reply), REEVE_EUNSURE);
    proxy_swallow(line->proxy, PROXY_REPLIES, 0);
    CHECK_OK(call_words(line, "INCR n", 30000, &reply));
    CHECK_INT(reply, 3); /* on a new connection: the answer that lacked is nobody's */
}

static void a_slow_line_is_only_slow(void **state) {
    struct line *line = *state;
    int64_t reply;
    start(line);
    proxy_delay(line->proxy, 50);
    CHECK_OK(call_words(line, "INCR n", 30000, &reply));
    CHECK_INT(reply, 1);
    CHECK_INT(proxy_lines(line->proxy), 1);
}

const struct CMUnitTest cut_tests[] = {
    REDIS_TEST(a_request_that_is_cut_is_not_obeyed),
    REDIS_TEST(an_answer_that_is_cut_leaves_doubt),
    REDIS_TEST(of_a_pipeline_a_part_may_be_obeyed),
    REDIS_TEST(a_call_is_never_obeyed_twice),
    REDIS_TEST(a_greeting_that_is_cut_is_made_again),
    REDIS_TEST(an_answer_that_never_comes_is_waited_for_as_long_as_allowed),
    REDIS_TEST(a_slow_line_is_only_slow),
};
const size_t cut_test_count = sizeof cut_tests / sizeof *cut_tests;
