#include "store/sqlite/bounds.h"

#include "store/sqlite/jobs.h"

struct rv_bounds rv_sq_bounds(const struct rv_sq_queue *queue) {
    return (struct rv_bounds){.max_length = queue->bounds.max_length,
                              .keep_failed = queue->bounds.keep_failed,
                              .on_full = (enum reeve_on_full)queue->bounds.on_full};
}

static uint64_t waiting(const struct rv_sq_queue *queue) {
    return (uint64_t)(queue->counts[REEVE_DELAYED] + queue->counts[REEVE_READY]);
}

bool rv_sq_bound_exceeded(const struct rv_sq_step *step, size_t count) {
    uint64_t most = (uint64_t)step->queue.bounds.max_length;
    return most && waiting(&step->queue) + count > most;
}

/* ---- max_length ---- */
/* It waits, and makes room for another: cancelled without a trace but for event and count. */
static int drop(struct rv_sq_step *step, const struct rv_sq_record *record, struct rv_error *err) {
    struct rv_sq_event event = {.type = REEVE_JOB_ENDED,
                                .state = REEVE_CANCELLED,
                                .id = record->job.id,
                                .worker = record->job.worker,
                                .token = record->job.token};
    int rc = rv_sq_event_add(step, &event, err);
    return rc ? rc : rv_sq_job_take_out(step, record, err);
}

/* Does that with the first that which finds. */
static int drop_first(struct rv_sq_step *step, enum rv_sqlite_sql which, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, which);
    rv_sq_bind_int(&query, step->queue.n);
    struct rv_sq_record record;
    int rc = 0;
    if (rv_sq_row(&query)) {
        rc = rv_sq_record_read(&query, &record, err);
        if (!rc) rc = drop(step, &record, err);
    }
    return rv_sq_end(&query, rc, err);
}

int rv_sq_bound_admit(struct rv_sq_step *step, bool *refused, struct rv_error *err) {
    struct rv_bounds bounds = rv_sq_bounds(&step->queue);
    *refused = false;
    if (!rv_bounds_full(&bounds, waiting(&step->queue))) return 0;
    *refused = !rv_bounds_drop(&bounds);
    if (*refused) return 0;
    bool ready = step->queue.counts[REEVE_READY] > 0;
    return drop_first(step, ready ? RV_SQLITE_SQL_BOUND_FIRST_READY : RV_SQLITE_SQL_BOUND_FIRST_DUE,
                      err);
}

/* ---- keep_failed ---- */
bool rv_sq_bound_excess(const struct rv_sq_step *step) {
    struct rv_bounds bounds = rv_sq_bounds(&step->queue);
    return rv_bounds_excess(&bounds, (uint64_t)step->queue.counts[REEVE_FAILED]) > 0;
}

static int trim_first(struct rv_sq_step *step, bool *found, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_BOUND_FIRST_FAILED);
    rv_sq_bind_int(&query, step->queue.n);
    struct rv_sq_record record;
    int rc = 0;
    *found = rv_sq_row(&query);
    if (*found) {
        rc = rv_sq_record_read(&query, &record, err);
        if (!rc) rc = rv_sq_job_take_out(step, &record, err);
    }
    return rv_sq_end(&query, rc, err);
}

int rv_sq_bound_trim(struct rv_sq_step *step, size_t most, size_t *removed, struct rv_error *err) {
    int rc = 0;
    bool found = true;
    for (size_t i = 0; !rc && found && i < most && rv_sq_bound_excess(step); i++) {
        rc = trim_first(step, &found, err);
        if (!rc && found && removed) ++*removed;
    }
    return rc;
}
