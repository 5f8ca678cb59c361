/* Streams: recover. Where strangers' locks lie on other servers it takes two steps: what they may
 * have is found, then asked for, then what has no lock is looked at again and moved. */
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "store/redis/streams.h"
#include "store/redis/streams_show.h"
#include "store/redis/streams_split.h"

enum { ARGS_MAX = 1024 };

static int scan_from(struct rv_store *s, const struct rv_group *group,
                     const struct rv_stream_scan *scan, const char *after, const char *const *dead,
                     size_t count, redisReply **out, struct rv_error *err) {
    struct rv_rd_stream_call call;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_RECOVER, ARGS_MAX);
    call.tells = true;
    rv_rd_args_add_number(&call.args, scan->min_idle_ms);
    rv_rd_args_add_number(&call.args, scan->max_retries);
    rv_rd_args_add_number(&call.args, (int64_t)scan->dead_max);
    rv_rd_args_add_number(&call.args, RV_SCAN_MAX);
    rv_rd_args_add_text(&call.args, after ? after : "");
    for (size_t i = 0; i < count; i++)
        rv_rd_args_add_text(&call.args, dead[i]);
    return rv_rd_stream_run(&call, out, err);
}

/* ---- answers ---- */
static int add_lapsed(const struct rv_group *group, const redisReply *rows,
                      struct rv_stream_scanned *out, struct rv_error *err) {
    struct reeve_stream **shown = NULL;
    size_t count = 0;
    int rc = rv_rd_streams_show(group, rows, &shown, &count, err);
    struct reeve_stream **all = realloc(out->lapsed, (out->count + count + 1) * sizeof(*all));
    if (all) {
        out->lapsed = all;
        if (count) memcpy(all + out->count, shown, count * sizeof(*all));
        out->count += count;
    } else {
        for (size_t i = 0; i < count; i++)
            free(shown[i]);
        rc = rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    free(shown);
    return rc;
}

static int add_scanned(const struct rv_group *group, const redisReply *reply,
                       struct rv_stream_scanned *out, struct rv_error *err) {
    if (!rv_rd_is_array(reply, 8)) return rv_rd_stream_fail_answer(group, err);
    out->requeued += (uint64_t)reply->element[1]->integer;
    out->dead += (uint64_t)reply->element[2]->integer;
    out->unreadable += (uint64_t)reply->element[3]->integer;
    out->alive += (uint64_t)reply->element[4]->integer;
    return add_lapsed(group, reply->element[0], out, err);
}

/* ---- strangers whose locks lie elsewhere ---- */
/* suspects: id, lock, .... Of ids those are left that have no lock. */
static int find_dead(struct rv_rd *store, const redisReply *suspects, const char **ids,
                     size_t *count, struct rv_error *err) {
    const char *locks[RV_SCAN_MAX] = {NULL};
    bool there[RV_SCAN_MAX];
    size_t all = 0;
    for (size_t i = 0; i + 1 < suspects->elements && all < RV_SCAN_MAX; i += 2) {
        if (!suspects->element[i]->str || !suspects->element[i + 1]->str) continue;
        ids[all] = suspects->element[i]->str;
        locks[all++] = suspects->element[i + 1]->str;
    }
    int rc = rv_rd_locks_ask(store, locks, all, there, err);
    *count = 0;
    for (size_t i = 0; !rc && i < all; i++)
        if (!there[i]) ids[(*count)++] = ids[i];
    return rc;
}

static int recover_suspects(struct rv_store *s, const struct rv_group *group,
                            const struct rv_stream_scan *scan, const redisReply *suspects,
                            struct rv_stream_scanned *out, struct rv_error *err) {
    const char *ids[RV_SCAN_MAX];
    size_t count;
    redisReply *reply;
    int rc = find_dead((struct rv_rd *)s, suspects, ids, &count, err);
    out->alive += suspects->elements / 2 - count;
    if (rc || !count) return rc;
    rc = scan_from(s, group, scan, "k", ids, count, &reply, err);
    if (rc) return rc;
    rc = add_scanned(group, reply, out, err);
    freeReplyObject(reply);
    return rc;
}

/* ---- the op ---- */
int rv_rd_stream_recover(struct rv_store *s, const struct rv_group *group,
                         const struct rv_stream_scan *scan, struct rv_stream_scanned *out,
                         struct rv_error *err) {
    redisReply *reply;
    struct rv_rd *store = (struct rv_rd *)s;
    int rc = scan_from(s, group, scan, scan->after, NULL, 0, &reply, err);
    if (rc) return rc;
    rc = add_scanned(group, reply, out, err);
    if (!rc) rc = rv_rd_stream_cursor(group, reply->element[5], out->cursor, err);
    if (!rc) out->next_in_ms = reply->element[6]->integer;
    if (!rc && reply->element[7]->elements)
        rc = recover_suspects(s, group, scan, reply->element[7], out, err);
    freeReplyObject(reply);
    bool split = rv_rd_stream_layout(store, group) == RV_RD_SPLIT;
    if (split && (out->dead || out->unreadable || !*out->cursor))
        rv_rd_letters_post(store, group, scan->dead_max);
    return rc;
}
