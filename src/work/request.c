#include "work/request.h"

#include <stdlib.h>

static int grow(struct rv_request *request, size_t count) {
    struct rv_outcome *outcomes =
        realloc(request->exchange.outcomes, count * sizeof *request->exchange.outcomes);
    if (!outcomes) return REEVE_ENOMEM;
    request->exchange.outcomes = outcomes;
    struct reeve_task **tasks = realloc(request->tasks, count * sizeof(struct reeve_task *));
    if (!tasks) return REEVE_ENOMEM;
    request->tasks = tasks;
    request->capacity = count;
    return 0;
}

int rv_request_reserve(struct rv_request *request, size_t count, size_t want) {
    if (count > request->capacity && grow(request, count)) return REEVE_ENOMEM;
    if (want && !request->claim) request->claim = rv_claim_create(0, 0, 0);
    return want && !request->claim ? REEVE_ENOMEM : 0;
}

int rv_request_add(struct rv_request *request, struct reeve_task *task) {
    size_t at = request->exchange.outcome_count;
    int rc = rv_task_judge(task, &request->exchange.outcomes[at]);
    if (rc) return rc;
    request->tasks[at] = task;
    request->exchange.outcome_count++;
    return 0;
}

bool rv_request_is_owed(int status) {
    return status == REEVE_EUNSURE || status == REEVE_EUNREACHABLE;
}

void rv_request_log(const struct rv_request *request, const struct rv_log *log) {
    for (size_t i = 0; i < request->exchange.outcome_count; i++) {
        const struct reeve_task *task = request->tasks[i];
        int status = request->exchange.outcomes[i].status;
        if (rv_request_is_owed(status)) continue;
        if (status == REEVE_EFENCED)
            rv_task_log(task, log, REEVE_LOG_WARN, "job.fenced");
        else
            rv_task_log(task, log, status ? REEVE_LOG_ERROR : REEVE_LOG_DEBUG,
                        status ? "job.refused" : "job.handed_in");
    }
}

void rv_request_clear(struct rv_request *request) {
    for (size_t i = 0; i < request->exchange.outcome_count; i++)
        rv_outcome_release(&request->exchange.outcomes[i]);
    request->exchange.outcome_count = 0;
}

void rv_request_release(struct rv_request *request) {
    rv_request_clear(request);
    free(request->exchange.outcomes);
    free(request->tasks);
    free(request->claim);
    *request = (struct rv_request){0};
}
