/* Forwards what a spool (store/spool.h) has kept, once its store is back. Any number may at once,
 * in any number of processes: each push is claimed by one, and its id and nonce decide. */
#ifndef RV_SERVICE_FORWARDER_H
#define RV_SERVICE_FORWARDER_H

#include <stdatomic.h>

#include "service/service.h"
#include "store/spool.h"

struct rv_forwarded {
    uint64_t forwarded; /* the store has them now */
    uint64_t put_off;   /* it would not have them now: a full queue, for example */
    uint64_t refused;   /* it will never have them: kept, with the reason */
};

/* Forwards all that waits. 0, or what stopped it: REEVE_EUNREACHABLE, REEVE_EUNSURE if the store is
 * away; *out tells what was done until then. stopping, which may be NULL: ends early. */
int rv_forwarder_pass(struct rv_service *service, struct rv_spool *spool,
                      const atomic_bool *stopping, struct rv_forwarded *out, struct rv_error *err);

/* A thread that does so when something was kept, and looks now and then for what others left. */
struct rv_forwarder;
int rv_forwarder_start(struct rv_forwarder **out, struct rv_service *service,
                       struct rv_spool *spool, struct rv_error *err);
void rv_forwarder_stop(struct rv_forwarder *forwarder); /* NULL is fine */
void rv_forwarder_wake(struct rv_forwarder *forwarder); /* something was kept */

#endif
