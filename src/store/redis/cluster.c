#include "store/redis/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/redis/errors.h"
#include "store/redis/pool.h"

/* For one node: there are others. One that stands still takes connections, and never answers: it is
 * waited for only if no other knows. */
enum { QUICK_MS = 200, TRY_MS = 1000 };

/* What a node has told. */
struct told {
    const struct rv_rd_target *by;
    redisReply *state, *slots;
};

static void forget(struct told *told) {
    freeReplyObject(told->state);
    freeReplyObject(told->slots);
    *told = (struct told){0};
}

/* ---- asking ---- */
static int check(const struct told *told, struct rv_error *err) {
    const redisReply *replies[] = {told->state, told->slots};
    for (size_t i = 0; i < 2; i++)
        if (replies[i]->type == REDIS_REPLY_ERROR)
            return rv_rd_error_fail(told->by->shown, replies[i]->str, err);
    if (told->state->type == REDIS_REPLY_STRING && told->slots->type == REDIS_REPLY_ARRAY) return 0;
    return rv_fail(err, REEVE_EUNREACHABLE, "%s: it does not tell who keeps what", told->by->shown);
}

static int ask(struct rv_rd_topology *topology, const struct rv_rd_target *node, int64_t try_ms,
               struct told *told, struct rv_error *err) {
    static const char *const info[] = {"CLUSTER", "INFO"}, *const slots[] = {"CLUSTER", "SLOTS"};
    const struct rv_rd_command commands[] = {{.argc = 2, .argv = info}, {.argc = 2, .argv = slots}};
    struct rv_rd_conn *conn;
    redisReply *replies[2];
    int rc = rv_rd_pool_take(topology->pool, node, try_ms, &conn, err);
    atomic_store(&topology->refused, rc && rv_rd_target_refuses(node));
    if (rc) return rc;
    rc = rv_rd_conn_ask(conn, commands, 2, replies, try_ms, err);
    rv_rd_pool_give(topology->pool, conn);
    if (rc) return rc;
    *told = (struct told){.by = node, .state = replies[0], .slots = replies[1]};
    rc = check(told, err);
    if (rc) forget(told);
    return rc;
}

static bool is_whole(const struct told *told) {
    return strstr(told->state->str, "cluster_state:ok") != NULL;
}

/* ---- taking it over ---- */
static const struct rv_rd_target *node_at(struct rv_rd_topology *topology, const struct told *told,
                                          const struct rv_rd_address *at) {
    (void)pthread_mutex_lock(&topology->lock);
    const struct rv_rd_target *node =
        rv_rd_nodes_get(&topology->nodes, *at->host ? at->host : told->by->host, at->port);
    (void)pthread_mutex_unlock(&topology->lock);
    return node;
}

/* Replicas are noted as well: one day they may be all there is to ask. */
static bool take_range(struct rv_rd_topology *topology, const struct told *told, size_t i,
                       const struct rv_rd_target **owners) {
    struct rv_rd_range range;
    struct rv_rd_address replica;
    if (!rv_rd_range_parse(told->slots, i, &range)) return true; /* of an unknown node */
    const struct rv_rd_target *node = node_at(topology, told, &range.primary);
    for (size_t j = 0; node && j < range.replicas; j++)
        if (rv_rd_range_replica(told->slots, i, j, &replica) && !node_at(topology, told, &replica))
            return false;
    for (unsigned slot = range.first; node && slot <= range.last; slot++)
        owners[slot] = node;
    return node;
}

static int take(struct rv_rd_topology *topology, const struct told *told, struct rv_error *err) {
    const struct rv_rd_target **owners = calloc(RV_RD_SLOTS, sizeof(*owners));
    bool taken = owners;
    for (size_t i = 0; taken && i < told->slots->elements; i++)
        taken = take_range(topology, told, i, owners);
    if (!taken) {
        free(owners);
        return rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    rv_rd_topology_install(topology, owners, told->by);
    return 0;
}

/* ---- all of it ---- */
static bool is_told(const struct told *best) {
    return best->by && is_whole(best);
}

/* What a look has come to. */
struct search {
    struct rv_rd_topology *topology;
    int64_t deadline_ms, patience_ms; /* with one node */
    struct told best;
    int rc; /* of the last that did not tell */
};

/* Asks node unless an answer of a whole cluster is there; keeps the better of both. */
static void try_node(struct search *search, const struct rv_rd_target *node, struct rv_error *err) {
    struct told told, *best = &search->best;
    if (best->by == node || is_told(best)) return;
    int64_t try_ms = rv_clock_boot_ms(&rv_clock_real) + search->patience_ms;
    if (try_ms > search->deadline_ms) try_ms = search->deadline_ms;
    int rc = ask(search->topology, node, try_ms, &told, err);
    if (rc) {
        search->rc = rc;
    } else if (best->by && !is_whole(&told)) {
        forget(&told);
    } else {
        forget(best);
        *best = told;
    }
}

/* Those that stand still, or those that do not, but for `but`. */
static void try_nodes(struct search *search, const struct rv_rd_node *nodes, bool stalled,
                      const struct rv_rd_target *but, struct rv_error *err) {
    for (const struct rv_rd_node *node = nodes; node; node = node->next)
        if (&node->target != but && (rv_rd_target_trial_ms(&node->target) > 0) == stalled)
            try_node(search, &node->target, err);
}

static void try_all(struct search *search, int64_t patience_ms, struct rv_error *err) {
    struct rv_rd_topology *topology = search->topology;
    (void)pthread_mutex_lock(&topology->lock);
    const struct rv_rd_target *first = topology->teller;
    const struct rv_rd_node *nodes = topology->nodes.first; /* the list only grows at its head */
    (void)pthread_mutex_unlock(&topology->lock);
    search->patience_ms = patience_ms;
    if (first && rv_rd_target_trial_ms(first)) first = NULL;
    if (first) try_node(search, first, err);
    if (!is_told(&search->best)) try_nodes(search, nodes, false, first, err);
    if (!search->best.by) try_nodes(search, nodes, true, first, err);
}

int rv_rd_cluster_look(struct rv_rd_topology *topology, int64_t deadline_ms, struct rv_error *err) {
    struct search search = {.topology = topology, .deadline_ms = deadline_ms};
    try_all(&search, QUICK_MS, err);
    if (!search.best.by) try_all(&search, TRY_MS, err);
    int rc = search.best.by ? take(topology, &search.best, err) : search.rc;
    forget(&search.best);
    return rc;
}
