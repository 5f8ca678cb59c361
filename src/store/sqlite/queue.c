/* The row of a queue within a step: loaded once, changed in memory, written once. */
#include <string.h>

#include "base/buf.h"
#include "store/sqlite/step.h"

/* ---- bounds: a version, then the numbers in their order ---- */
enum { BOUNDS_VERSION = 1, BOUNDS_MAX = 64 };

static bool read_bounds(struct rv_bytes bytes, struct rv_sq_queue_bounds *out) {
    struct rv_reader reader;
    rv_reader_init(&reader, bytes);
    if (rv_read_u8(&reader) != BOUNDS_VERSION) reader.failed = 1;
    out->max_length = (int64_t)rv_read_u64(&reader);
    out->on_full = (int64_t)rv_read_u64(&reader);
    out->keep_failed = (int64_t)rv_read_u64(&reader);
    out->refused_total = (int64_t)rv_read_u64(&reader);
    out->dropped_total = (int64_t)rv_read_u64(&reader);
    out->trimmed_total = (int64_t)rv_read_u64(&reader);
    return !reader.failed;
}

static int pack_bounds(struct rv_buf *buf, const struct rv_sq_queue_bounds *bounds) {
    (void)rv_buf_add_u8(buf, BOUNDS_VERSION);
    (void)rv_buf_add_u64(buf, (uint64_t)bounds->max_length);
    (void)rv_buf_add_u64(buf, (uint64_t)bounds->on_full);
    (void)rv_buf_add_u64(buf, (uint64_t)bounds->keep_failed);
    (void)rv_buf_add_u64(buf, (uint64_t)bounds->refused_total);
    (void)rv_buf_add_u64(buf, (uint64_t)bounds->dropped_total);
    (void)rv_buf_add_u64(buf, (uint64_t)bounds->trimmed_total);
    return buf->error;
}

static bool any_bounds(const struct rv_sq_queue_bounds *bounds) {
    static const struct rv_sq_queue_bounds none;
    return memcmp(bounds, &none, sizeof none) != 0;
}

/* ---- the row ---- */
static bool read_row(const struct rv_sq_query *query, struct rv_sq_queue *queue) {
    int column = 0;
    queue->n = rv_sq_int(query, column++);
    queue->shown = rv_sq_int(query, column++);
    queue->paused = rv_sq_int(query, column++);
    queue->token = rv_sq_int(query, column++);
    queue->seq = rv_sq_int(query, column++);
    for (int state = REEVE_DELAYED; state <= REEVE_CANCELLED; state++)
        queue->counts[state] = rv_sq_int(query, column++);
    queue->pushed_total = rv_sq_int(query, column++);
    queue->finished_total = rv_sq_int(query, column++);
    queue->retried_total = rv_sq_int(query, column++);
    queue->lapsed_total = rv_sq_int(query, column++);
    queue->fenced_total = rv_sq_int(query, column++);
    queue->expired_total = rv_sq_int(query, column++);
    queue->marked_total = rv_sq_int(query, column++);
    queue->event = rv_sq_int(query, column++);
    queue->watched_until_ms = rv_sq_int(query, column++);
    return rv_sq_is_null(query, column) || read_bounds(rv_sq_bytes(query, column), &queue->bounds);
}

int rv_sq_queue_load(struct rv_sq_step *step, const char *name, struct rv_error *err) {
    step->queue_name = name;
    step->queue = (struct rv_sq_queue){0};
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_QUEUE_READ);
    rv_sq_bind_text(&query, step->store->space);
    rv_sq_bind_text(&query, name);
    int rc = 0;
    if (rv_sq_row(&query) && !read_row(&query, &step->queue))
        rc = rv_fail(err, REEVE_ECORRUPT, "the row of queue %s cannot be read", name);
    step->queue_before = step->queue;
    return rv_sq_end(&query, rc, err);
}

int rv_sq_queue_make(struct rv_sq_step *step, const char *name, struct rv_error *err) {
    int rc = rv_sq_queue_load(step, name, err);
    if (rc || step->queue.n) return rc;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_QUEUE_ADD);
    rv_sq_bind_text(&query, step->store->space);
    rv_sq_bind_text(&query, name);
    rc = rv_sq_run(&query, NULL, err);
    return rc ? rc : rv_sq_queue_load(step, name, err);
}

