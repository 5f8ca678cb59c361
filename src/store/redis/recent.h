/* The pushes that a handle made last, kept until it is known that a fail-over cannot lose them, or
 * until there are too many. */
#ifndef RV_STORE_REDIS_RECENT_H
#define RV_STORE_REDIS_RECENT_H

#include <pthread.h>

#include "base/list.h"
#include "core/check.h"
#include "store/redis/history.h"

enum {
    RV_RD_RECENT_MS = 10000,       /* for so long at least, though all replicas have it */
    RV_RD_RECENT_BYTES = 4 << 20,  /* all of them, but for what the allocator needs */
    RV_RD_RECENT_BODY = 256 << 10, /* a larger one is not kept: it would push out all others */
};

struct rv_rd_recent_push {
    struct rv_list link;
    struct rv_rd_point before; /* where the server was when it took it */
    int64_t at_ms;             /* boot */
    size_t size;
    struct rv_new_job job; /* its strings are behind it */
    char text[];
};

struct rv_rd_recent {
    pthread_mutex_t lock;
    struct rv_list pushes; /* the oldest first */
    size_t bytes;
    uint64_t dropped; /* for want of room, or memory */
};

int rv_rd_recent_init(struct rv_rd_recent *recent, struct rv_error *err);
void rv_rd_recent_release(struct rv_rd_recent *recent);

/* Keeps a copy. A delay counts from now_ms, the store's time. */
void rv_rd_recent_add(struct rv_rd_recent *recent, const struct rv_new_job *job,
                      const struct rv_rd_point *before, int64_t now_ms);

/* Moves all of them to *out, a list of the caller's; and those of a list back, ahead of what has
 * come since. */
void rv_rd_recent_take(struct rv_rd_recent *recent, struct rv_list *out);
void rv_rd_recent_put_back(struct rv_rd_recent *recent, struct rv_list *pushes);
void rv_rd_recent_free(struct rv_list *pushes); /* all of a list */
bool rv_rd_recent_is_empty(struct rv_rd_recent *recent);
/* How many were dropped since the last call. */
uint64_t rv_rd_recent_dropped(struct rv_rd_recent *recent);

#endif
