#include "redis/snapshot.h"

#include <string.h>

#include "redis/queue.h"

enum { TIMEOUT_MS = 30000 };

static void ask(struct line *line, const struct rv_rd_command *commands, size_t count,
                redisReply **replies) {
    if (!count) return;
    CHECK_OK(rv_rd_call(&line->rd, NULL, commands, count, TIMEOUT_MS, replies, &line->err));
}

struct snapshot snapshot_take(struct line *line) {
    static const char *const all[] = {"KEYS", "*"};
    const struct rv_rd_command list = {.argc = 2, .argv = all};
    const char *words[SNAPSHOT_KEYS_MAX][2];
    struct rv_rd_command commands[SNAPSHOT_KEYS_MAX];
    struct snapshot snapshot = {0};
    ask(line, &list, 1, &snapshot.names);
    snapshot.count = snapshot.names->elements;
    CHECK_BETWEEN(snapshot.count, 0, SNAPSHOT_KEYS_MAX);
    for (size_t i = 0; i < snapshot.count; i++) {
        words[i][0] = "DUMP";
        words[i][1] = snapshot.names->element[i]->str;
        commands[i] = (struct rv_rd_command){.argc = 2, .argv = words[i]};
    }
    ask(line, commands, snapshot.count, snapshot.values);
    return snapshot;
}

void snapshot_release(struct snapshot *snapshot) {
    freeReplyObject(snapshot->names);
    rv_rd_replies_free(snapshot->values, snapshot->count);
}

const redisReply *snapshot_find(const struct snapshot *snapshot, const char *name) {
    for (size_t i = 0; i < snapshot->count; i++)
        if (strcmp(snapshot->names->element[i]->str, name) == 0) return snapshot->values[i];
    return NULL;
}

/* ---- comparing ---- */
static const char *const restore_words[] = {"RESTORE", NULL, "0", NULL, "REPLACE"};
enum { RESTORE_WORDS = sizeof restore_words / sizeof *restore_words };

struct restoring {
    const char *words[RESTORE_WORDS];
    size_t sizes[RESTORE_WORDS];
    struct rv_rd_command command;
};

static void prepare(struct restoring *out, const char *name, const redisReply *value) {
    memcpy(out->words, restore_words, sizeof restore_words);
    out->words[1] = name;
    out->words[3] = value->str;
    for (size_t i = 0; i < RESTORE_WORDS; i++)
        out->sizes[i] = strlen(out->words[i]);
    out->sizes[3] = value->len;
    out->command =
        (struct rv_rd_command){.argc = RESTORE_WORDS, .argv = out->words, .sizes = out->sizes};
}

/* The order of a hash may change by looking at it. */
static bool are_same_hash(struct line *line, const redisReply *one, const redisReply *other) {
    static const char script[] =
        "local a, b = KEYS[1], KEYS[2] "
        "local same = redis.call('TYPE', a).ok == 'hash' and redis.call('TYPE', b).ok == 'hash' "
        "and "
        "             redis.call('HLEN', a) == redis.call('HLEN', b) "
        "local all = same and redis.call('HGETALL', a) or {} "
        "for i = 1, #all, 2 do same = same and redis.call('HGET', b, all[i]) == all[i + 1] end "
        "redis.call('DEL', a, b) "
        "return same and 1 or 0";
    static const char *const compare[] = {"EVAL", script, "2", "one", "other"};
    struct restoring restoring[2];
    redisReply *replies[3];
    prepare(&restoring[0], "one", one);
    prepare(&restoring[1], "other", other);
    const struct rv_rd_command commands[] = {
        restoring[0].command, restoring[1].command, {.argc = 5, .argv = compare}};
    ask(line, commands, 3, replies);
    bool same = replies[2]->integer;
    rv_rd_replies_free(replies, 3);
    return same;
}

static bool are_same(struct line *line, const redisReply *one, const redisReply *other) {
    if (one->len == other->len && memcmp(one->str, other->str, one->len) == 0) return true;
    return are_same_hash(line, one, other);
}

/* Of those of one, what is not the same in the other. */
static const char *differs(struct line *line, const struct snapshot *one,
                           const struct snapshot *other) {
    for (size_t i = 0; i < one->count; i++) {
        const char *name = one->names->element[i]->str;
        const redisReply *theirs = snapshot_find(other, name);
        if (!theirs || !are_same(line, one->values[i], theirs)) return name;
    }
    return NULL;
}

const char *snapshot_differs(struct line *line, const struct snapshot *before,
                             const struct snapshot *after) {
    const char *name = differs(line, before, after);
    return name ? name : differs(line, after, before);
}

/* ---- restoring ---- */
void snapshot_restore_key(struct line *line, const struct snapshot *snapshot, const char *name) {
    struct restoring restoring;
    redisReply *reply;
    const redisReply *value = snapshot_find(snapshot, name);
    CHECK(value != NULL);
    prepare(&restoring, name, value);
    ask(line, &restoring.command, 1, &reply);
    freeReplyObject(reply);
}

void snapshot_restore(struct line *line, const struct snapshot *snapshot) {
    struct restoring restoring[SNAPSHOT_KEYS_MAX];
    struct rv_rd_command commands[SNAPSHOT_KEYS_MAX];
    redisReply *replies[SNAPSHOT_KEYS_MAX];
    for (size_t i = 0; i < snapshot->count; i++) {
        prepare(&restoring[i], snapshot->names->element[i]->str, snapshot->values[i]);
        commands[i] = restoring[i].command;
    }
    (void)COMMAND(line, "FLUSHALL");
    ask(line, commands, snapshot->count, replies);
    rv_rd_replies_free(replies, snapshot->count);
}
