/* From a target to a connected socket. */
#ifndef RV_STORE_REDIS_DIAL_H
#define RV_STORE_REDIS_DIAL_H

#include <stdint.h>

#include "base/error.h"
#include "store/redis/target.h"

/* Tries each address of target's host in turn, each with its share of the time that is left, and
 * gives the first that answers: non-blocking, closed on exec. REEVE_EUNREACHABLE if none does.
 * Looking a name up has the resolver's own time-outs. */
int rv_rd_dial(const struct rv_rd_target *target, int64_t deadline_ms, int *fd,
               struct rv_error *err);
/* Begins to connect to one of the addresses of target's host, the turn-th as they go round, and
 * does not wait for it: poll for writing. -1: it cannot be, or nobody is there. */
int rv_rd_dial_begin(const struct rv_rd_target *target, unsigned turn);

#endif
