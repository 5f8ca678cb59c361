/* The register of workers: for people; no decision hangs on it. */
#include <stdio.h>
#include <stdlib.h>

#include "store/sqlite/step.h"

enum {
    WORKERS_MAX = 10000, /* J11: shown at once */
    PRUNE_MAX = 100,     /* J11: expired ones that a beat removes */
};

static int prune(struct rv_sq_step *step, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_BEAT_PRUNE);
    rv_sq_bind_text(&query, step->store->space);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_int(&query, PRUNE_MAX);
    return rv_sq_run(&query, NULL, err);
}

static int write_row(struct rv_sq_step *step, const struct rv_worker_row *worker, int64_t ttl_ms,
                     struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_BEAT);
    rv_sq_bind_text(&query, step->store->space);
    rv_sq_bind_text(&query, worker->id);
    rv_sq_bind_text(&query, worker->name);
    rv_sq_bind_text(&query, worker->queues);
    rv_sq_bind_int(&query, worker->threads);
    rv_sq_bind_u64(&query, worker->running);
    rv_sq_bind_int(&query, worker->started_at_ms);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_int(&query, worker->degraded_since_ms);
    rv_sq_bind_int(&query, rv_time_add(step->now_ms, ttl_ms));
    rv_sq_bind_text(&query, worker->kinds);
    rv_sq_bind_int(&query, worker->claimed_at_ms);
    return rv_sq_run(&query, NULL, err);
}

int rv_sq_beat(struct rv_store *s, const struct rv_worker_row *worker, int64_t ttl_ms,
               struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    rc = prune(&step, err);
    if (!rc) rc = write_row(&step, worker, ttl_ms, err);
    return rv_sq_step_end(&step, rc, err);
}

int rv_sq_leave(struct rv_store *s, const char *worker_id, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    struct rv_sq_query query = rv_sq_query(step.conn, RV_SQLITE_SQL_LEAVE);
    rv_sq_bind_text(&query, step.store->space);
    rv_sq_bind_text(&query, worker_id);
    return rv_sq_step_end(&step, rv_sq_run(&query, NULL, err), err);
}

static void read_row(const struct rv_sq_query *query, struct rv_worker_row *row) {
    (void)snprintf(row->id, sizeof row->id, "%s", rv_sq_text(query, 0));
    (void)snprintf(row->name, sizeof row->name, "%s", rv_sq_text(query, 1));
    (void)snprintf(row->queues, sizeof row->queues, "%s", rv_sq_text(query, 2));
    row->threads = (int)rv_sq_int(query, 3);
    row->running = rv_sq_u64(query, 4);
    row->started_at_ms = rv_sq_int(query, 5);
    row->seen_at_ms = rv_sq_int(query, 6);
    row->degraded_since_ms = rv_sq_int(query, 7);
    (void)snprintf(row->kinds, sizeof row->kinds, "%s", rv_sq_text(query, 8));
    row->claimed_at_ms = rv_sq_int(query, 9);
}

static int gather(struct rv_sq_step *step, struct rv_workers *out, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_WORKERS);
    rv_sq_bind_text(&query, step->store->space);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_int(&query, WORKERS_MAX);
    int rc = 0;
    size_t room = 0;
    while (!rc && rv_sq_row(&query)) {
        if (out->count == room) {
            room = room ? 2 * room : 16;
            struct rv_worker_row *grown = realloc(out->rows, room * sizeof *grown);
            if (!grown) rc = rv_fail(err, REEVE_ENOMEM, "out of memory");
            if (grown) out->rows = grown;
        }
        if (!rc) read_row(&query, &out->rows[out->count++]);
    }
    return rv_sq_end(&query, rc, err);
}

int rv_sq_workers(struct rv_store *s, struct rv_workers *out, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, gather(&step, out, err), err);
}
