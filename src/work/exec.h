/* What the programs of a worker share: their environment and limits, and those who look after them:
 * the guardian and the sweeper, and the desk. */
#ifndef RV_WORK_EXEC_H
#define RV_WORK_EXEC_H

#include "work/custody.h"
#include "work/desk.h"
#include "work/environment.h"
#include "work/limits.h"

struct rv_exec_options {
    int64_t grace_ms; /* between TERM and KILL */
    enum reeve_in_doubt in_doubt;
    size_t result_max;
    const struct reeve_limits *limits; /* checked */
    size_t slots;                      /* programs at once */
    const char *worker_id;             /* random, of this worker */
};

struct rv_exec {
    struct rv_service *service;
    const struct rv_drain *drain;
    struct rv_exec_options options;
    struct rv_limits limits;
    struct rv_custody custody;
    struct rv_environment environment;
    struct rv_desk *desk; /* NULL: no socket could be made */
};

/* Forks the guardian: better before there are more threads. */
int rv_exec_open(struct rv_exec **out, struct rv_service *service, const struct rv_drain *drain,
                 const struct rv_exec_options *options, struct rv_error *err);
void rv_exec_close(struct rv_exec *exec); /* NULL is fine; no program may be running */

#endif
