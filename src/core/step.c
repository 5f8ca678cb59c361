#include "core/step.h"

#include <string.h>

size_t rv_step_size(const struct rv_new_job *jobs, size_t count, struct rv_push_step most) {
    size_t size = 0, bytes = 0;
    while (size < count && size < most.jobs) {
        bytes += jobs[size].body.size;
        if (strcmp(jobs[size].queue, jobs->queue) != 0) break;
        if (size && bytes > most.bytes) break;
        size++;
    }
    return size;
}
