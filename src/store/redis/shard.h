/* A queue lies in one or more shards, each with keys of its own that all lie on one server. How
 * many there are is the queue's split (split.h). */
#ifndef RV_STORE_REDIS_SHARD_H
#define RV_STORE_REDIS_SHARD_H

#include <stdint.h>

/* Where the interface takes a pointer to one, NULL stands for what is the space's own. */
struct rv_rd_shard {
    const char *queue;
    unsigned number; /* from 0 on */
    uint64_t epoch;  /* of the split that it is one of; a script of another is refused */
};

/* For the few scripts that are there to change the epoch, or do not care. */
#define RV_RD_ANY_EPOCH ((UINT64_C(1) << 28) - 1)

#endif
