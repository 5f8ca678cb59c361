/* A look at all shards of a queue: which of them have jobs to be claimed? */
#ifndef RV_STORE_REDIS_PEEK_H
#define RV_STORE_REDIS_PEEK_H

#include "store/redis/split.h"

struct rv_rd_peek {
    uint64_t ready; /* a bit for each that has */
    bool paused;
    int64_t due_in_ms; /* until the next delayed job is due; -1: none is waiting */
};

/* A shard that cannot be asked has none. What is seen is remembered for the turns of claims
 * (splits.h). */
int rv_rd_peek(struct rv_rd *store, const struct rv_rd_split *split, struct rv_rd_peek *out,
               struct rv_error *err);

#endif
