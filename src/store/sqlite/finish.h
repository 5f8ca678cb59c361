/* Handing in: the first half of an exchange. */
#ifndef RV_STORE_SQLITE_FINISH_H
#define RV_STORE_SQLITE_FINISH_H

#include "store/sqlite/claim.h"

/* Hands in each outcome under its token and holder, and sets its status (J3, J7, J8). *changed
 * becomes true if the store has changed. */
int rv_sq_finish(struct rv_sq_step *step, struct rv_outcome *outcomes, size_t count, bool *changed,
                 struct rv_error *err);

#endif
