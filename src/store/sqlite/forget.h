/* Forgets jobs of a claim that have ended and of which nothing is kept, all by one statement: that
 * costs half of a statement for each. */
#ifndef RV_STORE_SQLITE_FORGET_H
#define RV_STORE_SQLITE_FORGET_H

#include "store/sqlite/step.h"

/* Removes the jobs that outcomes[0..count-1] name, as far as holder has them; gone[i]: it had that
 * of outcomes[i]. At most RV_CLAIM_MAX outcomes. Bodies and notes in tables of their own stay. */
int rv_sq_forget(struct rv_sq_step *step, uint64_t holder, const struct rv_outcome *outcomes,
                 size_t count, bool *gone, struct rv_error *err);

int rv_sq_forget_register(sqlite3 *db); /* an SQLite result code */

#endif
