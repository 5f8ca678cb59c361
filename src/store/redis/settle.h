/* The number of shards of a queue: what the space says of it, and how it is changed.
 *
 * The space's hash `shards` says it for each queue that was ever split, with an epoch. Each shard
 * has the epoch, too, and refuses whoever goes by another. A change takes three steps, each of
 * which may be repeated by anybody:
 *   1. the space gets the next epoch, which is odd: a change is under way;
 *   2. the shards are closed one by one with it, if they are empty;
 *   3. the space gets the epoch after that: with the new number, or with the old one if a shard was
 *      not empty; and then the shards that there are now are opened with it.
 * Whoever finds a shard closed, or one that lags behind, takes the steps that are left: so a
 * change that was cut off half way is brought to its end by the next one who comes by, or by the
 * doctor. */
#ifndef RV_STORE_REDIS_SETTLE_H
#define RV_STORE_REDIS_SETTLE_H

#include "store/redis/meta.h"
#include "store/redis/redis.h"

/* What the space says of a queue. */
struct rv_rd_said {
    uint64_t epoch; /* 0: nothing; odd: it is being changed */
    unsigned count; /* shards */
    unsigned other; /* while it is changed: those to be; else those it had before */
    bool paused;    /* these, for shards that are opened anew, unless count is other */
    struct rv_bounds bounds;
};

int rv_rd_said_read(struct rv_rd *store, const char *queue, struct rv_rd_said *out,
                    struct rv_error *err);

/* What a shard says of itself. */
struct rv_rd_shard_state {
    uint64_t epoch, records;
    struct rv_rd_meta meta;
};

int rv_rd_shard_look(struct rv_rd *store, const char *queue, unsigned number,
                     struct rv_rd_shard_state *out, struct rv_error *err);

/* Whoever went by that split was refused: finds out what is right now, and remembers it. Brings to
 * its end what was cut off. */
int rv_rd_settle(struct rv_rd *store, const struct rv_rd_split *split, struct rv_error *err);

/* The share that a shard has of a bound of the whole; REEVE_NONE and 0 are everybody's. */
int64_t rv_rd_share(int64_t bound, unsigned count, unsigned number);

/* Splits a queue over so many shards. REEVE_ESTATE, and nothing has changed, if it holds records
 * of jobs. */
int rv_rd_resplit(struct rv_rd *store, const char *queue, unsigned count, struct rv_error *err);

#endif
