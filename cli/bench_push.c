/* Pushing: one by one from one or many threads, and many at a time. */
#include <stdlib.h>

#include "bench_load.h"
#include "exit.h"

enum { BULK = 1000, FILL_MS = 300000, WARM = 30 };

int bench_threads(const struct bench *b, const struct bench_phase *phase) {
    return phase->threads ? phase->threads : b->threads;
}

reeve *bench_open(const struct bench *b, int *exit_code) {
    struct reeve_options options = {.size = sizeof options, .space = b->space};
    reeve *r;
    int rc = reeve_open(&r, b->url, &options);
    *exit_code = rc ? fail_api(rc) : EXIT_DONE;
    return r;
}

struct reeve_push bench_job(const struct bench *b, bool kept) {
    return (struct reeve_push){
        .size = sizeof(struct reeve_push),
        .queue = BENCH_QUEUE,
        .body = b->body,
        .body_size = b->body_size,
        .keep_ms = kept ? b->keep_ms : REEVE_NONE,
    };
}

struct pusher {
    reeve *r;
    struct reeve_push job;   /* one by one */
    struct reeve_push *jobs; /* or many at a time */
    uint64_t count;          /* how many in all */
};

static int push_one(void *arg, struct bench_call *call) {
    struct pusher *p = arg;
    (void)call;
    return reeve_push(p->r, &p->job, NULL);
}

static int push_many(void *arg, struct bench_call *call) {
    struct pusher *p = arg;
    uint64_t left = p->count - call->index * BULK;
    return reeve_push_many(p->r, p->jobs, left < BULK ? (size_t)left : BULK, NULL);
}

/* Pushes count jobs in bulk; out counts jobs, and its times are those of a call. */
static int bulk(const struct bench *b, reeve *r, bool kept, int count, int64_t time_ms,
                struct bench_result *out) {
    struct reeve_push *jobs = malloc(BULK * sizeof *jobs);
    if (!jobs) return fail(EXIT_BROKEN, "out of memory");
    for (int i = 0; i < BULK; i++)
        jobs[i] = bench_job(b, kept);
    struct pusher pusher = {.r = r, .jobs = jobs, .count = (uint64_t)count};
    struct bench_load load = {
        .step = push_many,
        .arg = &pusher,
        .threads = 1,
        .count = ((uint64_t)count + BULK - 1) / BULK,
        .time_ms = time_ms,
    };
    int exit_code = bench_load(&load, out);
    out->count = out->count == load.count ? pusher.count : out->count * BULK;
    free(jobs);
    return exit_code;
}

/* Connections, scripts and memory that the first calls have to get are not what is measured. */
static int warm_up(struct bench_load load) {
    struct bench_result unused;
    if (load.count > WARM * (uint64_t)load.threads) load.count = WARM * (uint64_t)load.threads;
    return bench_load(&load, &unused);
}

int bench_push(const struct bench *b, const struct bench_phase *phase, struct bench_result *out) {
    int exit_code;
    struct pusher pusher = {.r = bench_open(b, &exit_code), .job = bench_job(b, true)};
    if (!pusher.r) return exit_code;
    struct bench_load load = {
        .step = push_one,
        .arg = &pusher,
        .threads = bench_threads(b, phase),
        .count = (uint64_t)b->jobs,
        .time_ms = b->time_ms,
    };
    exit_code = warm_up(load);
    if (!exit_code) exit_code = bench_load(&load, out);
    reeve_close(pusher.r);
    return exit_code;
}

int bench_bulk(const struct bench *b, const struct bench_phase *phase, struct bench_result *out) {
    int exit_code;
    (void)phase;
    reeve *r = bench_open(b, &exit_code);
    if (r) exit_code = bulk(b, r, true, b->jobs, b->time_ms, out);
    reeve_close(r);
    return exit_code;
}

int bench_fill(const struct bench *b, reeve *r, bool kept, int count) {
    struct bench_result result = {0};
    int exit_code = bulk(b, r, kept, count, FILL_MS, &result);
    if (!exit_code && result.count < (uint64_t)count)
        return fail(EXIT_LATE, "bench: %d jobs could not be pushed in %d s", count, FILL_MS / 1000);
    return exit_code;
}
