/* What the programs of a worker share: their environment and limits, and those who look after them:
 * the guardian, the sweeper, the desk. */
#ifndef RV_WORK_EXEC_H
#define RV_WORK_EXEC_H

#include "work/desk.h"
#include "work/environment.h"
#include "work/guardian.h"
#include "work/limits.h"
#include "work/spawn.h"
#include "work/sweeper.h"

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
    struct rv_strays strays;
    struct rv_environment environment;
    struct rv_desk *desk; /* NULL: no socket could be made */
    struct rv_guardian *guardian;
    struct rv_sweeper sweeper;
    bool sweeping;                     /* there is one */
    struct rv_spawn_failure *failures; /* by slot, shared with children */
    _Atomic uint64_t *runs;            /* by slot: the number of the run; 0: none */
    _Atomic uint64_t last_run;
};

/* Forks the guardian: better before there are more threads. */
int rv_exec_open(struct rv_exec **out, struct rv_service *service, const struct rv_drain *drain,
                 const struct rv_exec_options *options, struct rv_error *err);
void rv_exec_close(struct rv_exec *exec); /* NULL is fine; no program may be running */

/* A run begins in a slot, before any process can carry its number: that is returned. */
uint64_t rv_exec_begin(struct rv_exec *exec, size_t slot);
/* It is over: what is left of it is cleared away soon; if wait, before this returns. */
void rv_exec_end(struct rv_exec *exec, size_t slot, bool wait);

#endif
