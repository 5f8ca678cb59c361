/* Keys that hold what is not ours. */
#ifndef RV_STORE_REDIS_TYPES_H
#define RV_STORE_REDIS_TYPES_H

#include "store/redis/redis.h"

/* REEVE_ECORRUPT, and names it, if a key of shard is of another type than it should be. Changes
 * err only then. */
int rv_rd_types_check(struct rv_rd *store, const struct rv_rd_shard *shard, struct rv_error *err);
/* The same of the keys of a group of streams, and of those of the space. */
int rv_rd_types_check_group(struct rv_rd *store, const struct rv_group *group,
                            struct rv_error *err);
int rv_rd_types_check_space(struct rv_rd *store, struct rv_error *err);

#endif
