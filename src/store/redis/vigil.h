/* Vigils: who has nothing to do stands by at the server (`offers`, lua/stand.lua). The push of the
 * next job claims it for him in the same step (lua/give.lua) and tells it at a channel that he
 * alone listens to, by a box of his own: so he has the job with the first he hears of it. If
 * somebody rings for another reason he is told only that. */
#ifndef RV_STORE_REDIS_VIGIL_H
#define RV_STORE_REDIS_VIGIL_H

#include "store/redis/box.h"
#include "store/redis/redis.h"
#include "store/redis/shard.h"

enum { RV_RD_LANE_SIZE = 17 }; /* of a lane as text, with its NUL */
void rv_rd_lane_print(uint64_t lane, char out[RV_RD_LANE_SIZE]);

/* The box of who sends that exchange to shard, to be given back (store->vigils): he hears whatever
 * is told from now on. NULL: he cannot, and is not to stand by. */
struct rv_rd_box *rv_rd_vigil_open(struct rv_rd *store, const struct rv_rd_shard *shard,
                                   const struct rv_exchange *exchange);

#endif
