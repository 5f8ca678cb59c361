/* The servers that a handle has heard of. An address is kept as long as the handle, so that what
 * connects to it may point to it: it is a few bytes. */
#ifndef RV_STORE_REDIS_NODES_H
#define RV_STORE_REDIS_NODES_H

#include <stddef.h>

#include "store/redis/target.h"

struct rv_rd_node {
    struct rv_rd_node *next;
    struct rv_rd_target target;
    struct rv_rd_conduct seen; /* the target's */
    char text[];               /* what its host, port and shown point to */
};

struct rv_rd_nodes {
    struct rv_rd_target like; /* what they have in common */
    const char *kind;         /* what people call them: before the address, in shown */
    struct rv_rd_node *first;
    size_t count;
};

/* The one at host and port, which is added if it is new. NULL: out of memory. */
const struct rv_rd_target *rv_rd_nodes_get(struct rv_rd_nodes *nodes, const char *host,
                                           const char *port);
void rv_rd_nodes_release(struct rv_rd_nodes *nodes);

#endif
