/* check, note. */
#include "store/sqlite/notes.h"

#include <string.h>

#include "store/sqlite/jobs.h"

/* ---- for the other files ---- */
static void add_line(struct rv_sq_notes *notes, const char *line) {
    if (notes->count == RV_LOG_LINES_MAX) return; /* a library that keeps more was here */
    (void)rv_buf_add(&notes->text, line, strlen(line) + 1);
    notes->count++;
}

/* The text moves while it grows, so the lines are found when it is complete. */
static void find_lines(struct rv_sq_notes *notes) {
    const char *at = (const char *)notes->text.data;
    for (size_t i = 0; i < notes->count; i++) {
        notes->lines[i] = at;
        at += strlen(at) + 1;
    }
}

int rv_sq_notes_read(struct rv_sq_step *step, int64_t n, struct rv_sq_notes *out,
                     struct rv_error *err) {
    *out = (struct rv_sq_notes){.progress = REEVE_NONE};
    rv_buf_init(&out->text, (size_t)RV_LOG_LINES_MAX * (RV_LOG_LINE_MAX + 1));
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_NOTES_READ);
    rv_sq_bind_int(&query, n);
    rv_sq_bind_int(&query, RV_LOG_LINES_MAX + 1);
    while (rv_sq_row(&query)) {
        if (rv_sq_int(&query, 0) == 0)
            out->progress = (int)rv_sq_int(&query, 1);
        else
            add_line(out, rv_sq_text(&query, 1));
    }
    int rc = rv_sq_end(&query, 0, err);
    if (!rc && out->text.error) rc = rv_fail(err, out->text.error, "the log of a job");
    if (rc)
        rv_sq_notes_release(out);
    else
        find_lines(out);
    return rc;
}

void rv_sq_notes_release(struct rv_sq_notes *notes) {
    rv_buf_release(&notes->text);
}

/* ---- check ---- */
/* A job, and who has it. */
struct held {
    int64_t n; /* 0: there is no record */
    bool noted;
    uint64_t holder, token; /* 0: nobody */
};

static int look_at(struct rv_sq_step *step, const char *id, struct held *out,
                   struct rv_error *err) {
    *out = (struct held){0};
    struct rv_sq_query query;
    struct rv_sq_record record;
    int rc = rv_sq_job_find(step, id, &query, &record, err);
    if (rc) return rc == REEVE_ENOENT ? 0 : rc;
    if (!rv_sq_job_expired(step, &record)) out->n = record.n;
    out->noted = record.noted;
    if (record.job.state == REEVE_RUNNING) {
        struct rv_sq_claim claim;
        rc = rv_sq_claim_read(step, record.holder, &claim, err);
        out->holder = claim.holder;
        out->token = claim.token;
    }
    return rv_sq_end(&query, rc, err);
}

static int fence(const struct rv_sq_step *step, const char *id, struct rv_error *err) {
    return rv_fail(err, REEVE_EFENCED, "job '%s' of queue %s is no longer held under this lease",
                   id, step->queue_name);
}

static int check_within(struct rv_sq_step *step, const char *queue, const char *id, uint64_t token,
                        uint64_t holder, struct rv_error *err) {
    struct held held;
    int rc = rv_sq_queue_load(step, queue, err);
    if (!rc) rc = look_at(step, id, &held, err);
    if (rc) return rc;
    if (!held.n) return rv_fail(err, REEVE_ENOENT, "no job '%s' in queue %s", id, queue);
    bool current = held.token && held.token == token && held.holder == holder;
    return current ? 0 : fence(step, id, err);
}

int rv_sq_check(struct rv_store *s, const char *queue, const char *id, uint64_t token,
                uint64_t holder, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, check_within(&step, queue, id, token, holder, err), err);
}

/* ---- note ---- */
static int run_with(struct rv_sq_step *step, enum rv_sqlite_sql which, uint64_t key,
                    struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, which);
    rv_sq_bind_u64(&query, key);
    return rv_sq_run(&query, NULL, err);
}

/* The first note of a job. There may be leftovers of another that had its number, if a library
 * removed it that does not know of notes. */
static int begin_notes(struct rv_sq_step *step, const struct held *held, struct rv_error *err) {
    uint64_t n = (uint64_t)held->n;
    int rc = run_with(step, RV_SQLITE_SQL_NOTES_REMOVE, n, err);
    if (!rc) rc = run_with(step, RV_SQLITE_SQL_NOTE_BEGIN, n, err);
    return rc ? rc : run_with(step, RV_SQLITE_SQL_NOTE_BEGIN_CLAIM, held->holder, err);
}

static int write_progress(struct rv_sq_step *step, int64_t n, int progress, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_NOTE_PROGRESS);
    rv_sq_bind_int(&query, n);
    rv_sq_bind_int(&query, progress);
    return rv_sq_run(&query, NULL, err);
}

static int write_line(struct rv_sq_step *step, int64_t n, const char *line, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_NOTE_LINE);
    rv_sq_bind_int(&query, n);
    rv_sq_bind_text(&query, line);
    int64_t number = 0;
    while (rv_sq_row(&query))
        number = rv_sq_int(&query, 0);
    int rc = rv_sq_end(&query, 0, err);
    if (rc || number <= RV_LOG_LINES_MAX) return rc;
    query = rv_sq_query(step->conn, RV_SQLITE_SQL_NOTE_TRIM);
    rv_sq_bind_int(&query, n);
    rv_sq_bind_int(&query, number - RV_LOG_LINES_MAX);
    return rv_sq_run(&query, NULL, err);
}

/* *fenced is no error within the step: it is counted, so the step is committed. */
static int note_within(struct rv_sq_step *step, const char *queue, const struct rv_note *note,
                       bool *fenced, struct rv_error *err) {
    struct held held;
    int rc = rv_sq_queue_load(step, queue, err);
    if (!rc) rc = look_at(step, note->id, &held, err);
    if (rc) return rc;
    *fenced = !held.token || held.token != note->token || held.holder != note->holder; /* J3 */
    if (*fenced) {
        if (step->queue.n) step->queue.fenced_total++;
        return 0;
    }
    if (!held.noted) rc = begin_notes(step, &held, err);
    if (!rc && note->progress >= 0) rc = write_progress(step, held.n, note->progress, err);
    if (!rc && note->line) rc = write_line(step, held.n, note->line, err);
    return rc;
}

int rv_sq_note(struct rv_store *s, const char *queue, const struct rv_note *note,
               struct rv_error *err) {
    struct rv_sq_step step;
    bool fenced = false;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    rc = rv_sq_step_end(&step, note_within(&step, queue, note, &fenced, err), err);
    return rc || !fenced ? rc : fence(&step, note->id, err);
}
