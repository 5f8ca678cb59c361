/* Which server keeps what: one server, or the one that the Sentinels name, or the nodes of a
 * cluster. What is known of that may be out of date; whoever finds out says so, and it is looked
 * up anew before the next question. */
#ifndef RV_STORE_REDIS_TOPOLOGY_H
#define RV_STORE_REDIS_TOPOLOGY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "store/redis/nodes.h"
#include "store/redis/slots.h"
#include "store/redis/url.h"

struct rv_rd_pool;

enum { RV_RD_FAILOVERS = 16 }; /* that are remembered */

/* One server has taken the place of another. */
struct rv_rd_failover {
    const struct rv_rd_target *from, *to;
    int64_t at_ms;   /* wall: when it was noticed */
    int64_t took_ms; /* since the first was found not to answer; 0: nobody had asked it */
};

struct rv_rd_topology {
    enum rv_rd_shape shape;
    struct rv_rd_target server; /* the one; of other shapes what all servers have in common */
    struct rv_rd_pool *pool;    /* whose connections are used to look */
    const struct rv_log *log;
    const char *name;           /* of the primary, among the Sentinels */
    _Atomic uint64_t failovers; /* that were seen */
    _Atomic uint64_t lookups;   /* that came to something */
    atomic_bool refused;  /* the last one failed because of a setting: another would not help */
    pthread_mutex_t lock; /* guards all below; nobody waits for a server under it */
    struct rv_rd_failover latest[RV_RD_FAILOVERS]; /* by their number, modulo how many are kept */
    struct rv_rd_nodes nodes;                      /* servers */
    struct rv_rd_nodes sentinels;                  /* those of the url */
    const struct rv_rd_target **owners; /* of each slot; of one only if this is no cluster */
    const struct rv_rd_target *teller;  /* whom to ask first */
    bool doubted;                       /* it is to be looked up anew */
    bool looking;                       /* somebody does */
    int64_t looked_ms;                  /* when last; boot */
    struct rv_error why;                /* it came to nothing */
};

/* pool is not used before rv_rd_topology_find(). log may be NULL. */
int rv_rd_topology_init(struct rv_rd_topology *topology, const struct rv_rd_url *url,
                        const struct rv_rd_tls *tls, struct rv_rd_pool *pool,
                        const struct rv_log *log, struct rv_error *err);
void rv_rd_topology_release(struct rv_rd_topology *topology);

/* Where slot is kept. Looks it up if that is not known, or doubted; if nobody can be asked, what
 * was last known has to do. REEVE_EUNREACHABLE: nothing is known. */
int rv_rd_topology_find(struct rv_rd_topology *topology, unsigned slot, int64_t deadline_ms,
                        const struct rv_rd_target **out, struct rv_error *err);
/* Looks it up if that was not done for a while: for those who have the time. A server that was
 * followed by another may not know, and go on taking writes that will be lost. */
void rv_rd_topology_refresh(struct rv_rd_topology *topology, int64_t deadline_ms);
/* Somebody met what does not fit, or nobody at all. Nothing comes of it if the latest look is less
 * than apart_ms ago: for those who would say so again and again. */
void rv_rd_topology_doubt(struct rv_rd_topology *topology, int64_t apart_ms);
/* Where from redirects to (slots.h): "": from's own host. NULL: out of memory. */
const struct rv_rd_target *rv_rd_topology_redirect(struct rv_rd_topology *topology,
                                                   const struct rv_rd_target *from,
                                                   const struct rv_rd_address *to);
/* The i-th of the servers that keep something; NULL: there are not so many. */
const struct rv_rd_target *rv_rd_topology_primary(struct rv_rd_topology *topology, size_t i);

/* Takes over what was looked up: owners, a block of the topology's own from now on. Tells of
 * fail-overs. For those who look. */
void rv_rd_topology_install(struct rv_rd_topology *topology, const struct rv_rd_target **owners,
                            const struct rv_rd_target *teller);
/* The fail-over of that number, from 1 on; false: there is none, or it is forgotten. */
bool rv_rd_topology_failover(struct rv_rd_topology *topology, uint64_t number,
                             struct rv_rd_failover *out);
size_t rv_rd_topology_slots(const struct rv_rd_topology *topology); /* elements of owners */

#endif
