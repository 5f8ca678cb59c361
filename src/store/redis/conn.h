/* A connection to one server, used by one thread at a time. Whatever goes wrong on it ends it:
 * replies are told apart by their order alone, so one that was given up would be taken for the
 * answer to the next question. Deadlines are CLOCK_BOOTTIME in ms (base/clock.h). */
#ifndef RV_STORE_REDIS_CONN_H
#define RV_STORE_REDIS_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hiredis/hiredis.h>

#include "base/buf.h"
#include "base/error.h"
#include "store/redis/reader.h"
#include "store/redis/target.h"
#include "store/redis/wire.h"

struct rv_rd_command {
    int argc;
    const char *const *argv;
    const size_t *sizes; /* NULL: all are strings */
};

/* An idle one is kept for less than any load balancer, or server's `timeout`, waits. */
enum { RV_RD_IDLE_MS_MAX = 60000 };

struct rv_rd_conn {
    struct rv_rd_conn *next; /* while idle */
    int64_t idle_since_ms;
    const struct rv_rd_target *target;
    struct rv_rd_wire wire;
    struct rv_rd_reader *reader;
    struct rv_buf out;              /* commands on their way */
    bool drained;                   /* the latest read took all there was: poll() tells of more */
    bool late;                      /* it did not answer in time, and so is */
    bool broken;                    /* to be closed, never used again, */
    char reason[RV_RD_REASON_SIZE]; /* for that one */
};

/* Connects, authenticates, selects the database. target outlives it. REEVE_EUNREACHABLE if that
 * cannot be done before deadline_ms, for whatever reason. */
int rv_rd_conn_open(const struct rv_rd_target *target, int64_t deadline_ms, struct rv_rd_conn **out,
                    struct rv_error *err);
void rv_rd_conn_close(struct rv_rd_conn *conn); /* NULL is fine */

/* ---- several at once ---- */
enum { RV_RD_TALKS_MAX = 32 };

/* Commands that belong together, and what becomes of them. An error reply is a reply.
 * REEVE_EUNREACHABLE: none of the commands can have been obeyed. REEVE_EUNSURE: some may have been.
 * REEVE_ETOOBIG, REEVE_ENOMEM: none was sent. */
struct rv_rd_batch {
    const struct rv_rd_command *commands;
    size_t command_count;
    redisReply **replies; /* which the caller frees; all NULL on failure */
    size_t count;         /* of replies to wait for */
    int rc;
    struct rv_rd_batch *next; /* sent behind it on the same connection; NULL: none */
    size_t got, first_end;    /* of conn.c */
};

/* What goes over one connection. */
struct rv_rd_talk {
    struct rv_rd_conn *conn;
    struct rv_rd_batch *first;
    int64_t patience_ms; /* it is waited for so long after the latest answer to another, or from
                            the beginning; 0: all the time there is */
    /* Listened to for a moment, or until an answer of more bytes than passed_over has come, before
     * the answer is read: who is told there what he waits for is woken once. What it brings stays
     * there. NULL: none is, nor is it by TLS. Nobody hurries for such an answer, so others whom the
     * commands make the server tell something are told before it is sent: see put_behind(). */
    struct rv_rd_conn *beside;
    int passed_over;
    struct rv_rd_batch *reading; /* this and all below are of conn.c */
    bool pong_is_due;            /* before the replies */
    size_t size, written;
};

/* Writes to all connections (RV_RD_TALKS_MAX at most), then reads all answers. A connection that
 * fails is broken; what failed on it is told by each batch, why by rv_rd_conn_fail(). */
void rv_rd_conn_talk(struct rv_rd_talk *talks, size_t count, int64_t deadline_ms);
int rv_rd_conn_fail(const struct rv_rd_conn *conn, int rc, struct rv_error *err);

/* ---- one after the other ---- */
/* Sends count (> 0) commands in one go and brings as many replies, in order, which the caller
 * frees: a batch by itself. */
int rv_rd_conn_call(struct rv_rd_conn *conn, const struct rv_rd_command *commands, size_t count,
                    redisReply **replies, int64_t deadline_ms, struct rv_error *err);

/* What rc of a call comes to that changes nothing: a lost answer leaves no doubt then. */
int rv_rd_only_asked(int rc, struct rv_error *err);
/* The same for what is harmless to repeat: an answer that lacks is REEVE_EUNREACHABLE. */
int rv_rd_conn_ask(struct rv_rd_conn *conn, const struct rv_rd_command *commands, size_t count,
                   redisReply **replies, int64_t deadline_ms, struct rv_error *err);

/* ---- the parts of it, for those who wait ---- */
/* Only sends, as above. */
int rv_rd_conn_send(struct rv_rd_conn *conn, const struct rv_rd_command *commands, size_t count,
                    int64_t deadline_ms, struct rv_error *err);
/* The next reply, waited for until deadline_ms: then REEVE_EUNSURE. */
int rv_rd_conn_receive(struct rv_rd_conn *conn, redisReply **out, int64_t deadline_ms,
                       struct rv_error *err);
/* The next reply, or NULL in *out if none came before deadline_ms: that breaks nothing. */
int rv_rd_conn_attend(struct rv_rd_conn *conn, redisReply **out, int64_t deadline_ms,
                      struct rv_error *err);
/* The next reply if all of it has come, else NULL in *out. Call until there is none, then poll
 * rv_rd_conn_fd() for POLLIN. */
int rv_rd_conn_look(struct rv_rd_conn *conn, redisReply **out, struct rv_error *err);
/* The same of what was read already. */
int rv_rd_conn_next(struct rv_rd_conn *conn, redisReply **out, struct rv_error *err);
int rv_rd_conn_fd(const struct rv_rd_conn *conn);

/* Whether it still stands, as far as one can know without asking; for one without replies due. */
bool rv_rd_conn_alive(struct rv_rd_conn *conn);

#endif
