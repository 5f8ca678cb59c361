/* Connections to a server that is as it should be: by TCP, TLS and a socket, as one user and
 * another, small and large. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/eventually.h"
#include "redis/redis_tests.h"

static void start(struct line *line, const char *with) {
    line->server = server_start(with);
    line_to(line, line->server->url);
}

static void check_works(struct line *line) {
    int64_t reply;
    CHECK_OK(call_words(line, "INCR rv:n", 30000, &reply));
    CHECK_INT(reply, 1);
    CHECK_OK(call_words(line, "INCR rv:n", 30000, &reply));
    CHECK_INT(reply, 2);
}

static void a_server_is_asked_by_tcp(void **state) {
    struct line *line = *state;
    start(line, "");
    check_works(line);
}

static void a_server_is_asked_by_its_name(void **state) {
    struct line *line = *state;
    char url[64];
    line->server = server_start("");
    (void)snprintf(url, sizeof url, "redis://localhost:%d", line->server->port);
    line_to(line, url); /* its address by IPv6, if there is one, does not answer */
    check_works(line);
}

static void a_server_is_asked_by_a_unix_socket(void **state) {
    struct line *line = *state;
    start(line, "unix");
    check_works(line);
}

static void a_server_is_asked_by_tls_as_a_user(void **state) {
    struct line *line = *state;
    start(line, "tls acl");
    check_works(line);
}

static void databases_are_apart(void **state) {
    struct line *line = *state;
    char url[64];
    int64_t reply;
    start(line, "");
    check_works(line);
    (void)snprintf(url, sizeof url, "redis://127.0.0.1:%d/3", line->server->port);
    line_to(line, url);
    CHECK_OK(call_words(line, "INCR rv:n", 30000, &reply));
    CHECK_INT(reply, 1);
    (void)snprintf(url, sizeof url, "redis://127.0.0.1:%d/999", line->server->port);
    line_to(line, url);
    CHECK_FAILS(call_words(line, "INCR rv:n", 100, &reply), REEVE_EINVAL);
}

/* Replies that nobody takes would stop the server, and then the requests. */
static void much_is_written_and_read_at_once(struct line *line) {
    enum { COUNT = 64, SIZE = 1 << 20 };
    struct rv_rd_command commands[COUNT];
    redisReply *replies[COUNT];
    struct rv_rd_conn *conn;
    char *body = malloc(SIZE);
    CHECK(body != NULL);
    memset(body, 'x', SIZE);
    const char *const words[] = {"ECHO", body};
    const size_t sizes[] = {4, SIZE};
    for (size_t i = 0; i < COUNT; i++)
        commands[i] = (struct rv_rd_command){.argc = 2, .argv = words, .sizes = sizes};
    CHECK_OK(
        rv_rd_pool_take(&line->rd.pool, &line->rd.topology.server, soon_ms(), &conn, &line->err));
    CHECK_OK(rv_rd_conn_call(conn, commands, COUNT, replies, soon_ms() + 60000, &line->err));
    for (size_t i = 0; i < COUNT; i++) {
        CHECK_BYTES(replies[i]->str, replies[i]->len, body, SIZE);
        freeReplyObject(replies[i]);
    }
    rv_rd_pool_give(&line->rd.pool, conn);
    free(body);
}

static void a_large_pipeline_does_not_stall(void **state) {
    struct line *line = *state;
    start(line, "");
    much_is_written_and_read_at_once(line);
}

static void a_large_pipeline_does_not_stall_by_tls(void **state) {
    struct line *line = *state;
    start(line, "tls");
    much_is_written_and_read_at_once(line);
}

static void a_reply_can_be_waited_for_by_parts(void **state) {
    struct line *line = *state;
    const char *const words[] = {"BLPOP", "rv:list", "0"};
    const struct rv_rd_command command = {.argc = 3, .argv = words};
    struct rv_rd_conn *conn;
    redisReply *reply;
    start(line, "");
    CHECK_OK(
        rv_rd_pool_take(&line->rd.pool, &line->rd.topology.server, soon_ms(), &conn, &line->err));
    CHECK_OK(rv_rd_conn_send(conn, &command, 1, soon_ms(), &line->err));
    CHECK_OK(rv_rd_conn_look(conn, &reply, &line->err));
    CHECK(!reply);
    CHECK_INT(ask_server(line, "RPUSH rv:list x"), 1);
    CHECK_OK(rv_rd_conn_receive(conn, &reply, soon_ms(), &line->err));
    CHECK_INT(reply->elements, 2);
    freeReplyObject(reply);
    rv_rd_pool_give(&line->rd.pool, conn);
}

/* ---- who is refused ---- */
static void refused(struct line *line, const char *url, const char *why) {
    int64_t reply;
    line_to(line, url);
    CHECK_FAILS(call_words(line, "INCR rv:n", 1500, &reply), REEVE_EUNREACHABLE);
    print_message("# %s\n", line->err.text);
    CHECK(strstr(line->err.text, why) != NULL);
    CHECK(!strstr(line->err.text, "s3cret"));
}

