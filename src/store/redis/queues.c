/* queues, stats, pause, set. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/fan.h"
#include "store/redis/settle.h"
#include "store/redis/space.h"

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

/* ---- stats ---- summed over the shards ---- */
struct sum {
    struct reeve_queue *out;
    bool exists;
};

static void add_counts(const struct rv_rd_meta *meta, struct reeve_queue *out) {
    out->delayed += meta->counts[REEVE_DELAYED];
    out->ready += meta->counts[REEVE_READY];
    out->running += meta->counts[REEVE_RUNNING];
    out->done += meta->counts[REEVE_DONE];
    out->failed += meta->counts[REEVE_FAILED];
    out->cancelled += meta->counts[REEVE_CANCELLED];
    out->pushed_total += meta->pushed;
    out->finished_total += meta->finished;
    out->retried_total += meta->retried;
    out->lapsed_total += meta->lapsed;
    out->fenced_total += meta->fenced;
    out->refused_total += meta->refused;
    out->dropped_total += meta->dropped;
    out->trimmed_total += meta->expired + meta->trimmed;
}

/* Each shard has its share of the bounds. */
static void add_bounds(const struct rv_rd_meta *meta, struct reeve_queue *out) {
    struct reeve_queue theirs = {0};
    rv_bounds_show(&meta->bounds, &theirs);
    out->max_length += theirs.max_length;
    out->keep_failed += theirs.keep_failed;
    out->on_full = theirs.on_full;
}

static int add_stats(const redisReply *reply, const struct rv_rd_shard *shard, void *arg,
                     struct rv_error *err) {
    struct sum *sum = arg;
    struct reeve_queue *out = sum->out;
    struct rv_rd_meta meta;
    if (!rv_rd_is_array(reply, 2)) return rv_rd_fail_answer(shard->queue, err);
    int rc = rv_rd_meta_read(shard->queue, rv_rd_bytes(reply->element[0]), &meta, err);
    if (rc) return rc;
    int64_t oldest_ms = reply->element[1]->integer;
    sum->exists |= meta.exists;
    out->paused |= meta.paused;
    out->shards = (int)meta.shards;
    if (oldest_ms > out->oldest_ready_ms) out->oldest_ready_ms = oldest_ms;
    add_counts(&meta, out);
    add_bounds(&meta, out);
    return 0;
}

int rv_rd_stats(struct rv_store *s, const char *queue, bool brief, struct reeve_queue *out,
                struct rv_error *err) {
    struct sum sum = {.out = out};
    struct rv_rd_round round = {
        .which = RV_REDIS_LUA_STATS, .take = add_stats, .arg = &sum, .brief = brief};
    int rc = rv_rd_round_run((struct rv_rd *)s, queue, &round, err);
    if (rc) return rv_rd_only_asked(rc, err);
    return sum.exists ? 0 : rv_fail(err, REEVE_ENOENT, "no queue %s", queue);
}

/* ---- pause, set ---- */
/* Both are written to every shard. */
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

static int change(struct rv_store *s, const char *queue, struct rv_rd_round *round,
                  struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    int rc = list_name(store, queue, err);
    return rc ? rc : rv_rd_round_run(store, queue, round, err);
}

static void ask_pause(struct rv_rd_args *args, const struct rv_rd_shard *shard, const void *arg) {
    (void)shard;
    rv_rd_args_add_number(args, *(const bool *)arg);
}

int rv_rd_pause(struct rv_store *s, const char *queue, bool paused, struct rv_error *err) {
    struct rv_rd_round round = {.which = RV_REDIS_LUA_PAUSE, .ask = ask_pause, .arg = &paused};
    return change(s, queue, &round, err);
}

/* ---- set ---- */
struct setting {
    const struct reeve_queue_settings *settings;
    unsigned shards;
};

static void ask_set(struct rv_rd_args *args, const struct rv_rd_shard *shard, const void *arg) {
    const struct setting *setting = arg;
    const struct reeve_queue_settings *settings = setting->settings;
    rv_rd_args_add_number(args, rv_rd_share(settings->max_length, setting->shards, shard->number));
    rv_rd_args_add_number(args, rv_rd_share(settings->keep_failed, setting->shards, shard->number));
    rv_rd_args_add_number(args, settings->on_full);
}

static int check_share(const char *queue, const char *name, int64_t bound, unsigned shards,
                       struct rv_error *err) {
    if (bound <= 0 || bound >= shards) return 0;
    return rv_fail(err, REEVE_EINVAL,
                   "queue %s: %s %" PRId64 " cannot be divided among %u shards: at least %u", queue,
                   name, bound, shards, shards);
}

static int set(struct rv_rd *store, const struct rv_rd_split *split, void *arg,
               struct rv_error *err) {
    struct setting setting = {arg, split->count};
    struct rv_rd_round round = {.which = RV_REDIS_LUA_SET, .ask = ask_set, .arg = &setting};
    int rc =
        check_share(split->queue, "max_length", setting.settings->max_length, split->count, err);
    if (!rc)
        rc = check_share(split->queue, "keep_failed", setting.settings->keep_failed, split->count,
                         err);
    return rc ? rc : rv_rd_round_once(store, split, &round, err);
}

/* The number of shards: of a queue whose bounds, as they are or are to be, can be divided so. */
static int set_shards(struct rv_store *s, const char *queue,
                      const struct reeve_queue_settings *settings, struct rv_error *err) {
    unsigned shards = (unsigned)settings->shards;
    struct reeve_queue now = {0};
    struct rv_tended tended = {.more = true};
    int rc = rv_rd_stats(s, queue, false, &now, err);
    if (rc && rc != REEVE_ENOENT) return rc;
    int64_t max_length = settings->max_length ? settings->max_length : now.max_length,
            keep_failed = settings->keep_failed ? settings->keep_failed : now.keep_failed;
    rc = check_share(queue, "max_length", max_length, shards, err);
    if (!rc) rc = check_share(queue, "keep_failed", keep_failed, shards, err);
    if (!rc && now.shards == (int)shards) return 0;
    while (!rc && tended.more) { /* records that have expired are not in the way */
        tended = (struct rv_tended){.next_in_ms = -1};
        rc = rv_rd_tend(s, queue, &tended, err);
    }
    return rc ? rc : rv_rd_resplit((struct rv_rd *)s, queue, shards, err);
}

int rv_rd_set(struct rv_store *s, const char *queue, const struct reeve_queue_settings *settings,
              struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    struct reeve_queue_settings copy = *settings;
    int rc = list_name(store, queue, err);
    if (!rc && settings->shards) rc = set_shards(s, queue, settings, err);
    return rc ? rc : rv_rd_split_over(store, queue, set, &copy, err);
}
