/* A queue lies in one or more shards, each with keys of its own that all lie on one server. */
#ifndef RV_STORE_REDIS_SHARD_H
#define RV_STORE_REDIS_SHARD_H

/* Where the interface takes a pointer to one, NULL stands for what is the space's own. */
struct rv_rd_shard {
    const char *queue;
    unsigned number; /* from 0 on */
};

#endif
