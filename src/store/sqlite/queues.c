/* queues, stats, pause, set. */
#include <stdio.h>
#include <stdlib.h>

#include "store/sqlite/bounds.h"
#include "store/sqlite/record.h"

/* ---- queues ---- */
static int gather_names(struct rv_sq_step *step, const char *after, size_t limit,
                        struct rv_names *out, struct rv_error *err) {
    out->names = calloc(limit, sizeof *out->names);
    if (!out->names) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_QUEUES);
    rv_sq_bind_text(&query, step->store->space);
    rv_sq_bind_text(&query, after ? after : "");
    rv_sq_bind_int(&query, (int64_t)limit);
    while (rv_sq_row(&query)) {
        char *name = out->names[out->count++];
        (void)snprintf(name, REEVE_NAME_SIZE, "%s", rv_sq_text(&query, 0));
    }
    return rv_sq_end(&query, 0, err);
}

int rv_sq_queues(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                 struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, gather_names(&step, after, limit, out, err), err);
}

/* ---- stats ---- */
static int oldest_ready(struct rv_sq_step *step, int64_t *out, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STATS_FIRST);
    struct rv_sq_record first;
    rv_sq_bind_int(&query, step->queue.n);
    if (!rv_sq_row(&query)) return rv_sq_end(&query, 0, err);
    int rc = rv_sq_record_read(&query, &first, err);
    if (!rc) { /* it may have been pushed for a time long past */
        int64_t since_ms = first.job.run_at_ms;
        if (since_ms < first.job.created_at_ms) since_ms = first.job.created_at_ms;
        *out = since_ms < step->now_ms ? step->now_ms - since_ms : 0;
    }
    return rv_sq_end(&query, rc, err);
}

static void copy_counts(const struct rv_sq_queue *queue, struct reeve_queue *out) {
    const int64_t *counts = queue->counts;
    out->paused = queue->paused;
    out->delayed = (uint64_t)counts[REEVE_DELAYED];
    out->ready = (uint64_t)counts[REEVE_READY];
    out->running = (uint64_t)counts[REEVE_RUNNING];
    out->done = (uint64_t)counts[REEVE_DONE];
    out->failed = (uint64_t)counts[REEVE_FAILED];
    out->cancelled = (uint64_t)counts[REEVE_CANCELLED];
    out->pushed_total = (uint64_t)queue->pushed_total;
    out->finished_total = (uint64_t)queue->finished_total;
    out->retried_total = (uint64_t)queue->retried_total;
    out->lapsed_total = (uint64_t)queue->lapsed_total;
    out->fenced_total = (uint64_t)queue->fenced_total;
    out->refused_total = (uint64_t)queue->bounds.refused_total;
    out->dropped_total = (uint64_t)queue->bounds.dropped_total;
    out->trimmed_total = (uint64_t)(queue->expired_total + queue->bounds.trimmed_total);
    struct rv_bounds bounds = rv_sq_bounds(queue);
    rv_bounds_show(&bounds, out);
}

static int stats_within(struct rv_sq_step *step, const char *queue, struct reeve_queue *out,
                        struct rv_error *err) {
    int rc = rv_sq_queue_load(step, queue, err);
    if (!rc && !step->queue.shown) rc = rv_fail(err, REEVE_ENOENT, "no queue %s", queue);
    if (!rc) rc = oldest_ready(step, &out->oldest_ready_ms, err);
    if (!rc) copy_counts(&step->queue, out);
    return rc;
}

int rv_sq_stats(struct rv_store *s, const char *queue, bool brief, struct reeve_queue *out,
                struct rv_error *err) {
    struct rv_sq_step step;
    (void)brief; /* it has no parts */
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, stats_within(&step, queue, out, err), err);
}

/* ---- pause ---- */
int rv_sq_pause(struct rv_store *s, const char *queue, bool paused, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    rc = rv_sq_queue_make(&step, queue, err);
    step.queue.shown = true;
    step.queue.paused = paused;
    step.rings = true;
    return rv_sq_step_end(&step, rc, err);
}

/* ---- set ---- */
/* Brings the file to what the bounds need. */
static int prepare(struct rv_sq_step *step, const struct rv_bounds *bounds, struct rv_error *err) {
    enum { KNOWS_BOUNDS = 2 };
    int rc = 0;
    if (bounds->max_length || bounds->keep_failed) {
        struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_SET_CLOSE);
        rv_sq_bind_int(&query, KNOWS_BOUNDS);
        rc = rv_sq_run(&query, NULL, err);
    }
    if (!rc && bounds->keep_failed) {
        struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_SET_INDEX);
        rc = rv_sq_run(&query, NULL, err);
    }
    return rc;
}

static int set_within(struct rv_sq_step *step, const char *queue,
                      const struct reeve_queue_settings *settings, struct rv_error *err) {
    int rc = rv_sq_queue_make(step, queue, err);
    if (rc) return rc;
    struct rv_bounds bounds = rv_sq_bounds(&step->queue);
    rv_bounds_change(&bounds, settings);
    step->queue.shown = true;
    step->queue.bounds.max_length = bounds.max_length;
    step->queue.bounds.on_full = bounds.on_full;
    step->queue.bounds.keep_failed = bounds.keep_failed;
    return prepare(step, &bounds, err);
}

int rv_sq_set(struct rv_store *s, const char *queue, const struct reeve_queue_settings *settings,
              struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, set_within(&step, queue, settings, err), err);
}
