/* read, cancel, revive, remove, keep: one job by its id. */
#include "core/state.h"
#include "store/redis/record.h"
#include "store/redis/split.h"

enum { ARGS_MAX = 256 }; /* bytes that are packed */

/* Runs a script about one job. args: all it wants, from the id on; released here. timeout_ms: if
 * that is less than a call may take. */
static int run(struct rv_store *s, enum rv_redis_lua which, const char *queue, const char *id,
               int64_t timeout_ms, struct rv_rd_args *args, redisReply **out,
               struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    struct rv_rd_script script = {.which = which, .args = args, .timeout_ms = store->timeout_ms};
    if (timeout_ms < script.timeout_ms) script.timeout_ms = timeout_ms;
    int rc = rv_rd_split_run(store, &script, queue, id, out, err);
    rv_rd_args_release(args);
    return rc;
}

static int fail_unknown(const char *queue, const char *id, struct rv_error *err) {
    return rv_fail(err, REEVE_ENOENT, "no job '%s' in queue %s", id, queue);
}

/* ---- read ---- */
static int show(const char *queue, const char *id, const redisReply *reply, struct reeve_job **out,
                struct rv_error *err) {
    if (!rv_rd_is_array(reply, 3)) return rv_rd_fail_answer(queue, err);
    if (rv_rd_is_array(reply->element[0], 0)) return fail_unknown(queue, id, err);
    if (!rv_rd_is_array(reply->element[0], 1)) return rv_rd_fail_answer(queue, err);
    return rv_rd_records_show(queue, reply->element[0], reply->element[1], reply->element[2], out,
                              NULL, err);
}

int rv_rd_read(struct rv_store *s, const char *queue, const char *id, int64_t timeout_ms,
               struct reeve_job **out, struct rv_error *err) {
    struct rv_rd_args args;
    redisReply *reply;
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_text(&args, id);
    int rc = run(s, RV_REDIS_LUA_READ, queue, id, timeout_ms, &args, &reply, err);
    if (rc) return rv_rd_only_asked(rc, err);
    rc = show(queue, id, reply, out, err);
    freeReplyObject(reply);
    return rc;
}

/* ---- changes ---- */
/* Runs a script that answers with the state it found (lua/one.lua), 0 if there was no record. */
static int change(struct rv_store *s, enum rv_redis_lua which, const char *queue, const char *id,
                  int64_t number, enum reeve_state *found, struct rv_error *err) {
    struct rv_rd_args args;
    redisReply *reply;
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_text(&args, id);
    rv_rd_args_add_number(&args, number);
    int rc = run(s, which, queue, id, INT64_MAX, &args, &reply, err);
    if (rc) return rc;
    *found = (enum reeve_state)reply->integer;
    if (reply->type != REDIS_REPLY_INTEGER || reply->integer > REEVE_CANCELLED)
        rc = rv_rd_fail_answer(queue, err);
    else if (!reply->integer)
        rc = fail_unknown(queue, id, err);
    freeReplyObject(reply);
    return rc;
}

static int refuse(const char *verb, const char *queue, const char *id, enum reeve_state state,
                  struct rv_error *err) {
    return rv_fail(err, REEVE_ESTATE, "cannot %s job '%s' of queue %s: it is %s", verb, id, queue,
                   reeve_state_name(state));
}

int rv_rd_cancel(struct rv_store *s, const char *queue, const char *id, enum reeve_state *now,
                 struct rv_error *err) {
    enum reeve_state found;
    int rc = change(s, RV_REDIS_LUA_CANCEL, queue, id, 0, &found, err);
    if (rc) return rc;
    if (rv_state_ended(found)) return refuse("cancel", queue, id, found, err);
    *now = found == REEVE_RUNNING ? REEVE_RUNNING : REEVE_CANCELLED;
    return 0;
}

int rv_rd_revive(struct rv_store *s, const char *queue, const char *id, struct rv_error *err) {
    enum reeve_state found;
    int rc = change(s, RV_REDIS_LUA_REVIVE, queue, id, 0, &found, err);
    if (rc || found == REEVE_FAILED || found == REEVE_CANCELLED) return rc;
    return refuse("revive", queue, id, found, err);
}

int rv_rd_remove(struct rv_store *s, const char *queue, const char *id, struct rv_error *err) {
    enum reeve_state found;
    int rc = change(s, RV_REDIS_LUA_REMOVE, queue, id, 0, &found, err);
    if (rc || found != REEVE_RUNNING) return rc;
    return refuse("remove", queue, id, found, err);
}

int rv_rd_keep(struct rv_store *s, const char *queue, const char *id, int64_t keep_ms,
               struct rv_error *err) {
    enum reeve_state found;
    int rc = change(s, RV_REDIS_LUA_KEEP, queue, id, keep_ms, &found, err);
    if (rc || rv_state_ended(found)) return rc;
    return refuse("keep", queue, id, found, err);
}
