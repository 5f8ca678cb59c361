/* The part of wait that is about names: rings when one was let go, or its holder is to resign (L7).
 * What a name's record counts of both is also what its channel tells. */
#ifndef RV_STORE_REDIS_GRANT_BELLS_H
#define RV_STORE_REDIS_GRANT_BELLS_H

#include "store/redis/channels.h"
#include "store/redis/redis.h"

/* count bells, all of grants. */
struct rv_rd_grant_bells {
    struct rv_bell *bells;
    size_t count;
};

int rv_rd_grant_bells_want(struct rv_rd *store, const struct rv_rd_grant_bells *bells,
                           struct rv_error *err);
/* *rings is set if one of them does. */
int rv_rd_grant_bells_look(struct rv_rd *store, const struct rv_rd_grant_bells *bells, bool *rings,
                           struct rv_error *err);
void rv_rd_grant_bells_hear(const struct rv_rd *store, const struct rv_rd_grant_bells *bells,
                            const struct rv_rd_message *message, bool *rings);

#endif
