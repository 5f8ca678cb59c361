#include "store/redis/conn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "store/redis/hello.h"

/* A step's own bytes are bounded above (RV_PUSH_BYTES_MAX, RV_CLAIM_MAX results); this is where a
 * server's own bound on a request lies. */
#define OUT_MAX ((size_t)1 << 30)
enum {
    IN_SIZE = 32 << 10,
    OUT_KEPT = 256 << 10, /* of the buffer, between calls */
};

/* What one call has come to. */
struct transfer {
    const struct rv_bytes bytes; /* to write */
    size_t written, first_size;  /* of the first command: nothing happens before that is there */
    redisReply **replies;
    size_t count, got;
    int64_t deadline_ms;
};

static int break_off(struct rv_rd_conn *conn, struct transfer *transfer, const char *reason,
                     struct rv_error *err) {
    conn->broken = true;
    while (transfer->got)
        freeReplyObject(transfer->replies[--transfer->got]);
    for (size_t i = 0; i < transfer->count; i++)
        transfer->replies[i] = NULL;
    bool nothing = transfer->bytes.size && transfer->written < transfer->first_size;
    return rv_fail(err, nothing ? REEVE_EUNREACHABLE : REEVE_EUNSURE, "%s: %s", conn->target->shown,
                   reason);
}

/* ---- bytes ---- */
static const char *write_some(struct rv_rd_conn *conn, struct transfer *transfer) {
    const char *from = (const char *)transfer->bytes.data + transfer->written;
    size_t left = transfer->bytes.size - transfer->written;
    long size = rv_rd_wire_write(&conn->wire, from, left);
    if (size < 0) return conn->wire.reason;
    transfer->written += (size_t)size;
    return NULL;
}

/* Takes in what has come. *any tells whether that was anything. */
static const char *read_some(struct rv_rd_conn *conn, bool *any) {
    char in[IN_SIZE];
    long size = rv_rd_wire_read(&conn->wire, in, sizeof in);
    *any = size > 0;
    if (size < 0) return conn->wire.reason;
    if (!size || rv_rd_reader_feed(conn->reader, in, (size_t)size)) return NULL;
    return rv_rd_reader_reason(conn->reader);
}

static const char *take_replies(struct rv_rd_conn *conn, struct transfer *transfer) {
    while (transfer->got < transfer->count) {
        redisReply *reply;
        if (!rv_rd_reader_next(conn->reader, &reply)) return rv_rd_reader_reason(conn->reader);
        if (!reply) break;
        transfer->replies[transfer->got++] = reply;
    }
    return NULL;
}

/* Writes, and reads meanwhile: a server whose replies nobody takes stops reading. */
static int run(struct rv_rd_conn *conn, struct transfer *transfer, struct rv_error *err) {
    const char *reason = take_replies(conn, transfer);
    while (!reason) {
        bool to_write = transfer->written < transfer->bytes.size, any = false;
        if (to_write) reason = write_some(conn, transfer);
        if (reason) break;
        to_write = transfer->written < transfer->bytes.size;
        bool to_read = transfer->got < transfer->count;
        if (!to_write && !to_read) return 0;
        if (!rv_rd_wire_await(&conn->wire, true, to_write, transfer->deadline_ms)) {
            reason = "no answer in time";
            break;
        }
        reason = read_some(conn, &any);
        if (!reason && any) reason = take_replies(conn, transfer);
    }
    return break_off(conn, transfer, reason, err);
}

/* ---- commands ---- */
static int add_command(struct rv_buf *out, const struct rv_rd_command *command,
                       struct rv_error *err) {
    char *text = NULL;
    const char **argv = (const char **)command->argv; /* hiredis does not write to it */
    int size = redisFormatCommandArgv(&text, command->argc, argv, command->sizes);
    int rc = size < 0 ? REEVE_ENOMEM : rv_buf_add(out, text, (size_t)size);
    free(text);
    if (rc == REEVE_ETOOBIG) return rv_fail(err, rc, "a request is larger than a server takes");
    return rc ? rv_fail(err, rc, "out of memory") : 0;
}

static void clear(struct rv_buf *out) {
    out->size = 0;
    out->error = 0;
    if (out->capacity <= OUT_KEPT) return;
    rv_buf_release(out);
    rv_buf_init(out, OUT_MAX);
}

