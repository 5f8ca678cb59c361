#include "store/redis/topology.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/redis/cluster.h"
#include "store/redis/sentinel.h"

enum { LOOKS_APART_MS = 50, OLD_MS = 10000 };

/* ---- opening ---- */
static int add_hosts(struct rv_rd_nodes *nodes, const struct rv_rd_url *url, struct rv_error *err) {
    for (size_t i = 0; i < url->host_count; i++)
        if (!rv_rd_nodes_get(nodes, url->hosts[i].host, url->hosts[i].port))
            return rv_fail(err, REEVE_ENOMEM, "out of memory");
    return 0;
}

static int fill(struct rv_rd_topology *topology, const struct rv_rd_url *url,
                struct rv_error *err) {
    topology->nodes = (struct rv_rd_nodes){.like = topology->server, .kind = "redis"};
    topology->sentinels = (struct rv_rd_nodes){.like = topology->server, .kind = "sentinel"};
    struct rv_rd_target *sentinel = &topology->sentinels.like;
    sentinel->db = 0;
    sentinel->user = url->sentinel_user;
    sentinel->password = url->sentinel_password;
    if (url->sentinel_plain) sentinel->tls = NULL;
    if (url->shape == RV_RD_ONE) return 0;
    topology->owners = calloc(rv_rd_topology_slots(topology), sizeof(*topology->owners));
    if (!topology->owners) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    topology->doubted = true;
    bool watched = url->shape == RV_RD_SENTINEL;
    return add_hosts(watched ? &topology->sentinels : &topology->nodes, url, err);
}

int rv_rd_topology_init(struct rv_rd_topology *topology, const struct rv_rd_url *url,
                        const struct rv_rd_tls *tls, struct rv_rd_pool *pool,
                        const struct rv_log *log, struct rv_error *err) {
    *topology = (struct rv_rd_topology){
        .shape = url->shape, .server = url->target, .pool = pool, .log = log, .name = url->primary};
    topology->server.tls = tls;
    if (pthread_mutex_init(&topology->lock, NULL))
        return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc = fill(topology, url, err);
    if (rc) rv_rd_topology_release(topology);
    return rc;
}

void rv_rd_topology_release(struct rv_rd_topology *topology) {
    rv_rd_nodes_release(&topology->nodes);
    rv_rd_nodes_release(&topology->sentinels);
    free(topology->owners);
    (void)pthread_mutex_destroy(&topology->lock);
}

/* ---- looking up ---- */
size_t rv_rd_topology_slots(const struct rv_rd_topology *topology) {
    return topology->shape == RV_RD_CLUSTER ? RV_RD_SLOTS : 1;
}

static const struct rv_rd_target *owner(struct rv_rd_topology *topology, unsigned slot) {
    (void)pthread_mutex_lock(&topology->lock);
    const struct rv_rd_target *found =
        topology->owners[topology->shape == RV_RD_CLUSTER ? slot : 0];
    (void)pthread_mutex_unlock(&topology->lock);
    return found;
}

/* Whether the caller is to look: nobody else does, and not too often. */
static bool begin_look(struct rv_rd_topology *topology, unsigned slot) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    bool known = owner(topology, slot);
    (void)pthread_mutex_lock(&topology->lock);
    bool apart = !topology->looked_ms || now_ms - topology->looked_ms >= LOOKS_APART_MS;
    bool mine = (topology->doubted || !known) && !topology->looking && apart;
    if (mine) {
        topology->looking = true;
        topology->doubted = false;
    }
    (void)pthread_mutex_unlock(&topology->lock);
    return mine;
}

static int look(struct rv_rd_topology *topology, int64_t deadline_ms, struct rv_error *err) {
    struct rv_error why = {0};
    int rc = topology->shape == RV_RD_CLUSTER ? rv_rd_cluster_look(topology, deadline_ms, &why)
                                              : rv_rd_sentinel_look(topology, deadline_ms, &why);
    if (rc) (void)rv_fail(err, rc, "%s", why.text);
    (void)pthread_mutex_lock(&topology->lock);
    topology->looking = false;
    topology->looked_ms = rv_clock_boot_ms(&rv_clock_real);
    if (rc) topology->doubted = true;
    topology->why = why;
    (void)pthread_mutex_unlock(&topology->lock);
    return rc;
}

/* Nobody is known to keep slot: what the last look met says why. */
static int fail_unknown(struct rv_rd_topology *topology, unsigned slot, struct rv_error *err) {
    (void)pthread_mutex_lock(&topology->lock);
    struct rv_error why = topology->why;
    (void)pthread_mutex_unlock(&topology->lock);
    if (why.code) return rv_fail(err, REEVE_EUNREACHABLE, "%s", why.text);
    if (topology->shape == RV_RD_CLUSTER)
        return rv_fail(err, REEVE_EUNREACHABLE, "%s: no node keeps slot %u at present",
                       topology->server.shown, slot);
    return rv_fail(err, REEVE_EUNREACHABLE, "%s: no primary is known at present",
                   topology->server.shown);
}

int rv_rd_topology_find(struct rv_rd_topology *topology, unsigned slot, int64_t deadline_ms,
                        const struct rv_rd_target **out, struct rv_error *err) {
    *out = &topology->server;
    if (topology->shape == RV_RD_ONE) return 0;
    int rc = begin_look(topology, slot) ? look(topology, deadline_ms, err) : 0;
    *out = owner(topology, slot);
    if (*out) return 0;
    if (rc) return rc;
    return fail_unknown(topology, slot, err);
}

