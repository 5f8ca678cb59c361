/* Tells somebody a worker's figures, every so often and once more at its end. */
#ifndef RV_WORK_REPORTER_H
#define RV_WORK_REPORTER_H

#include "base/error.h"
#include "base/signal.h"

struct rv_reporter {
    reeve_stats_fn *fn; /* NULL: there is nobody to tell, and no thread */
    void *arg;
    int64_t every_ms;
    void (*read)(void *of, struct reeve_worker_stats *out);
    void *of;

    struct rv_signal signal;
    pthread_t thread;
};

/* Its upper part is set. */
int rv_reporter_start(struct rv_reporter *reporter, struct rv_error *err);
void rv_reporter_stop(struct rv_reporter *reporter); /* once it has told the last figures */

#endif
