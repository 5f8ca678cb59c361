#include "core/step.h"

#include <stdlib.h>
#include <string.h>

static int by_queue(const void *a, const void *b) {
    const struct rv_push_place *left = a, *right = b;
    int order = strcmp(left->queue, right->queue);
    if (order) return order;
    return left->place < right->place ? -1 : left->place > right->place;
}

void rv_step_sort(struct rv_push_place *places, size_t count) {
    qsort(places, count, sizeof *places, by_queue);
}

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
