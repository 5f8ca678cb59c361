/* How many pushes go to the store together. */
#ifndef RV_CORE_STEP_H
#define RV_CORE_STEP_H

#include "core/check.h"

/* How many of count (> 0) jobs, from the first on, make one step: of one queue, within the bounds
 * (J11). */
size_t rv_step_size(const struct rv_new_job *jobs, size_t count);

#endif
