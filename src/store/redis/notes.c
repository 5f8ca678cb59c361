/* check, note: what the holder of a running job asks and tells. */
#include <string.h>

#include "store/redis/record.h"
#include "store/redis/split.h"

enum { ARGS_MAX = 64 }; /* bytes that are packed */

/* Runs a script about one job and a lease of it. args: what follows these two; released here. */
static int run(struct rv_store *s, struct rv_rd_script *script, const char *queue, const char *id,
               long long *answer, struct rv_error *err) {
    redisReply *reply;
    int rc = rv_rd_split_run((struct rv_rd *)s, script, queue, id, &reply, err);
    rv_rd_args_release(script->args);
    if (rc) return rc;
    *answer = reply->integer;
    if (reply->type != REDIS_REPLY_INTEGER) rc = rv_rd_fail_answer(queue, err);
    freeReplyObject(reply);
    return rc;
}

static int fence(const char *queue, const char *id, struct rv_error *err) {
    return rv_fail(err, REEVE_EFENCED, "job '%s' of queue %s is no longer held under this lease",
                   id, queue);
}

int rv_rd_check(struct rv_store *s, const char *queue, const char *id, uint64_t token,
                uint64_t holder, struct rv_error *err) {
    enum { NO_RECORD, NOT_CURRENT, CURRENT };
    struct rv_rd_args args;
    struct rv_rd_script script = {
        .which = RV_REDIS_LUA_CHECK, .args = &args, .timeout_ms = ((struct rv_rd *)s)->timeout_ms};
    unsigned char lease[RV_RD_LEASE_SIZE];
    long long answer;
    rv_rd_lease_pack(lease, holder, token);
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_text(&args, id);
    rv_rd_args_add(&args, lease, sizeof lease);
    int rc = run(s, &script, queue, id, &answer, err);
    if (rc) return rv_rd_only_asked(rc, err);
    if (answer == NO_RECORD)
        return rv_fail(err, REEVE_ENOENT, "no job '%s' in queue %s", id, queue);
    return answer == CURRENT ? 0 : fence(queue, id, err);
}

int rv_rd_note(struct rv_store *s, const char *queue, const struct rv_note *note,
               struct rv_error *err) {
    struct rv_rd_args args;
    struct rv_rd_script script = {
        .which = RV_REDIS_LUA_NOTE, .args = &args, .timeout_ms = ((struct rv_rd *)s)->timeout_ms};
    unsigned char lease[RV_RD_LEASE_SIZE], progress = (unsigned char)note->progress;
    long long answer;
    rv_rd_lease_pack(lease, note->holder, note->token);
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_text(&args, note->id);
    rv_rd_args_add(&args, lease, sizeof lease);
    rv_rd_args_add(&args, &progress, note->progress >= 0);
    rv_rd_args_add(&args, note->line, note->line ? strlen(note->line) + 1 : 0);
    rv_rd_args_add_number(&args, RV_LOG_LINES_MAX);
    int rc = run(s, &script, queue, note->id, &answer, err);
    return rc || answer ? rc : fence(queue, note->id, err);
}
