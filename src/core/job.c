#include "core/job.h"

#include <stdlib.h>

#include "core/arena.h"

static const struct reeve_failure *place_failure(struct rv_arena *arena,
                                                 const struct reeve_failure *from) {
    if (!from) return NULL;
    struct reeve_failure *to = rv_arena_room(arena, sizeof *to);
    struct reeve_failure copy = {
        .message = rv_arena_text(arena, from->message ? from->message : ""),
        .code = rv_arena_text(arena, from->code ? from->code : ""),
        .detail = from->detail ? rv_arena_copy(arena, from->detail, from->detail_size) : NULL,
        .detail_size = from->detail_size,
    };
    if (to) *to = copy;
    return to;
}

static const struct reeve_attempt *place_attempt(struct rv_arena *arena,
                                                 const struct reeve_attempt *from) {
    struct reeve_attempt *to = rv_arena_room(arena, sizeof *to);
    struct reeve_attempt copy = *from;
    copy.worker = rv_arena_text(arena, from->worker);
    copy.error = place_failure(arena, from->error);
    if (to) *to = copy;
    return to;
}

/* Stores keep ended attempts; the one under way follows from the record itself. */
static bool lacks_attempt_under_way(const struct reeve_job *job) {
    if (job->state != REEVE_RUNNING) return false;
    return !job->history_count ||
           job->history[job->history_count - 1]->outcome != REEVE_ATTEMPT_RUNNING;
}

static size_t place_history(struct rv_arena *arena, const struct reeve_job *from,
                            const struct reeve_attempt *const **out) {
    size_t count = from->history_count + lacks_attempt_under_way(from);
    *out = NULL;
    if (!count) return 0;
    const struct reeve_attempt **to = rv_arena_room(arena, count * sizeof(*to));
    struct reeve_attempt under_way = {.attempt = from->attempt,
                                      .worker = from->worker,
                                      .token = from->token,
                                      .started_at_ms = from->started_at_ms};
    for (size_t i = 0; i < count; i++) {
        const struct reeve_attempt *attempt =
            place_attempt(arena, i < from->history_count ? from->history[i] : &under_way);
        if (to) to[i] = attempt;
    }
    *out = to;
    return count;
}

static const char *const *place_log(struct rv_arena *arena, const struct reeve_job *from) {
    if (!from->log_count) return NULL;
    const char **to = rv_arena_room(arena, from->log_count * sizeof(*to));
    for (size_t i = 0; i < from->log_count; i++) {
        const char *line = rv_arena_text(arena, from->log[i]);
        if (to) to[i] = line;
    }
    return to;
}

static struct reeve_job *place_job(struct rv_arena *arena, const struct reeve_job *from) {
    struct reeve_job *to = rv_arena_room(arena, sizeof *to);
    struct reeve_job copy = *from;
    copy.history_count = place_history(arena, from, &copy.history);
    copy.log = place_log(arena, from);
    /* What failed before it was done is in the history: a job that is done has no error. */
    copy.error = place_failure(arena, from->state == REEVE_DONE ? NULL : from->error);
    copy.queue = rv_arena_text(arena, from->queue);
    copy.id = rv_arena_text(arena, from->id);
    copy.kind = rv_arena_text(arena, from->kind);
    copy.worker = rv_arena_text(arena, from->worker);
    copy.body = rv_arena_copy(arena, from->body, from->body_size);
    copy.result = from->result ? rv_arena_copy(arena, from->result, from->result_size) : NULL;
    if (to) *to = copy;
    return to;
}

struct reeve_job *rv_job_pack(const struct reeve_job *job) {
    struct rv_arena arena = {0};
    (void)place_job(&arena, job);
    arena = (struct rv_arena){.block = malloc(arena.used)};
    return arena.block ? place_job(&arena, job) : NULL;
}
