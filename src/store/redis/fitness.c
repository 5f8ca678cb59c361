#include "store/redis/fitness.h"

int rv_rd_fitness_check(struct rv_rd *store, struct rv_error *err) {
    struct rv_rd_conn *conn;
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    int rc =
        rv_rd_pool_take(&store->pool, NULL, rv_time_add(now_ms, store->timeout_ms), &conn, err);
    if (!rc) rv_rd_pool_give(&store->pool, conn);
    return rc;
}
