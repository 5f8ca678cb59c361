/* A store with a job in every state, as often as one is wanted, and what it looks like from the
 * outside. */
#ifndef NOMEM_WORLD_H
#define NOMEM_WORLD_H

#include <reeve.h>
#include <stdbool.h>

struct world {
    const char *scheme; /* "memory" or "sqlite" */
    char path[256];     /* of the file; "" in memory */
    char url[320];
    reeve *r;         /* what is tried is tried on this */
    reeve_task *task; /* of job "held" */
};

/* Opens a fresh world; the first on SQLite makes a file below folder that the later ones copy.
 * timeout_ms: of its handle, 0 for the default. */
void world_open(struct world *world, const char *scheme, const char *folder, int64_t timeout_ms);
void world_close(struct world *world);
/* What an observer sees: each job, its state and attempts, and the counters. One block. */
char *world_look(struct world *world);
/* For calls that open a handle of their own. */
struct reeve_options world_options(void);

/* All jobs are in this queue: ready1, ready2, delayed, held, done, failed, cancelled. */
#define QUEUE "q"

#endif
