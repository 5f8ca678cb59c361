#include "core/outcome.h"

#include <assert.h>
#include <string.h>

#include "core/history.h"
#include "core/limits.h"

int64_t rv_backoff_ms(enum reeve_backoff backoff, int64_t first_ms, int64_t max_ms, int attempt) {
    assert(attempt >= 1 && first_ms >= 0 && max_ms >= 0);
    int64_t wait = first_ms;
    if (backoff == REEVE_LINEAR && __builtin_mul_overflow(first_ms, (int64_t)attempt, &wait))
        wait = max_ms;
    if (backoff == REEVE_EXPONENTIAL) {
        for (int i = 1; i < attempt && wait < max_ms; i++)
            wait = wait > max_ms / 2 ? max_ms : wait * 2;
    }
    return wait < max_ms ? wait : max_ms;
}

int64_t rv_jitter_ms(int64_t backoff_ms, const struct rv_random *random) {
    return backoff_ms > 0 ? rv_random_below(random, backoff_ms + 1) : 0;
}

/* The state after an attempt that did not end the job by itself. */
static void judge_retry(const struct reeve_job *job, const struct rv_random *random,
                        struct rv_outcome *out) {
    if (out->attempt >= job->attempts_max) {
        out->state = REEVE_FAILED;
        return;
    }
    int64_t wait = rv_backoff_ms(job->backoff, job->backoff_ms, job->backoff_ms_max, out->attempt);
    out->delay_ms = rv_jitter_ms(wait, random);
    out->state = out->delay_ms > 0 ? REEVE_DELAYED : REEVE_READY;
}

static void judge_state(const struct reeve_job *job, const struct rv_random *random,
                        struct rv_outcome *out) {
    switch (out->ending) {
    case RV_SUCCEEDED:
        out->state = REEVE_DONE;
        break;
    case RV_GIVEN_UP:
        out->state = REEVE_FAILED;
        break;
    case RV_STOPPED:
        out->state = REEVE_CANCELLED;
        break;
    case RV_FAILED_ATTEMPT:
    case RV_LAPSED:
        judge_retry(job, random, out);
        break;
    case RV_HANDED_BACK:
        out->state = REEVE_READY;
        out->attempt = job->attempt - 1;
        break;
    }
}

static enum reeve_attempt_outcome attempt_outcome(const struct rv_outcome *outcome) {
    switch (outcome->ending) {
    case RV_SUCCEEDED:
        return REEVE_ATTEMPT_DONE;
    case RV_GIVEN_UP:
        return REEVE_ATTEMPT_FAILED;
    case RV_STOPPED:
        return REEVE_ATTEMPT_CANCELLED;
    case RV_HANDED_BACK:
        return REEVE_ATTEMPT_HANDED_BACK;
    case RV_LAPSED:
        return REEVE_ATTEMPT_LAPSED;
    case RV_FAILED_ATTEMPT:
        return outcome->state == REEVE_FAILED ? REEVE_ATTEMPT_FAILED : REEVE_ATTEMPT_RETRY;
    }
    return REEVE_ATTEMPT_FAILED;
}

/* Is there a record afterwards? */
static bool is_kept(const struct rv_outcome *outcome) {
    bool may_go = outcome->state == REEVE_DONE || outcome->state == REEVE_CANCELLED;
    return !may_go || outcome->keep_ms > 0;
}

static int write_history(const struct reeve_job *job, const struct rv_report *report,
                         struct rv_outcome *out) {
    struct reeve_attempt last = {
        .attempt = job->attempt,
        .outcome = attempt_outcome(out),
        .worker = job->worker,
        .token = job->token,
        .started_at_ms = job->started_at_ms,
        .ended_at_ms = report->ended_at_ms,
        .error = report->error,
    };
    /* The record shows the attempt under way as its last entry; it is replaced by its end. */
    size_t before = job->history_count;
    while (before && job->history[before - 1]->outcome == REEVE_ATTEMPT_RUNNING)
        before--;
    rv_buf_init(&out->history, RV_HISTORY_BYTES_MAX);
    int rc = rv_history_write(&out->history, job->history, before, &last);
    if (rc) rv_buf_release(&out->history);
    return rc;
}

int rv_outcome_judge(const struct reeve_job *job, uint64_t holder, const struct rv_report *report,
                     const struct rv_random *random, struct rv_outcome *out) {
    assert(job->state == REEVE_RUNNING && job->attempt >= 1);
    *out = (struct rv_outcome){
        .id = job->id,
        .holder = holder,
        .token = job->token,
        .only_if_lapsed = report->ending == RV_LAPSED,
        .ending = report->ending,
        .attempt = job->attempt,
        .keep_ms = job->keep_ms,
        .has_result = report->ending == RV_SUCCEEDED && report->has_result,
        .error = report->error,
    };
    if (out->has_result) {
        out->result = report->result;
        out->result_size = report->result_size;
    }
    judge_state(job, random, out);
    return is_kept(out) ? write_history(job, report, out) : 0;
}

void rv_outcome_release(struct rv_outcome *outcome) {
    rv_buf_release(&outcome->history);
}
