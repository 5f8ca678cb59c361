#include "store/redis/space.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/redis/key.h"
#include "store/redis/types.h"

struct words {
    const char *all[2 * RV_RD_SPACE_WORDS + 4];
    size_t sizes[2 * RV_RD_SPACE_WORDS + 4];
    int count;
};

static void add(struct words *words, const char *data, size_t size) {
    words->all[words->count] = size ? data : "";
    words->sizes[words->count++] = size;
}

static void add_text(struct words *words, const char *text) {
    add(words, text, strlen(text));
}

static int ask(struct rv_rd *store, struct rv_rd_ask *ask, int64_t timeout_ms,
               struct rv_error *err) {
    rv_rd_call_many(store, ask, 1, timeout_ms);
    if (ask->rc && err) *err = ask->err;
    if (ask->rc == REEVE_ECORRUPT) (void)rv_rd_types_check_space(store, err);
    return ask->rc;
}

static int call(struct rv_rd *store, const struct rv_rd_command *commands, size_t count, bool brief,
                redisReply **replies, struct rv_error *err) {
    struct rv_rd_ask all = {
        .commands = commands, .count = count, .replies = replies, .brief = brief, .spare = true};
    return ask(store, &all, store->timeout_ms, err);
}

int rv_rd_space_call(struct rv_rd *store, const struct rv_rd_command *commands, size_t count,
                     redisReply **replies, struct rv_error *err) {
    return call(store, commands, count, false, replies, err);
}

int rv_rd_space_call_briefly(struct rv_rd *store, const struct rv_rd_command *commands,
                             size_t count, redisReply **replies, struct rv_error *err) {
    return call(store, commands, count, true, replies, err);
}

int rv_rd_space_run(struct rv_rd *store, const struct rv_rd_space_script *script, redisReply **out,
                    struct rv_error *err) {
    struct words words = {.count = 0};
    char keys[RV_RD_SPACE_WORDS][RV_RD_KEY_SIZE], key_count[8], offset[24];
    (void)snprintf(key_count, sizeof key_count, "%zu", script->key_count);
    (void)snprintf(offset, sizeof offset, "%" PRId64, atomic_load(&store->clock->offset_ms));
    add_text(&words, "EVAL");
    add(&words, rv_redis_lua[script->which].data, rv_redis_lua[script->which].size);
    add_text(&words, key_count);
    for (size_t i = 0; i < script->key_count; i++) {
        rv_rd_key(store, NULL, script->keys[i], keys[i]);
        add_text(&words, keys[i]);
    }
    add_text(&words, offset);
    for (size_t i = 0; i < script->arg_count; i++)
        add(&words, script->args[i].data, script->args[i].size);
    const struct rv_rd_command command = {
        .argc = words.count, .argv = words.all, .sizes = words.sizes};
    int64_t timeout_ms = script->timeout_ms ? script->timeout_ms : store->timeout_ms;
    struct rv_rd_ask one = {.commands = &command,
                            .count = 1,
                            .replies = out,
                            .once = script->brief,
                            .brief = script->brief,
                            .spare = true};
    return ask(store, &one, timeout_ms, err);
}
