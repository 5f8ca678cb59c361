/* A look at all shards of a queue: which of them have jobs to be claimed, and which of them knows a
 * request already? A shard that cannot be asked has no jobs and knows nothing. */
#ifndef RV_STORE_REDIS_PEEK_H
#define RV_STORE_REDIS_PEEK_H

#include "store/redis/split.h"

struct rv_rd_peek {
    uint64_t ready; /* a bit for each that has */
    bool paused;
    bool held;         /* there are jobs that only a pause holds back */
    int64_t due_in_ms; /* until the next delayed job is due; -1: none is waiting */
    unsigned missed;   /* how many could not be asked */
};

/* What is seen is remembered for the turns of claims (splits.h). brief: a shard that does not
 * answer is not waited for (call.h), here and below. */
int rv_rd_peek(struct rv_rd *store, const struct rv_rd_split *split, bool brief,
               struct rv_rd_peek *out, struct rv_error *err);

/* What the shards remember of a lane (J7; lua/exchange.lua). */
struct rv_rd_trace {
    bool late;      /* a later request of it was answered */
    bool claimed;   /* that very request has brought jobs, */
    unsigned shard; /* from this one */
};

int rv_rd_trace(struct rv_rd *store, const struct rv_rd_split *split, uint64_t lane,
                uint64_t number, bool brief, struct rv_rd_trace *out, struct rv_error *err);

#endif