/* Events beyond RV_EVENTS_KEPT go as others come. */
static int trim_events(struct rv_sq_step *step, struct rv_error *err) {
    if (step->queue.event <= RV_EVENTS_KEPT) return 0;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_EVENT_TRIM);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_int(&query, step->queue.event - RV_EVENTS_KEPT);
    return rv_sq_run(&query, NULL, err);
}

/* bounds: of the queue, packed; empty if it has none. */
static int write_row(struct rv_sq_step *step, const struct rv_buf *bounds, struct rv_error *err) {
    const struct rv_sq_queue *queue = &step->queue;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_QUEUE_SAVE);
    rv_sq_bind_int(&query, queue->n);
    rv_sq_bind_int(&query, queue->shown);
    rv_sq_bind_int(&query, queue->paused);
    rv_sq_bind_int(&query, queue->token);
    rv_sq_bind_int(&query, queue->seq);
    for (int state = REEVE_DELAYED; state <= REEVE_CANCELLED; state++)
        rv_sq_bind_int(&query, queue->counts[state]);
    rv_sq_bind_int(&query, queue->pushed_total);
    rv_sq_bind_int(&query, queue->finished_total);
    rv_sq_bind_int(&query, queue->retried_total);
    rv_sq_bind_int(&query, queue->lapsed_total);
    rv_sq_bind_int(&query, queue->fenced_total);
    rv_sq_bind_int(&query, queue->expired_total);
    rv_sq_bind_int(&query, queue->marked_total);
    rv_sq_bind_int(&query, queue->event);
    rv_sq_bind_int(&query, queue->watched_until_ms);
    if (bounds->size)
        rv_sq_bind_bytes(&query, (struct rv_bytes){bounds->data, bounds->size});
    else
        rv_sq_bind_null(&query);
    return rv_sq_run(&query, NULL, err);
}

int rv_sq_queue_save(struct rv_sq_step *step, struct rv_error *err) {
    const struct rv_sq_queue *queue = &step->queue;
    if (memcmp(queue, &step->queue_before, sizeof *queue) == 0) return 0;
    struct rv_buf bounds;
    rv_buf_init(&bounds, BOUNDS_MAX);
    int rc = any_bounds(&queue->bounds) ? pack_bounds(&bounds, &queue->bounds) : 0;
    rc = rc ? rv_fail(err, rc, "no memory for queue %s", step->queue_name)
            : write_row(step, &bounds, err);
    rv_buf_release(&bounds);
    return rc || queue->event == step->queue_before.event ? rc : trim_events(step, err);
}

uint64_t rv_sq_queue_next_token(struct rv_sq_step *step) {
    struct rv_sq_queue *queue = &step->queue;
    queue->token = queue->token + 1 > step->now_us ? queue->token + 1 : step->now_us;
    return (uint64_t)queue->token;
}

int rv_sq_queue_due_in(struct rv_sq_step *step, int64_t *out, struct rv_error *err) {
    *out = -1;
    if (step->queue.counts[REEVE_DELAYED] == 0) return 0;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_QUEUE_DUE);
    rv_sq_bind_int(&query, step->queue.n);
    if (rv_sq_row(&query)) {
        int64_t in_ms = rv_sq_int(&query, 0) - step->now_ms;
        *out = in_ms > 0 ? in_ms : 0;
    }
    return rv_sq_end(&query, 0, err);
}

int rv_sq_queue_promote(struct rv_sq_step *step, int64_t *count, struct rv_error *err) {
    struct rv_sq_queue *queue = &step->queue;
    *count = 0;
    int64_t due_in_ms;
    int rc = rv_sq_queue_due_in(step, &due_in_ms, err);
    if (rc || due_in_ms != 0) return rc;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_PROMOTE);
    rv_sq_bind_int(&query, queue->n);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_int(&query, queue->seq);
    rv_sq_bind_int(&query, RV_PROMOTE_MAX);
    rc = rv_sq_run(&query, count, err);
    if (rc) return rc;
    queue->seq += *count;
    queue->counts[REEVE_DELAYED] -= *count;
    queue->counts[REEVE_READY] += *count;
    step->rings = true;
    return 0;
}
