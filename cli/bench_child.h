/* A phase in a process of its own: what it starts and holds is gone with it, and it
 * cannot last for ever. */
#ifndef CLI_BENCH_CHILD_H
#define CLI_BENCH_CHILD_H

#include "bench.h"

/* ^C and the like end bench_child_run() instead of the program, which has files to remove. */
void bench_child_take_signals(void);
/* Runs the phase. Returns its exit code; EXIT_INTERRUPTED after a signal; EXIT_LATE when it
 * hangs. */
int bench_child_run(const struct bench *b, const struct bench_phase *phase,
                    struct bench_result *out);

#endif
