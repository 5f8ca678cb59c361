/* Grants: leases of names. They lie with the space, not with a queue, so that those of a process
 * are renewed in one step. */
#ifndef RV_STORE_REDIS_GRANTS_H
#define RV_STORE_REDIS_GRANTS_H

#include "rv_redis_lua.h"
#include "store/redis/call.h"
#include "store/redis/key.h"

/* A name as scripts know it: a digit for its kind, then itself. */
enum { RV_RD_GRANT_NAME_SIZE = 1 + REEVE_NAME_SIZE };
void rv_rd_grant_name(enum rv_grant_kind kind, const char *name, char *out);

/* Runs a script about them with these arguments, at most RV_RD_SPACE_WORDS (space.h). *out is the
 * caller's to free: never a status, by which a script says that it cannot read what it found
 * (REEVE_ECORRUPT, REEVE_ESCHEMA). */
int rv_rd_grants_run(struct rv_rd *store, enum rv_redis_lua which, const struct rv_bytes *args,
                     size_t count, redisReply **out, struct rv_error *err);

#endif
