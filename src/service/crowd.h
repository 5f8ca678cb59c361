/* Callers whose pushes went into one step come back together with their next ones. Whoever is the
 * first of them waits for the others, no longer than the step took, and the more seldom the more
 * often they did not come. One crowd is remembered, that of the latest queue. */
#ifndef RV_SERVICE_CROWD_H
#define RV_SERVICE_CROWD_H

#include <reeve.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_crowd {
    char queue[REEVE_NAME_SIZE];
    size_t jobs;       /* that it will bring, as far as one can tell */
    int64_t until_us;  /* CLOCK_BOOTTIME: who has not come by then does not come back */
    unsigned vain;     /* waits in a row after which some were missing */
    unsigned unwaited; /* steps not to wait before */
};

/* A step of the queue is over. jobs: that were in it or came meanwhile. */
void rv_crowd_note(struct rv_crowd *crowd, const char *queue, size_t jobs, int64_t now_us,
                   int64_t took_us);

/* Whoever is about to send waits until *jobs are there, or until the time returned; 0: not at all.
 */
int64_t rv_crowd_expect(struct rv_crowd *crowd, const char *queue, size_t *jobs);
void rv_crowd_waited(struct rv_crowd *crowd, bool all_came);

#endif
