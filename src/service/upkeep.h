/* Upkeep: lapsed claims are finished by proxy, due jobs become ready, records that were kept long
 * enough go. Correct with any number of them at once (J6); one thread per open handle that asks for
 * it. */
#ifndef RV_SERVICE_UPKEEP_H
#define RV_SERVICE_UPKEEP_H

#include <stdatomic.h>

#include "store/store.h"

struct rv_service;
struct rv_upkeep;

struct rv_upkept {
    uint64_t promoted, lapsed, expired;
    int64_t next_in_ms; /* until there is more to do, as far as the store knows; -1: it does not */
    size_t reached;     /* queues that were tended */
};

/* One pass over all queues; it ends early when *stopping (may be NULL). A queue that cannot be
 * tended does not hold up the others, unless that takes too long: the first error is returned, and
 * what was done all the same is in *out. */
int rv_upkeep_pass(struct rv_store *store, const struct rv_log *log, int64_t timeout_ms,
                   const atomic_bool *stopping, struct rv_upkept *out, struct rv_error *err);

/* Passes until rv_upkeep_stop(), the first one at once; all, unless there is an election. */
int rv_upkeep_start(struct rv_upkeep **out, struct rv_store *store, const struct rv_log *log,
                    int64_t timeout_ms, struct rv_error *err);
void rv_upkeep_stop(struct rv_upkeep *upkeep); /* NULL is fine */
/* Whoever is not elected passes only now and then from now on: often enough that a leader who has
 * died costs some latency and no more. If that cannot be set up, all passes are made. */
void rv_upkeep_elect(struct rv_upkeep *upkeep, struct rv_service *service);
void rv_upkeep_insist(struct rv_upkeep *upkeep); /* all passes, elected or not */
/* From now on no longer between two passes than suits leases of lease_ms. */
void rv_upkeep_suit(struct rv_upkeep *upkeep, int64_t lease_ms);

#endif
