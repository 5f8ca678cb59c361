#include "store/redis/types.h"

#include <string.h>

#include "store/redis/call.h"
#include "store/redis/examine.h"
#include "store/redis/key.h"

static int compare(const struct rv_rd_keys *keys, redisReply *const *replies,
                   struct rv_error *err) {
    for (size_t i = 0; i < keys->count; i++) {
        const char *wanted = i < RV_RD_KEYS_NAMED ? rv_rd_key_type(i) : "list";
        const char *found = replies[i]->type == REDIS_REPLY_STATUS ? replies[i]->str : "none";
        if (strcmp(found, "none") == 0 || strcmp(found, wanted) == 0) continue;
        return rv_fail(err, REEVE_ECORRUPT, "key %s is a %s, not a %s: somebody else wrote it",
                       keys->names[i], found, wanted);
    }
    return 0;
}

int rv_rd_types_check(struct rv_rd *store, const char *queue, struct rv_error *err) {
    struct rv_rd_keys keys;
    const char *words[RV_RD_KEYS_MAX][2];
    struct rv_rd_command commands[RV_RD_KEYS_MAX];
    redisReply *replies[RV_RD_KEYS_MAX] = {NULL};
    struct rv_error ignored;
    rv_rd_keys_fill(&keys, store, queue, RV_RD_KEYS_NAMED, (1U << RV_RD_LEVELS) - 1);
    for (size_t i = 0; i < keys.count; i++) {
        words[i][0] = "TYPE";
        words[i][1] = keys.names[i];
        commands[i] = (struct rv_rd_command){.argc = 2, .argv = words[i]};
    }
    int rc = rv_rd_call(store, queue, commands, keys.count, store->timeout_ms, replies, &ignored);
    if (rc) return 0; /* who may not ask does not know */
    rc = compare(&keys, replies, err);
    rv_rd_replies_free(replies, keys.count);
    return rc;
}

/* ---- the doctor ---- */
static int examine_queue(struct rv_rd_exam *exam, const char *queue, void *arg,
                         struct rv_error *err) {
    size_t *wrong = arg;
    (void)err;
    struct rv_error reason;
    if (!rv_rd_types_check(exam->store, queue, &reason)) return 0;
    rv_rd_find(exam, REEVE_BAD, "types", "%s", reason.text);
    (*wrong)++;
    return 0;
}

int rv_rd_examine_types(struct rv_rd_exam *exam, struct rv_error *err) {
    size_t wrong = 0;
    int rc = rv_rd_each_queue(exam, examine_queue, &wrong, err);
    if (!rc && !wrong) rv_rd_find(exam, REEVE_FINE, "types", "each key is what it should be");
    return rc;
}
