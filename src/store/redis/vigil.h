/* Waiting for a job and claiming it in one go: a BLPOP on the bell of a queue, and behind it on the
 * same connection, before it is answered, the script that claims. The server runs that as soon as
 * somebody rings. So no thread hears of the job before it has it, and there is one round trip less.
 * The second key of the BLPOP is the holder's own, for who wants it to end. */
#ifndef RV_STORE_REDIS_VIGIL_H
#define RV_STORE_REDIS_VIGIL_H

#include "store/redis/conn.h"
#include "store/redis/key.h"
#include "store/redis/redis.h"
#include "store/redis/shard.h"

struct rv_rd_vigil {
    int64_t ms;
    char bell[RV_RD_KEY_SIZE], stir[RV_RD_KEY_SIZE], seconds[24];
    const char *words[4];
    struct rv_rd_command command;
};

void rv_rd_vigil_init(struct rv_rd_vigil *vigil, const struct rv_rd *store,
                      const struct rv_rd_shard *shard, uint64_t holder, int64_t ms);

#endif
