/* read, cancel, revive, remove, keep: one job by its id. */
#include "store/sqlite/jobs.h"

#include <assert.h>

#include "core/state.h"

/* ---- for the other files ---- */
int rv_sq_job_find(struct rv_sq_step *step, const char *id, struct rv_sq_query *query,
                   struct rv_sq_record *out, struct rv_error *err) {
    *query = rv_sq_query(step->conn, RV_SQLITE_SQL_READ);
    rv_sq_bind_text(query, id);
    rv_sq_bind_int(query, step->queue.n);
    if (rv_sq_row(query)) {
        int rc = rv_sq_record_read(query, out, err);
        return rc ? rv_sq_end(query, rc, err) : 0;
    }
    int rc = rv_sq_end(query, 0, err);
    return rc ? rc : rv_fail(err, REEVE_ENOENT, "no job '%s' in queue %s", id, step->queue_name);
}

bool rv_sq_job_expired(const struct rv_sq_step *step, const struct rv_sq_record *record) {
    return record->expires_ms && record->expires_ms <= step->now_ms;
}

static int remove_from(struct rv_sq_step *step, enum rv_sqlite_sql which, int64_t n,
                       struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, which);
    rv_sq_bind_int(&query, n);
    return rv_sq_run(&query, NULL, err);
}

int rv_sq_job_remove(struct rv_sq_step *step, const struct rv_sq_record *record,
                     struct rv_error *err) {
    int rc = 0;
    if (record->large) rc = remove_from(step, RV_SQLITE_SQL_BODY_REMOVE, record->n, err);
    if (!rc && record->noted) rc = remove_from(step, RV_SQLITE_SQL_NOTES_REMOVE, record->n, err);
    return rc ? rc : remove_from(step, RV_SQLITE_SQL_REMOVE, record->n, err);
}

int rv_sq_job_take_out(struct rv_sq_step *step, const struct rv_sq_record *record,
                       struct rv_error *err) {
    enum reeve_state state = record->job.state;
    step->queue.counts[state]--;
    if (rv_state_ended(state)) {
        step->queue.bounds.trimmed_total++;
    } else {
        step->queue.bounds.dropped_total++;
        step->rings = true; /* somebody may wait for its end */
    }
    return rv_sq_job_remove(step, record, err);
}

/* ---- the ops ---- */
/* What an op does with the record it is about. */
typedef int record_fn(struct rv_sq_step *step, const struct rv_sq_record *record, void *arg,
                      struct rv_error *err);

static int with_record(struct rv_sq_step *step, const char *queue, const char *id, record_fn *fn,
                       void *arg, struct rv_error *err) {
    struct rv_sq_query query;
    struct rv_sq_record record;
    int rc = rv_sq_queue_load(step, queue, err);
    if (!rc) rc = rv_sq_job_find(step, id, &query, &record, err);
    if (rc) return rc;
    if (rv_sq_job_expired(step, &record))
        rc = rv_fail(err, REEVE_ENOENT, "no job '%s' in queue %s", id, queue);
    else
        rc = fn(step, &record, arg, err);
    return rv_sq_end(&query, rc, err);
}

static int change(struct rv_store *s, const char *queue, const char *id, record_fn *fn, void *arg,
                  struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, with_record(&step, queue, id, fn, arg, err), err);
}

static int refuse(const struct rv_sq_step *step, const struct rv_sq_record *record,
                  const char *verb, struct rv_error *err) {
    return rv_fail(err, REEVE_ESTATE, "cannot %s job '%s' of queue %s: it is %s", verb,
                   record->job.id, step->queue_name, reeve_state_name(record->job.state));
}

/* Keeps the counts while a job moves from one state to another that it may come to (J1). */
static void move(struct rv_sq_step *step, enum reeve_state from, enum reeve_state to) {
    assert(rv_state_may(from, to));
    step->queue.counts[from]--;
    step->queue.counts[to]++;
}

/* Packs what the record says of its latest lease, with another end. */
static int repack_past(const struct rv_sq_record *record, int64_t ended_at_ms, struct rv_buf *buf,
                       struct rv_error *err) {
    struct rv_sq_past past = record->past;
    past.ended_at_ms = ended_at_ms;
    rv_buf_init(buf, 2 * RV_HISTORY_BYTES_MAX);
    int rc = rv_sq_past_pack(buf, &past);
    if (rc) rv_buf_release(buf);
    return rc ? rv_fail(err, rc, "job '%s'", record->job.id) : 0;
}

/* ---- read ---- */
static int read_record(struct rv_sq_step *step, const struct rv_sq_record *record, void *arg,
                       struct rv_error *err) {
    return rv_sq_show(step, record, NULL, arg, err);
}

int rv_sq_read(struct rv_store *s, const char *queue, const char *id, int64_t timeout_ms,
               struct reeve_job **out, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_read_within(&step, s, timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, with_record(&step, queue, id, read_record, out, err), err);
}

