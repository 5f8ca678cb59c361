/* An outcome counts if its claim is current and has the job: then one statement, by id and holder,
 * makes the transition. Only if that finds no row is the record looked at for the reason. */
#include "store/sqlite/finish.h"

#include <assert.h>

#include "core/failure.h"
#include "core/state.h"
#include "store/sqlite/bounds.h"
#include "store/sqlite/forget.h"
#include "store/sqlite/jobs.h"

struct hand_in {
    struct rv_sq_step *step;
    struct rv_sq_claim claim; /* of the outcome at hand; mostly also of the next */
    bool claim_changed;
    bool changed;
    struct rv_buf past, error; /* room to pack them in */
};

/* ---- claims ---- */
static int put_down_claim(struct hand_in *in, struct rv_error *err) {
    if (!in->claim_changed) return 0;
    in->claim_changed = false;
    return rv_sq_claim_save(in->step, &in->claim, err);
}

static int pick_up_claim(struct hand_in *in, uint64_t holder, struct rv_error *err) {
    if (in->claim.holder == holder) return 0;
    int rc = put_down_claim(in, err);
    return rc ? rc : rv_sq_claim_read(in->step, holder, &in->claim, err);
}

static bool is_current(const struct hand_in *in, const struct rv_outcome *outcome) {
    const struct rv_sq_claim *claim = &in->claim;
    return claim->token && claim->token == outcome->token && claim->queue == in->step->queue.n &&
           claim->jobs > 0;
}

/* ---- outcomes that do not count ---- */
/* The job is not, or no longer, in the hands of this holder. */
static int refuse(struct hand_in *in, struct rv_outcome *outcome, struct rv_error *err) {
    if (outcome->only_if_lapsed) {
        outcome->status = REEVE_ESTATE;
        return 0;
    }
    struct rv_sq_query query;
    struct rv_sq_record record;
    int rc = rv_sq_job_find(in->step, outcome->id, &query, &record, err);
    bool known = rc == 0;
    bool repeat = known && !rv_sq_job_expired(in->step, &record) &&
                  record.job.state != REEVE_RUNNING && record.past.token == outcome->token &&
                  record.past.holder == outcome->holder && outcome->holder != 0; /* J7 */
    if (known) rc = rv_sq_end(&query, 0, err);
    if (rc && rc != REEVE_ENOENT) return rc;
    outcome->status = repeat ? REEVE_OK : REEVE_EFENCED;
    if (repeat) return 0;
    in->step->queue.fenced_total++;
    in->changed = true;
    return 0;
}

/* ---- outcomes that count ---- */
static int pack_blobs(struct hand_in *in, const struct rv_outcome *outcome, bool ended,
                      struct rv_error *err) {
    struct rv_sq_past past = {
        .token = outcome->token,
        .holder = outcome->only_if_lapsed ? 0 : outcome->holder,
        .started_at_ms = in->claim.started_at_ms,
        .ended_at_ms = ended ? in->step->now_ms : 0,
        .worker = in->claim.worker,
        .history = {outcome->history.data, outcome->history.size},
    };
    int rc = rv_sq_past_pack(&in->past, &past);
    in->error.size = 0;
    if (!rc && outcome->error) rc = rv_failure_write(&in->error, outcome->error);
    return rc ? rv_fail(err, rc, "hand in job '%s'", outcome->id) : 0;
}

static void bind_key(struct rv_sq_query *query, const struct hand_in *in,
                     const struct rv_outcome *outcome) {
    rv_sq_bind_text(query, outcome->id);
    rv_sq_bind_int(query, in->step->queue.n);
    rv_sq_bind_u64(query, outcome->holder);
}

static void bind_blobs(struct rv_sq_query *query, const struct hand_in *in,
                       const struct rv_outcome *outcome) {
    rv_sq_bind_int(query, outcome->attempt);
    rv_sq_bind_bytes(query, (struct rv_bytes){in->past.data, in->past.size});
    if (outcome->error)
        rv_sq_bind_bytes(query, (struct rv_bytes){in->error.data, in->error.size});
    else
        rv_sq_bind_null(query);
}

