/* The jobs that a push was given, as a table that its SQL can read: one statement for a thousand of
 * them costs half of a statement for each. `FROM given_jobs(P)` has a row per job, in their order;
 * P is a struct rv_sq_given_jobs bound by rv_sq_bind_pointer(). Columns: id, state, priority, seq,
 * run_at, kind, terms, body. */
#ifndef RV_STORE_SQLITE_GIVEN_H
#define RV_STORE_SQLITE_GIVEN_H

#include <sqlite3.h>

#include "base/buf.h"
#include "core/check.h"

#define RV_SQ_GIVEN_JOBS "rv_given_jobs" /* the type of the pointer bound */

struct rv_sq_given_jobs {
    const struct rv_new_job *jobs;
    size_t count;
    uint64_t seq; /* of the first; they count up */
    int64_t now_ms;
    struct rv_buf *terms; /* room to pack them in */
};

int rv_sq_given_register(sqlite3 *db); /* an SQLite result code */

#endif
