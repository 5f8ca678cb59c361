/* What the bells need to know of a grant. */
#ifndef RV_STORE_SQLITE_GRANTS_H
#define RV_STORE_SQLITE_GRANTS_H

#include "store/sqlite/step.h"

/* As they stand; left alone if there is no such name. */
int rv_sq_grant_bells(struct rv_sq_step *step, enum rv_grant_kind kind, const char *name,
                      uint64_t *freed, uint64_t *asked, struct rv_error *err);

#endif
