/* Calls one function again and again, from one thread or many, and measures. */
#ifndef CLI_BENCH_LOAD_H
#define CLI_BENCH_LOAD_H

#include "bench.h"

int64_t bench_now_ns(void); /* CLOCK_MONOTONIC: the same in all processes */
int64_t bench_cpu_ns(void); /* used by this process */

struct bench_call {
    uint64_t index;
    int64_t taken_ns; /* < 0: from its beginning to its end; else what the step says */
};

/* Makes one call. Returns 0 or a REEVE_E*. */
typedef int bench_step(void *arg, struct bench_call *call);

struct bench_load {
    bench_step *step;
    void *arg;
    int threads;
    uint64_t count;  /* calls at most; all are remembered */
    int64_t time_ms; /* at most */
};

/* Returns an exit code; the first error has been said. */
int bench_load(const struct bench_load *load, struct bench_result *out);

#endif
