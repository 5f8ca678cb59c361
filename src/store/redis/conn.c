#include "store/redis/conn.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/decimal.h"
#include "core/limits.h"
#include "store/redis/hello.h"

/* A step's own bytes are bounded above (RV_PUSH_BYTES_MAX, RV_CLAIM_MAX results); this is where a
 * server's own bound on a request lies. */
#define OUT_MAX ((size_t)1 << 30)
static const char PING[] = "*1\r\n$4\r\nPING\r\n";
enum {
    IN_SIZE = 32 << 10,
    OUT_KEPT = 256 << 10, /* of the buffer, between calls */
    BESIDE_MS = 2,        /* most of what is awaited beside an answer comes by then */
};

/* ---- failing ---- */
/* What was not obeyed for certain: nothing happens before the first command is there whole. */
static void give_up_batch(const struct rv_rd_talk *talk, struct rv_rd_batch *batch) {
    if (batch->rc || (batch->count && batch->got == batch->count)) return;
    while (batch->got)
        freeReplyObject(batch->replies[--batch->got]);
    for (size_t i = 0; i < batch->count; i++)
        batch->replies[i] = NULL;
    batch->rc = talk->written < batch->first_end ? REEVE_EUNREACHABLE : REEVE_EUNSURE;
}

static void be_broken(struct rv_rd_conn *conn, const char *reason) {
    conn->broken = true;
    (void)snprintf(conn->reason, sizeof conn->reason, "%s", reason);
}

static void break_off(struct rv_rd_talk *talk, const char *reason) {
    be_broken(talk->conn, reason);
    for (struct rv_rd_batch *batch = talk->first; batch; batch = batch->next)
        give_up_batch(talk, batch);
    talk->reading = NULL;
    talk->written = talk->size;
}

static void be_late(struct rv_rd_talk *talk) {
    talk->conn->late = true;
    break_off(talk, "no answer in time");
}

int rv_rd_conn_fail(const struct rv_rd_conn *conn, int rc, struct rv_error *err) {
    if (rc == REEVE_ENOMEM) return rv_fail(err, rc, "out of memory");
    if (rc == REEVE_ETOOBIG) return rv_fail(err, rc, "a request is larger than a server takes");
    return rv_fail(err, rc, "%s: %s", conn->target->shown, conn->reason);
}

/* ---- bytes ---- */
static const char *write_some(struct rv_rd_talk *talk) {
    struct rv_rd_conn *conn = talk->conn;
    const char *from = (const char *)conn->out.data + talk->written;
    long size = rv_rd_wire_write(&conn->wire, from, talk->size - talk->written);
    if (size < 0) return conn->wire.reason;
    talk->written += (size_t)size;
    return NULL;
}

typedef long read_fn(struct rv_rd_wire *wire, void *to, size_t size);

/* Takes in what has come. *any tells whether that was anything. */
static const char *read_by(read_fn *fn, struct rv_rd_conn *conn, bool *any) {
    char in[IN_SIZE];
    assert(conn);
    long size = fn(&conn->wire, in, sizeof in);
    *any = size > 0;
    conn->drained = size < (long)sizeof in && !conn->wire.ssl; /* what TLS has left is not polled */
    if (size < 0) return conn->wire.reason;
    if (!size || rv_rd_reader_feed(conn->reader, in, (size_t)size)) return NULL;
    return rv_rd_reader_reason(conn->reader);
}

static const char *read_some(struct rv_rd_conn *conn, bool *any) {
    return read_by(rv_rd_wire_read, conn, any);
}

/* The next batch that replies are due to: one that could not be sent gets none. */
static void pass_over_full(struct rv_rd_talk *talk) {
    while (talk->reading && (talk->reading->rc || talk->reading->got == talk->reading->count))
        talk->reading = talk->reading->next;
}

static const char *take_replies(struct rv_rd_talk *talk) {
    for (pass_over_full(talk); talk->reading; pass_over_full(talk)) {
        redisReply *reply;
        struct rv_rd_reader *reader = talk->conn->reader;
        if (!rv_rd_reader_next(reader, &reply)) return rv_rd_reader_reason(reader);
        if (!reply) break;
        if (talk->pong_is_due) {
            talk->pong_is_due = false;
            freeReplyObject(reply);
            continue;
        }
        talk->reading->replies[talk->reading->got++] = reply;
    }
    return NULL;
}

