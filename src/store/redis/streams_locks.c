#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/streams_split.h"

enum { WORDS = 5, PLACE_SIZE = 512 }; /* a lock is a name, a separator and an id */

/* A command for one key that may lie anywhere. */
struct errand {
    struct rv_rd_shard shard;
    char place[PLACE_SIZE];
    const char *words[WORDS];
    char ms[24];
    struct rv_rd_command command;
    redisReply *reply;
};

/* What decides on the slot of a key: all of it, or what stands between its first braces. */
static void find_place(const char *key, char place[PLACE_SIZE]) {
    const char *from = strchr(key, '{'), *to = from ? strchr(from + 1, '}') : NULL;
    if (to && to > from + 1)
        (void)snprintf(place, PLACE_SIZE, "=%.*s", (int)(to - from - 1), from + 1);
    else
        (void)snprintf(place, PLACE_SIZE, "=%s", key);
}

static void prepare(struct errand *errand, struct rv_rd_ask *ask, const char *key, int words) {
    find_place(key, errand->place);
    errand->shard = (struct rv_rd_shard){.queue = errand->place};
    errand->words[1] = key;
    errand->command = (struct rv_rd_command){.argc = words, .argv = errand->words};
    *ask = (struct rv_rd_ask){.shard = &errand->shard,
                              .commands = &errand->command,
                              .count = 1,
                              .replies = &errand->reply};
}

static void prepare_set(struct errand *errand, struct rv_rd_ask *ask, redisReply *const *lock) {
    long long ms = lock[2]->integer;
    errand->words[0] = ms ? "SET" : "DEL";
    errand->words[2] = lock[1]->str;
    errand->words[3] = "PX";
    errand->words[4] = errand->ms;
    (void)snprintf(errand->ms, sizeof errand->ms, "%lld", ms);
    prepare(errand, ask, lock[0]->str, ms ? WORDS : 2);
}

static void run(struct rv_rd *store, struct errand *errands, struct rv_rd_ask *asks, size_t count,
                int64_t timeout_ms) {
    rv_rd_call_many(store, asks, count, timeout_ms);
    for (size_t i = 0; i < count; i++)
        if (asks[i].rc) errands[i].reply = NULL;
}

static void let_go(struct errand *errands, struct rv_rd_ask *asks, size_t count) {
    for (size_t i = 0; errands && i < count; i++)
        rv_rd_replies_free(&errands[i].reply, 1);
    free(errands);
    free(asks);
}

static bool is_lock(redisReply *const *lock) {
    return lock[0]->type == REDIS_REPLY_STRING && lock[1]->type == REDIS_REPLY_STRING &&
           lock[2]->type == REDIS_REPLY_INTEGER;
}

void rv_rd_locks_set(struct rv_rd *store, const redisReply *locks, int64_t timeout_ms) {
    size_t count = locks->type == REDIS_REPLY_ARRAY ? locks->elements / 3 : 0, sent = 0;
    if (!count) return;
    struct errand *errands = calloc(count, sizeof *errands);
    struct rv_rd_ask *asks = calloc(count, sizeof *asks);
    for (size_t i = 0; errands && asks && i < count; i++) {
        if (!is_lock(locks->element + 3 * i)) continue;
        prepare_set(&errands[sent], &asks[sent], locks->element + 3 * i);
        sent++;
    }
    if (sent) run(store, errands, asks, sent, timeout_ms);
    let_go(errands, asks, count);
}

int rv_rd_locks_ask(struct rv_rd *store, const char *const *keys, size_t count, bool *there,
                    struct rv_error *err) {
    struct errand *errands = calloc(count + 1, sizeof *errands);
    struct rv_rd_ask *asks = calloc(count + 1, sizeof *asks);
    int rc = errands && asks ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (size_t i = 0; !rc && i < count; i++) {
        errands[i].words[0] = "EXISTS";
        prepare(&errands[i], &asks[i], keys[i], 2);
        asks[i].harmless = true;
    }
    if (!rc && count) run(store, errands, asks, count, store->timeout_ms);
    for (size_t i = 0; !rc && i < count; i++) {
        const redisReply *reply = errands[i].reply;
        there[i] = !reply || reply->type != REDIS_REPLY_INTEGER || reply->integer;
    }
    let_go(errands, asks, count);
    return rc;
}
