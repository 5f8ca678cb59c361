/* Connections that wait to be used again. A call takes one for itself, so no thread waits for
 * another's; those given back are kept for the next, and closed when nobody needed them for a
 * while. One that died while it was idle is noticed when it is taken, not paid by the caller. */
#ifndef RV_STORE_REDIS_POOL_H
#define RV_STORE_REDIS_POOL_H

#include <pthread.h>

#include "store/redis/conn.h"

struct rv_rd_pool {
    pthread_mutex_t lock;    /* guards all below */
    struct rv_rd_conn *idle; /* the one given back last comes first */
};

int rv_rd_pool_init(struct rv_rd_pool *pool, struct rv_error *err);
void rv_rd_pool_release(struct rv_rd_pool *pool); /* no connection may be out */

/* A connection to target, for the caller alone. */
int rv_rd_pool_take(struct rv_rd_pool *pool, const struct rv_rd_target *target, int64_t deadline_ms,
                    struct rv_rd_conn **out, struct rv_error *err);
void rv_rd_pool_give(struct rv_rd_pool *pool, struct rv_rd_conn *conn); /* closed if broken */
/* Closes those to target that are idle: what is sent on one to a server that stands still may be
 * obeyed one day, where a new connection would not come about. */
void rv_rd_pool_drop(struct rv_rd_pool *pool, const struct rv_rd_target *target);

#endif