/* ---- talking ---- */
static bool is_over(const struct rv_rd_talk *talk) {
    return talk->written == talk->size && !talk->reading;
}

/* Writes, and reads meanwhile: a server whose replies nobody takes stops reading. */
static void go_on(struct rv_rd_talk *talk) {
    const char *reason = NULL;
    bool any = false;
    if (talk->written < talk->size) reason = write_some(talk);
    if (!reason) reason = read_some(talk->conn, &any);
    if (!reason && any) reason = take_replies(talk);
    if (reason) break_off(talk, reason);
}

/* Fills fds for those who have something to wait for; the others get none. False: there are none.
 * *now: one of them need not wait. */
static bool fill_fds(const struct rv_rd_talk *talks, size_t count, struct pollfd *fds, bool *now) {
    bool any = false;
    *now = false;
    for (size_t i = 0; i < count; i++) {
        fds[i] = (struct pollfd){.fd = -1}; /* which poll() passes over */
        if (is_over(&talks[i])) continue;
        any = true;
        bool to_write = talks[i].written < talks[i].size;
        if (rv_rd_wire_poll(&talks[i].conn->wire, true, to_write, &fds[i])) {
            fds[i].revents = POLLIN;
            *now = true;
        }
    }
    return any;
}

/* False when the time is over. */
static bool await_any(struct pollfd *fds, size_t count, int64_t deadline_ms) {
    for (;;) {
        int64_t left_ms = deadline_ms - rv_clock_boot_ms(&rv_clock_real);
        if (left_ms < 0) left_ms = 0;
        int ready = poll(fds, count, left_ms > INT_MAX ? INT_MAX : (int)left_ms);
        if (ready == 0 && left_ms > INT_MAX) continue;
        if (ready >= 0 || errno != EINTR) return ready != 0;
    }
}

/* One that only waits for its answers does so by reading, as long as there is time for it. */
static void read_on(struct rv_rd_talk *talk, int64_t deadline_ms) {
    while (!is_over(talk) && talk->written == talk->size) {
        bool any = false;
        int64_t left_ms = deadline_ms - rv_clock_boot_ms(&rv_clock_real);
        if (!rv_rd_wire_can_wait(&talk->conn->wire, left_ms)) return;
        const char *reason = read_by(rv_rd_wire_read_or_wait, talk->conn, &any);
        if (!reason && any) reason = take_replies(talk);
        if (reason) break_off(talk, reason);
    }
}

/* How far talks are. */
struct progress {
    size_t over;      /* answered */
    int64_t heard_ms; /* when that last became more; before that, when they began */
};

/* Until when those that are left are waited for. One that broke has told nobody to hurry. */
static int64_t wait_until(const struct rv_rd_talk *talks, size_t count, struct progress *progress,
                          int64_t deadline_ms) {
    size_t over = 0;
    int64_t patience_ms = 0;
    for (size_t i = 0; i < count; i++) {
        const struct rv_rd_talk *talk = &talks[i];
        if (is_over(talk)) {
            over += !talk->conn->broken;
            continue;
        }
        if (!talk->patience_ms) return deadline_ms;
        if (talk->patience_ms > patience_ms) patience_ms = talk->patience_ms;
    }
    if (over > progress->over) progress->heard_ms = rv_clock_boot_ms(&rv_clock_real);
    progress->over = over;
    int64_t soon_ms = rv_time_add(progress->heard_ms, patience_ms);
    return soon_ms < deadline_ms ? soon_ms : deadline_ms;
}

static void run(struct rv_rd_talk *talks, size_t count, int64_t deadline_ms) {
    struct pollfd fds[RV_RD_TALKS_MAX];
    struct progress progress = {.heard_ms = rv_clock_boot_ms(&rv_clock_real)};
    bool now;
    if (count == 1) read_on(talks, wait_until(talks, 1, &progress, deadline_ms));
    while (fill_fds(talks, count, fds, &now)) {
        int64_t until_ms = wait_until(talks, count, &progress, deadline_ms);
        bool late = !now && !await_any(fds, count, until_ms);
        for (size_t i = 0; i < count; i++) {
            if (is_over(&talks[i])) continue;
            if (late)
                be_late(&talks[i]);
            else if (fds[i].revents)
                go_on(&talks[i]);
        }
    }
}

