/* reeve bench: what is measured. Each phase runs in a process of its own (bench_child.h), on a
 * store of its own (bench_scratch.h), so that none pays for what another left. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reeve.h>

struct bench {
    int jobs;        /* of a phase, unless time is up before */
    int threads;     /* of the phases with many */
    int prefetch;    /* of the workers that drain */
    int workers;     /* in the other process, where there is one */
    int backlog;     /* jobs that wait in the phases with a backlog */
    int64_t time_ms; /* of a phase */
    int64_t keep_ms; /* where records are kept */
    const void *body;
    size_t body_size;
    const char *url;
    const char *space; /* NULL: the default */
    bool shared;       /* other processes can open the store */
};

struct bench_result {
    uint64_t count;                 /* jobs, or calls */
    int64_t elapsed_ns;             /* 0: the rate was set by the phase itself */
    int64_t cpu_ns;                 /* of the measuring process meanwhile */
    bool timed;                     /* these are known: */
    int64_t p50_ns, p99_ns, max_ns; /* of a call, or of what the phase says */
};

struct bench_phase {
    const char *name;
    const char *about;
    int threads;  /* 0: --threads */
    bool kept;    /* with records kept, or nothing */
    bool backlog; /* only with --backlog, which many jobs wait */
    int (*run)(const struct bench *b, const struct bench_phase *phase, struct bench_result *out);
};

extern const struct bench_phase bench_phases[]; /* ended by one without a name */

int bench_threads(const struct bench *b, const struct bench_phase *phase);

#define BENCH_QUEUE "bench"

/* ---- the phases: each returns an exit code and says what went wrong ---- */
int bench_push(const struct bench *b, const struct bench_phase *phase, struct bench_result *out);
int bench_bulk(const struct bench *b, const struct bench_phase *phase, struct bench_result *out);
int bench_drain(const struct bench *b, const struct bench_phase *phase, struct bench_result *out);
int bench_latency(const struct bench *b, const struct bench_phase *phase, struct bench_result *out);
int bench_trips(const struct bench *b, const struct bench_phase *phase, struct bench_result *out);
int bench_stats(const struct bench *b, const struct bench_phase *phase, struct bench_result *out);
int bench_list(const struct bench *b, const struct bench_phase *phase, struct bench_result *out);

/* ---- what they share ---- */
/* NULL: it has been said why, and *exit_code is set. */
reeve *bench_open(const struct bench *b, int *exit_code);
/* A job as all phases push it; kept or not. */
struct reeve_push bench_job(const struct bench *b, bool kept);
/* Makes count jobs wait, as fast as it goes. Returns an exit code. */
int bench_fill(const struct bench *b, reeve *r, bool kept, int count);

#endif
