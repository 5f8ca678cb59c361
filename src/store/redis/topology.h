/* Which server keeps what. With one server the answer is always the same. */
#ifndef RV_STORE_REDIS_TOPOLOGY_H
#define RV_STORE_REDIS_TOPOLOGY_H

#include "store/redis/shard.h"
#include "store/redis/target.h"

struct rv_rd_topology {
    struct rv_rd_target server;
};

/* Where shard lives. */
const struct rv_rd_target *rv_rd_topology_find(const struct rv_rd_topology *topology,
                                               const struct rv_rd_shard *shard);

#endif