/* ---- commands ---- */
enum { LINE_SIZE = 1 + RV_DECIMAL_SIZE + 2 };

static size_t word_size(const struct rv_rd_command *command, int i) {
    return command->sizes ? command->sizes[i] : strlen(command->argv[i]);
}

/* What it takes at most. */
static size_t command_size(const struct rv_rd_command *command) {
    size_t size = LINE_SIZE;
    for (int i = 0; i < command->argc; i++)
        size += LINE_SIZE + word_size(command, i) + 2;
    return size;
}

static char *put_end(char *at) {
    *at++ = '\r';
    *at++ = '\n';
    return at;
}

static char *put_line(char *at, char sign, size_t number) {
    *at++ = sign;
    return put_end(at + rv_decimal(at, (int64_t)number));
}

/* hiredis would print each length, and copy all of it once more. */
static int add_command(struct rv_buf *out, const struct rv_rd_command *command) {
    char *at = rv_buf_room(out, command_size(command));
    if (!at) return out->error;
    at = put_line(at, '*', (size_t)command->argc);
    for (int i = 0; i < command->argc; i++) {
        size_t size = word_size(command, i);
        at = put_line(at, '$', size);
        if (size) memcpy(at, command->argv[i], size);
        at = put_end(at + size);
    }
    rv_buf_fill(out, at);
    return 0;
}

/* What cannot be written down whole is not sent at all. */
static void add_batch(struct rv_buf *out, struct rv_rd_batch *batch) {
    size_t from = out->size;
    batch->rc = 0;
    batch->got = 0;
    for (size_t i = 0; !batch->rc && i < batch->command_count; i++) {
        batch->rc = add_command(out, &batch->commands[i]);
        if (i == 0) batch->first_end = out->size;
    }
    for (size_t i = 0; i < batch->count; i++)
        batch->replies[i] = NULL;
    if (!batch->rc) return;
    out->size = from;
    out->error = 0;
}

static void clear(struct rv_buf *out) {
    out->size = 0;
    out->error = 0;
    if (out->capacity <= OUT_KEPT) return;
    rv_buf_release(out);
    rv_buf_init(out, OUT_MAX);
}

/* A server writes to its clients what it has for them when it has obeyed all it has read, to those
 * first whom it had something for last: to who ran a script before those whom the script told
 * something, unless there was an answer of his before that. */
static void put_behind(struct rv_rd_talk *talk) {
    struct rv_buf *out = &talk->conn->out;
    talk->pong_is_due = !rv_buf_add(out, PING, sizeof PING - 1);
    if (!talk->pong_is_due) clear(out);
}

static void add_all(struct rv_rd_talk *talk) {
    struct rv_buf *out = &talk->conn->out;
    if (talk->beside) put_behind(talk);
    size_t ahead = out->size;
    for (struct rv_rd_batch *batch = talk->first; batch; batch = batch->next)
        add_batch(out, batch);
    if (out->size > ahead) return;
    clear(out);
    talk->pong_is_due = false;
}

static void begin(struct rv_rd_talk *talk) {
    add_all(talk);
    talk->reading = talk->first;
    talk->written = 0;
    talk->size = talk->conn->out.size;
    const char *reason = take_replies(talk);
    if (!reason && talk->size) reason = write_some(talk);
    if (reason) break_off(talk, reason);
}

static int pong_size(const struct rv_rd_talk *talk) {
    return talk->pong_is_due ? (int)strlen("+PONG\r\n") : 0;
}

/* Until something is told there, or there is more of an answer than is passed over. What is wrong
 * with either of them is noticed by who reads it next. */
static void listen_beside(const struct rv_rd_talk *talk, int64_t deadline_ms) {
    struct rv_rd_conn *beside = talk->beside;
    const char *reason = NULL;
    struct pollfd fds[2];
    bool any;
    if (!beside || beside->broken || is_over(talk) || talk->written < talk->size) return;
    if (!rv_rd_wire_pass_over(&talk->conn->wire, pong_size(talk) + talk->passed_over)) return;
    int64_t until_ms = rv_clock_boot_ms(&rv_clock_real) + BESIDE_MS;
    (void)rv_rd_wire_poll(&talk->conn->wire, true, false, &fds[0]);
    (void)rv_rd_wire_poll(&beside->wire, true, false, &fds[1]);
    (void)await_any(fds, 2, until_ms < deadline_ms ? until_ms : deadline_ms);
    if (fds[1].revents) reason = read_some(beside, &any);
    if (reason) be_broken(beside, reason);
    (void)rv_rd_wire_pass_over(&talk->conn->wire, 0);
}

