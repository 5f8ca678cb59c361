#include "store/redis/topology.h"

const struct rv_rd_target *rv_rd_topology_find(const struct rv_rd_topology *topology,
                                               const struct rv_rd_shard *shard) {
    (void)shard;
    return &topology->server;
}
