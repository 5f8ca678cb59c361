/* exchange: hand in, promote, claim, in one step. Whatever can fail is done before the first
 * change. */
#include "store/memory/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/history.h"
#include "core/job.h"
#include "core/state.h"

/* What an exchange needs of the allocator. */
struct step {
    struct reeve_job *settled[RV_CLAIM_MAX]; /* per outcome: the record's block from now on */
    struct claim *claim;
    struct reeve_job **jobs; /* room for those claimed */
    struct lane *lane;
    bool lane_is_new;
    bool changed;
};

/* ---- outcomes ---- */
/* What becomes of an outcome: REEVE_OK with *counts if it is to be applied, or the status it gets
 * (J3, J7, J8). */
static int decide(const struct record *record, const struct rv_outcome *outcome,
                  const struct memory *memory, bool *counts) {
    const struct claim *claim = record ? record->claim : NULL;
    *counts = claim && claim->token == outcome->token && claim->holder == outcome->holder;
    if (*counts && outcome->only_if_lapsed && !rv_mem_claim_lapsed(claim, memory)) *counts = false;
    if (*counts) return REEVE_OK;
    if (outcome->only_if_lapsed) return REEVE_ESTATE;
    bool repeat = record && !claim && record->holder == outcome->holder &&
                  record->job->token == outcome->token && outcome->holder != 0;
    return repeat ? REEVE_OK : REEVE_EFENCED;
}

static enum reeve_state state_after(const struct record *record, const struct rv_outcome *outcome) {
    bool waits = rv_state_waiting(outcome->state);
    return record->cancelling && waits ? REEVE_CANCELLED : outcome->state;
}

/* Makes the record's block as it will be once outcome counts. */
static int settle(const struct record *record, const struct rv_outcome *outcome,
                  struct reeve_job **out) {
    struct rv_history *history;
    struct rv_bytes bytes = {outcome->history.data, outcome->history.size};
    int rc = rv_history_read(bytes, &history);
    if (rc) return rc;
    struct reeve_job next = rv_mem_record_view(record, record->claim);
    next.state = state_after(record, outcome);
    next.attempt = outcome->attempt;
    next.cancelling = false;
    next.log_count = 0; /* the record's notes have it */
    next.lease_until_ms = 0;
    if (next.state == REEVE_DELAYED)
        next.run_at_ms = rv_time_add(record->queue->memory->now.wall_ms, outcome->delay_ms);
    if (outcome->error) next.error = outcome->error;
    if (outcome->has_result) {
        next.result = outcome->result ? outcome->result : "";
        next.result_size = outcome->result_size;
    }
    next.history = history ? history->attempts : NULL;
    next.history_count = history ? history->count : 0;
    *out = rv_job_pack(&next);
    free(history);
    return *out ? 0 : REEVE_ENOMEM;
}

static void count_and_tell(struct record *record, enum rv_ending ending) {
    struct reeve_queue *totals = &record->queue->totals;
    bool waits = rv_state_waiting(record->job->state);
    if (ending == RV_LAPSED) {
        totals->lapsed_total++;
        rv_mem_event_add(record, REEVE_JOB_LAPSED);
    }
    if (!waits) return;
    if (ending == RV_HANDED_BACK) {
        rv_mem_event_add(record, REEVE_JOB_HANDED_BACK);
        return;
    }
    totals->retried_total++;
    rv_mem_event_add(record, REEVE_JOB_RETRIED);
}

/* Makes the transition; *settled goes into the record. */
static void apply(struct record *record, const struct rv_outcome *outcome,
                  struct reeve_job **settled) {
    assert(*settled && rv_state_may(REEVE_RUNNING, (*settled)->state)); /* J1 */
    rv_mem_record_take(record);
    rv_mem_claim_drop(record);
    record->by_id.key = (*settled)->id;
    free(record->job);
    record->job = *settled;
    *settled = NULL;
    record->holder = outcome->only_if_lapsed ? 0 : outcome->holder;
    count_and_tell(record, outcome->ending);
    if (rv_state_ended(record->job->state)) {
        struct queue *queue = record->queue;
        bool failed = record->job->state == REEVE_FAILED;
        rv_mem_record_end(record, outcome->keep_ms);
        if (failed) (void)rv_mem_bound_trim(queue, 1);
    } else if (record->job->state == REEVE_READY && outcome->ending != RV_HANDED_BACK) {
        rv_mem_record_line_up(record);
    } else { /* J9: what is handed back still has its place */
        rv_mem_record_put(record);
        rv_mem_ring(record->queue);
    }
}

