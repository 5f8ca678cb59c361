/* A store for one phase, made for it and removed after it: the user's own is never touched. */
#ifndef CLI_BENCH_SCRATCH_H
#define CLI_BENCH_SCRATCH_H

#include <stdbool.h>

struct bench_scratch {
    char folder[4096]; /* with the files of a SQLite store; empty if there is none */
    char url[8192];
    char space[64]; /* of a store that is not made of files; empty: the default one */
    bool shared;    /* other processes can open it */
};

/* store: --store, or NULL. sqlite:PATH stands for a file beside PATH; NULL for one in $TMPDIR; any
 * other for itself, under a space of the phase's own. Returns an exit code. */
int bench_scratch_make(struct bench_scratch *scratch, const char *store, const char *phase);
/* Of a store that is not made of files the jobs go; that there was such a queue stays known. */
void bench_scratch_remove(struct bench_scratch *scratch);

#endif
