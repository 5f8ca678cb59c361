/* Scripts about what is the space's own. They are rare: sent whole each time. */
#ifndef RV_STORE_REDIS_SPACE_H
#define RV_STORE_REDIS_SPACE_H

#include "rv_redis_lua.h"
#include "store/redis/call.h"

enum { RV_RD_SPACE_WORDS = 4 }; /* at most: keys, and arguments */

/* keys are names as for rv_rd_key(); ARGV 1 is what is to be added to the server's clock, args
 * follow. */
struct rv_rd_space_script {
    enum rv_redis_lua which;
    const char *keys[RV_RD_SPACE_WORDS];
    size_t key_count;
    struct rv_bytes args[RV_RD_SPACE_WORDS];
    size_t arg_count;
};

/* *out is the caller's to free. */
int rv_rd_space_run(struct rv_rd *store, const struct rv_rd_space_script *script, redisReply **out,
                    struct rv_error *err);

#endif
