/* What is looked at when a store is opened. */
#include <stdio.h>
#include <string.h>

#include "harness/eventually.h"
#include "redis/queue.h"

static void start(struct line *line, const char *with) {
    line->server = server_start(with);
    line_to(line, line->server->url);
}

/* A command to the server that has to go well. */
static void tell(struct line *line, const char *words) {
    int64_t reply;
    CHECK_OK(call_words(line, words, 30000, &reply));
}

static void a_server_as_it_comes_is_fit(void **state) {
    struct line *line = *state;
    start(line, "");
    CHECK_OK(try_store(line, line->server->url));
    CHECK_OK(try_store(line, line->server->url));
    CHECK_INT(ask_server(line, "STRLEN rv:{test}:version"), 3);
}

static void few_rights_are_enough_to_open(void **state) {
    struct line *line = *state;
    start(line, "tls acl");
    CHECK_OK(try_store(line, line->server->url));
}

static void a_server_that_throws_away_is_refused(void **state) {
    struct line *line = *state;
    char url[600];
    start(line, "");
    tell(line, "CONFIG SET maxmemory-policy allkeys-lru");
    CHECK_FAILS(try_store(line, line->server->url), REEVE_ENOTSUP);
    CHECK(strstr(line->err.text, "allkeys-lru") && strstr(line->err.text, "noeviction"));
    (void)snprintf(url, sizeof url, "%s?eviction=allow", line->server->url);
    CHECK_OK(try_store(line, url));
    tell(line, "CONFIG SET maxmemory-policy volatile-lru");
    CHECK_OK(try_store(line, line->server->url));
    tell(line, "CONFIG SET maxmemory-policy noeviction");
    CHECK_OK(try_store(line, line->server->url));
}

static void count_warnings(void *arg, enum reeve_log_level level, const char *line) {
    int *warnings = arg;
    if (level == REEVE_LOG_WARN && strstr(line, "store.evicts")) ++*warnings;
}

/* R11: also if it is set so while the store is in use. */
static void a_server_that_comes_to_throw_away_is_told_of(void **state) {
    struct line *line = *state;
    struct rv_worker_row row = {.id = "w", .name = "w", .threads = 1};
    int warnings = 0;
    start(line, "");
    line->log = (struct rv_log){.level = REEVE_LOG_WARN, .fn = count_warnings, .arg = &warnings};
    struct rv_store *store = open_store(line);
    for (int round = 1; round <= 2; round++) {
        CHECK_OK(rv_store_beat(store, &row, 60000, &line->err));
        tell(line, "CONFIG SET maxmemory-policy allkeys-lru");
        CHECK_OK(rv_store_beat(store, &row, 60000, &line->err));
        CHECK_OK(rv_store_beat(store, &row, 60000, &line->err));
        CHECK_INT(warnings, round);
        tell(line, "CONFIG SET maxmemory-policy noeviction");
    }
    rv_store_close(store);
}

static void a_newer_layout_is_refused(void **state) {
    struct line *line = *state;
    const char *const words[] = {"SET", "rv:{test}:version", "9 8"};
    const struct rv_rd_command command = {.argc = 3, .argv = words};
    redisReply *reply;
    start(line, "");
    CHECK_OK(rv_rd_call(&line->rd, NULL, &command, 1, 30000, &reply, &line->err));
    rv_rd_replies_free(&reply, 1);
    CHECK_FAILS(try_store(line, line->server->url), REEVE_ESCHEMA);
    CHECK(strstr(line->err.text, "9") && strstr(line->err.text, "8"));
    tell(line, "SET rv:{test}:version newest");
    CHECK_FAILS(try_store(line, line->server->url), REEVE_ECORRUPT);
    tell(line, "DEL rv:{test}:version");
    tell(line, "LPUSH rv:{test}:version x");
    CHECK_FAILS(try_store(line, line->server->url), REEVE_ECORRUPT);
}

/* One that is newer, yet says that we may go on. */
static void a_newer_layout_that_bears_us_is_taken(void **state) {
    struct line *line = *state;
    const char *const words[] = {"SET", "rv:{test}:version", "9 1"};
    const struct rv_rd_command command = {.argc = 3, .argv = words};
    redisReply *reply;
    start(line, "");
    CHECK_OK(rv_rd_call(&line->rd, NULL, &command, 1, 30000, &reply, &line->err));
    rv_rd_replies_free(&reply, 1);
    CHECK_OK(try_store(line, line->server->url));
}

static void a_full_server_can_be_opened(void **state) {
    struct line *line = *state;
    int64_t reply;
    start(line, "");
    tell(line, "CONFIG SET maxmemory 1");
    CHECK_FAILS(call_words(line, "SET rv:x y", 30000, &reply), REEVE_EUNREACHABLE);
    CHECK(strstr(line->err.text, "memory is full") != NULL);
    CHECK_OK(try_store(line, line->server->url));
}

static void a_server_that_is_away_is_told_at_once(void **state) {
    struct line *line = *state;
    start(line, "");
    server_stop(line->server);
    int64_t began_ms = elapsed_ms();
    CHECK_FAILS(try_store(line, line->server->url), REEVE_EUNREACHABLE);
    CHECK(elapsed_ms() - began_ms < 10000);
    CHECK(strstr(line->err.text, "refused") != NULL);
}

static void what_is_no_redis_is_refused(void **state) {
    struct line *line = *state;
    char url[64];
    line->fake = fake_open();
    (void)snprintf(url, sizeof url, "redis://127.0.0.1:%d", fake_port(line->fake));
    static const char numbers[] = ":1\r\n:1\r\n:1\r\n:1\r\n";
    fake_answer(line->fake, numbers, sizeof numbers - 1, FAKE_STAY);
    CHECK_FAILS(try_store(line, url), REEVE_ENOTSUP);
    static const char old[] = "$24\r\n\r\nredis_version:5.0.14\r\n\r\n$0\r\n\r\n*0\r\n$-1\r\n";
    fake_answer(line->fake, old, sizeof old - 1, FAKE_STAY);
    CHECK_FAILS(try_store(line, url), REEVE_ENOTSUP);
    CHECK(strstr(line->err.text, "5.0.14") != NULL);
}

const struct CMUnitTest open_tests[] = {
    REDIS_TEST(a_server_as_it_comes_is_fit),
    REDIS_TEST(few_rights_are_enough_to_open),
    REDIS_TEST(a_server_that_comes_to_throw_away_is_told_of),
    REDIS_TEST(a_server_that_throws_away_is_refused),
    REDIS_TEST(a_newer_layout_is_refused),
    REDIS_TEST(a_newer_layout_that_bears_us_is_taken),
    REDIS_TEST(a_full_server_can_be_opened),
    REDIS_TEST(a_server_that_is_away_is_told_at_once),
    REDIS_TEST(what_is_no_redis_is_refused),
};
const size_t open_test_count = sizeof open_tests / sizeof *open_tests;