static void a_wrong_password_is_told_and_not_shown(void **state) {
    struct line *line = *state;
    char url[256];
    line->server = server_start("acl");
    (void)snprintf(url, sizeof url, "redis://reeve:s3cret@127.0.0.1:%d", line->server->port);
    refused(line, url, "does not take this user");
    (void)snprintf(url, sizeof url, "redis://127.0.0.1:%d", line->server->port);
    refused(line, url, "wants a password");
    line_to(line, line->server->url);
    int64_t reply;
    CHECK_FAILS(call_words(line, "FLUSHALL", 5000, &reply), REEVE_EUNREACHABLE);
    CHECK(strstr(line->err.text, "may not") != NULL);
}

static void a_server_is_believed_only_by_its_certificate(void **state) {
    struct line *line = *state;
    char url[256];
    line->server = server_start("tls");
    int port = line->server->port;
    (void)snprintf(url, sizeof url, "rediss://127.0.0.1:%d", port);
    refused(line, url, "certificate"); /* no CA of the system's vouches for it */
    (void)snprintf(url, sizeof url, "rediss://127.0.0.1:%d?ca=%s/ca.crt&server_name=other.example",
                   port, line->server->folder);
    refused(line, url, "mismatch");
    (void)snprintf(url, sizeof url, "rediss://127.0.0.1:%d?ca=%s/ca.crt&server_name=127.0.0.2",
                   port, line->server->folder);
    refused(line, url, "mismatch");
    (void)snprintf(url, sizeof url, "redis://127.0.0.1:%d", port);
    refused(line, url, ""); /* who does not speak TLS */
    (void)snprintf(url, sizeof url, "rediss://localhost:%d?ca=%s/ca.crt", port,
                   line->server->folder);
    line_to(line, url);
    check_works(line);
    int64_t reply;
    (void)snprintf(url, sizeof url, "rediss://127.0.0.1:%d?verify=none", port);
    line_to(line, url);
    CHECK_OK(call_words(line, "INCR rv:n", 30000, &reply));
}

static void a_client_is_believed_only_by_its_certificate(void **state) {
    struct line *line = *state;
    char url[512];
    start(line, "mtls");
    check_works(line);
    const char *folder = line->server->folder;
    int port = line->server->port;
    int64_t reply;
    (void)snprintf(url, sizeof url, "rediss://127.0.0.1:%d?ca=%s/ca.crt", port, folder);
    line_to(line, url);
    CHECK_FAILS(call_words(line, "INCR rv:n", 3000, &reply), REEVE_EUNREACHABLE);
    print_message("# %s\n", line->err.text);
    CHECK(strstr(line->err.text, "certificate") != NULL);
    (void)snprintf(url, sizeof url,
                   "rediss://127.0.0.1:%d?ca=%s/ca.crt&cert=%s/client.crt&key=%s/server.key", port,
                   folder, folder, folder);
    CHECK_FAILS(try_store(line, url), REEVE_EINVAL);
    CHECK(strstr(line->err.text, "key") != NULL);
}

static void a_server_that_speaks_no_tls_is_told(void **state) {
    struct line *line = *state;
    char url[64];
    line->server = server_start("");
    (void)snprintf(url, sizeof url, "rediss://127.0.0.1:%d?verify=none", line->server->port);
    refused(line, url, "TLS");
}

/* ---- a server that stands still ---- */
static void a_server_that_does_not_answer_costs_no_more_than_the_time_given(void **state) {
    struct line *line = *state;
    int64_t reply;
    start(line, "");
    check_works(line);
    CHECK_INT(kill(line->server->pid, SIGSTOP), 0);
    int64_t began_ms = elapsed_ms();
    CHECK_FAILS(call_words(line, "INCR rv:n", 200, &reply), REEVE_EUNSURE);
    CHECK(elapsed_ms() - began_ms >= 200);
    /* A new connection is accepted by the kernel, and nobody greets. */
    CHECK_FAILS(call_words(line, "INCR rv:n", 200, &reply), REEVE_EUNREACHABLE);
    CHECK(elapsed_ms() - began_ms < 20000);
    CHECK_INT(kill(line->server->pid, SIGCONT), 0);
    CHECK_OK(call_words(line, "INCR rv:n", 30000, &reply));
    CHECK_INT(reply, 4); /* the one in doubt counts, that which nobody greeted does not */
}

const struct CMUnitTest conn_tests[] = {
    REDIS_TEST(a_server_is_asked_by_tcp),
    REDIS_TEST(a_server_is_asked_by_its_name),
    REDIS_TEST(a_server_is_asked_by_a_unix_socket),
    REDIS_TEST(a_server_is_asked_by_tls_as_a_user),
    REDIS_TEST(databases_are_apart),
    REDIS_TEST(a_large_pipeline_does_not_stall),
    REDIS_TEST(a_large_pipeline_does_not_stall_by_tls),
    REDIS_TEST(a_reply_can_be_waited_for_by_parts),
    REDIS_TEST(a_wrong_password_is_told_and_not_shown),
    REDIS_TEST(a_server_is_believed_only_by_its_certificate),
    REDIS_TEST(a_client_is_believed_only_by_its_certificate),
    REDIS_TEST(a_server_that_speaks_no_tls_is_told),
    REDIS_TEST(a_server_that_does_not_answer_costs_no_more_than_the_time_given),
};
const size_t conn_test_count = sizeof conn_tests / sizeof *conn_tests;
