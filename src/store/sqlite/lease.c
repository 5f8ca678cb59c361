/* renew and lapsed: the deadlines of claims. */
#include <stdio.h>
#include <stdlib.h>

#include "store/sqlite/claim.h"

/* ---- renew ---- */
static int add_mark(struct rv_cancel_marks *marks, size_t *room, uint64_t holder, const char *id,
                    struct rv_error *err) {
    if (marks->count == *room) {
        size_t wider = *room ? 2 * *room : 16;
        struct rv_cancel_mark *grown = realloc(marks->marks, wider * sizeof *grown);
        if (!grown) return rv_fail(err, REEVE_ENOMEM, "out of memory");
        marks->marks = grown;
        *room = wider;
    }
    struct rv_cancel_mark *mark = &marks->marks[marks->count++];
    mark->holder = holder;
    (void)snprintf(mark->id, sizeof mark->id, "%s", id);
    return 0;
}

static int gather_marks(struct rv_sq_step *step, uint64_t holder, struct rv_cancel_marks *marks,
                        size_t *room, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_RENEW_MARKS);
    rv_sq_bind_u64(&query, holder);
    rv_sq_bind_int(&query, RV_CLAIM_MAX);
    int rc = 0;
    while (!rc && rv_sq_row(&query))
        rc = add_mark(marks, room, holder, rv_sq_text(&query, 0), err);
    return rv_sq_end(&query, rc, err);
}

/* *marked: the claim was renewed, and some of its jobs may be told to stop. */
static int renew_one(struct rv_sq_step *step, struct rv_renewal *renewal, bool *marked,
                     struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_RENEW);
    rv_sq_bind_u64(&query, renewal->holder);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_u64(&query, renewal->token);
    rv_sq_bind_int(&query, rv_time_add(step->boot_ms, renewal->lease_ms));
    renewal->lost = true;
    *marked = false;
    while (rv_sq_row(&query)) {
        renewal->lost = false;
        *marked = rv_sq_int(&query, 0) != 0;
    }
    if (renewal->lost) step->queue.fenced_total++; /* J3 */
    return rv_sq_end(&query, 0, err);
}

static int renew_all(struct rv_sq_step *step, struct rv_renewal *claims, size_t count,
                     struct rv_cancel_marks *marks, struct rv_error *err) {
    size_t room = 0;
    int rc = 0;
    for (size_t i = 0; !rc && i < count; i++) {
        bool marked = false;
        rc = renew_one(step, &claims[i], &marked, err);
        if (!rc && marked) rc = gather_marks(step, claims[i].holder, marks, &room, err);
    }
    return rc;
}

int rv_sq_renew(struct rv_store *s, const char *queue, struct rv_renewal *claims, size_t count,
                int64_t timeout_ms, struct rv_cancel_marks *marks, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, timeout_ms, err);
    if (rc) return rc;
    rc = rv_sq_queue_load(&step, queue, err);
    if (!rc && step.queue.n) rc = renew_all(&step, claims, count, marks, err);
    for (size_t i = 0; !step.queue.n && i < count; i++)
        claims[i].lost = true;
    return rv_sq_step_end(&step, rc, err);
}

/* ---- lapsed ---- */
/* Whole claims, longest lapsed first, as many as fit. */
static int gather_lapsed(struct rv_sq_step *step, struct reeve_job **jobs, struct rv_lapsed *out,
                         struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_LAPSED);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_int(&query, step->boot_ms);
    rv_sq_bind_int(&query, RV_CLAIM_MAX);
    int rc = 0;
    while (!rc && rv_sq_row(&query)) {
        struct rv_sq_claim claim;
        rc = rv_sq_claim_read(step, rv_sq_u64(&query, 0), &claim, err);
        if (rc || out->count + (size_t)claim.jobs > RV_CLAIM_MAX) break;
        size_t count = 0;
        rc = rv_sq_show_claimed(step, &claim, jobs, &count, err);
        for (size_t i = 0; i < count; i++)
            out->jobs[out->count++] = (struct rv_lapsed_job){jobs[i], claim.holder};
    }
    return rv_sq_end(&query, rc, err);
}

static int find_next(struct rv_sq_step *step, int64_t *in_ms, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_LAPSED_NEXT);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_int(&query, step->boot_ms);
    if (rv_sq_row(&query)) *in_ms = rv_sq_int(&query, 0) - step->boot_ms;
    return rv_sq_end(&query, 0, err);
}

static int lapsed_within(struct rv_sq_step *step, const char *queue, struct rv_lapsed *out,
                         struct rv_error *err) {
    int rc = rv_sq_queue_load(step, queue, err);
    if (rc || !step->queue.counts[REEVE_RUNNING]) return rc;
    struct reeve_job *jobs[RV_CLAIM_MAX];
    out->jobs = calloc(RV_CLAIM_MAX, sizeof *out->jobs);
    if (!out->jobs) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    rc = gather_lapsed(step, jobs, out, err);
    return rc ? rc : find_next(step, &out->next_in_ms, err);
}

int rv_sq_lapsed(struct rv_store *s, const char *queue, struct rv_lapsed *out,
                 struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, lapsed_within(&step, queue, out, err), err);
}
