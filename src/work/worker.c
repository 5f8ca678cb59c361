#include "work/worker.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cond.h"
#include "base/texts.h"
#include "base/thread.h"
#include "core/check.h"

/* ---- making one ---- */

static int count_cpus(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}

static size_t count_queues(const struct reeve_worker_options *options) {
    size_t count = 0;
    while (options->queues[count])
        count++;
    return count;
}

static int *copy_weights(const struct reeve_worker_options *options) {
    size_t size = count_queues(options) * sizeof *options->weights;
    assert(size > 0); /* of checked options */
    int *copy = malloc(size);
    if (copy) memcpy(copy, options->weights, size);
    return copy;
}

/* Makes everything that the options point to the worker's own. */
static int copy_options(struct reeve_worker *w, const struct reeve_worker_options *options,
                        struct rv_error *err) {
    int rc = rv_check_limits(options->limits, &w->limits, err);
    if (rc) return rc;
    w->options = *options;
    if (!w->options.threads) w->options.threads = count_cpus();
    w->queues = rv_texts_copy(options->queues);
    w->weights = options->weights ? copy_weights(options) : NULL;
    w->options.queues = (const char *const *)w->queues;
    w->options.weights = w->weights;
    w->options.limits = &w->limits;
    if (w->queues && (w->weights || !options->weights)) return 0;
    return rv_fail(err, REEVE_ENOMEM, "no memory for a worker's queues");
}

static int init(struct reeve_worker *w) {
    atomic_init(&w->drain.grace_until_ms, INT64_MAX);
    if (rv_said_init(&w->unknown)) return REEVE_ENOMEM;
    if (pthread_mutex_init(&w->lock, NULL)) goto no_lock;
    if (!rv_cond_init(&w->cond)) return 0;
    (void)pthread_mutex_destroy(&w->lock);
no_lock:
    rv_said_release(&w->unknown);
    return REEVE_ENOMEM;
}

static void free_options(struct reeve_worker *w) {
    free(w->queues);
    free(w->weights);
}

int rv_worker_create(struct reeve_worker **out, struct rv_service *service,
                     const struct reeve_worker_options *options, struct rv_error *err) {
    struct reeve_worker *w = calloc(1, sizeof *w);
    if (!w) return rv_fail(err, REEVE_ENOMEM, "no memory for a worker");
    int rc = copy_options(w, options, err);
    if (!rc && init(w)) rc = rv_fail(err, REEVE_ENOMEM, "no memory for a worker");
    if (rc) {
        free_options(w);
        free(w);
        return rc;
    }
    w->service = service;
    rv_id_generate(w->id, rv_clock_wall_us(&service->clock), &rv_random_system);
    *out = w;
    return 0;
}

/* ---- starting ---- */

