/* From push to handler on an idle queue, and there and back. */
#include <time.h>

#include "bench_load.h"
#include "bench_peer.h"
#include "exit.h"

enum {
    SAMPLES = 1000,
    WARM_UP = 10,
    IDLE_MS = 5, /* between two pushes, so that the worker has handed in and waits again */
    ANSWER_MS = 10000,
};

struct trip {
    struct bench_peer peer;
    struct reeve_push job;
};

/* A queue is idle once it has been left alone for a while. */
static void leave_alone(void) {
    (void)nanosleep(&(struct timespec){.tv_nsec = IDLE_MS * 1000000L}, NULL);
}

/* From the beginning of the push, for that is when somebody begins to wait. */
static int push_and_see_start(void *arg, struct bench_call *call) {
    struct trip *trip = arg;
    int64_t started_ns = 0;
    leave_alone();
    int64_t before = bench_now_ns();
    int rc = reeve_push(trip->peer.r, &trip->job, NULL);
    if (!rc) rc = bench_peer_started(&trip->peer, ANSWER_MS, &started_ns);
    call->taken_ns = started_ns > before ? started_ns - before : 0;
    return rc;
}

static int push_and_wait(void *arg, struct bench_call *call) {
    struct trip *trip = arg;
    struct reeve_job *job = NULL;
    (void)call;
    int rc = reeve_push_wait(trip->peer.r, &trip->job, ANSWER_MS, NULL, &job);
    if (!rc && (job->state != REEVE_DONE || !job->result_size)) rc = REEVE_EBUG;
    reeve_free(job);
    return rc;
}

static int run_load(const struct bench *b, const struct bench_load *load, struct trip *trip,
                    bool tell_starts, struct bench_result *out) {
    trip->job = bench_job(b, true);
    int exit_code = bench_peer_open(&trip->peer, b, load->threads, tell_starts);
    struct bench_load warm_up = *load;
    warm_up.count = WARM_UP;
    if (!exit_code) exit_code = bench_load(&warm_up, out);
    if (!exit_code) exit_code = bench_load(load, out);
    bench_peer_close(&trip->peer);
    return exit_code;
}

int bench_latency(const struct bench *b, const struct bench_phase *phase,
                  struct bench_result *out) {
    struct trip trip;
    struct bench_load load = {
        .step = push_and_see_start,
        .arg = &trip,
        .threads = bench_threads(b, phase),
        .count = b->jobs < SAMPLES ? (uint64_t)b->jobs : SAMPLES,
        .time_ms = b->time_ms,
    };
    int exit_code = run_load(b, &load, &trip, true, out);
    out->elapsed_ns = 0;
    return exit_code;
}

int bench_trips(const struct bench *b, const struct bench_phase *phase, struct bench_result *out) {
    struct trip trip;
    struct bench_load load = {
        .step = push_and_wait,
        .arg = &trip,
        .threads = bench_threads(b, phase),
        .count = (uint64_t)b->jobs,
        .time_ms = b->time_ms,
    };
    return run_load(b, &load, &trip, false, out);
}
