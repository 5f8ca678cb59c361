#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/redis_tests.h"

enum { WORDS_MAX = 16, TIMEOUT_MS = 30000 };

int line_set_up(void **state) {
    struct line *line = calloc(1, sizeof *line);
    if (!line) return -1;
    line->log = (struct rv_log){.level = REEVE_LOG_ERROR};
    *state = line;
    return 0;
}

static void close_rd(struct line *line) {
    if (!line->open) return;
    rv_rd_pool_release(&line->rd.pool);
    rv_rd_topology_release(&line->rd.topology);
    rv_rd_tls_destroy(line->rd.tls);
    rv_rd_url_release(&line->rd.url);
    line->open = false;
}

int line_tear_down(void **state) {
    struct line *line = *state;
    close_rd(line);
    proxy_close(line->proxy);
    fake_close(line->fake);
    server_destroy(line->server);
    free(line);
    return 0;
}

void line_to(struct line *line, const char *url) {
    close_rd(line);
    struct rv_rd *rd = &line->rd;
    *rd = (struct rv_rd){.timeout_ms = TIMEOUT_MS, .log = &line->log, .clock = &line->clock};
    CHECK_OK(rv_rd_url_parse(url, &rd->url, &line->err));
    if (rd->url.by_tls) CHECK_OK(rv_rd_tls_create(&rd->url.tls, &rd->tls, &line->err));
    CHECK_OK(
        rv_rd_topology_init(&rd->topology, &rd->url, rd->tls, &rd->pool, &line->log, &line->err));
    CHECK_OK(rv_rd_pool_init(&rd->pool, &line->err));
    line->open = true;
}

void line_to_port(struct line *line, int port) {
    char url[64];
    (void)snprintf(url, sizeof url, "redis://127.0.0.1:%d", port);
    line_to(line, url);
}

int64_t soon_ms(void) {
    return rv_clock_boot_ms(&rv_clock_real) + TIMEOUT_MS;
}

static struct rv_rd_command split(char *words, const char **argv) {
    struct rv_rd_command command = {.argv = argv};
    for (char *word; command.argc < WORDS_MAX && (word = strtok_r(words, " ", &words));)
        argv[command.argc++] = word;
    return command;
}

int call_words(struct line *line, const char *words, int64_t timeout_ms, int64_t *reply) {
    char copy[256];
    const char *argv[WORDS_MAX];
    redisReply *got = NULL;
    (void)snprintf(copy, sizeof copy, "%s", words);
    struct rv_rd_command command = split(copy, argv);
    int rc = rv_rd_call(&line->rd, NULL, &command, 1, timeout_ms, &got, &line->err);
    *reply = got && got->type == REDIS_REPLY_INTEGER ? got->integer : -1;
    rv_rd_replies_free(&got, 1);
    return rc;
}

int64_t ask_server(struct line *line, const char *words) {
    char copy[256];
    const char *argv[WORDS_MAX];
    struct rv_rd_conn *conn;
    redisReply *got;
    struct rv_rd_url url;
    CHECK_OK(rv_rd_url_parse(line->server->url, &url, &line->err));
    CHECK_OK(rv_rd_conn_open(&url.target, soon_ms(), &conn, &line->err));
    (void)snprintf(copy, sizeof copy, "%s", words);
    struct rv_rd_command command = split(copy, argv);
    CHECK_OK(rv_rd_conn_call(conn, &command, 1, &got, soon_ms(), &line->err));
    int64_t value = got->type == REDIS_REPLY_STRING ? strtoll(got->str, NULL, 10) : got->integer;
    freeReplyObject(got);
    rv_rd_conn_close(conn);
    rv_rd_url_release(&url);
    return value;
}

int try_store(struct line *line, const char *url) {
    struct rv_store *store = NULL;
    struct rv_store_config config = {
        .space = "test", .timeout_ms = TIMEOUT_MS, .log = &line->log, .clock = &line->clock};
    int rc = rv_store_open(&store, url, &config, &line->err);
    rv_store_close(store);
    return rc;
}
