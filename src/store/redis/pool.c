#include "store/redis/pool.h"

#include "base/clock.h"

int rv_rd_pool_init(struct rv_rd_pool *pool, struct rv_error *err) {
    *pool = (struct rv_rd_pool){0};
    if (pthread_mutex_init(&pool->lock, NULL)) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    return 0;
}

static void close_all(struct rv_rd_conn *conns) {
    while (conns) {
        struct rv_rd_conn *next = conns->next;
        rv_rd_conn_close(conns);
        conns = next;
    }
}

void rv_rd_pool_release(struct rv_rd_pool *pool) {
    close_all(pool->idle);
    (void)pthread_mutex_destroy(&pool->lock);
}

/* An idle connection to target, or NULL. */
static struct rv_rd_conn *take_idle(struct rv_rd_pool *pool, const struct rv_rd_target *target) {
    struct rv_rd_conn **link = &pool->idle, *conn;
    (void)pthread_mutex_lock(&pool->lock);
    while (*link && (*link)->target != target)
        link = &(*link)->next;
    conn = *link;
    if (conn) *link = conn->next;
    (void)pthread_mutex_unlock(&pool->lock);
    return conn;
}

int rv_rd_pool_take(struct rv_rd_pool *pool, const struct rv_rd_target *target, int64_t deadline_ms,
                    struct rv_rd_conn **out, struct rv_error *err) {
    struct rv_rd_conn *conn;
    while ((conn = take_idle(pool, target))) {
        if (rv_rd_conn_alive(conn)) {
            *out = conn;
            return 0;
        }
        rv_rd_conn_close(conn);
    }
    return rv_rd_conn_open(target, deadline_ms, out, err);
}

void rv_rd_pool_drop(struct rv_rd_pool *pool, const struct rv_rd_target *target) {
    struct rv_rd_conn *conn;
    while ((conn = take_idle(pool, target)))
        rv_rd_conn_close(conn);
}

/* Those at the end of the list have been idle longest. The lock is held. */
static struct rv_rd_conn *cut_old(struct rv_rd_pool *pool, int64_t now_ms) {
    struct rv_rd_conn **link = &pool->idle;
    while (*link && now_ms - (*link)->idle_since_ms < RV_RD_IDLE_MS_MAX)
        link = &(*link)->next;
    struct rv_rd_conn *old = *link;
    *link = NULL;
    return old;
}

void rv_rd_pool_give(struct rv_rd_pool *pool, struct rv_rd_conn *conn) {
    if (conn->broken) {
        rv_rd_conn_close(conn);
        return;
    }
    conn->idle_since_ms = rv_clock_boot_ms(&rv_clock_real);
    (void)pthread_mutex_lock(&pool->lock);
    conn->next = pool->idle;
    pool->idle = conn;
    struct rv_rd_conn *old = cut_old(pool, conn->idle_since_ms);
    (void)pthread_mutex_unlock(&pool->lock);
    close_all(old);
}