/* ---- cancel ---- */
static int mark(struct rv_sq_step *step, const struct rv_sq_record *record, struct rv_error *err) {
    if (record->job.cancelling) return 0;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_CANCEL_MARK);
    rv_sq_bind_int(&query, record->n);
    int rc = rv_sq_run(&query, NULL, err);
    if (rc) return rc;
    query = rv_sq_query(step->conn, RV_SQLITE_SQL_CANCEL_MARK_CLAIM);
    rv_sq_bind_u64(&query, record->holder);
    step->queue.marked_total++;
    step->rings = true;
    return rv_sq_run(&query, NULL, err);
}

static int save_cancelled(struct rv_sq_step *step, const struct rv_sq_record *record,
                          struct rv_error *err) {
    struct rv_buf past;
    int rc = repack_past(record, step->now_ms, &past, err);
    if (rc) return rc;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_CANCEL);
    rv_sq_bind_int(&query, record->n);
    rv_sq_bind_int(&query, rv_time_add(step->now_ms, record->terms.policy.keep_ms));
    rv_sq_bind_bytes(&query, (struct rv_bytes){past.data, past.size});
    rc = rv_sq_run(&query, NULL, err);
    rv_buf_release(&past);
    return rc;
}

static int end_waiting(struct rv_sq_step *step, const struct rv_sq_record *record,
                       struct rv_error *err) {
    const struct reeve_job *job = &record->job;
    bool keep = record->terms.policy.keep_ms > 0;
    move(step, job->state, REEVE_CANCELLED);
    if (!keep) step->queue.counts[REEVE_CANCELLED]--;
    step->queue.finished_total++;
    step->rings = true;
    struct rv_sq_event event = {.type = REEVE_JOB_ENDED,
                                .state = REEVE_CANCELLED,
                                .id = job->id,
                                .worker = job->worker,
                                .token = job->token};
    int rc = rv_sq_event_add(step, &event, err);
    if (rc) return rc;
    return keep ? save_cancelled(step, record, err) : rv_sq_job_remove(step, record, err);
}

static int cancel_record(struct rv_sq_step *step, const struct rv_sq_record *record, void *arg,
                         struct rv_error *err) {
    enum reeve_state *now = arg, state = record->job.state;
    if (rv_state_ended(state)) return refuse(step, record, "cancel", err);
    bool running = state == REEVE_RUNNING;
    *now = running ? REEVE_RUNNING : REEVE_CANCELLED;
    return running ? mark(step, record, err) : end_waiting(step, record, err);
}

int rv_sq_cancel(struct rv_store *s, const char *queue, const char *id, enum reeve_state *now,
                 struct rv_error *err) {
    return change(s, queue, id, cancel_record, now, err);
}

/* ---- revive ---- */
static int revive_record(struct rv_sq_step *step, const struct rv_sq_record *record, void *arg,
                         struct rv_error *err) {
    (void)arg;
    enum reeve_state state = record->job.state;
    if (state != REEVE_FAILED && state != REEVE_CANCELLED)
        return refuse(step, record, "revive", err);
    struct rv_buf past;
    int rc = repack_past(record, 0, &past, err);
    if (rc) return rc;
    move(step, state, REEVE_READY);
    step->rings = true;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_REVIVE);
    rv_sq_bind_int(&query, record->n);
    rv_sq_bind_int(&query, ++step->queue.seq);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_bytes(&query, (struct rv_bytes){past.data, past.size});
    rc = rv_sq_run(&query, NULL, err);
    rv_buf_release(&past);
    return rc;
}

int rv_sq_revive(struct rv_store *s, const char *queue, const char *id, struct rv_error *err) {
    return change(s, queue, id, revive_record, NULL, err);
}

/* ---- remove, keep ---- */
static int remove_record(struct rv_sq_step *step, const struct rv_sq_record *record, void *arg,
                         struct rv_error *err) {
    (void)arg;
    if (record->job.state == REEVE_RUNNING) return refuse(step, record, "remove", err);
    return rv_sq_job_take_out(step, record, err);
}

int rv_sq_remove(struct rv_store *s, const char *queue, const char *id, struct rv_error *err) {
    return change(s, queue, id, remove_record, NULL, err);
}

static int keep_record(struct rv_sq_step *step, const struct rv_sq_record *record, void *arg,
                       struct rv_error *err) {
    const int64_t *keep_ms = arg;
    if (!rv_state_ended(record->job.state)) return refuse(step, record, "keep", err);
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_KEEP);
    rv_sq_bind_int(&query, record->n);
    rv_sq_bind_int(&query, rv_time_add(step->now_ms, *keep_ms));
    return rv_sq_run(&query, NULL, err);
}

int rv_sq_keep(struct rv_store *s, const char *queue, const char *id, int64_t keep_ms,
               struct rv_error *err) {
    return change(s, queue, id, keep_record, &keep_ms, err);
}
