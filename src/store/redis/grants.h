/* Grants: leases of names. They lie with the space, not with a queue, so that those of a process
 * are renewed in one step. */
#ifndef RV_STORE_REDIS_GRANTS_H
#define RV_STORE_REDIS_GRANTS_H

#include "store/redis/key.h"

/* A name as scripts know it: a digit for its kind, then itself. */
enum { RV_RD_GRANT_NAME_SIZE = 1 + REEVE_NAME_SIZE };
void rv_rd_grant_name(enum rv_grant_kind kind, const char *name, char *out);

#endif
