/* The store `redis:`: opening, closing, and the table of its ops. */
#include "store/redis/redis.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"
#include "store/redis/fitness.h"
#include "store/redis/streams.h"

static int open_tls(struct rv_rd *store, struct rv_error *err) {
    if (!store->url.by_tls) return 0;
    if (store->url.tls.believe_any)
        rv_log(store->log, REEVE_LOG_WARN, "store.unverified",
               "reason=\"verify=none: whoever answers there is taken for the server\"");
    return rv_rd_tls_create(&store->url.tls, &store->tls, err);
}

static int meet_servers(struct rv_rd *store, struct rv_error *err) {
    int rc = rv_rd_fitness_check(store, err);
    return rc ? rc : rv_rd_ear_init(&store->ear, err);
}

static int open_boxes(struct rv_rd *store, struct rv_error *err) {
    int rc = rv_rd_boxes_init(&store->ends, "ends", err);
    if (rc) return rc;
    rc = rv_rd_boxes_init(&store->vigils, "vigil", err);
    if (rc) rv_rd_boxes_release(&store->ends);
    return rc;
}

/* Where servers are looked up, and how they are talked to. */
static int open_ways(struct rv_rd *store, struct rv_error *err) {
    int rc = rv_rd_topology_init(&store->topology, &store->url, store->tls, &store->pool,
                                 store->log, err);
    if (rc) return rc;
    rc = rv_rd_pool_init(&store->pool, err);
    if (!rc) {
        rc = open_boxes(store, err);
        if (rc) rv_rd_pool_release(&store->pool);
    }
    if (rc) rv_rd_topology_release(&store->topology);
    return rc;
}

static void close_ways(struct rv_rd *store) {
    rv_rd_boxes_release(&store->vigils);
    rv_rd_boxes_release(&store->ends);
    rv_rd_pool_release(&store->pool);
    rv_rd_topology_release(&store->topology);
}

/* store->url is set. What was opened is closed again on failure. */
static int open_parts(struct rv_rd *store, struct rv_error *err) {
    int rc = open_tls(store, err);
    if (rc) return rc;
    rc = open_ways(store, err);
    if (!rc) {
        rc = meet_servers(store, err);
        if (rc) close_ways(store);
    }
    if (rc) rv_rd_tls_destroy(store->tls);
    return rc;
}

/* What the handle remembers. */
static int init_memory(struct rv_rd *store, struct rv_error *err) {
    int rc = rv_rd_splits_init(&store->splits, err);
    if (rc) return rc;
    rc = rv_rd_stands_init(&store->stands, err);
    if (!rc) {
        rc = rv_rd_recent_init(&store->recent, err);
        if (rc) rv_rd_stands_release(&store->stands);
    }
    if (rc) rv_rd_splits_release(&store->splits);
    return rc;
}

static void release_memory(struct rv_rd *store) {
    rv_rd_recent_release(&store->recent);
    rv_rd_stands_release(&store->stands);
    rv_rd_splits_release(&store->splits);
}

/* store->url is set. */
static int open_all(struct rv_rd *store, struct rv_error *err) {
    int rc = init_memory(store, err);
    if (rc) return rc;
    rc = open_parts(store, err);
    if (rc) release_memory(store);
    return rc;
}

static int redis_open(struct rv_store **out, const char *url, const struct rv_store_config *config,
                      struct rv_error *err) {
    struct rv_rd *store = calloc(1, sizeof *store);
    if (!store) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    store->base.ops = &rv_store_redis;
    store->timeout_ms = config->timeout_ms;
    store->log = config->log;
    store->clock = config->clock;
    (void)snprintf(store->space, sizeof store->space, "%s", config->space);
    int rc = rv_rd_url_parse(url, &store->url, err);
    if (!rc) {
        rc = open_all(store, err);
        if (rc) rv_rd_url_release(&store->url);
    }
    if (rc) {
        free(store);
        return rc;
    }
    *out = &store->base;
    return 0;
}

static void redis_close(struct rv_store *s) {
    struct rv_rd *store = rv_container_of(s, struct rv_rd, base);
    release_memory(store);
    rv_rd_ear_release(&store->ear);
    close_ways(store);
    rv_rd_tls_destroy(store->tls);
    rv_rd_url_release(&store->url);
    free(store);
}

static int64_t redis_now_ms(const struct rv_store *s) {
    const struct rv_rd *store = (const struct rv_rd *)(const void *)s; /* base is its head */
    return rv_clock_wall_ms(store->clock) + atomic_load(&store->ahead_ms);
}

/* A script of 1000 jobs, or with 1 MiB of bodies, takes 4 ms of the server, which does nothing else
 * meanwhile. */
enum { STEP_JOBS = 250, STEP_BYTES = 256 << 10, STEPS_AT_ONCE = 3 };

const struct rv_store_ops rv_store_redis = {
    .push_step = {STEP_JOBS, STEP_BYTES, STEPS_AT_ONCE},
    .caps = RV_CAP_SHARED | RV_CAP_DURABLE | RV_CAP_GRANTS | RV_CAP_STREAMS | RV_CAP_SHARDS |
            RV_CAP_TELLS | RV_CAP_AT_ONCE,
    .open = redis_open,
    .close = redis_close,
    .now_ms = redis_now_ms,
    .push = rv_rd_push,
    .exchange = rv_rd_exchange,
    .is_patient = rv_rd_is_patient,
    .attend = rv_rd_attend,
    .stir = rv_rd_stir,
    .exchange_all = rv_rd_exchange_all,
    .renew = rv_rd_renew,
    .renew_all = rv_rd_renew_all,
    .lapsed = rv_rd_lapsed,
    .tend = rv_rd_tend,
    .read = rv_rd_read,
    .cancel = rv_rd_cancel,
    .revive = rv_rd_revive,
    .remove = rv_rd_remove,
    .keep = rv_rd_keep,
    .check = rv_rd_check,
    .note = rv_rd_note,
    .purge = rv_rd_purge,
    .list = rv_rd_list,
    .queues = rv_rd_queues,
    .stats = rv_rd_stats,
    .pause = rv_rd_pause,
    .set = rv_rd_set,
    .beat = rv_rd_beat,
    .leave = rv_rd_leave,
    .workers = rv_rd_workers,
    .grant_take = rv_rd_grant_take,
    .grant_renew = rv_rd_grant_renew,
    .grant_release = rv_rd_grant_release,
    .grant_check = rv_rd_grant_check,
    .grant_resign = rv_rd_grant_resign,
    .grants = rv_rd_grants,
    .streams = &rv_rd_stream_ops,
    .wait = rv_rd_wait,
    .wake = rv_rd_wake,
    .box_take = rv_rd_ends_take,
    .box_give = rv_rd_ends_give,
    .box_attend = rv_rd_ends_attend,
    .announce = rv_rd_announce,
    .events = rv_rd_events,
    .failover = rv_rd_failover,
    .mend = rv_rd_mend,
    .examine = rv_rd_examine,
};