/* The end of all that start made, in its order: by now everything is handed in and deregistered. */
static void *work(void *arg) {
    struct reeve_worker *w = arg;
    rv_exchanger_run(&w->exchanger);
    rv_pool_stop(&w->pool);
    rv_exec_close(w->run.exec);
    rv_reporter_stop(&w->reporter);
    if (!w->options.no_upkeep) rv_service_tend_end(w->service);
    (void)pthread_mutex_lock(&w->lock);
    w->ended = true;
    (void)pthread_cond_broadcast(&w->cond);
    (void)pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* The guardian of programs is a fork of this process: before there are more threads. */
static int start_exec(struct reeve_worker *w, struct rv_error *err) {
    struct rv_exec_options options = {
        .grace_ms = w->options.grace_ms,
        .in_doubt = w->options.in_doubt,
        .result_max = w->options.result_max,
        .limits = w->options.limits,
        .worker_id = w->id,
        .slots = (size_t)w->options.threads,
    };
    w->run = (struct rv_run){
        .service = w->service,
        .handlers = &w->handlers,
        .timeout_ms = w->options.timeout_ms,
        .after = {w->options.after, w->options.after_arg},
        .unknown = &w->unknown,
    };
    if (!rv_handlers_have_program(&w->handlers)) return 0;
    return rv_exec_open(&w->run.exec, w->service, &w->drain, &options, err);
}

static int start_exchanger(struct reeve_worker *w, struct rv_error *err) {
    struct rv_exchanger_options options = {
        .queues = w->options.queues,
        .weights = w->options.weights,
        .handlers = &w->handlers,
        .id = w->id,
        .threads = (size_t)w->options.threads,
        .prefetch = (size_t)w->options.prefetch,
        .lease_ms = w->options.lease_ms,
        .renew_ms = w->options.renew_ms,
        .jobs_max = w->options.jobs_max,
        .until_empty = w->options.until_empty,
    };
    return rv_exchanger_init(&w->exchanger, w->service, &options, &w->pool, &w->drain, err);
}

static int start_pool(struct reeve_worker *w, struct rv_error *err) {
    w->pool.run = &w->run;
    w->pool.done = rv_exchanger_finished;
    w->pool.arg = &w->exchanger;
    return rv_pool_start(&w->pool, (size_t)w->options.threads, err);
}

static int start_upkeep(struct reeve_worker *w, struct rv_error *err) {
    if (w->options.no_upkeep) return 0;
    return rv_service_tend_begin(w->service, w->options.lease_ms, !w->options.no_election, err);
}

static void read_stats(void *worker, struct reeve_worker_stats *out) {
    struct reeve_worker *w = worker;
    rv_tally_read(&w->exchanger.tally, rv_clock_boot_ms(&w->service->clock), out);
    out->running = rv_pool_load(&w->pool);
}

static int start_reporter(struct reeve_worker *w, struct rv_error *err) {
    w->reporter = (struct rv_reporter){
        .fn = w->options.stats,
        .arg = w->options.stats_arg,
        .every_ms = w->options.stats_ms,
        .read = read_stats,
        .of = w,
    };
    return rv_reporter_start(&w->reporter, err);
}

static int start_threads(struct reeve_worker *w, struct rv_error *err) {
    int rc = start_exec(w, err);
    if (rc) return rc;
    if ((rc = start_exchanger(w, err)) != 0) goto no_exchanger;
    if ((rc = start_pool(w, err)) != 0) goto no_pool;
    if ((rc = start_upkeep(w, err)) != 0) goto no_upkeep;
    if ((rc = start_reporter(w, err)) != 0) goto no_reporter;
    if (!rv_thread_start(&w->thread, work, w)) return 0;
    rc = rv_fail(err, REEVE_ENOMEM, "cannot start a worker's thread");
    rv_reporter_stop(&w->reporter);
no_reporter:
    if (!w->options.no_upkeep) rv_service_tend_end(w->service);
no_upkeep:
    rv_pool_stop(&w->pool);
    rv_pool_release(&w->pool);
no_pool:
    rv_exchanger_release(&w->exchanger);
no_exchanger:
    rv_exec_close(w->run.exec);
    return rc;
}

int rv_worker_start(struct reeve_worker *w, struct rv_error *err) {
    (void)pthread_mutex_lock(&w->lock);
    int rc = w->started ? rv_fail(err, REEVE_ESTATE, "the worker was started before: open another")
                        : start_threads(w, err);
    if (!rc) w->started = true;
    (void)pthread_mutex_unlock(&w->lock);
    return rc;
}

bool rv_worker_started(struct reeve_worker *w) {
    (void)pthread_mutex_lock(&w->lock);
    bool started = w->started;
    (void)pthread_mutex_unlock(&w->lock);
    return started;
}

/* ---- at work ---- */

void rv_worker_quiet(struct reeve_worker *w, bool quiet) {
    if (rv_worker_started(w)) rv_exchanger_quiet(&w->exchanger, quiet);
}

void rv_worker_stop(struct reeve_worker *w, int64_t grace_ms) {
    if (!rv_worker_started(w)) return;
    if (grace_ms < 0) grace_ms = w->options.grace_ms;
    int64_t until_ms = rv_time_add(rv_clock_boot_ms(&w->service->clock), grace_ms);
    int64_t before_ms = atomic_load(&w->drain.grace_until_ms);
    while (until_ms < before_ms &&
           !atomic_compare_exchange_weak(&w->drain.grace_until_ms, &before_ms, until_ms)) {
    }
    rv_exchanger_stop(&w->exchanger);
}

int rv_worker_wait(struct reeve_worker *w, int64_t timeout_ms, struct rv_error *err) {
    int64_t from_ms = rv_clock_boot_ms(&rv_clock_real);
    (void)pthread_mutex_lock(&w->lock);
    bool started = w->started;
    while (started && !w->ended) {
        int64_t left_ms = timeout_ms - (rv_clock_boot_ms(&rv_clock_real) - from_ms);
        if (timeout_ms >= 0 && left_ms <= 0) break;
        rv_cond_wait(&w->cond, &w->lock, timeout_ms < 0 ? -1 : left_ms);
    }
    bool ended = w->ended;
    (void)pthread_mutex_unlock(&w->lock);
    if (!started) return rv_fail(err, REEVE_ESTATE, "the worker was not started");
    return ended ? 0
                 : rv_fail(err, REEVE_ETIMEDOUT, "the worker has not ended within %" PRId64 " ms",
                           timeout_ms);
}

int rv_worker_stats(struct reeve_worker *w, struct reeve_worker_stats *out, struct rv_error *err) {
    if (!rv_worker_started(w)) return rv_fail(err, REEVE_ESTATE, "the worker was not started");
    read_stats(w, out);
    return 0;
}

static void log_slot(struct reeve_worker *w, size_t index, const struct rv_slot_view *view) {
    char id[RV_QUOTED_SIZE];
    if (!view->busy) {
        rv_log(&w->service->log, REEVE_LOG_WARN, "worker.thread", "thread=%zu state=idle", index);
        return;
    }
    rv_log(&w->service->log, REEVE_LOG_WARN, "worker.thread",
           "thread=%zu state=busy queue=%s id=%s kind=%s attempt=%d seconds=%" PRId64 ".%03d",
           index, view->queue, rv_log_quote(id, view->id), view->kind, view->attempt,
           view->busy_ms / 1000, (int)(view->busy_ms % 1000));
}

/* At the level that is on by default: it was asked for. */
void rv_worker_dump(struct reeve_worker *w) {
    if (!rv_worker_started(w)) return;
    struct rv_slot_view *views = calloc(w->pool.count, sizeof *views);
    if (!views) return;
    rv_pool_look(&w->pool, views);
    for (size_t i = 0; i < w->pool.count; i++)
        log_slot(w, i, &views[i]);
    free(views);
}

void rv_worker_destroy(struct reeve_worker *w) {
    if (!w) return;
    if (w->started) {
        rv_worker_stop(w, 0);
        (void)pthread_join(w->thread, NULL);
        rv_pool_release(&w->pool);
        rv_exchanger_release(&w->exchanger);
    }
    rv_handlers_release(&w->handlers);
    (void)pthread_cond_destroy(&w->cond);
    (void)pthread_mutex_destroy(&w->lock);
    rv_said_release(&w->unknown);
    free_options(w);
    free(w);
}
