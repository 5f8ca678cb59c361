#include "bench_load.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exit.h"

struct run {
    const struct bench_load *load;
    pthread_rwlock_t start; /* held for writing until all threads are there */
    int64_t began_ns, cpu_began_ns, deadline_ns;
    atomic_uint_fast64_t next; /* call to be made */
    atomic_int exit_code;
    int64_t *taken_ns; /* of each call */
};

static int64_t read_ns(clockid_t clock) {
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t bench_now_ns(void) {
    return read_ns(CLOCK_MONOTONIC);
}

int64_t bench_cpu_ns(void) {
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static void stop(struct run *run, int rc) {
    int none = EXIT_DONE;
    if (atomic_compare_exchange_strong(&run->exit_code, &none, exit_code_of(rc)))
        (void)fail_api(rc);
}

static void begin(struct run *run) {
    run->cpu_began_ns = bench_cpu_ns();
    run->began_ns = bench_now_ns();
    run->deadline_ns = run->began_ns + run->load->time_ms * 1000000;
}

static void make_calls(struct run *run) {
    const struct bench_load *load = run->load;
    int64_t now = bench_now_ns();
    while (now < run->deadline_ns && !atomic_load(&run->exit_code)) {
        struct bench_call call = {.index = atomic_fetch_add(&run->next, 1), .taken_ns = -1};
        if (call.index >= load->count) break;
        int64_t before = now;
        int rc = load->step(load->arg, &call);
        now = bench_now_ns();
        run->taken_ns[call.index] = call.taken_ns >= 0 ? call.taken_ns : now - before;
        if (rc) stop(run, rc);
    }
}

static void *make_calls_with_others(void *arg) {
    struct run *run = arg;
    (void)pthread_rwlock_rdlock(&run->start);
    (void)pthread_rwlock_unlock(&run->start);
    make_calls(run);
    return NULL;
}

/* As many as can be started. */
static int start(struct run *run, pthread_t *threads, int count) {
    for (int i = 0; i < count; i++) {
        if (!pthread_create(&threads[i], NULL, make_calls_with_others, run)) continue;
        atomic_store(&run->exit_code, fail(EXIT_BROKEN, "cannot start %d threads", count));
        return i;
    }
    return count;
}

static int run_together(struct run *run, pthread_t *threads, int count) {
    (void)pthread_rwlock_wrlock(&run->start);
    int started = start(run, threads, count);
    begin(run);
    (void)pthread_rwlock_unlock(&run->start);
    for (int i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    return atomic_load(&run->exit_code);
}

static int run_threads(struct run *run) {
    int count = run->load->threads;
    if (count == 1) {
        begin(run);
        make_calls(run);
        return atomic_load(&run->exit_code);
    }
    pthread_t *threads = malloc(count * sizeof *threads);
    if (!threads || pthread_rwlock_init(&run->start, NULL)) {
        free(threads);
        return fail(EXIT_BROKEN, "out of memory");
    }
    int exit_code = run_together(run, threads, count);
    (void)pthread_rwlock_destroy(&run->start);
    free(threads);
    return exit_code;
}

static int compare(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void summarise(struct run *run, struct bench_result *out) {
    uint64_t next = atomic_load(&run->next);
    out->count = next < run->load->count ? next : run->load->count;
    out->timed = out->count > 0;
    if (!out->timed) return;
    qsort(run->taken_ns, out->count, sizeof run->taken_ns[0], compare);
    out->p50_ns = run->taken_ns[out->count / 2];
    out->p99_ns = run->taken_ns[out->count * 99 / 100];
    out->max_ns = run->taken_ns[out->count - 1];
}

/* Memory that is touched for the first time while calls are made would be counted as theirs. */
static int64_t *make_room(uint64_t count) {
    int64_t *room = malloc(count * sizeof *room);
    if (room) memset(room, 0xff, count * sizeof *room);
    return room;
}

int bench_load(const struct bench_load *load, struct bench_result *out) {
    struct run run = {.load = load, .taken_ns = make_room(load->count)};
    if (!run.taken_ns) return fail(EXIT_BROKEN, "out of memory");
    int exit_code = run_threads(&run);
    out->elapsed_ns = bench_now_ns() - run.began_ns;
    out->cpu_ns = bench_cpu_ns() - run.cpu_began_ns;
    summarise(&run, out);
    free(run.taken_ns);
    return exit_code;
}