/* Ended, and its record is kept. */
static int save_ended(struct hand_in *in, const struct rv_outcome *outcome, enum reeve_state state,
                      int64_t *found, struct rv_error *err) {
    int rc = pack_blobs(in, outcome, true, err);
    if (rc) return rc;
    bool failed = state == REEVE_FAILED;
    struct rv_sq_query query = rv_sq_query(in->step->conn, failed ? RV_SQLITE_SQL_EXCHANGE_FAIL
                                                                  : RV_SQLITE_SQL_EXCHANGE_END);
    bind_key(&query, in, outcome);
    bind_blobs(&query, in, outcome);
    rv_sq_bind_int(&query, state);
    if (failed)
        rv_sq_bind_int(&query, ++in->step->queue.seq);
    else
        rv_sq_bind_int(&query, rv_time_add(in->step->now_ms, outcome->keep_ms));
    if (outcome->has_result)
        rv_sq_bind_bytes(&query, (struct rv_bytes){outcome->result, outcome->result_size});
    else
        rv_sq_bind_null(&query);
    return rv_sq_run(&query, found, err);
}

static int forget_from(struct hand_in *in, enum rv_sqlite_sql which,
                       const struct rv_outcome *outcome, int64_t *found, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(in->step->conn, which);
    bind_key(&query, in, outcome);
    return rv_sq_run(&query, found, err);
}

/* Ended, and nothing is kept. */
static int forget_ended(struct hand_in *in, const struct rv_outcome *outcome, int64_t *found,
                        struct rv_error *err) {
    int rc = 0;
    if (in->claim.large) {
        rc = forget_from(in, RV_SQLITE_SQL_EXCHANGE_FORGET_BODY, outcome, NULL, err);
        if (!rc) rc = forget_from(in, RV_SQLITE_SQL_EXCHANGE_FORGET_NOTES, outcome, NULL, err);
    }
    return rc ? rc : forget_from(in, RV_SQLITE_SQL_EXCHANGE_FORGET, outcome, found, err);
}

/* Waits again: handed back in its old place, else at the end of its line (J9). */
static int save_waiting(struct hand_in *in, const struct rv_outcome *outcome, int64_t *found,
                        struct rv_error *err) {
    struct rv_sq_step *step = in->step;
    int rc = pack_blobs(in, outcome, false, err);
    if (rc) return rc;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_EXCHANGE_RETRY);
    bind_key(&query, in, outcome);
    bind_blobs(&query, in, outcome);
    rv_sq_bind_int(&query, outcome->state);
    if (outcome->state == REEVE_DELAYED)
        rv_sq_bind_int(&query, rv_time_add(step->now_ms, outcome->delay_ms));
    else
        rv_sq_bind_null(&query);
    if (outcome->state == REEVE_READY && outcome->ending != RV_HANDED_BACK)
        rv_sq_bind_int(&query, ++step->queue.seq);
    else
        rv_sq_bind_null(&query);
    return rv_sq_run(&query, found, err);
}

/* The state that the job comes to: one told to stop does not wait again. */
static int state_after(struct hand_in *in, const struct rv_outcome *outcome, enum reeve_state *out,
                       struct rv_error *err) {
    *out = outcome->state;
    if (!in->claim.marked || !rv_state_waiting(outcome->state)) return 0;
    struct rv_sq_query query = rv_sq_query(in->step->conn, RV_SQLITE_SQL_EXCHANGE_MARKED);
    bind_key(&query, in, outcome);
    if (rv_sq_row(&query)) *out = REEVE_CANCELLED;
    return rv_sq_end(&query, 0, err);
}

static int tell(struct hand_in *in, const struct rv_outcome *outcome, enum reeve_event_type type,
                enum reeve_state state, struct rv_error *err) {
    struct rv_sq_event event = {.type = type,
                                .state = state,
                                .id = outcome->id,
                                .worker = in->claim.worker,
                                .token = outcome->token};
    return rv_sq_event_add(in->step, &event, err);
}

/* The counters and events of a transition that was made. kept: there is a record of it. */
static int account(struct hand_in *in, const struct rv_outcome *outcome, enum reeve_state state,
                   bool kept, struct rv_error *err) {
    struct rv_sq_queue *queue = &in->step->queue;
    assert(rv_state_may(REEVE_RUNNING, state)); /* J1 */
    queue->counts[REEVE_RUNNING]--;
    if (kept) queue->counts[state]++;
    in->claim.jobs--;
    in->claim_changed = in->changed = true;
    int rc = 0;
    if (outcome->ending == RV_LAPSED) {
        queue->lapsed_total++;
        rc = tell(in, outcome, REEVE_JOB_LAPSED, state, err);
    }
    if (rc) return rc;
    if (!rv_state_waiting(state)) {
        queue->finished_total++;
        in->step->ends = true;
        rc = tell(in, outcome, REEVE_JOB_ENDED, state, err);
        return rc || state != REEVE_FAILED ? rc : rv_sq_bound_trim(in->step, 1, NULL, err);
    }
    in->step->rings = true;
    if (outcome->ending == RV_HANDED_BACK)
        return tell(in, outcome, REEVE_JOB_HANDED_BACK, state, err);
    queue->retried_total++;
    return tell(in, outcome, REEVE_JOB_RETRIED, state, err);
}

