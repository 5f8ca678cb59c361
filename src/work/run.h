/* One task from its start to its ending: finds the handler, runs it, and makes of what it says the
 * ending that is handed in. */
#ifndef RV_WORK_RUN_H
#define RV_WORK_RUN_H

#include "work/handlers.h"
#include "work/hook.h"
#include "work/said.h"

struct rv_exec;

/* What running needs: one per worker, shared by its threads, constant while they run. */
struct rv_run {
    struct rv_service *service;
    const struct rv_handlers *handlers;
    int64_t timeout_ms;   /* of an attempt whose job names none; 0: none */
    struct rv_exec *exec; /* runs programs; NULL if no handler is one */
    struct rv_hook after;
    struct rv_said *unknown; /* kinds that have no handler */
};

/* Where it runs: a thread of the pool. */
struct rv_place {
    size_t slot;
    int wake_fd; /* an eventfd: readable when a task that runs here is to look up */
};

/* Runs task on the calling thread and leaves its ending in it. */
void rv_run_task(const struct rv_run *run, const struct rv_place *place, struct reeve_task *task);

#endif
