/* push: one id, one job (J14), and a repeat changes nothing (J7). All jobs go in by one statement;
 * only if some met a record are they looked at one by one. */
#include <string.h>

#include "store/sqlite/bounds.h"
#include "store/sqlite/given.h"
#include "store/sqlite/jobs.h"

struct push {
    struct rv_sq_step *step;
    const struct rv_new_job *jobs;
    size_t count;
    struct rv_pushed *outs;
    int64_t first_seq; /* of jobs[0]; the others count up */
    size_t queued;
};

/* ---- those that are new ---- */
static int add_large_body(struct rv_sq_step *step, int64_t n, const struct rv_new_job *job,
                          struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_BODY_ADD);
    rv_sq_bind_int(&query, n);
    rv_sq_bind_bytes(&query, job->body);
    return rv_sq_run(&query, NULL, err);
}

static int find_n(struct rv_sq_step *step, const char *id, int64_t *out, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_PUSH_FIND);
    rv_sq_bind_text(&query, id);
    rv_sq_bind_int(&query, step->queue.n);
    *out = rv_sq_row(&query) ? rv_sq_int(&query, 0) : 0;
    return rv_sq_end(&query, 0, err);
}

/* Inserts those of the jobs that meet no record. seq: of the first. */
static int insert(struct rv_sq_step *step, const struct rv_new_job *jobs, size_t count, int64_t seq,
                  int64_t *inserted, struct rv_error *err) {
    struct rv_buf terms;
    rv_buf_init(&terms, 256);
    struct rv_sq_given_jobs given = {.jobs = jobs,
                                     .count = count,
                                     .seq = (uint64_t)seq,
                                     .now_ms = step->now_ms,
                                     .terms = &terms};
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_PUSH);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_pointer(&query, &given, RV_SQ_GIVEN_JOBS);
    int rc = rv_sq_run(&query, inserted, err);
    rv_buf_release(&terms);
    return rc;
}

/* A job was inserted: the rest of what makes it queued. */
static int settle_new(struct push *push, size_t i, struct rv_error *err) {
    struct rv_sq_step *step = push->step;
    const struct rv_new_job *job = &push->jobs[i];
    enum reeve_state state = rv_sq_first_state(job, step->now_ms);
    push->outs[i] = (struct rv_pushed){.status = REEVE_QUEUED, .state = state};
    push->queued++;
    step->queue.counts[state]++;
    step->queue.pushed_total++;
    step->queue.shown = true;
    step->rings = true;
    if (rv_sq_body_is_large(job->body.size)) {
        int64_t n;
        int rc = find_n(step, job->id, &n, err);
        if (!rc) rc = add_large_body(step, n, job, err);
        if (rc) return rc;
    }
    struct rv_sq_event event = {.type = REEVE_JOB_PUSHED, .state = state, .id = job->id};
    return rv_sq_event_add(step, &event, err);
}

/* ---- those that met a record ---- */
/* The same id earlier in this batch: the first wins, whatever the nonce says. */
static bool is_first_of_batch(const struct push *push, size_t i) {
    for (size_t j = 0; j < i; j++)
        if (strcmp(push->jobs[j].id, push->jobs[i].id) == 0) return false;
    return true;
}

static bool was_inserted_here(const struct push *push, size_t i, const struct rv_sq_record *met) {
    return met->seq == (uint64_t)push->first_seq + i;
}

static int refuse(struct push *push, size_t i) {
    push->step->queue.bounds.refused_total++;
    push->outs[i] = (struct rv_pushed){.error = REEVE_EFULL};
    return 0;
}

/* The record met is forgotten, and the job takes its place. */
static int replace(struct push *push, size_t i, const struct rv_sq_record *met,
                   struct rv_error *err) {
    struct rv_sq_step *step = push->step;
    bool refused;
    int rc = rv_sq_bound_admit(step, &refused, err);
    if (rc || refused) return rc ? rc : refuse(push, i);
    if (rv_sq_job_expired(step, met)) step->queue.expired_total++; /* J12 */
    step->queue.counts[met->job.state]--;
    rc = rv_sq_job_remove(step, met, err);
    int64_t inserted = 0;
    if (!rc) rc = insert(step, &push->jobs[i], 1, push->first_seq + (int64_t)i, &inserted, err);
    return rc ? rc : settle_new(push, i, err);
}