static int transfer_commands(struct rv_rd_conn *conn, const struct rv_rd_command *commands,
                             size_t count, redisReply **replies, size_t reply_count,
                             int64_t deadline_ms, struct rv_error *err) {
    size_t first_size = 0;
    for (size_t i = 0; i < count; i++) {
        int rc = add_command(&conn->out, &commands[i], err);
        if (rc) {
            clear(&conn->out);
            return rc;
        }
        if (i == 0) first_size = conn->out.size;
    }
    struct transfer transfer = {
        .bytes = {conn->out.data, conn->out.size},
        .first_size = first_size,
        .replies = replies,
        .count = reply_count,
        .deadline_ms = deadline_ms,
    };
    int rc = run(conn, &transfer, err);
    clear(&conn->out);
    return rc;
}

int rv_rd_conn_call(struct rv_rd_conn *conn, const struct rv_rd_command *commands, size_t count,
                    redisReply **replies, int64_t deadline_ms, struct rv_error *err) {
    for (size_t i = 0; i < count; i++)
        replies[i] = NULL;
    return transfer_commands(conn, commands, count, replies, count, deadline_ms, err);
}

int rv_rd_only_asked(int rc, struct rv_error *err) {
    if (rc != REEVE_EUNSURE) return rc;
    if (err) err->code = REEVE_EUNREACHABLE;
    return REEVE_EUNREACHABLE;
}

int rv_rd_conn_ask(struct rv_rd_conn *conn, const struct rv_rd_command *commands, size_t count,
                   redisReply **replies, int64_t deadline_ms, struct rv_error *err) {
    return rv_rd_only_asked(rv_rd_conn_call(conn, commands, count, replies, deadline_ms, err), err);
}

int rv_rd_conn_send(struct rv_rd_conn *conn, const struct rv_rd_command *commands, size_t count,
                    int64_t deadline_ms, struct rv_error *err) {
    return transfer_commands(conn, commands, count, NULL, 0, deadline_ms, err);
}

int rv_rd_conn_receive(struct rv_rd_conn *conn, redisReply **out, int64_t deadline_ms,
                       struct rv_error *err) {
    struct transfer transfer = {.replies = out, .count = 1, .deadline_ms = deadline_ms};
    *out = NULL;
    return run(conn, &transfer, err);
}

int rv_rd_conn_look(struct rv_rd_conn *conn, redisReply **out, struct rv_error *err) {
    struct transfer transfer = {.replies = out, .count = 1};
    *out = NULL;
    bool any = true;
    const char *reason = take_replies(conn, &transfer);
    while (!reason && !transfer.got && any) {
        reason = read_some(conn, &any);
        if (!reason && any) reason = take_replies(conn, &transfer);
    }
    return reason ? break_off(conn, &transfer, reason, err) : 0;
}

int rv_rd_conn_fd(const struct rv_rd_conn *conn) {
    return conn->wire.fd;
}

bool rv_rd_conn_alive(struct rv_rd_conn *conn) {
    bool any; /* that nobody asked for */
    const char *reason = read_some(conn, &any);
    conn->broken = conn->broken || reason || !rv_rd_reader_is_empty(conn->reader);
    return !conn->broken;
}

/* ---- opening ---- */
int rv_rd_conn_open(const struct rv_rd_target *target, int64_t deadline_ms, struct rv_rd_conn **out,
                    struct rv_error *err) {
    struct rv_rd_conn *conn = calloc(1, sizeof *conn);
    if (!conn) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    conn->target = target;
    conn->wire.fd = -1;
    rv_buf_init(&conn->out, OUT_MAX);
    conn->reader = rv_rd_reader_create();
    int rc = conn->reader ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
    if (!rc) rc = rv_rd_wire_open(&conn->wire, target, deadline_ms, err);
    if (!rc) rc = rv_rd_hello(conn, deadline_ms, err);
    if (rc) {
        rv_rd_conn_close(conn);
        return rc;
    }
    *out = conn;
    return 0;
}

void rv_rd_conn_close(struct rv_rd_conn *conn) {
    if (!conn) return;
    rv_rd_wire_close(&conn->wire);
    rv_rd_reader_destroy(conn->reader);
    rv_buf_release(&conn->out);
    free(conn);
}
