/* Who looks after the programs of a worker, or of a handle: the guardian and the sweeper, and what
 * both know of each program. One runs in a slot at a time, each run under a number of its own,
 * which its processes carry in their environment. */
#ifndef RV_WORK_CUSTODY_H
#define RV_WORK_CUSTODY_H

#include "work/guardian.h"
#include "work/spawn.h"
#include "work/sweeper.h"

struct rv_custody {
    size_t slots; /* programs at once */
    struct rv_strays strays;
    struct rv_guardian *guardian;
    struct rv_sweeper sweeper;
    bool sweeping;                     /* there is one */
    struct rv_spawn_failure *failures; /* by slot, shared with children */
    _Atomic uint64_t *runs;            /* by slot: the number of the run; 0: none */
    _Atomic uint64_t last_run;
};

struct rv_custody_options {
    size_t slots;
    const char *id;              /* random, of this custody */
    const char *socket, *folder; /* that go with a process that dies, or NULL; they outlive it */
};

/* Forks the guardian: better before there are more threads. After a failure, close it as well. */
int rv_custody_open(struct rv_custody *custody, const struct rv_custody_options *options,
                    const struct rv_log *log, struct rv_error *err);
void rv_custody_close(struct rv_custody *custody); /* no program may be running */

/* A run begins in a slot, before any process can carry its number: that is returned. */
uint64_t rv_custody_begin(struct rv_custody *custody, size_t slot);
/* It is over: what is left of it is cleared away soon; if wait, before this returns. */
void rv_custody_end(struct rv_custody *custody, size_t slot, bool wait);

#endif
