/* exchange: hand in, promote, claim, in one step. One that has nothing to hand in looks first, and
 * writes only if there is something to claim. */
#include <stdio.h>
#include <stdlib.h>

#include "store/sqlite/finish.h"
#include "store/sqlite/lane.h"

/* ---- claiming ---- */
/* The numbers of the jobs next in line. */
struct line {
    int64_t first, last;
    bool in_a_row; /* each is the one before, and one */
};

static void line_add(struct line *line, int64_t n) {
    line->in_a_row = !line->first || (line->in_a_row && n == line->last + 1);
    if (!line->first) line->first = n;
    line->last = n;
}

/* Shows the jobs that are next in line as those of claim, as many as are wanted and fit. */
static int show_next(struct rv_sq_step *step, size_t want, struct rv_sq_claim *claim,
                     struct rv_exchanged *out, struct line *line, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_EXCHANGE_NEXT);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_int(&query, (int64_t)want);
    int rc = 0;
    size_t bytes = 0;
    while (!rc && bytes < RV_TAKE_BYTES_MAX && rv_sq_row(&query)) {
        struct rv_sq_record record;
        rc = rv_sq_record_read(&query, &record, err);
        if (rc) break;
        record.job.state = REEVE_RUNNING;
        record.job.attempt++;
        rc = rv_sq_show(step, &record, claim, &out->jobs[out->count], err);
        if (rc) break;
        line_add(line, record.n);
        bytes += out->jobs[out->count++]->body_size;
        if (record.large || record.noted) claim->large = true;
    }
    return rv_sq_end(&query, rc, err);
}

/* Mostly they were pushed one after the other, and need not be found again. */
static struct rv_sq_query query_to_take(struct rv_sq_step *step, const struct rv_sq_claim *claim,
                                        const struct line *line) {
    struct rv_sq_query query;
    if (line->in_a_row) {
        query = rv_sq_query(step->conn, RV_SQLITE_SQL_EXCHANGE_CLAIM_ROW);
        rv_sq_bind_int(&query, line->first);
        rv_sq_bind_int(&query, line->last);
    } else {
        query = rv_sq_query(step->conn, RV_SQLITE_SQL_EXCHANGE_CLAIM);
        rv_sq_bind_int(&query, claim->queue);
        rv_sq_bind_int(&query, claim->jobs);
    }
    rv_sq_bind_u64(&query, claim->holder);
    return query;
}

/* Gives the first in line to claim: those that were shown, for nobody else can be here. */
static int take_next(struct rv_sq_step *step, const struct rv_sq_claim *claim,
                     const struct line *line, struct rv_error *err) {
    struct rv_sq_query query = query_to_take(step, claim, line);
    int64_t taken;
    int rc = rv_sq_run(&query, &taken, err);
    if (!rc && taken != claim->jobs)
        rc = rv_fail(err, REEVE_ECORRUPT, "%s: the line of queue %s is damaged", step->store->path,
                     step->queue_name);
    step->queue.counts[REEVE_READY] -= claim->jobs;
    step->queue.counts[REEVE_RUNNING] += claim->jobs;
    return rc;
}

static int tell_claimed(struct rv_sq_step *step, const struct rv_exchanged *out,
                        struct rv_error *err) {
    int rc = 0;
    for (size_t i = 0; !rc && i < out->count; i++) {
        const struct reeve_job *job = out->jobs[i];
        struct rv_sq_event event = {.type = REEVE_JOB_CLAIMED,
                                    .state = REEVE_RUNNING,
                                    .id = job->id,
                                    .worker = job->worker,
                                    .token = job->token};
        rc = rv_sq_event_add(step, &event, err);
    }
    return rc;
}

static int claim_jobs(struct rv_sq_step *step, const struct rv_exchange *exchange,
                      struct rv_exchanged *out, bool *changed, struct rv_error *err) {
    if (!exchange->want || step->queue.paused || !step->queue.counts[REEVE_READY]) return 0;
    out->count = 0;
    out->jobs = calloc(exchange->want, sizeof(*out->jobs));
    if (!out->jobs) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    struct rv_sq_claim claim = {
        .holder = exchange->holder,
        .token = rv_sq_queue_next_token(step),
        .queue = step->queue.n,
        .started_at_ms = step->now_ms,
        .deadline_ms = rv_time_add(step->boot_ms, exchange->lease_ms),
    };
    (void)snprintf(claim.worker, sizeof claim.worker, "%s", exchange->worker);
    struct line line = {0};
    int rc = show_next(step, exchange->want, &claim, out, &line, err);
    claim.jobs = (int64_t)out->count;
    if (!rc) rc = take_next(step, &claim, &line, err);
    if (!rc) rc = rv_sq_claim_add(step, &claim, err);
    if (!rc) rc = tell_claimed(step, out, err);
    out->token = claim.token;
    *changed = true;
    return rc;
}

