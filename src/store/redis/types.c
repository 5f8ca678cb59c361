#include "store/redis/types.h"

#include <string.h>

#include "store/redis/call.h"
#include "store/redis/examine.h"
#include "store/redis/key.h"
#include "store/redis/streams_call.h"

/* Keys, and the types they should be of. */
struct expected {
    const char *names[RV_RD_KEYS_MAX], *types[RV_RD_KEYS_MAX];
    size_t count;
};

static int compare(const struct expected *expected, redisReply *const *replies,
                   struct rv_error *err) {
    for (size_t i = 0; i < expected->count; i++) {
        const char *wanted = expected->types[i];
        const char *found = replies[i]->type == REDIS_REPLY_STATUS ? replies[i]->str : "none";
        if (strcmp(found, "none") == 0 || strcmp(found, wanted) == 0) continue;
        return rv_fail(err, REEVE_ECORRUPT, "key %s is a %s, not a %s: somebody else wrote it",
                       expected->names[i], found, wanted);
    }
    return 0;
}

static int check(struct rv_rd *store, const struct rv_rd_shard *shard,
                 const struct expected *expected, struct rv_error *err) {
    const char *words[RV_RD_KEYS_MAX][2];
    struct rv_rd_command commands[RV_RD_KEYS_MAX];
    redisReply *replies[RV_RD_KEYS_MAX] = {NULL};
    struct rv_error ignored;
    for (size_t i = 0; i < expected->count; i++) {
        words[i][0] = "TYPE";
        words[i][1] = expected->names[i];
        commands[i] = (struct rv_rd_command){.argc = 2, .argv = words[i]};
    }
    int rc =
        rv_rd_call(store, shard, commands, expected->count, store->timeout_ms, replies, &ignored);
    if (rc) return 0; /* who may not ask does not know */
    rc = compare(expected, replies, err);
    rv_rd_replies_free(replies, expected->count);
    return rc;
}

int rv_rd_types_check(struct rv_rd *store, const struct rv_rd_shard *shard, struct rv_error *err) {
    struct rv_rd_keys keys;
    struct expected expected;
    rv_rd_keys_fill(&keys, store, shard, RV_RD_KEYS_NAMED, RV_RD_NEEDS);
    expected.count = keys.count;
    for (size_t i = 0; i < keys.count; i++) {
        expected.names[i] = keys.names[i];
        expected.types[i] = rv_rd_key_type(i);
    }
    return check(store, shard, &expected, err);
}

int rv_rd_types_check_group(struct rv_rd *store, const struct rv_group *group,
                            struct rv_error *err) {
    char names[RV_RD_STREAM_KEYS][RV_RD_KEY_SIZE], place_name[RV_RD_PLACE_SIZE];
    struct rv_rd_shard place = rv_rd_stream_place(group, place_name);
    struct expected expected = {.count = RV_RD_STREAM_KEYS};
    for (size_t i = 0; i < expected.count; i++) {
        expected.types[i] = rv_rd_stream_key(store, group, i, names[i]);
        expected.names[i] = names[i];
    }
    return check(store, &place, &expected, err);
}

int rv_rd_types_check_space(struct rv_rd *store, struct rv_error *err) {
    static const struct {
        const char *name, *type;
    } known[] = {
        {"queues", "zset"}, {"workers", "hash"},        {"seen", "zset"},
        {"grants", "hash"}, {"grants_by_name", "zset"}, {"grants_until", "zset"},
        {"line", "zset"},   {"tickets", "hash"},        {"tickets_until", "zset"},
        {"groups", "zset"}, {"compat", "zset"},         {"shards", "hash"},
    };
    char names[sizeof known / sizeof *known][RV_RD_KEY_SIZE];
    struct expected expected = {.count = sizeof known / sizeof *known};
    for (size_t i = 0; i < expected.count; i++) {
        rv_rd_key(store, NULL, known[i].name, names[i]);
        expected.names[i] = names[i];
        expected.types[i] = known[i].type;
    }
    return check(store, NULL, &expected, err);
}

/* ---- the doctor ---- */
static int examine_shard(struct rv_rd_exam *exam, const struct rv_rd_shard *shard, void *arg,
                         struct rv_error *err) {
    size_t *wrong = arg;
    (void)err;
    struct rv_error reason;
    if (!rv_rd_types_check(exam->store, shard, &reason)) return 0;
    rv_find(&exam->book, REEVE_BAD, "types", "%s", reason.text);
    (*wrong)++;
    return 0;
}

int rv_rd_examine_types(struct rv_rd_exam *exam, struct rv_error *err) {
    size_t wrong = 0;
    struct rv_error reason;
    if (rv_rd_types_check_space(exam->store, &reason)) {
        rv_find(&exam->book, REEVE_BAD, "types", "%s", reason.text);
        return 0; /* the names of the queues may be what cannot be read */
    }
    int rc = rv_rd_each_shard(exam, examine_shard, &wrong, err);
    if (!rc && !wrong)
        rv_find(&exam->book, REEVE_FINE, "types", "each key%s is what it should be",
                rv_rd_exam_extent(exam));
    return rc;
}
