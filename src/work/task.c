#include "work/task.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/texts.h"
#include "core/limits.h"

/* The code and the message with their NULs, the detail. */
#define ERROR_TEXT_MAX (RV_ERROR_CODE_MAX + 1 + RV_ERROR_MESSAGE_MAX + 1 + RV_ERROR_DETAIL_MAX)

struct reeve_task *rv_task_create(struct rv_service *service, const struct rv_drain *drain) {
    struct reeve_task *task = calloc(1, sizeof *task);
    if (!task) return NULL;
    task->service = service;
    task->drain = drain;
    rv_list_init(&task->link);
    rv_buf_init(&task->result, REEVE_BODY_MAX);
    rv_buf_init(&task->error_text, ERROR_TEXT_MAX);
    return task;
}

void rv_task_destroy(struct reeve_task *task) {
    if (!task) return;
    rv_buf_release(&task->result);
    rv_buf_release(&task->error_text);
    free(task->job);
    free(task);
}

void rv_task_begin(struct reeve_task *task, struct rv_claim *claim, struct reeve_job *job) {
    task->job = job;
    task->started_ms = rv_clock_boot_ms(&task->service->clock);
    task->timeout_at_ms = INT64_MAX;
    rv_hold_init(&task->hold, claim, job->id);
}

enum reeve_stop rv_task_stopping(const struct reeve_task *task) {
    if (rv_hold_marked(&task->hold, RV_MARK_LOST)) return REEVE_STOP_LOST;
    if (rv_hold_marked(&task->hold, RV_MARK_CANCELLED)) return REEVE_STOP_CANCELLED;
    if (rv_clock_boot_ms(&task->service->clock) >= task->timeout_at_ms) return REEVE_STOP_TIMEOUT;
    if (task->drain && atomic_load(&task->drain->begun)) return REEVE_STOP_DRAINING;
    return REEVE_GO_ON;
}

bool rv_task_in_doubt(const struct reeve_task *task) {
    return rv_claim_in_doubt(task->hold.claim, &task->service->clock);
}

/* Until woken or ms are over. A wake-up that came before counts. */
static void pause_for(int wake_fd, int64_t ms) {
    const int day_ms = 24 * 3600 * 1000;
    struct pollfd fd = {.fd = wake_fd, .events = POLLIN};
    uint64_t count;
    if (poll(&fd, wake_fd >= 0 ? 1 : 0, ms < day_ms ? (int)ms : day_ms) <= 0) return;
    if (read(wake_fd, &count, sizeof count) < 0) return; /* somebody took it: awake all the same */
}

enum reeve_stop rv_task_sleep(const struct reeve_task *task, int64_t ms) {
    const struct rv_clock *clock = &task->service->clock;
    int64_t until_ms = rv_time_add(rv_clock_boot_ms(clock), ms > 0 ? ms : 0);
    for (;;) {
        enum reeve_stop stop = rv_task_stopping(task);
        int64_t now_ms = rv_clock_boot_ms(clock);
        if (stop || now_ms >= until_ms) return stop;
        int64_t wake_ms = until_ms < task->timeout_at_ms ? until_ms : task->timeout_at_ms;
        if (wake_ms > now_ms) pause_for(atomic_load(&task->hold.wake_fd), wake_ms - now_ms);
    }
}

int rv_task_set_result(struct reeve_task *task, struct rv_bytes result, struct rv_error *err) {
    if (result.size > REEVE_BODY_MAX) {
        return rv_fail(err, REEVE_ETOOBIG, "a result of %zu bytes: at most %d are kept",
                       result.size, REEVE_BODY_MAX);
    }
    struct rv_buf copy;
    rv_buf_init(&copy, REEVE_BODY_MAX);
    if (rv_buf_add(&copy, result.data, result.size))
        return rv_fail(err, REEVE_ENOMEM, "no memory for a result of %zu bytes", result.size);
    rv_buf_release(&task->result);
    task->result = copy;
    task->has_result = true;
    return 0;
}

int rv_task_set_error(struct reeve_task *task, const char *code, const char *message,
                      struct rv_bytes detail, struct rv_error *err) {
    if (!code) code = "";
    if (!message) message = "";
    if (strlen(code) > RV_ERROR_CODE_MAX)
        return rv_fail(err, REEVE_ETOOBIG, "an error code may have %d bytes", RV_ERROR_CODE_MAX);
    if (detail.size > RV_ERROR_DETAIL_MAX) {
        return rv_fail(err, REEVE_ETOOBIG, "an error detail of %zu bytes: at most %d are kept",
                       detail.size, RV_ERROR_DETAIL_MAX);
    }
    struct rv_buf text;
    rv_buf_init(&text, ERROR_TEXT_MAX);
    size_t code_size = strlen(code) + 1, message_size = rv_text_cut(message, RV_ERROR_MESSAGE_MAX);
    (void)rv_buf_add(&text, code, code_size);
    (void)rv_buf_add(&text, message, message_size);
    (void)rv_buf_add_u8(&text, 0);
    if (rv_buf_add(&text, detail.data, detail.size)) {
        rv_buf_release(&text);
        return rv_fail(err, REEVE_ENOMEM, "no memory for an error's text");
    }
    rv_buf_release(&task->error_text);
    task->error_text = text;
    task->failure = (struct reeve_failure){
        .code = (const char *)text.data,
        .message = (const char *)text.data + code_size,
        .detail = detail.size ? text.data + code_size + message_size + 1 : NULL,
        .detail_size = detail.size,
    };
    task->failed = true;
    return 0;
}

void rv_task_end(struct reeve_task *task, enum rv_ending ending) {
    task->ending = ending;
    task->ended_at_ms = rv_store_now_ms(task->service->store);
    rv_hold_end(&task->hold);
}

static bool is_failure(enum rv_ending ending) {
    return ending == RV_FAILED_ATTEMPT || ending == RV_GIVEN_UP;
}

int rv_task_judge(const struct reeve_task *task, struct rv_outcome *out) {
    struct rv_report report = {
        .ending = task->ending,
        .has_result = task->has_result,
        .result = task->result.data,
        .result_size = task->result.size,
        .error = task->failed && is_failure(task->ending) ? &task->failure : NULL,
        .ended_at_ms = task->ended_at_ms,
    };
    return rv_outcome_judge(task->job, task->hold.claim->holder, &report, &rv_random_system, out);
}

void rv_task_log(const struct reeve_task *task, const struct rv_log *log,
                 enum reeve_log_level level, const char *event) {
    char id[RV_QUOTED_SIZE];
    if (level > log->level) return; /* of each job: quoting it for nobody would cost */
    rv_log(log, level, event, "queue=%s id=%s attempt=%d token=%" PRIu64, task->job->queue,
           rv_log_quote(id, task->job->id), task->job->attempt, task->job->token);
}

bool rv_task_loss_is_news(struct reeve_task *task) {
    return !atomic_exchange(&task->loss_logged, true);
}

void rv_log_loss(const struct rv_log *log, const char *queue, const char *id, int attempt,
                 uint64_t token) {
    char quoted[RV_QUOTED_SIZE];
    rv_log(log, REEVE_LOG_WARN, "lease.lost", "queue=%s id=%s attempt=%d token=%" PRIu64, queue,
           rv_log_quote(quoted, id), attempt, token);
}