void rv_rd_topology_refresh(struct rv_rd_topology *topology, int64_t deadline_ms) {
    if (topology->shape == RV_RD_ONE) return;
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    (void)pthread_mutex_lock(&topology->lock);
    bool mine = !topology->looking && now_ms - topology->looked_ms >= OLD_MS;
    if (mine) topology->looking = true;
    (void)pthread_mutex_unlock(&topology->lock);
    if (mine) (void)look(topology, deadline_ms, NULL);
}

void rv_rd_topology_doubt(struct rv_rd_topology *topology, int64_t apart_ms) {
    if (topology->shape == RV_RD_ONE) return;
    int64_t now_ms = apart_ms ? rv_clock_boot_ms(&rv_clock_real) : 0;
    (void)pthread_mutex_lock(&topology->lock);
    if (!apart_ms || now_ms - topology->looked_ms >= apart_ms) topology->doubted = true;
    (void)pthread_mutex_unlock(&topology->lock);
}

const struct rv_rd_target *rv_rd_topology_redirect(struct rv_rd_topology *topology,
                                                   const struct rv_rd_target *from,
                                                   const struct rv_rd_address *to) {
    (void)pthread_mutex_lock(&topology->lock);
    const struct rv_rd_target *target =
        rv_rd_nodes_get(&topology->nodes, *to->host ? to->host : from->host, to->port);
    if (target) topology->teller = target; /* it knows best whose the slot is */
    (void)pthread_mutex_unlock(&topology->lock);
    return target;
}

const struct rv_rd_target *rv_rd_topology_primary(struct rv_rd_topology *topology, size_t i) {
    if (topology->shape == RV_RD_ONE) return i ? NULL : &topology->server;
    (void)pthread_mutex_lock(&topology->lock);
    const struct rv_rd_node *node = topology->nodes.first;
    for (; node; node = node->next) {
        bool keeps = false;
        for (size_t slot = 0; !keeps && slot < rv_rd_topology_slots(topology); slot++)
            keeps = topology->owners[slot] == &node->target;
        if (keeps && !i--) break;
    }
    (void)pthread_mutex_unlock(&topology->lock);
    return node ? &node->target : NULL;
}

/* ---- changes ---- */
static bool keeps_any(const struct rv_rd_target *const *owners, size_t count,
                      const struct rv_rd_target *target) {
    for (size_t i = 0; i < count; i++)
        if (owners[i] == target) return true;
    return false;
}

bool rv_rd_topology_failover(struct rv_rd_topology *topology, uint64_t number,
                             struct rv_rd_failover *out) {
    (void)pthread_mutex_lock(&topology->lock);
    uint64_t count = atomic_load(&topology->failovers);
    bool known = number >= 1 && number <= count && count - number < RV_RD_FAILOVERS;
    if (known) *out = topology->latest[number % RV_RD_FAILOVERS];
    (void)pthread_mutex_unlock(&topology->lock);
    return known;
}

static void note_failover(struct rv_rd_topology *topology, const struct rv_rd_target *from,
                          const struct rv_rd_target *to) {
    int64_t since_ms = atomic_exchange(&from->seen->silent_ms, 0);
    struct rv_rd_failover failover = {
        .from = from,
        .to = to,
        .at_ms = rv_clock_wall_ms(&rv_clock_real),
        .took_ms = since_ms ? rv_clock_boot_ms(&rv_clock_real) - since_ms : 0};
    atomic_store(&to->seen->followed, true);
    (void)pthread_mutex_lock(&topology->lock);
    uint64_t number = atomic_load(&topology->failovers) + 1;
    topology->latest[number % RV_RD_FAILOVERS] = failover;
    atomic_store(&topology->failovers, number);
    (void)pthread_mutex_unlock(&topology->lock);
    rv_log(topology->log, REEVE_LOG_WARN, "store.failover",
           "from=\"%s\" to=\"%s\" took_ms=%lld reason=\"what the first had not passed on yet is "
           "lost\"",
           from->shown, to->shown, (long long)failover.took_ms);
}

/* A server that kept something and keeps nothing now has been followed by one that kept nothing:
 * otherwise slots were only moved. */
static void tell_failovers(struct rv_rd_topology *topology, const struct rv_rd_target *const *old,
                           const struct rv_rd_target *const *now) {
    size_t count = rv_rd_topology_slots(topology);
    const struct rv_rd_target *from = NULL, *to = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!old[i] || !now[i] || old[i] == now[i] || (old[i] == from && now[i] == to)) continue;
        from = old[i];
        to = now[i];
        if (keeps_any(now, count, from) || keeps_any(old, count, to)) continue;
        note_failover(topology, from, to);
    }
}

void rv_rd_topology_install(struct rv_rd_topology *topology, const struct rv_rd_target **owners,
                            const struct rv_rd_target *teller) {
    (void)pthread_mutex_lock(&topology->lock);
    const struct rv_rd_target **old = topology->owners;
    topology->owners = owners;
    if (teller) topology->teller = teller;
    (void)pthread_mutex_unlock(&topology->lock);
    (void)atomic_fetch_add(&topology->lookups, 1);
    tell_failovers(topology, old, owners); /* only one looks at a time: nobody frees them now */
    free(old);
}
