#include "store/sqlite/claim.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/history.h"
#include "core/job.h"
#include "store/sqlite/notes.h"

/* ---- rows of claim ---- */
int rv_sq_claim_read(struct rv_sq_step *step, uint64_t holder, struct rv_sq_claim *out,
                     struct rv_error *err) {
    *out = (struct rv_sq_claim){.holder = holder};
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_CLAIM_READ);
    rv_sq_bind_u64(&query, holder);
    if (rv_sq_row(&query)) {
        out->queue = rv_sq_int(&query, 0);
        out->token = rv_sq_u64(&query, 1);
        (void)snprintf(out->worker, sizeof out->worker, "%s", rv_sq_text(&query, 2));
        out->started_at_ms = rv_sq_int(&query, 3);
        out->deadline_ms = rv_sq_int(&query, 4);
        out->jobs = rv_sq_int(&query, 5);
        out->large = rv_sq_int(&query, 6) != 0;
        out->marked = rv_sq_int(&query, 7) != 0;
    }
    return rv_sq_end(&query, 0, err);
}

int rv_sq_claim_add(struct rv_sq_step *step, const struct rv_sq_claim *claim,
                    struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_CLAIM_ADD);
    rv_sq_bind_u64(&query, claim->holder);
    rv_sq_bind_int(&query, claim->queue);
    rv_sq_bind_u64(&query, claim->token);
    rv_sq_bind_text(&query, claim->worker);
    rv_sq_bind_int(&query, claim->started_at_ms);
    rv_sq_bind_int(&query, claim->deadline_ms);
    rv_sq_bind_int(&query, claim->jobs);
    rv_sq_bind_int(&query, claim->large);
    (void)rv_sq_row(&query);
    int rc = 0;
    if ((query.result & 0xff) == SQLITE_CONSTRAINT) /* a repeat whose lane was forgotten */
        rc = rv_fail(err, REEVE_ESTATE, "claim from queue %s: this holder has a claim already",
                     step->queue_name);
    return rv_sq_end(&query, rc, err);
}

int rv_sq_claim_save(struct rv_sq_step *step, const struct rv_sq_claim *claim,
                     struct rv_error *err) {
    bool over = claim->jobs == 0;
    struct rv_sq_query query =
        rv_sq_query(step->conn, over ? RV_SQLITE_SQL_CLAIM_REMOVE : RV_SQLITE_SQL_CLAIM_SAVE);
    rv_sq_bind_u64(&query, claim->holder);
    if (!over) rv_sq_bind_int(&query, claim->jobs);
    return rv_sq_run(&query, NULL, err);
}

bool rv_sq_claim_lapsed(const struct rv_sq_step *step, const struct rv_sq_claim *claim) {
    return claim->deadline_ms <= step->boot_ms;
}

/* ---- records as people see them ---- */
static void add_lease(const struct rv_sq_step *step, const struct rv_sq_claim *claim,
                      struct reeve_job *job) {
    job->token = claim->token;
    job->worker = claim->worker;
    job->started_at_ms = claim->started_at_ms;
    job->lease_until_ms = rv_time_add(step->now_ms, claim->deadline_ms - step->boot_ms);
}

/* view is complete but for its history. */
static int pack(const struct rv_sq_record *record, struct reeve_job *view, struct reeve_job **out,
                struct rv_error *err) {
    struct rv_history *history = NULL;
    int rc = rv_history_read(record->past.history, &history);
    if (rc) return rv_fail(err, rc, "the history of job '%s' cannot be read", view->id);
    if (history) {
        view->history = history->attempts;
        view->history_count = history->count;
    }
    *out = rv_job_pack(view);
    free(history);
    return *out ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
}

/* The same for one whose body is in a table of its own. */
static int pack_large(struct rv_sq_step *step, const struct rv_sq_record *record,
                      struct reeve_job *view, struct reeve_job **out, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_BODY_READ);
    rv_sq_bind_int(&query, record->n);
    int rc = 0;
    if (rv_sq_row(&query)) {
        struct rv_bytes body = rv_sq_bytes(&query, 0);
        view->body = body.data;
        view->body_size = body.size;
        rc = pack(record, view, out, err);
    } else if (!query.result) {
        rc = rv_fail(err, REEVE_ECORRUPT, "the body of job '%s' is missing", view->id);
    }
    return rv_sq_end(&query, rc, err);
}

/* The same for one of which there are notes. */
static int pack_noted(struct rv_sq_step *step, const struct rv_sq_record *record,
                      struct reeve_job *view, struct reeve_job **out, struct rv_error *err) {
    struct rv_sq_notes notes;
    int rc = rv_sq_notes_read(step, record->n, &notes, err);
    if (rc) return rc;
    view->progress = notes.progress;
    view->log = notes.lines;
    view->log_count = notes.count;
    rc = record->large ? pack_large(step, record, view, out, err) : pack(record, view, out, err);
    view->log = NULL;
    view->log_count = 0;
    rv_sq_notes_release(&notes);
    return rc;
}

int rv_sq_show(struct rv_sq_step *step, const struct rv_sq_record *record,
               const struct rv_sq_claim *claim, struct reeve_job **out, struct rv_error *err) {
    struct reeve_job view = record->job;
    view.queue = step->queue_name;
    struct rv_sq_claim found;
    if (view.state == REEVE_RUNNING && !claim) {
        int rc = rv_sq_claim_read(step, record->holder, &found, err);
        if (rc) return rc;
        claim = &found;
    }
    if (claim) add_lease(step, claim, &view);
    if (record->noted) return pack_noted(step, record, &view, out, err);
    return record->large ? pack_large(step, record, &view, out, err)
                         : pack(record, &view, out, err);
}

int rv_sq_show_claimed(struct rv_sq_step *step, const struct rv_sq_claim *claim,
                       struct reeve_job **out, size_t *count, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_CLAIM_JOBS);
    rv_sq_bind_u64(&query, claim->holder);
    rv_sq_bind_int(&query, RV_CLAIM_MAX);
    int rc = 0;
    while (!rc && rv_sq_row(&query)) {
        struct rv_sq_record record;
        rc = rv_sq_record_read(&query, &record, err);
        if (!rc) rc = rv_sq_show(step, &record, claim, &out[*count], err);
        if (!rc) (*count)++;
    }
    return rv_sq_end(&query, rc, err);
}
