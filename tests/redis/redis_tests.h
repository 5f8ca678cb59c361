/* What is true of the Redis store alone: how it speaks to its server, and what comes of all that
 * can go wrong on the way. What it has in common with all stores is tests/store. */
#ifndef REDIS_TESTS_H
#define REDIS_TESTS_H

#include "harness/check.h"
#include "redis/fake.h"
#include "redis/proxy.h"
#include "redis/server.h"
#include "store/redis/call.h"

/* A server, or something that looks like one, and a way to ask it; cmocka's state of each test. */
struct line {
    struct server *server; /* NULL until it is started */
    const char *options;   /* of the url of stores, or NULL */
    struct proxy *proxy;   /* likewise */
    struct fake *fake;     /* likewise */
    struct rv_clock clock;
    struct rv_log log;
    struct rv_error err;
    struct rv_rd rd; /* no more of a store than call.h needs; see line_to() */
    bool open;
};

int line_set_up(void **state);
int line_tear_down(void **state);
/* Makes line->rd ready for calls to url, without looking at the server. */
void line_to(struct line *line, const char *url);
void line_to_port(struct line *line, int port);
int64_t soon_ms(void); /* a deadline that is far enough away */

/* One command of words separated by spaces. A reply is an integer, or -1 for any other. */
int call_words(struct line *line, const char *words, int64_t timeout_ms, int64_t *reply);
/* Asks the server itself, past any proxy: an integer. */
int64_t ask_server(struct line *line, const char *words);
/* Opens a store as the library does, and closes it. */
int try_store(struct line *line, const char *url);

extern const struct CMUnitTest url_tests[], slot_tests[], error_tests[], reader_tests[],
    conn_tests[], box_tests[], cut_tests[], cut_step_tests[], foreign_tests[], open_tests[],
    pool_tests[], probe_tests[], wait_tests[], doctor_tests[], list_tests[], spread_tests[],
    shard_tests[], name_tests[], planted_tests[], planted_name_tests[], planted_stream_tests[],
    compat_tests[], stream_tests[], history_tests[], vigil_tests[], end_tests[], lone_tests[],
    set_tests[], single_tests[], unmarked_tests[];
extern const size_t url_test_count, slot_test_count, error_test_count, reader_test_count,
    conn_test_count, box_test_count, cut_test_count, cut_step_test_count, foreign_test_count,
    open_test_count, pool_test_count, probe_test_count, wait_test_count, doctor_test_count,
    list_test_count, spread_test_count, shard_test_count, name_test_count, planted_test_count,
    planted_name_test_count, planted_stream_test_count, compat_test_count, stream_test_count,
    history_test_count, vigil_test_count, end_test_count, lone_test_count, set_test_count,
    single_test_count, unmarked_test_count;

#define REDIS_TEST(function) \
    { #function, function, line_set_up, line_tear_down, NULL }

#endif
