#include "service/crowd.h"

#include <stdio.h>
#include <string.h>

#include "core/limits.h"

enum {
    PATIENCE_US_MAX = 1000,
    VAIN_MAX = 5, /* then one of 32 steps is waited for */
};

void rv_crowd_note(struct rv_crowd *crowd, const char *queue, size_t jobs, int64_t now_us,
                   int64_t took_us) {
    if (strcmp(crowd->queue, queue) != 0) {
        *crowd = (struct rv_crowd){0};
        (void)snprintf(crowd->queue, sizeof crowd->queue, "%s", queue);
    }
    crowd->jobs = jobs < RV_PUSH_MAX ? jobs : RV_PUSH_MAX;
    crowd->until_us = now_us + (took_us < PATIENCE_US_MAX ? took_us : PATIENCE_US_MAX);
}

int64_t rv_crowd_expect(struct rv_crowd *crowd, const char *queue, size_t *jobs) {
    *jobs = crowd->jobs;
    if (crowd->jobs < 2 || strcmp(crowd->queue, queue) != 0) return 0;
    if (!crowd->unwaited) return crowd->until_us;
    crowd->unwaited--;
    return 0;
}

void rv_crowd_waited(struct rv_crowd *crowd, bool all_came) {
    if (all_came)
        crowd->vain = 0;
    else if (crowd->vain < VAIN_MAX)
        crowd->vain++;
    crowd->unwaited = (1u << crowd->vain) - 1;
}