static void hand_in(struct queue *queue, struct rv_outcome *outcome, struct reeve_job **settled,
                    struct step *step) {
    struct record *record = rv_mem_record_find(queue, outcome->id);
    bool counts;
    outcome->status = decide(record, outcome, queue->memory, &counts);
    if (counts) apply(record, outcome, settled);
    bool fenced = outcome->status == REEVE_EFENCED;
    if (fenced) queue->totals.fenced_total++;
    if (counts || fenced) step->changed = true;
}

/* ---- claims ---- */
static void take_job(struct record *record, struct claim *claim) {
    rv_mem_record_take(record);
    record->claim = claim;
    rv_list_add_tail(&claim->records, &record->held);
    rv_mem_record_put(record);
    rv_mem_event_add(record, REEVE_JOB_CLAIMED);
}

static void fill_claim(struct queue *queue, const struct rv_exchange *exchange,
                       struct claim *claim) {
    const struct moment *now = &queue->memory->now;
    uint64_t next = queue->last_token + 1, wall = (uint64_t)now->wall_us;
    claim->token = queue->last_token = next > wall ? next : wall; /* J4 */
    claim->holder = exchange->holder;
    claim->started_at_ms = now->wall_ms;
    const char *worker = exchange->worker ? exchange->worker : "";
    memcpy(claim->worker, worker, strnlen(worker, RV_WORKER_NAME_MAX)); /* zeroed: NUL-ended */
    rv_list_init(&claim->records);
    rv_mem_claim_add(queue, claim, exchange->lease_ms);
}

/* Running out of memory only makes the claim smaller: the outcomes have been taken already. */
static void claim_jobs(struct queue *queue, const struct rv_exchange *exchange, struct step *step,
                       struct rv_exchanged *out) {
    struct rv_tree_node *first = rv_tree_first(&queue->ready);
    if (queue->paused || !step->claim || !first) return;
    struct claim *claim = step->claim;
    fill_claim(queue, exchange, claim);
    out->jobs = step->jobs;
    size_t bytes = 0;
    for (; first && out->count < exchange->want; first = rv_tree_first(&queue->ready)) {
        struct record *record = rv_container_of(first, struct record, turn);
        if (bytes >= RV_TAKE_BYTES_MAX) break; /* J11 */
        bytes += record->job->body_size;
        struct reeve_job view = rv_mem_record_view(record, claim);
        struct reeve_job *job = rv_job_pack(&view);
        if (!job) break;
        out->jobs[out->count++] = job;
        take_job(record, claim);
    }
    step->jobs = NULL;
    if (out->count > 0) {
        out->token = claim->token;
        step->claim = NULL;
        step->changed = true;
    } else {
        rv_tree_remove(&queue->claims, &claim->by_token);
        rv_tree_remove(&queue->leases, &claim->by_deadline);
    }
}

/* ---- the step ---- */
static int prepare(struct queue *queue, const struct rv_exchange *exchange, struct step *step) {
    for (size_t i = 0; i < exchange->outcome_count; i++) {
        const struct rv_outcome *outcome = &exchange->outcomes[i];
        const struct record *record = rv_mem_record_find(queue, outcome->id);
        bool counts;
        (void)decide(record, outcome, queue->memory, &counts);
        int rc = counts ? settle(record, outcome, &step->settled[i]) : 0;
        if (rc) return rc;
    }
    if (exchange->want > 0) {
        step->claim = calloc(1, sizeof *step->claim);
        step->jobs = calloc(exchange->want, sizeof(*step->jobs));
        if (!step->claim || !step->jobs) return REEVE_ENOMEM;
    }
    if (exchange->lane && !step->lane) {
        step->lane = calloc(1, sizeof *step->lane);
        step->lane_is_new = true;
        if (!step->lane) return REEVE_ENOMEM;
    }
    return 0;
}

