/* Going by the split of a queue: over how many shards it lies. What a handle knows of it may be
 * out of date: a shard refuses whoever goes by another epoch than its own (RV_RD_STALE), and he
 * looks anew (settle.h). */
#ifndef RV_STORE_REDIS_SPLIT_H
#define RV_STORE_REDIS_SPLIT_H

#include "store/redis/script.h"
#include "store/redis/splits.h"

struct rv_rd_shard rv_rd_split_shard(const struct rv_rd_split *split, unsigned number);
/* Where the job of that id lies. */
unsigned rv_rd_split_home(const struct rv_rd_split *split, const char *id);
/* Where the claim of that token was made; split->count if there is no such shard any more. */
unsigned rv_rd_split_claimed(const struct rv_rd_split *split, uint64_t token);

/* Does fn with the split of a queue, again as long as that is found to be stale. */
typedef int rv_rd_split_fn(struct rv_rd *store, const struct rv_rd_split *split, void *arg,
                           struct rv_error *err);
int rv_rd_split_over(struct rv_rd *store, const char *queue, rv_rd_split_fn *fn, void *arg,
                     struct rv_error *err);

/* Runs a script where the job of that id lies (NULL: in the first shard); sets script->shard. */
int rv_rd_split_run(struct rv_rd *store, struct rv_rd_script *script, const char *queue,
                    const char *id, redisReply **out, struct rv_error *err);

#endif
