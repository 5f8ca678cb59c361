#include <string.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "base/texts.h"
#include "core/check.h"
#include "core/limits.h"
#include "work/hand.h"

const struct reeve_job *reeve_task_job(const reeve_task *task) {
    return task->job;
}

uint64_t reeve_task_token(const reeve_task *task) {
    return task->hold.claim->token;
}

enum reeve_stop reeve_task_stopping(const reeve_task *task) {
    return rv_task_stopping(task);
}

bool reeve_task_in_doubt(const reeve_task *task) {
    return rv_task_in_doubt(task);
}

enum reeve_stop reeve_task_sleep(const reeve_task *task, int64_t ms) {
    return rv_task_sleep(task, ms);
}

static int check_bytes(const char *what, const void *data, size_t size, struct rv_error *err) {
    return data || !size ? 0 : rv_fail(err, REEVE_EINVAL, "%s is NULL but has a size", what);
}

int reeve_task_set_result(reeve_task *task, const void *data, size_t size) {
    struct rv_error err = {0};
    int rc = check_bytes("result", data, size, &err);
    if (!rc) rc = rv_task_set_result(task, (struct rv_bytes){data, size}, &err);
    return rv_api_result(rc, &err);
}

int reeve_task_set_error(reeve_task *task, const char *code, const char *message,
                         const void *detail, size_t detail_size) {
    struct rv_error err = {0};
    int rc = check_bytes("detail", detail, detail_size, &err);
    if (!rc) {
        struct rv_bytes bytes = {detail, detail_size};
        rc = rv_task_set_error(task, code, message, bytes, &err);
    }
    return rv_api_result(rc, &err);
}

/* Who is told that his lease is lost need not wait for the keeper to hear it. */
static int tell(reeve_task *task, struct rv_note *note, struct rv_error *err) {
    note->id = task->job->id;
    note->token = task->hold.claim->token;
    note->holder = task->hold.claim->holder;
    int rc = rv_store_note(task->service->store, task->job->queue, note, err);
    if (rc == REEVE_EFENCED) rv_hold_mark(&task->hold, RV_MARK_LOST);
    return rc;
}

int reeve_task_progress(reeve_task *task, int percent) {
    struct rv_error err = {0};
    if (percent < 0 || percent > 100) {
        (void)rv_fail(&err, REEVE_EINVAL, "progress is %d: expected 0 to 100", percent);
        return rv_api_fail(&err);
    }
    return rv_api_result(tell(task, &(struct rv_note){.progress = percent}, &err), &err);
}

int reeve_task_log(reeve_task *task, const char *line) {
    struct rv_error err = {0};
    char cut[RV_LOG_LINE_MAX + 1];
    if (!line) {
        (void)rv_fail(&err, REEVE_EINVAL, "a line is NULL");
        return rv_api_fail(&err);
    }
    size_t size = rv_text_cut(line, RV_LOG_LINE_MAX);
    memcpy(cut, line, size);
    cut[size] = '\0';
    return rv_api_result(tell(task, &(struct rv_note){.progress = -1, .line = cut}, &err), &err);
}

static int check_queues(const char *const queues[], struct rv_error *err) {
    if (!queues || !queues[0]) return rv_fail(err, REEVE_EINVAL, "no queue is named");
    int rc = 0;
    for (size_t i = 0; !rc && queues[i]; i++)
        rc = rv_check_name("queue", queues[i], err);
    return rc;
}

int reeve_claim(reeve *r, const char *const queues[], int64_t lease_ms, int64_t wait_ms,
                reeve_task **out) {
    struct rv_error err = {0};
    *out = NULL;
    if (!lease_ms) lease_ms = RV_LEASE_MS_DEFAULT;
    int rc = check_queues(queues, &err);
    if (!rc) rc = rv_check_lease(lease_ms, &err);
    if (!rc) rc = rv_hand_claim(&r->service, queues, lease_ms, wait_ms, out, &err);
    return rv_api_result(rc, &err);
}

int reeve_renew(reeve_task *task, int64_t lease_ms) {
    struct rv_error err = {0};
    if (!lease_ms) lease_ms = task->hold.claim->lease_ms;
    int rc = rv_check_lease(lease_ms, &err);
    if (!rc) rc = rv_hand_renew(task, lease_ms, &err);
    return rv_api_result(rc, &err);
}

int reeve_finish(reeve_task *task, enum reeve_verdict verdict) {
    struct rv_error err = {0};
    return rv_api_result(rv_hand_finish(task, verdict, &err), &err);
}

void reeve_task_drop(reeve_task *task) {
    rv_hand_drop(task);
}
