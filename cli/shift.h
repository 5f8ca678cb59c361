/* A worker at work with one set of settings. When they change, another shift takes over, and the
 * old one goes home when its jobs are done. */
#ifndef CLI_SHIFT_H
#define CLI_SHIFT_H

#include <pthread.h>
#include <stdatomic.h>

#include "work_options.h"

struct shift {
    struct shift *next;
    struct cli cli;
    struct work_options options;
    char **argv; /* a copy, which options point into */
    reeve *r;
    reeve_worker *worker;
    pthread_t thread, tells; /* waits for the worker's end; is sent SIGUSR1 then */
    bool started;
    atomic_bool ended;
};

/* Reads the settings. NULL: it is over with *exit_code. */
struct shift *shift_create(const struct cli *cli, int argc, char *const *argv, int *exit_code);
/* Opens the store and a worker; may be tried again if the store is away, of which nothing is said
 * if silent. An exit code. */
int shift_open(struct shift *shift, bool silent);
/* Starts it. The calling thread gets a SIGUSR1 when it has ended. An exit code. */
int shift_start(struct shift *shift);
void shift_destroy(struct shift *shift); /* ends it if it runs */

#endif
