/* Draining: a worker whose handlers do nothing, until all is done. */
#include <inttypes.h>
#include <stdatomic.h>

#include "bench_load.h"
#include "exit.h"

struct drain {
    reeve *r;
    int count; /* jobs that wait */
    atomic_int_fast64_t handled;
};

static enum reeve_verdict do_nothing(void *arg, reeve_task *task) {
    struct drain *drain = arg;
    (void)task;
    (void)atomic_fetch_add_explicit(&drain->handled, 1, memory_order_relaxed);
    return REEVE_SUCCEED;
}

/* A rate counts only if nothing was lost, left over or done twice. */
static int check_rest(struct drain *drain, bool all) {
    struct reeve_queue *queue;
    int rc = reeve_queue_read(drain->r, BENCH_QUEUE, &queue);
    if (rc) return fail_api(rc);
    uint64_t handled = (uint64_t)atomic_load(&drain->handled), count = (uint64_t)drain->count;
    uint64_t rest = queue->ready + queue->delayed + queue->running;
    bool right = queue->finished_total == handled && rest + handled == count && !(all && rest) &&
                 !queue->failed;
    if (!right)
        (void)fail(EXIT_NO,
                   "bench: of %" PRIu64 " jobs %" PRIu64 " were handled, %" PRIu64
                   " finished, %" PRIu64 " failed, %" PRIu64 " are left",
                   count, handled, queue->finished_total, queue->failed, rest);
    reeve_free(queue);
    return right ? EXIT_DONE : EXIT_NO;
}

static int work(const struct bench *b, struct drain *drain, reeve_worker *worker,
                struct bench_result *out) {
    int64_t cpu = bench_cpu_ns(), now = bench_now_ns();
    int rc = reeve_worker_start(worker);
    if (rc) return fail_api(rc);
    rc = reeve_worker_wait(worker, b->time_ms);
    bool all = rc != REEVE_ETIMEDOUT;
    if (!all) rc = reeve_worker_drain(worker, b->time_ms);
    out->elapsed_ns = bench_now_ns() - now;
    out->cpu_ns = bench_cpu_ns() - cpu;
    out->count = (uint64_t)atomic_load(&drain->handled);
    return rc ? fail_api(rc) : check_rest(drain, all);
}

static int open_worker(const struct bench *b, const struct bench_phase *phase, struct drain *drain,
                       reeve_worker **out) {
    static const char *const queues[] = {BENCH_QUEUE, NULL};
    struct reeve_worker_options options = {
        .size = sizeof options,
        .queues = queues,
        .threads = bench_threads(b, phase),
        .prefetch = b->prefetch,
        .jobs_max = (uint64_t)drain->count,
    };
    int rc = reeve_worker_open(out, drain->r, &options);
    if (!rc) rc = reeve_worker_handle(*out, NULL, do_nothing, drain);
    return rc ? fail_api(rc) : EXIT_DONE;
}

int bench_drain(const struct bench *b, const struct bench_phase *phase, struct bench_result *out) {
    struct drain drain = {.count = phase->backlog ? b->backlog : b->jobs};
    reeve_worker *worker = NULL;
    int exit_code;
    drain.r = bench_open(b, &exit_code);
    if (!drain.r) return exit_code;
    exit_code = bench_fill(b, drain.r, phase->kept, drain.count);
    if (!exit_code) exit_code = open_worker(b, phase, &drain, &worker);
    if (!exit_code) exit_code = work(b, &drain, worker, out);
    reeve_worker_close(worker);
    reeve_close(drain.r);
    return exit_code;
}
