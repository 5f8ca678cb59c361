/* Starts a program in a process group of its own, with its stdin, stdout and stderr and nothing
 * else of ours, and, unless it inherits ours, no way to more rights than ours. */
#ifndef RV_WORK_SPAWN_H
#define RV_WORK_SPAWN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"
#include "work/limits.h"

/* What a child says that came to nothing. In memory shared with it: it has no other way to say so
 * before its program runs. */
struct rv_spawn_failure {
    volatile int error;   /* an errno; 0: the program was started */
    volatile int at_exec; /* the program could not be run; else the child could not be set up */
};

struct rv_spawn {
    const char *file; /* a path, not searched for */
    char *const *argv;
    char *const *environment;
    struct rv_bytes input;
    bool inherit; /* our stdin, stdout and stderr instead of input and pipes, and rights as ours */
    bool feed;    /* but its stdin is input all the same */
    const struct rv_limits *limits;
    _Atomic pid_t *group; /* where the guardian looks for its process group: shared memory, too */
    struct rv_spawn_failure *failure;
};

struct rv_child {
    pid_t pid;          /* and its process group */
    int exit_fd;        /* readable when it has ended; -1: to be asked for */
    int out_fd, err_fd; /* do not block; -1 if ours are inherited */
};

/* The calling thread must outlive the child: its end would be the child's. On an error nothing was
 * started. A child that could not run its program ends at once; see failure. */
int rv_spawn(const struct rv_spawn *spawn, struct rv_child *out, struct rv_error *err);
void rv_child_close(struct rv_child *child); /* the descriptors; NULL-like ones are skipped */

#endif
