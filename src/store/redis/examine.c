/* examine: all checks in their order. */
#include "store/redis/examine.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/redis/call.h"
#include "store/redis/settle.h"
#include "store/redis/split.h"

enum { NAMES_MAX = 100 }; /* queues of one page */

int rv_rd_each_queue(struct rv_rd_exam *exam, rv_rd_queue_fn *fn, void *arg, struct rv_error *err) {
    char after[REEVE_NAME_SIZE] = "";
    for (;;) {
        struct rv_names names = {0};
        int rc = rv_rd_queues(&exam->store->base, *after ? after : NULL, NAMES_MAX, &names, err);
        for (size_t i = 0; !rc && i < names.count; i++)
            rc = fn(exam, names.names[i], arg, err);
        bool more = !rc && names.count == NAMES_MAX;
        if (more) (void)snprintf(after, sizeof after, "%s", names.names[names.count - 1]);
        free(names.names);
        if (rc || !more) return rc;
    }
}

/* ---- nodes that do not answer ---- */
bool rv_rd_exam_passes(struct rv_rd_exam *exam, const struct rv_rd_shard *shard) {
    struct rv_rd *store = exam->store;
    const struct rv_rd_target *node;
    struct rv_error ignored;
    if (store->topology.shape != RV_RD_CLUSTER) return false;
    int64_t until_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), store->timeout_ms);
    if (!rv_rd_find(store, shard, until_ms, &node, &ignored) && !rv_rd_target_is_silent(node))
        return false;
    exam->missed++;
    return true;
}

bool rv_rd_exam_misses(struct rv_rd_exam *exam, int rc) {
    bool away = rc == REEVE_EUNREACHABLE || rc == REEVE_EUNSURE;
    if (!away || exam->store->topology.shape != RV_RD_CLUSTER) return false;
    exam->missed++;
    return true;
}

const char *rv_rd_exam_extent(const struct rv_rd_exam *exam) {
    return exam->missed ? " that could be looked at" : "";
}

/* ---- shards ---- */
struct visit {
    rv_rd_shard_fn *fn;
    void *arg;
};

/* Shards that are being changed are passed over: rv_rd_examine_shards() tells of it. */
static int visit_shards(struct rv_rd_exam *exam, const char *queue, void *arg,
                        struct rv_error *err) {
    const struct visit *visit = arg;
    struct rv_rd_said said;
    int rc = rv_rd_said_read(exam->store, queue, &said, err);
    if (rc || said.epoch % 2) return rc;
    struct rv_rd_split split = {queue, said.count, said.epoch};
    for (unsigned i = 0; !rc && i < said.count; i++) {
        struct rv_rd_shard shard = rv_rd_split_shard(&split, i);
        if (rv_rd_exam_passes(exam, &shard)) continue;
        rc = visit->fn(exam, &shard, visit->arg, err);
        if (rc == RV_RD_STALE || rv_rd_exam_misses(exam, rc)) rc = 0;
    }
    return rc;
}

int rv_rd_each_shard(struct rv_rd_exam *exam, rv_rd_shard_fn *fn, void *arg, struct rv_error *err) {
    struct visit visit = {fn, arg};
    return rv_rd_each_queue(exam, visit_shards, &visit, err);
}

/* ---- the op ---- */
/* Types before all that reads the keys; shards before what goes through them; orphans before
 * counters: mending them changes what is to be counted. */
static const struct {
    const char *word;
    rv_rd_check_fn *check;
} checks[] = {
    {"server", rv_rd_examine_server},         {"layout", rv_rd_examine_layout},
    {"rights", rv_rd_examine_rights},         {"clock", rv_rd_examine_clock},
    {"eviction", rv_rd_examine_eviction},     {"memory", rv_rd_examine_memory},
    {"durability", rv_rd_examine_durability}, {"replication", rv_rd_examine_replication},
    {"topology", rv_rd_examine_topology},     {"types", rv_rd_examine_types},
    {"shards", rv_rd_examine_shards},         {"orphans", rv_rd_examine_orphans},
    {"counters", rv_rd_examine_counters},     {"names", rv_rd_examine_grants},
    {"streams", rv_rd_examine_streams},
};

static int ask_info(struct rv_rd *store, redisReply **out, struct rv_error *err) {
    static const char *const words[] = {"INFO"};
    const struct rv_rd_command command = {.argc = 1, .argv = words};
    return rv_rd_only_asked(rv_rd_call(store, NULL, &command, 1, store->timeout_ms, out, err), err);
}

int rv_rd_examine(struct rv_store *s, bool repair, struct rv_findings *out, struct rv_error *err) {
    struct rv_rd_exam exam = {
        .store = (struct rv_rd *)s, .repair = repair, .book = {.out = out}, .info = ""};
    redisReply *info = NULL;
    int rc = ask_info(exam.store, &info, err);
    if (rc) return rc;
    if (info->type == REDIS_REPLY_STRING) exam.info = info->str;
    unsigned missed = 0;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        struct rv_error reason = {0};
        exam.missed = 0;
        rc = checks[i].check(&exam, &reason);
        if (exam.missed > missed) missed = exam.missed;
        if (rc == REEVE_ENOMEM) exam.book.no_memory = true;
        if (rc) rv_find(&exam.book, REEVE_BAD, checks[i].word, "%s", reason.text);
    }
    if (missed)
        rv_find(&exam.book, REEVE_BAD, "missed",
                "%u shards of queues were not looked at: their nodes do not answer", missed);
    freeReplyObject(info);
    return exam.book.no_memory ? rv_fail(err, REEVE_ENOMEM, "out of memory") : 0;
}
