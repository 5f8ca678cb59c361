/* Sees to it that a fail-over of the store's servers costs as little as can be: what it lost of the
 * last pushes is pushed again, and leases are renewed at once. One thread per handle, where there
 * can be fail-overs. */
#ifndef RV_SERVICE_MENDER_H
#define RV_SERVICE_MENDER_H

#include "service/keeper.h"
#include "service/listener.h"
#include "store/store.h"

struct rv_mender;

int rv_mender_start(struct rv_mender **out, struct rv_store *store, struct rv_error *err);
void rv_mender_stop(struct rv_mender *mender); /* NULL is fine */

/* There is something to see to. keeper, listener: those of the handle, which outlive the mender;
 * NULL while there are none. */
void rv_mender_mind(struct rv_mender *mender, struct rv_keeper *keeper,
                    struct rv_listener *listener);

/* Sees to what was pushed before now, rather than within a second: behind it, either the server
 * that is there has heard of it, or rc tells why that is not known. */
int rv_mender_pass(struct rv_mender *mender, struct rv_error *err);

#endif