void rv_rd_conn_talk(struct rv_rd_talk *talks, size_t count, int64_t deadline_ms) {
    for (size_t i = 0; i < count; i++)
        begin(&talks[i]);
    for (size_t i = 0; i < count; i++)
        listen_beside(&talks[i], deadline_ms);
    run(talks, count, deadline_ms);
    for (size_t i = 0; i < count; i++)
        clear(&talks[i].conn->out);
}

static int talk_alone(struct rv_rd_conn *conn, struct rv_rd_batch *batch, int64_t deadline_ms,
                      struct rv_error *err) {
    struct rv_rd_talk talk = {.conn = conn, .first = batch};
    rv_rd_conn_talk(&talk, 1, deadline_ms);
    return batch->rc ? rv_rd_conn_fail(conn, batch->rc, err) : 0;
}

int rv_rd_conn_call(struct rv_rd_conn *conn, const struct rv_rd_command *commands, size_t count,
                    redisReply **replies, int64_t deadline_ms, struct rv_error *err) {
    struct rv_rd_batch batch = {
        .commands = commands, .command_count = count, .replies = replies, .count = count};
    return talk_alone(conn, &batch, deadline_ms, err);
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
    struct rv_rd_batch batch = {.commands = commands, .command_count = count};
    return talk_alone(conn, &batch, deadline_ms, err);
}

int rv_rd_conn_receive(struct rv_rd_conn *conn, redisReply **out, int64_t deadline_ms,
                       struct rv_error *err) {
    struct rv_rd_batch batch = {.replies = out, .count = 1};
    return talk_alone(conn, &batch, deadline_ms, err);
}

/* any: it may be read first. */
static int look(struct rv_rd_conn *conn, bool any, redisReply **out, struct rv_error *err) {
    struct rv_rd_batch batch = {.replies = out, .count = 1};
    struct rv_rd_talk talk = {.conn = conn, .first = &batch, .reading = &batch};
    *out = NULL;
    const char *reason = take_replies(&talk);
    while (!reason && !batch.got && any) {
        reason = read_some(conn, &any);
        if (!reason && any) reason = take_replies(&talk);
    }
    if (!reason) return 0;
    break_off(&talk, reason);
    return rv_rd_conn_fail(conn, batch.rc, err);
}

int rv_rd_conn_look(struct rv_rd_conn *conn, redisReply **out, struct rv_error *err) {
    return look(conn, true, out, err);
}

/* Reads while it waits as long as one read may, then polls. */
static bool await_more(struct rv_rd_conn *conn, int64_t deadline_ms, const char **reason) {
    bool any = false;
    int64_t left_ms = deadline_ms - rv_clock_boot_ms(&rv_clock_real);
    if (rv_rd_wire_can_wait(&conn->wire, left_ms))
        *reason = read_by(rv_rd_wire_read_or_wait, conn, &any);
    if (any || *reason) return true;
    return rv_rd_wire_await(&conn->wire, true, false, deadline_ms);
}

int rv_rd_conn_attend(struct rv_rd_conn *conn, redisReply **out, int64_t deadline_ms,
                      struct rv_error *err) {
    const char *reason = NULL;
    int rc = conn->broken ? rv_rd_conn_fail(conn, REEVE_EUNREACHABLE, err) : 0;
    *out = NULL;
    if (!rc) rc = rv_rd_conn_next(conn, out, err);
    while (!rc && !*out && await_more(conn, deadline_ms, &reason)) {
        if (reason) be_broken(conn, reason);
        rc = reason ? rv_rd_conn_fail(conn, REEVE_EUNREACHABLE, err)
                    : rv_rd_conn_look(conn, out, err);
    }
    return rc;
}

int rv_rd_conn_next(struct rv_rd_conn *conn, redisReply **out, struct rv_error *err) {
    return look(conn, false, out, err);
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
