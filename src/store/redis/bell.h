/* Sleeping until one of several queues has work: one BLPOP over their bells. A bell is a list of at
 * most one element, which wakes one of those who sleep (docs/redis.md). The connection is this
 * sleeper's own, so no other call waits for it (T20). */
#ifndef RV_STORE_REDIS_BELL_H
#define RV_STORE_REDIS_BELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "store/redis/shard.h"

struct rv_rd;
struct rv_rd_conn;

struct rv_rd_bell {
    struct rv_rd_conn *conn; /* NULL: none yet */
    char client_id[24];      /* what the server calls it */
    bool asleep;             /* an answer is due, */
    int64_t answer_by_ms;    /* at the latest by then: the sleep is bounded */
};

void rv_rd_bell_close(struct rv_rd_bell *bell);

/* Falls asleep on the bells of these shards (count > 0), unless it is asleep. */
int rv_rd_bell_sleep(struct rv_rd_bell *bell, struct rv_rd *store, const struct rv_rd_shard *shards,
                     size_t count, struct rv_error *err);
/* A bell that rang. */
struct rv_rd_ring {
    char *key; /* in: room for it; out: "" if none did in time */
    size_t room;
    uint64_t seq; /* of its shard when it was rung: jobs up to this one had a place */
};

/* What has come of it, if anything has: then it is not asleep any more. A bell that was rung has
 * been taken from those who sleep on: the caller is to act on it. */
int rv_rd_bell_look(struct rv_rd_bell *bell, struct rv_rd_ring *out, struct rv_error *err);

#endif
