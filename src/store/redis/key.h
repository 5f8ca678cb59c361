/* The names of all keys, made in one place:
 *
 *   PREFIX:{SPACE/QUEUE#0}:NAME   of a queue; 0 is the number of its shard
 *   PREFIX:{SPACE}:NAME           of a space
 *   PREFIX:{TAG}:NAME             of a queue called =TAG: beside a key whose name is not ours
 *
 * What stands between the braces decides on which server of several a key lies. No part holds a
 * brace, a slash or a '#', so no two queues share a key. */
#ifndef RV_STORE_REDIS_KEY_H
#define RV_STORE_REDIS_KEY_H

#include "store/redis/redis.h"
#include "store/redis/shard.h"

enum {
    RV_RD_KEY_SIZE = RV_RD_PREFIX_MAX + 2 * REEVE_NAME_SIZE + 32,
    RV_RD_LEVELS = REEVE_PRIORITY_MAX - REEVE_PRIORITY_MIN + 1,
    RV_RD_KEYS_NAMED = 18, /* in the order of lua/head.lua */
    RV_RD_HASHES = 16,     /* of records, besides `job` */
    RV_RD_SETS_FIRST = 8,  /* of the named keys: the first of those that have others beside each */
    RV_RD_SETS_COUNT = 3,  /* of these hashes */
    RV_RD_KEYS_MAX =
        RV_RD_KEYS_NAMED + RV_RD_LEVELS + RV_RD_SETS_COUNT * RV_RD_HASHES + RV_RD_HASHES,
    RV_RD_ALL = 1 << RV_RD_LEVELS, /* needs of a script, besides a bit for each level */
    RV_RD_SPREAD = RV_RD_ALL << 1,
    RV_RD_SETS = RV_RD_SPREAD << 1,              /* only with RV_RD_SPREAD */
    RV_RD_NEEDS = RV_RD_SETS + (RV_RD_SETS - 1), /* all of them */
};

/* Writes the name (a few letters) of a key of shard (NULL: of the space) to out, RV_RD_KEY_SIZE
 * bytes. */
void rv_rd_key(const struct rv_rd *store, const struct rv_rd_shard *shard, const char *name,
               char *out);

/* The slot of a cluster that all keys of shard lie in. */
unsigned rv_rd_key_slot(const struct rv_rd *store, const struct rv_rd_shard *shard);

/* The type of the i-th of all keys, as the server calls it. */
const char *rv_rd_key_type(size_t i);

/* What a script is given: the first so many of the named keys, the lists of those levels whose bit
 * is set, the sorted sets beside the hashes of records if RV_RD_SETS is, and these hashes if
 * RV_RD_SPREAD is. */
struct rv_rd_keys {
    size_t count;
    const char *names[RV_RD_KEYS_MAX];
    size_t sizes[RV_RD_KEYS_MAX];
    char text[RV_RD_KEYS_MAX * RV_RD_KEY_SIZE];
};

void rv_rd_keys_fill(struct rv_rd_keys *keys, const struct rv_rd *store,
                     const struct rv_rd_shard *shard, size_t named, unsigned needs);

#endif
