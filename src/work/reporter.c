#include "work/reporter.h"

#include "base/thread.h"

enum { STOP = 1 };

static void *report(void *arg) {
    struct rv_reporter *r = arg;
    bool last = false;
    while (!last) {
        struct reeve_worker_stats stats;
        last = rv_signal_wait(&r->signal, r->every_ms) & STOP;
        r->read(r->of, &stats);
        r->fn(r->arg, &stats);
    }
    return NULL;
}

int rv_reporter_start(struct rv_reporter *r, struct rv_error *err) {
    if (!r->fn) return 0;
    if (rv_signal_init(&r->signal)) return rv_fail(err, REEVE_ENOMEM, "no memory for a worker");
    if (!rv_thread_start(&r->thread, report, r)) return 0;
    rv_signal_release(&r->signal);
    return rv_fail(err, REEVE_ENOMEM, "cannot start the thread that tells a worker's figures");
}

void rv_reporter_stop(struct rv_reporter *r) {
    if (!r->fn) return;
    rv_signal_raise(&r->signal, STOP);
    (void)pthread_join(r->thread, NULL);
    rv_signal_release(&r->signal);
}