static int answer_known(struct push *push, size_t i, const struct rv_sq_record *met,
                        struct rv_error *err) {
    struct rv_pushed *out = &push->outs[i];
    *out = (struct rv_pushed){.status = REEVE_DUPLICATE, .state = met->job.state};
    if (met->job.state != REEVE_DONE) return 0;
    out->status = REEVE_DUPLICATE_DONE;
    return rv_sq_show(push->step, met, NULL, &out->done, err);
}

static int resolve(struct push *push, size_t i, const struct rv_sq_record *met,
                   struct rv_error *err) {
    if (was_inserted_here(push, i, met)) return settle_new(push, i, err);
    bool first = is_first_of_batch(push, i);
    bool expired = rv_sq_job_expired(push->step, met);
    if (!expired && first && met->terms.nonce == push->jobs[i].nonce) { /* J7 */
        push->outs[i] = (struct rv_pushed){.status = REEVE_QUEUED, .state = met->job.state};
        return 0;
    }
    bool anew = expired || (first && met->job.state == REEVE_CANCELLED); /* J14 */
    return anew ? replace(push, i, met, err) : answer_known(push, i, met, err);
}

static int resolve_all(struct push *push, struct rv_error *err) {
    int rc = 0;
    for (size_t i = 0; !rc && i < push->count; i++) {
        struct rv_sq_query query;
        struct rv_sq_record met;
        rc = rv_sq_job_find(push->step, push->jobs[i].id, &query, &met, err);
        if (!rc) rc = rv_sq_end(&query, resolve(push, i, &met, err), err);
    }
    return rc;
}

/* ---- a queue that has room for some only ---- */
static int admit(struct push *push, size_t i, struct rv_error *err) {
    bool refused;
    int64_t inserted;
    int rc = rv_sq_bound_admit(push->step, &refused, err);
    if (rc || refused) return rc ? rc : refuse(push, i);
    rc = insert(push->step, &push->jobs[i], 1, push->first_seq + (int64_t)i, &inserted, err);
    return rc ? rc : settle_new(push, i, err);
}

static int push_one_by_one(struct push *push, struct rv_error *err) {
    int rc = 0;
    for (size_t i = 0; !rc && i < push->count; i++) {
        struct rv_sq_query query;
        struct rv_sq_record met;
        rc = rv_sq_job_find(push->step, push->jobs[i].id, &query, &met, err);
        if (rc == REEVE_ENOENT)
            rc = admit(push, i, err);
        else if (!rc)
            rc = rv_sq_end(&query, resolve(push, i, &met, err), err);
    }
    return rc;
}

/* ---- the step ---- */
static int push_together(struct push *push, struct rv_error *err) {
    int64_t inserted;
    int rc = insert(push->step, push->jobs, push->count, push->first_seq, &inserted, err);
    if (!rc && inserted < (int64_t)push->count) return resolve_all(push, err);
    for (size_t i = 0; !rc && i < push->count; i++)
        rc = settle_new(push, i, err);
    return rc;
}

static int push_all(struct push *push, const char *queue, struct rv_error *err) {
    struct rv_sq_step *step = push->step;
    int rc = rv_sq_queue_make(step, queue, err);
    if (rc) return rc;
    push->first_seq = step->queue.seq + 1;
    bool exceeded = rv_sq_bound_exceeded(step, push->count);
    rc = exceeded ? push_one_by_one(push, err) : push_together(push, err);
    if (push->queued) step->queue.seq += (int64_t)push->count;
    return rc;
}

int rv_sq_push(struct rv_store *s, const char *queue, const struct rv_new_job *jobs, size_t count,
               int64_t timeout_ms, struct rv_pushed *outs, struct rv_error *err) {
    struct rv_sq_step step;
    int64_t most_ms = ((struct rv_sq *)s)->timeout_ms;
    int rc = rv_sq_step_write(&step, s, timeout_ms < most_ms ? timeout_ms : most_ms, err);
    if (rc) return rc;
    struct push push = {.step = &step, .jobs = jobs, .count = count, .outs = outs};
    return rv_sq_step_end(&step, push_all(&push, queue, err), err);
}