static void release(struct step *step, size_t outcome_count) {
    for (size_t i = 0; i < outcome_count; i++)
        free(step->settled[i]);
    free(step->claim);
    free(step->jobs);
    if (step->lane_is_new) free(step->lane);
}

static void perform(struct queue *queue, struct rv_exchange *exchange, struct step *step,
                    struct rv_exchanged *out) {
    for (size_t i = 0; i < exchange->outcome_count; i++)
        hand_in(queue, &exchange->outcomes[i], &step->settled[i], step);
    if (exchange->want > 0 && rv_mem_queue_promote(queue) > 0) step->changed = true;
    claim_jobs(queue, exchange, step, out);
    if (!step->lane || !step->changed) return;
    rv_mem_lane_note(queue, step->lane, step->lane_is_new, exchange, out->token);
    step->lane_is_new = false;
}

/* Nothing was handed in, and for want of memory nothing was taken. */
static bool is_starved(const struct queue *queue, const struct rv_exchange *exchange,
                       const struct rv_exchanged *out) {
    bool could = exchange->want > 0 && !queue->paused && queue->counts[REEVE_READY] > 0;
    return could && !out->count && !exchange->outcome_count;
}

/* J7: the first outcome again: its statuses, and what its holder still has. */
static int replay(struct queue *queue, const struct lane *lane, struct rv_exchange *exchange,
                  struct rv_exchanged *out) {
    out->replayed = true;
    for (size_t i = 0; i < exchange->outcome_count && i < lane->status_count; i++)
        exchange->outcomes[i].status = lane->statuses[i];
    struct claim *claim = rv_mem_claim_find(queue, exchange->holder, lane->token);
    if (!claim) return 0;
    out->jobs = calloc(RV_CLAIM_MAX, sizeof(*out->jobs));
    if (!out->jobs) return REEVE_ENOMEM;
    for (struct rv_list *l = claim->records.next; l != &claim->records; l = l->next) {
        struct reeve_job *job = rv_mem_record_pack(rv_container_of(l, struct record, held));
        if (!job) return REEVE_ENOMEM;
        out->jobs[out->count++] = job;
    }
    out->token = claim->token;
    return 0;
}

static int exchange_in(struct queue *queue, struct rv_exchange *exchange, struct rv_exchanged *out,
                       struct rv_error *err) {
    struct step step = {.lane = exchange->lane ? rv_mem_lane_find(queue, exchange->lane) : NULL};
    if (step.lane && exchange->number < step.lane->number)
        return rv_fail(err, REEVE_ESTATE, "exchange with queue %s: a later request was answered",
                       queue->name);
    int rc;
    if (step.lane && exchange->number == step.lane->number) {
        rc = replay(queue, step.lane, exchange, out);
    } else {
        rc = prepare(queue, exchange, &step);
        if (!rc) perform(queue, exchange, &step, out);
        if (!rc && is_starved(queue, exchange, out)) rc = REEVE_ENOMEM;
        release(&step, exchange->outcome_count);
    }
    if (rc) return rv_fail(err, rc, "exchange with queue %s", queue->name);
    out->paused = queue->paused;
    out->more = queue->counts[REEVE_READY] > 0;
    out->due_in_ms = rv_mem_first_in_ms(&queue->delayed, queue->memory->now.wall_ms);
    return 0;
}

int rv_mem_exchange(struct rv_store *s, struct rv_exchange *exchange, struct rv_exchanged *out,
                    struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct queue *queue = rv_mem_queue_find(memory, exchange->queue);
    if (queue) return rv_mem_leave(memory, exchange_in(queue, exchange, out, err));
    for (size_t i = 0; i < exchange->outcome_count; i++) {
        bool counts;
        exchange->outcomes[i].status = decide(NULL, &exchange->outcomes[i], memory, &counts);
    }
    return rv_mem_leave(memory, 0);
}
