/* Commands and scripts about what is the space's own. Scripts are rare: sent whole each time. All
 * are spare (call.h): a process that works has much else to do, and one that begins knows of no
 * server yet that stands still. */
#ifndef RV_STORE_REDIS_SPACE_H
#define RV_STORE_REDIS_SPACE_H

#include "rv_redis_lua.h"
#include "store/redis/call.h"

enum { RV_RD_SPACE_WORDS = 6 }; /* at most: keys, and arguments */

/* keys are names as for rv_rd_key(); ARGV 1 is what is to be added to the server's clock, args
 * follow. */
struct rv_rd_space_script {
    enum rv_redis_lua which;
    const char *keys[RV_RD_SPACE_WORDS];
    size_t key_count;
    struct rv_bytes args[RV_RD_SPACE_WORDS];
    size_t arg_count;
    int64_t timeout_ms; /* 0: the store's own */
    bool brief;         /* there is more to do than wait for it: brief and once of call.h */
};

/* As rv_rd_call(), within the store's own time-out. A key of the space that holds what is not ours
 * is named. */
int rv_rd_space_call(struct rv_rd *store, const struct rv_rd_command *commands, size_t count,
                     redisReply **replies, struct rv_error *err);
/* The same, and brief (call.h). */
int rv_rd_space_call_briefly(struct rv_rd *store, const struct rv_rd_command *commands,
                             size_t count, redisReply **replies, struct rv_error *err);

/* *out is the caller's to free. */
int rv_rd_space_run(struct rv_rd *store, const struct rv_rd_space_script *script, redisReply **out,
                    struct rv_error *err);

/* Up to limit names of a sorted set of the space's, after `after` (NULL: from the first), in byte
 * order. */
int rv_rd_space_names(struct rv_rd *store, const char *set, const char *after, size_t limit,
                      struct rv_names *out, struct rv_error *err);

#endif
