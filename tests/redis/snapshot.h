/* All that a server keeps, key by key: to see whether anything has changed, and to have it back. */
#ifndef REDIS_SNAPSHOT_H
#define REDIS_SNAPSHOT_H

#include "redis/redis_tests.h"

enum { SNAPSHOT_KEYS_MAX = 64 };

struct snapshot {
    size_t count;
    redisReply *names;                     /* of the keys */
    redisReply *values[SNAPSHOT_KEYS_MAX]; /* as DUMP has them */
};

struct snapshot snapshot_take(struct line *line); /* of what line->rd asks */
void snapshot_release(struct snapshot *snapshot);
/* The value of a key; NULL if it was not there. */
const redisReply *snapshot_find(const struct snapshot *snapshot, const char *name);
/* The name of a key that has come, gone or changed; NULL: there is none. */
const char *snapshot_differs(struct line *line, const struct snapshot *before,
                             const struct snapshot *after);
void snapshot_restore(struct line *line, const struct snapshot *snapshot); /* and nothing else */
void snapshot_restore_key(struct line *line, const struct snapshot *snapshot, const char *name);

#endif
