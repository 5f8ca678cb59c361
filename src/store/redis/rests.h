/* Shards in which upkeep has nothing to do. Each step of upkeep tells when there will be something;
 * as long as the shard's meta is as it was then, it need not be visited before. So idle shards cost
 * a look at their metas (looks.h) instead of scripts. Now and then each is visited all the same:
 * what changes a time and not the meta (keep) is late by that at most. */
#ifndef RV_STORE_REDIS_RESTS_H
#define RV_STORE_REDIS_RESTS_H

#include "store/redis/looks.h"
#include "store/redis/splits.h"

/* Of one round over the shards of a queue. */
struct rv_rd_rests {
    uint64_t seen[RV_SHARDS_MAX]; /* what each looked like; 0: unknown */
    bool resting[RV_SHARDS_MAX];
    int64_t next_in_ms; /* when the first of those that rest is to be visited; -1: none is */
};

/* Looks at all shards. what: which step of upkeep it is, 0 or 1. */
int rv_rd_rests_look(struct rv_rd *store, const struct rv_rd_split *split, unsigned what,
                     struct rv_rd_rests *out, struct rv_error *err);
/* A shard was visited, and has something to do in so many ms (0: now; -1: never). */
void rv_rd_rests_note(struct rv_rd *store, const struct rv_rd_split *split, unsigned what,
                      const struct rv_rd_rests *rests, unsigned shard, int64_t next_in_ms);

#endif
