/* Whether a server is fit to keep jobs: looked at when a store is opened. */
#ifndef RV_STORE_REDIS_FITNESS_H
#define RV_STORE_REDIS_FITNESS_H

#include "store/redis/redis.h"

enum { RV_RD_LAYOUT = 1 }; /* of the keys: docs/redis.md */

/* Meets the server: version, eviction policy, version of the layout; sees how far its clock is
 * ahead. REEVE_ENOTSUP, REEVE_ESCHEMA, or as rv_rd_conn_open(). */
int rv_rd_fitness_check(struct rv_rd *store, struct rv_error *err);

#endif
