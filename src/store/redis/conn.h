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

struct rv_rd_conn {
    struct rv_rd_conn *next; /* while idle */
    int64_t idle_since_ms;
    const struct rv_rd_target *target;
    struct rv_rd_wire wire;
    struct rv_rd_reader *reader;
    struct rv_buf out; /* commands on their way */
    bool broken;       /* to be closed, never used again */
};

/* Connects, authenticates, selects the database. target outlives it. REEVE_EUNREACHABLE if that
 * cannot be done before deadline_ms, for whatever reason. */
int rv_rd_conn_open(const struct rv_rd_target *target, int64_t deadline_ms, struct rv_rd_conn **out,
                    struct rv_error *err);
void rv_rd_conn_close(struct rv_rd_conn *conn); /* NULL is fine */

/* Sends count (> 0) commands in one go and brings as many replies, in order, which the caller
 * frees; an error reply is a reply. REEVE_EUNREACHABLE: none of the commands can have been obeyed.
 * REEVE_EUNSURE: some may have been. On failure there are no replies and the connection is broken.
 * REEVE_ETOOBIG, REEVE_ENOMEM before anything was sent leave it whole. */
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
/* The next reply if all of it has come, else NULL in *out. Call until there is none, then poll
 * rv_rd_conn_fd() for POLLIN. */
int rv_rd_conn_look(struct rv_rd_conn *conn, redisReply **out, struct rv_error *err);
int rv_rd_conn_fd(const struct rv_rd_conn *conn);

/* Whether it still stands, as far as one can know without asking; for one without replies due. */
bool rv_rd_conn_alive(struct rv_rd_conn *conn);

#endif
