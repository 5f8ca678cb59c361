/* Asking Sentinels for the primary. */
#ifndef RV_STORE_REDIS_SENTINEL_H
#define RV_STORE_REDIS_SENTINEL_H

#include "store/redis/topology.h"

/* What a Sentinel says. */
struct rv_rd_named {
    struct rv_rd_address at;
    long long epoch; /* of the fail-over that made it so: the highest is the latest; 0: not told */
    size_t votes;    /* Sentinels that say so */
};

/* Asks all of them and believes the latest fail-over, then the most, then whoever comes first; and
 * only a server that says itself that it is a primary. REEVE_EUNREACHABLE: there is none. */
int rv_rd_sentinel_look(struct rv_rd_topology *topology, int64_t deadline_ms, struct rv_error *err);

/* address: the answer to SENTINEL GET-MASTER-ADDR-BY-NAME, about: to SENTINEL MASTER, which may be
 * an error. False if there is no address in it. */
bool rv_rd_named_parse(const redisReply *address, const redisReply *about, struct rv_rd_named *out);
/* Whether this answer to ROLE is a primary's. */
bool rv_rd_is_primary(const redisReply *role);

#endif
