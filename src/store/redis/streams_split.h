/* What of the published layout lies elsewhere in a cluster than a group's own keys: the locks by
 * which strangers see that an owner lives, and the dead letters. Scripts cannot reach it; this is
 * done before or after them, in an order in which nothing is lost whenever we are killed
 * (docs/streams.md). */
#ifndef RV_STORE_REDIS_STREAMS_SPLIT_H
#define RV_STORE_REDIS_STREAMS_SPLIT_H

#include "store/redis/streams_call.h"

/* locks: key, owner, ms (0: it goes), ... as tell() in lua/entries.lua has them. What fails is done
 * by the next renewal: until then strangers go by the time for which an entry is idle. */
void rv_rd_locks_set(struct rv_rd *store, const redisReply *locks, int64_t timeout_ms);
/* there[i]: whether there is such a lock, as far as can be told: what cannot be asked counts as
 * there. REEVE_ENOMEM. */
int rv_rd_locks_ask(struct rv_rd *store, const char *const *keys, size_t count, bool *there,
                    struct rv_error *err);

/* Puts dead letters that lie with the group where they belong; what fails is tried again by the
 * next who comes. most: that are kept there, 0: all. */
void rv_rd_letters_post(struct rv_rd *store, const struct rv_group *group, uint64_t most);
/* The ops on dead letters, where those are. */
int rv_rd_letters_count(struct rv_rd *store, const struct rv_group *group, uint64_t *count,
                        struct rv_error *err);
int rv_rd_letters_revive(struct rv_store *s, const struct rv_group *group, const char *id,
                         int *answer, struct rv_error *err);
int rv_rd_letters_purge(struct rv_store *s, const struct rv_group *group, const char *const *ids,
                        size_t count, int *removed, struct rv_error *err);

#endif
