#include "work/hook.h"

#include <inttypes.h>

#include "core/check.h"

/* As a verdict, which has no word for what was stopped because it was cancelled. */
static enum reeve_verdict verdict_of(enum rv_ending ending) {
    switch (ending) {
    case RV_SUCCEEDED:
        return REEVE_SUCCEED;
    case RV_GIVEN_UP:
        return REEVE_GIVE_UP;
    case RV_FAILED_ATTEMPT:
    case RV_LAPSED:
        return REEVE_RETRY;
    case RV_HANDED_BACK:
    case RV_STOPPED:
        break;
    }
    return REEVE_HAND_BACK;
}

static bool is_verdict(enum reeve_verdict verdict) {
    return verdict == REEVE_SUCCEED || verdict == REEVE_RETRY || verdict == REEVE_GIVE_UP ||
           verdict == REEVE_HAND_BACK;
}

static enum rv_ending ending_of(enum reeve_verdict verdict) {
    switch (verdict) {
    case REEVE_SUCCEED:
        return RV_SUCCEEDED;
    case REEVE_GIVE_UP:
        return RV_GIVEN_UP;
    case REEVE_RETRY:
        return RV_FAILED_ATTEMPT;
    case REEVE_HAND_BACK:
        break;
    }
    return RV_HANDED_BACK;
}

static void log_ignored(const struct reeve_task *task, const char *what, int64_t value) {
    char id[RV_QUOTED_SIZE];
    rv_log(&task->service->log, REEVE_LOG_WARN, "hook.ignored",
           "queue=%s id=%s field=%s value=%" PRId64, task->job->queue,
           rv_log_quote(id, task->job->id), what, value);
}

/* The record shows it as if it had been pushed so. */
static void heed_keep(struct reeve_task *task, int64_t keep_ms) {
    int64_t checked_ms;
    if (rv_check_keep(keep_ms, &checked_ms, NULL))
        log_ignored(task, "keep_ms", keep_ms);
    else
        task->job->keep_ms = checked_ms;
}

/* A job that was cancelled stays so unless it succeeded, as after a handler. */
static enum rv_ending heed_verdict(struct reeve_task *task, enum reeve_verdict verdict,
                                   enum rv_ending before) {
    if (verdict == verdict_of(before)) return before;
    if (!is_verdict(verdict)) {
        log_ignored(task, "verdict", (int64_t)verdict);
        return before;
    }
    enum rv_ending ending = ending_of(verdict);
    if (before == RV_STOPPED && ending != RV_SUCCEEDED) return before;
    if ((ending == RV_FAILED_ATTEMPT || ending == RV_GIVEN_UP) && !task->failed) {
        (void)rv_task_set_error(task, "", "the hook after it did not let it pass",
                                (struct rv_bytes){0}, NULL);
    }
    return ending;
}

enum rv_ending rv_hook_call(const struct rv_hook *hook, struct reeve_task *task,
                            enum rv_ending ending) {
    if (!hook->fn) return ending;
    int64_t keep_ms = task->job->keep_ms ? task->job->keep_ms : REEVE_NONE;
    struct reeve_execution execution = {
        .verdict = verdict_of(ending),
        .keep_ms = keep_ms,
        .duration_ms = rv_clock_boot_ms(&task->service->clock) - task->started_ms,
    };
    hook->fn(hook->arg, task, &execution);
    if (execution.keep_ms != keep_ms) heed_keep(task, execution.keep_ms);
    return heed_verdict(task, execution.verdict, ending);
}
