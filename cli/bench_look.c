/* Looking at a queue in which many jobs wait. */
#include "bench_load.h"
#include "exit.h"

enum { LOOKS = 200 };

static int read_stats(void *arg, struct bench_call *call) {
    struct reeve_queue *queue = NULL;
    (void)call;
    int rc = reeve_queue_read(arg, BENCH_QUEUE, &queue);
    reeve_free(queue);
    return rc;
}

static int pass(void *arg, const struct reeve_job *job) {
    (void)arg;
    (void)job;
    return 0;
}

static int list_some(void *arg, struct bench_call *call) {
    struct reeve_filter filter = {.size = sizeof filter, .queue = BENCH_QUEUE};
    (void)call;
    return reeve_list(arg, &filter, pass, NULL, NULL);
}

static int look(const struct bench *b, bench_step *step, struct bench_result *out) {
    int exit_code;
    reeve *r = bench_open(b, &exit_code);
    if (!r) return exit_code;
    struct bench_load load = {
        .step = step,
        .arg = r,
        .threads = 1,
        .count = LOOKS,
        .time_ms = b->time_ms,
    };
    exit_code = bench_fill(b, r, true, b->backlog);
    if (!exit_code) exit_code = bench_load(&load, out);
    reeve_close(r);
    return exit_code;
}

int bench_stats(const struct bench *b, const struct bench_phase *phase, struct bench_result *out) {
    (void)phase;
    return look(b, read_stats, out);
}

int bench_list(const struct bench *b, const struct bench_phase *phase, struct bench_result *out) {
    (void)phase;
    return look(b, list_some, out);
}
