/* Hints that a lock of the published layout has expired, from the server's own notifications. They
 * only make recovery sooner: nothing hangs on them. Not in a cluster, where each server tells of
 * its own keys alone. */
#ifndef RV_STORE_REDIS_STREAMS_HINTS_H
#define RV_STORE_REDIS_STREAMS_HINTS_H

#include "store/redis/channels.h"
#include "store/redis/redis.h"

bool rv_rd_hears_expiry(const struct rv_rd *store, const struct rv_group *group);
/* Wants the channel, and sees once that the server tells: flags are added to its setting, never
 * taken away. Who may not do that hears nothing, and that is logged. */
int rv_rd_want_expiry(struct rv_rd *store, struct rv_error *err);
/* Is it about the lock of an owner? */
bool rv_rd_is_expiry(const struct rv_rd *store, const struct rv_rd_message *message);

#endif
