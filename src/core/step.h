/* How many pushes go to the store together. */
#ifndef RV_CORE_STEP_H
#define RV_CORE_STEP_H

#include "core/check.h"

/* How large a step of pushing is at most (J11); one job may have more bytes. */
struct rv_push_step {
    size_t jobs, bytes;
    size_t at_once; /* steps on their way together that are done sooner than one after the other */
};

/* Where a push stands among those that came with it. */
struct rv_push_place {
    const char *queue;
    size_t place;
};

/* By queue, and in each as they stood. */
void rv_step_sort(struct rv_push_place *places, size_t count);

/* How many of count (> 0) jobs, from the first on, make one step: of one queue, and no larger. */
size_t rv_step_size(const struct rv_new_job *jobs, size_t count, struct rv_push_step most);

#endif
