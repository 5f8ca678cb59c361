/* The metas of many shards, in as few commands as their servers allow: one server tells those of
 * many at once, in a cluster each is asked for by itself, and all at the same time. Changes
 * nothing. */
#ifndef RV_STORE_REDIS_LOOKS_H
#define RV_STORE_REDIS_LOOKS_H

#include "store/redis/call.h"
#include "store/redis/redis.h"
#include "store/redis/shard.h"

struct rv_rd_look {
    struct rv_rd_shard shard;
    bool with_time; /* in a cluster: what time it is there, too; else of the first alone */
    /* Out: */
    const struct rv_rd_ask *ask; /* its rc and err: whether there is an answer */
    struct rv_bytes meta;        /* none: nobody knows the queue; until release, as the next */
    const redisReply *time;      /* NULL: not asked for */
};

struct rv_rd_looks {
    struct rv_rd_look *all; /* so many, which the caller fills in and keeps */
    size_t count;
    bool once;                     /* whoever cannot be reached is not asked again */
    bool brief, spare;             /* as in call.h */
    struct rv_rd_inquiry *inquiry; /* its own */
};

/* REEVE_ENOMEM; what else can go wrong is told for each. */
int rv_rd_looks_ask(struct rv_rd *store, struct rv_rd_looks *looks, struct rv_error *err);
void rv_rd_looks_release(struct rv_rd_looks *looks);

#endif
