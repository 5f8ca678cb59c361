#include "work/run.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/limits.h"
#include "work/program.h"

/* Out of memory for the text of an error: the error stands without it. */
static void describe(struct reeve_task *task, const char *code, const char *message) {
    (void)rv_task_set_error(task, code, message, (struct rv_bytes){0}, NULL);
}

/* A task that must not be begun any more. In doubt another may have it already. */
static bool is_too_late(const struct reeve_task *task, enum rv_ending *ending) {
    enum reeve_stop stop = rv_task_stopping(task);
    *ending = stop == REEVE_STOP_CANCELLED ? RV_STOPPED : RV_HANDED_BACK;
    return stop || rv_task_in_doubt(task);
}

static void time_out(struct reeve_task *task) {
    char message[RV_ERROR_MESSAGE_MAX];
    int64_t allowed_ms = task->timeout_at_ms - task->started_ms;
    (void)snprintf(message, sizeof message, "%s%stook longer than %" PRId64 " ms",
                   task->failed ? task->failure.message : "",
                   task->failed && task->failure.message[0] ? ": " : "", allowed_ms);
    describe(task, "timeout", message);
}

/* What a C function said, in the light of what it was told. Success stands, whatever it was told:
 * the work is done. So does giving up, except that a job that was cancelled is cancelled. A
 * function that is too slow may not have its attempt uncounted. */
static enum rv_ending judge_verdict(struct reeve_task *task, enum reeve_verdict verdict,
                                    enum reeve_stop stop) {
    if (verdict == REEVE_SUCCEED) return RV_SUCCEEDED;
    if (stop == REEVE_STOP_CANCELLED) return RV_STOPPED;
    if (stop == REEVE_STOP_TIMEOUT) time_out(task);
    switch (verdict) {
    case REEVE_GIVE_UP:
        if (!task->failed) describe(task, "", "the handler gave up");
        return RV_GIVEN_UP;
    case REEVE_HAND_BACK:
        return stop == REEVE_STOP_TIMEOUT ? RV_FAILED_ATTEMPT : RV_HANDED_BACK;
    case REEVE_SUCCEED:
    case REEVE_RETRY:
    default:
        if (!task->failed) describe(task, "", "the handler asked for another attempt");
        return RV_FAILED_ATTEMPT;
    }
}

static enum rv_ending call_function(const struct rv_handler *handler, struct reeve_task *task) {
    enum reeve_verdict verdict = handler->fn(handler->arg, task);
    return judge_verdict(task, verdict, rv_task_stopping(task));
}

static enum rv_ending refuse_kind(const struct rv_run *run, struct reeve_task *task) {
    char message[REEVE_NAME_SIZE + 64];
    (void)snprintf(message, sizeof message, "no handler for kind %s", task->job->kind);
    describe(task, "no_handler", message);
    if (rv_said_is_news(run->unknown, task->job->kind)) {
        rv_log(&run->service->log, REEVE_LOG_WARN, "kind.unknown", "queue=%s kind=%s",
               task->job->queue, task->job->kind);
    }
    return RV_FAILED_ATTEMPT;
}

static enum rv_ending handle(const struct rv_run *run, const struct rv_place *place,
                             struct reeve_task *task) {
    const struct rv_handler *handler = rv_handlers_find(run->handlers, task->job->kind);
    if (task->job->undecodable) {
        describe(task, "codec", "the codec could not decode the body");
        return RV_FAILED_ATTEMPT;
    }
    if (!handler) return refuse_kind(run, task);
    int64_t timeout_ms = task->job->timeout_ms ? task->job->timeout_ms : run->timeout_ms;
    task->started_ms = rv_clock_boot_ms(&run->service->clock);
    if (timeout_ms) task->timeout_at_ms = rv_time_add(task->started_ms, timeout_ms);
    enum rv_ending ending = handler->fn ? call_function(handler, task)
                                        : rv_program_run(run->exec, handler->argv, place, task);
    return rv_hook_call(&run->after, task, ending);
}

void rv_run_task(const struct rv_run *run, const struct rv_place *place, struct reeve_task *task) {
    enum rv_ending ending;
    atomic_store(&task->hold.wake_fd, place->wake_fd);
    if (!is_too_late(task, &ending)) ending = handle(run, place, task);
    bool lost = rv_hold_marked(&task->hold, RV_MARK_LOST);
    if (lost && rv_task_loss_is_news(task)) {
        rv_log_loss(&run->service->log, task->job->queue, task->job->id, task->job->attempt,
                    task->job->token);
    }
    rv_task_end(task, lost ? 0 : ending);
}
