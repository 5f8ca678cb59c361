/* Asking a cluster who keeps what. */
#ifndef RV_STORE_REDIS_CLUSTER_H
#define RV_STORE_REDIS_CLUSTER_H

#include "store/redis/topology.h"

/* Asks one node after the other until one knows, and its cluster is whole; if that is the case
 * nowhere, the first that knows has to do. REEVE_EUNREACHABLE: none answers. */
int rv_rd_cluster_look(struct rv_rd_topology *topology, int64_t deadline_ms, struct rv_error *err);

#endif
