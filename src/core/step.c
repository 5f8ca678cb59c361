#include "core/step.h"

#include <string.h>

#include "core/limits.h"

size_t rv_step_size(const struct rv_new_job *jobs, size_t count) {
    size_t size = 0, bytes = 0;
    while (size < count && size < RV_PUSH_MAX) {
        bytes += jobs[size].body.size;
        if (strcmp(jobs[size].queue, jobs->queue) != 0) break;
        if (size && bytes > RV_PUSH_BYTES_MAX) break;
        size++;
    }
    return size;
}
