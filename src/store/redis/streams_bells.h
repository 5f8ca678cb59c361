/* The part of wait that is about groups of streams: rings when one waits, or an owner is to let one
 * go. What a group's meta tells of both is also what its channel tells. Strangers, who use the
 * published layout, ring no bell: a compat group is looked at every second. */
#ifndef RV_STORE_REDIS_STREAMS_BELLS_H
#define RV_STORE_REDIS_STREAMS_BELLS_H

#include "store/redis/channels.h"
#include "store/redis/redis.h"

/* count bells, all of groups. */
struct rv_rd_group_bells {
    struct rv_bell *bells;
    size_t count;
};

int rv_rd_group_bells_want(struct rv_rd *store, const struct rv_rd_group_bells *bells,
                           struct rv_error *err);
/* *rings is set if one of them does; *look_at_ms comes nearer if one must be looked at sooner. */
int rv_rd_group_bells_look(struct rv_rd *store, const struct rv_rd_group_bells *bells, bool *rings,
                           int64_t *look_at_ms, struct rv_error *err);
/* Hints of locks that expired: those that want them are listened for, and what was heard rings. */
void rv_rd_group_bells_listen(struct rv_rd *store, const struct rv_rd_group_bells *bells);
void rv_rd_group_bells_hear_hints(struct rv_rd *store, const struct rv_rd_group_bells *bells,
                                  bool *rings);
void rv_rd_group_bells_hear(const struct rv_rd *store, const struct rv_rd_group_bells *bells,
                            const struct rv_rd_message *message, bool *rings);

#endif
