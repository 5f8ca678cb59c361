/* One job by its id. */
#ifndef RV_STORE_SQLITE_JOBS_H
#define RV_STORE_SQLITE_JOBS_H

#include "store/sqlite/claim.h"

/* Finds the record of id in the step's queue, expired or not. 0: it is in *out, borrowed from
 * *query, which the caller ends. REEVE_ENOENT: there is none. */
int rv_sq_job_find(struct rv_sq_step *step, const char *id, struct rv_sq_query *query,
                   struct rv_sq_record *out, struct rv_error *err);
bool rv_sq_job_expired(const struct rv_sq_step *step, const struct rv_sq_record *record);

/* Removes the row, and what of it is elsewhere. Counting is the caller's. */
int rv_sq_job_remove(struct rv_sq_step *step, const struct rv_sq_record *record,
                     struct rv_error *err);
/* The same, counted (J12). It is not RUNNING. */
int rv_sq_job_take_out(struct rv_sq_step *step, const struct rv_sq_record *record,
                       struct rv_error *err);

#endif
