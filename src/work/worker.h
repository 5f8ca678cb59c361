/* A worker: what `reeve_worker *` points to. Its threads, their start and the order of their end.
 * */
#ifndef RV_WORK_WORKER_H
#define RV_WORK_WORKER_H

#include "base/id.h"
#include "work/exchanger.h"
#include "work/exec.h"
#include "work/reporter.h"

struct reeve_worker {
    struct rv_service *service;
    struct reeve_worker_options options; /* checked; what it points to is ours */
    char **queues;                       /* one block */
    int *weights;                        /* NULL: none */
    struct reeve_limits limits;
    struct rv_handlers handlers;
    char id[RV_GENERATED_ID_SIZE]; /* random: a restart is a stranger (J5) */
    struct rv_said unknown;        /* kinds */
    struct rv_drain drain;
    struct rv_run run;
    struct rv_pool pool;
    struct rv_exchanger exchanger;
    struct rv_reporter reporter;
    pthread_t thread; /* runs the exchanger, then ends the rest */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t cond;  /* ended */
    bool started;         /* the threads are there, or were */
    bool ended;           /* all is handed in and nothing of it runs any more */
};

/* options: checked. */
int rv_worker_create(struct reeve_worker **out, struct rv_service *service,
                     const struct reeve_worker_options *options, struct rv_error *err);
void rv_worker_destroy(struct reeve_worker *worker); /* NULL is fine; ends it first if need be */

int rv_worker_start(struct reeve_worker *worker, struct rv_error *err);
bool rv_worker_started(struct reeve_worker *worker);
void rv_worker_quiet(struct reeve_worker *worker, bool quiet);
void rv_worker_stop(struct reeve_worker *worker, int64_t grace_ms); /* < 0: the worker's own */
int rv_worker_wait(struct reeve_worker *worker, int64_t timeout_ms, struct rv_error *err);
int rv_worker_stats(struct reeve_worker *worker, struct reeve_worker_stats *out,
                    struct rv_error *err);
void rv_worker_dump(struct reeve_worker *worker);

#endif