static int apply(struct hand_in *in, struct rv_outcome *outcome, struct rv_error *err) {
    enum reeve_state state;
    int rc = state_after(in, outcome, &state, err);
    if (rc) return rc;
    int64_t found = 0;
    bool kept = true;
    if (rv_state_waiting(state)) {
        rc = save_waiting(in, outcome, &found, err);
    } else if (state == REEVE_FAILED || outcome->keep_ms > 0) {
        rc = save_ended(in, outcome, state, &found, err);
    } else {
        kept = false;
        rc = forget_ended(in, outcome, &found, err);
    }
    if (rc) return rc;
    return found ? account(in, outcome, state, kept, err) : refuse(in, outcome, err);
}

static int hand_in_one(struct hand_in *in, struct rv_outcome *outcome, struct rv_error *err) {
    outcome->status = REEVE_OK;
    int rc = pick_up_claim(in, outcome->holder, err);
    if (rc) return rc;
    if (!is_current(in, outcome)) return refuse(in, outcome, err);
    if (outcome->only_if_lapsed && !rv_sq_claim_lapsed(in->step, &in->claim))
        return refuse(in, outcome, err);
    return apply(in, outcome, err);
}

/* ---- many at once ---- */
static bool leaves_nothing(const struct rv_outcome *outcome) {
    bool ended = !rv_state_waiting(outcome->state) && outcome->state != REEVE_FAILED;
    return ended && outcome->keep_ms <= 0 && !outcome->only_if_lapsed;
}

/* How many from the first on are of one lease and leave nothing behind. */
static size_t count_forgotten(const struct rv_outcome *outcomes, size_t count) {
    size_t i = 0;
    while (i < count && i < RV_CLAIM_MAX && leaves_nothing(&outcomes[i]) &&
           outcomes[i].holder == outcomes[0].holder && outcomes[i].token == outcomes[0].token)
        i++;
    return i;
}

/* Looking through all that the claim has must pay. */
static bool pays_together(const struct hand_in *in, size_t count) {
    return count > 1 && !in->claim.large && (int64_t)count >= in->claim.jobs / 4;
}

static int forget_together(struct hand_in *in, struct rv_outcome *outcomes, size_t count,
                           struct rv_error *err) {
    bool gone[RV_CLAIM_MAX];
    int rc = rv_sq_forget(in->step, in->claim.holder, outcomes, count, gone, err);
    for (size_t i = 0; !rc && i < count; i++) {
        outcomes[i].status = REEVE_OK;
        rc = gone[i] ? account(in, &outcomes[i], outcomes[i].state, false, err)
                     : refuse(in, &outcomes[i], err);
    }
    return rc;
}

/* Hands in the first outcomes, as many as go together. *done: so many. */
static int hand_in_next(struct hand_in *in, struct rv_outcome *outcomes, size_t count, size_t *done,
                        struct rv_error *err) {
    *done = count_forgotten(outcomes, count);
    if (*done > 1) {
        int rc = pick_up_claim(in, outcomes->holder, err);
        if (rc) return rc;
        if (is_current(in, outcomes) && pays_together(in, *done))
            return forget_together(in, outcomes, *done, err);
    }
    *done = 1;
    return hand_in_one(in, outcomes, err);
}

int rv_sq_finish(struct rv_sq_step *step, struct rv_outcome *outcomes, size_t count, bool *changed,
                 struct rv_error *err) {
    struct hand_in in = {.step = step};
    rv_buf_init(&in.past, 2 * RV_HISTORY_BYTES_MAX);
    rv_buf_init(&in.error, RV_FAILURE_BYTES_MAX);
    int rc = 0;
    for (size_t i = 0, done; !rc && i < count; i += done)
        rc = hand_in_next(&in, outcomes + i, count - i, &done, err);
    if (!rc) rc = put_down_claim(&in, err);
    rv_buf_release(&in.past);
    rv_buf_release(&in.error);
    if (in.changed) *changed = true;
    return rc;
}