/* ---- repeats ---- */
/* J7: the first outcome again: its statuses, and what its holder still has. */
static int replay(struct rv_sq_step *step, const struct rv_sq_lane *lane,
                  struct rv_exchange *exchange, struct rv_exchanged *out, struct rv_error *err) {
    out->replayed = true;
    for (size_t i = 0; i < exchange->outcome_count && i < lane->count; i++)
        exchange->outcomes[i].status = lane->statuses[i];
    struct rv_sq_claim claim;
    int rc = rv_sq_claim_read(step, exchange->holder, &claim, err);
    if (rc || !claim.token || claim.queue != step->queue.n) return rc;
    out->jobs = calloc(RV_CLAIM_MAX, sizeof(*out->jobs));
    if (!out->jobs) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    out->token = claim.token;
    return rv_sq_show_claimed(step, &claim, out->jobs, &out->count, err);
}

/* Sets *repeat if this request was answered before; REEVE_ESTATE if a later one was. */
static int look_at_lane(struct rv_sq_step *step, struct rv_exchange *exchange,
                        struct rv_exchanged *out, bool *repeat, struct rv_error *err) {
    *repeat = false;
    if (!exchange->lane) return 0;
    struct rv_sq_lane lane;
    int rc = rv_sq_lane_read(step, exchange->lane, &lane, err);
    if (rc || !lane.known || exchange->number > lane.number) return rc;
    if (exchange->number < lane.number)
        return rv_fail(err, REEVE_ESTATE, "exchange with queue %s: a later request was answered",
                       step->queue_name);
    *repeat = true;
    return replay(step, &lane, exchange, out, err);
}

/* ---- the step ---- */
static int perform(struct rv_sq_step *step, struct rv_exchange *exchange, struct rv_exchanged *out,
                   struct rv_error *err) {
    bool changed = false;
    int64_t promoted = 0;
    int rc = rv_sq_finish(step, exchange->outcomes, exchange->outcome_count, &changed, err);
    if (!rc && exchange->want) rc = rv_sq_queue_promote(step, &promoted, err);
    if (!rc) rc = claim_jobs(step, exchange, out, &changed, err);
    if (rc || !exchange->lane || !(changed || promoted)) return rc;
    return rv_sq_lane_note(step, exchange, err);
}

static int describe(struct rv_sq_step *step, struct rv_exchanged *out, struct rv_error *err) {
    out->paused = step->queue.paused;
    out->more = step->queue.counts[REEVE_READY] > 0;
    return rv_sq_queue_due_in(step, &out->due_in_ms, err);
}

static int exchange_within(struct rv_sq_step *step, struct rv_exchange *exchange,
                           struct rv_exchanged *out, struct rv_error *err) {
    int rc = rv_sq_queue_load(step, exchange->queue, err);
    if (rc) return rc;
    if (!step->queue.n) { /* nobody has a job of a queue that is not there */
        for (size_t i = 0; i < exchange->outcome_count; i++) {
            struct rv_outcome *outcome = &exchange->outcomes[i];
            outcome->status = outcome->only_if_lapsed ? REEVE_ESTATE : REEVE_EFENCED;
        }
        return 0;
    }
    bool repeat;
    rc = look_at_lane(step, exchange, out, &repeat, err);
    if (!rc && !repeat) rc = perform(step, exchange, out, err);
    return rc ? rc : describe(step, out, err);
}

/* Without the writer's lock: *done if this is all there is to do. */
static int look_first(struct rv_sq_step *step, struct rv_exchange *exchange,
                      struct rv_exchanged *out, bool *done, struct rv_error *err) {
    *done = true;
    int rc = rv_sq_queue_load(step, exchange->queue, err);
    if (rc || !step->queue.n) return rc;
    bool repeat;
    rc = look_at_lane(step, exchange, out, &repeat, err);
    if (!rc) rc = describe(step, out, err);
    if (rc || repeat) return rc;
    bool is_work = out->due_in_ms == 0 || (out->more && !out->paused);
    *done = !exchange->want || !is_work;
    return 0;
}

int rv_sq_exchange(struct rv_store *s, struct rv_exchange *exchange, struct rv_exchanged *out,
                   struct rv_error *err) {
    struct rv_sq_step step;
    int rc;
    if (!exchange->outcome_count) {
        bool done;
        rc = rv_sq_step_read(&step, s, err);
        if (rc) return rc;
        rc = rv_sq_step_end(&step, look_first(&step, exchange, out, &done, err), err);
        if (rc || done) return rc;
    }
    rc = rv_sq_step_write(&step, s, exchange->timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, exchange_within(&step, exchange, out, err), err);
}
