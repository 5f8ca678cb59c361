/* Bounds of a queue (core/bounds.h) at work. */
#ifndef RV_STORE_SQLITE_BOUNDS_H
#define RV_STORE_SQLITE_BOUNDS_H

#include "core/bounds.h"
#include "store/sqlite/step.h"

struct rv_bounds rv_sq_bounds(const struct rv_sq_queue *queue);
/* Would this be beyond max_length if count jobs more came to wait? */
bool rv_sq_bound_exceeded(const struct rv_sq_step *step, size_t count);
/* For one more job: *refused if there is no room; else some is made if need be. */
int rv_sq_bound_admit(struct rv_sq_step *step, bool *refused, struct rv_error *err);

bool rv_sq_bound_excess(const struct rv_sq_step *step); /* more failed records than are kept */
/* Removes up to most of those, first ended first; adds to *removed, which may be NULL. */
int rv_sq_bound_trim(struct rv_sq_step *step, size_t most, size_t *removed, struct rv_error *err);

#endif
