/* queues, stats, pause, set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/meta.h"
#include "store/redis/script.h"
#include "store/redis/space.h"

enum { ARGS_MAX = 128 };

/* ---- queues ---- */
static int gather_names(const struct rv_rd *store, const redisReply *reply, struct rv_names *out,
                        struct rv_error *err) {
    if (reply->type != REDIS_REPLY_ARRAY)
        return rv_fail(err, REEVE_ECORRUPT, "space %s: its names cannot be read", store->space);
    out->names = calloc(reply->elements + 1, sizeof *out->names);
    if (!out->names) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (size_t i = 0; i < reply->elements; i++) {
        struct rv_bytes name = rv_rd_bytes(reply->element[i]);
        if (!name.size || name.size >= REEVE_NAME_SIZE) continue; /* no name of ours */
        memcpy(out->names[out->count++], name.data, name.size);
    }
    return 0;
}

int rv_rd_space_names(struct rv_rd *store, const char *set, const char *after, size_t limit,
                      struct rv_names *out, struct rv_error *err) {
    char key[RV_RD_KEY_SIZE], from[REEVE_NAME_SIZE + 1], most[24];
    rv_rd_key(store, NULL, set, key);
    (void)snprintf(from, sizeof from, "%s%s", after ? "(" : "-", after ? after : "");
    (void)snprintf(most, sizeof most, "%zu", limit);
    const char *const words[] = {"ZRANGEBYLEX", key, from, "+", "LIMIT", "0", most};
    struct rv_rd_command command = {.argc = 7, .argv = words};
    redisReply *reply = NULL;
    int rc = rv_rd_space_call(store, &command, 1, &reply, err);
    if (rc) return rv_rd_only_asked(rc, err);
    rc = gather_names(store, reply, out, err);
    freeReplyObject(reply);
    return rc;
}

int rv_rd_queues(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                 struct rv_error *err) {
    return rv_rd_space_names((struct rv_rd *)s, "queues", after, limit, out, err);
}

/* ---- stats ---- */
static void copy_counts(const struct rv_rd_meta *meta, struct reeve_queue *out) {
    out->paused = meta->paused;
    out->delayed = meta->counts[REEVE_DELAYED];
    out->ready = meta->counts[REEVE_READY];
    out->running = meta->counts[REEVE_RUNNING];
    out->done = meta->counts[REEVE_DONE];
    out->failed = meta->counts[REEVE_FAILED];
    out->cancelled = meta->counts[REEVE_CANCELLED];
    out->pushed_total = meta->pushed;
    out->finished_total = meta->finished;
    out->retried_total = meta->retried;
    out->lapsed_total = meta->lapsed;
    out->fenced_total = meta->fenced;
    out->refused_total = meta->refused;
    out->dropped_total = meta->dropped;
    out->trimmed_total = meta->expired + meta->trimmed;
    rv_bounds_show(&meta->bounds, out);
}

static int show_stats(const char *queue, const redisReply *reply, struct reeve_queue *out,
                      struct rv_error *err) {
    struct rv_rd_meta meta;
    if (!rv_rd_is_array(reply, 2)) return rv_rd_fail_answer(queue, err);
    int rc = rv_rd_meta_read(queue, rv_rd_bytes(reply->element[0]), &meta, err);
    if (rc) return rc;
    if (!meta.exists) return rv_fail(err, REEVE_ENOENT, "no queue %s", queue);
    copy_counts(&meta, out);
    out->oldest_ready_ms = reply->element[1]->integer;
    return 0;
}

int rv_rd_stats(struct rv_store *s, const char *queue, struct reeve_queue *out,
                struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    struct rv_rd_args args;
    struct rv_rd_script script = {.which = RV_REDIS_LUA_STATS,
                                  .shard = {.queue = queue},
                                  .args = &args,
                                  .timeout_ms = store->timeout_ms};
    redisReply *reply;
    rv_rd_args_init(&args, ARGS_MAX);
    int rc = rv_rd_script_run(store, &script, &reply, err);
    rv_rd_args_release(&args);
    if (rc) return rv_rd_only_asked(rc, err);
    rc = show_stats(queue, reply, out, err);
    freeReplyObject(reply);
    return rc;
}

/* ---- pause, set ---- */
/* Sees to it that the name of the queue stands among those of the space: before the queue itself,
 * for that is another step. A full server would refuse the second, so it is asked first. */
static int list_name(struct rv_rd *store, const char *queue, struct rv_error *err) {
    char key[RV_RD_KEY_SIZE];
    rv_rd_key(store, NULL, "queues", key);
    const char *const ask[] = {"ZSCORE", key, queue}, *const add[] = {"ZADD", key, "0", queue};
    struct rv_rd_command asking = {.argc = 3, .argv = ask}, adding = {.argc = 4, .argv = add};
    redisReply *reply = NULL;
    int rc = rv_rd_space_call(store, &asking, 1, &reply, err);
    bool there = !rc && reply->type != REDIS_REPLY_NIL;
    rv_rd_replies_free(&reply, 1);
    if (rc || there) return rc;
    rc = rv_rd_space_call(store, &adding, 1, &reply, err);
    rv_rd_replies_free(&reply, 1);
    return rc;
}

/* args are released here. */
static int change(struct rv_store *s, enum rv_redis_lua which, const char *queue,
                  struct rv_rd_args *args, struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    struct rv_rd_script script = {
        .which = which, .shard = {.queue = queue}, .args = args, .timeout_ms = store->timeout_ms};
    redisReply *reply = NULL;
    int rc = list_name(store, queue, err);
    if (!rc) rc = rv_rd_script_run(store, &script, &reply, err);
    rv_rd_replies_free(&reply, 1);
    rv_rd_args_release(args);
    return rc;
}

int rv_rd_pause(struct rv_store *s, const char *queue, bool paused, struct rv_error *err) {
    struct rv_rd_args args;
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_number(&args, paused);
    return change(s, RV_REDIS_LUA_PAUSE, queue, &args, err);
}

int rv_rd_set(struct rv_store *s, const char *queue, const struct reeve_queue_settings *settings,
              struct rv_error *err) {
    struct rv_rd_args args;
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_number(&args, settings->max_length);
    rv_rd_args_add_number(&args, settings->keep_failed);
    rv_rd_args_add_number(&args, settings->on_full);
    return change(s, RV_REDIS_LUA_SET, queue, &args, err);
}
