/* A store that need not be there yet: it is opened when it can be had, and until then every call is
 * REEVE_EUNREACHABLE. For those who have something better to do than to wait for it. */
#ifndef RV_STORE_LATE_H
#define RV_STORE_LATE_H

#include "store/store.h"

/* As rv_store_open(), but a store that is away is no failure. */
int rv_late_open(struct rv_store **out, const char *url, const struct rv_store_config *config,
                 struct rv_error *err);

#endif
