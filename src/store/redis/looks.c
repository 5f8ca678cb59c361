#include "store/redis/looks.h"

#include <stdlib.h>

#include "store/redis/key.h"
#include "store/redis/script.h"

enum { AT_ONCE = 64 }; /* metas of one command */

/* All that is asked. */
struct rv_rd_inquiry {
    char (*keys)[RV_RD_KEY_SIZE]; /* of each look */
    const char **words;           /* of all commands */
    struct rv_rd_ask *asks;
    struct question {
        struct rv_rd_command commands[2];
        redisReply *replies[2];
    } * questions; /* of each ask */
    size_t ask_count;
};

static int allocate(struct rv_rd_looks *looks, size_t ask_count, struct rv_error *err) {
    struct rv_rd_inquiry *inquiry = calloc(1, sizeof *inquiry);
    looks->inquiry = inquiry;
    if (!inquiry) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    inquiry->ask_count = ask_count;
    inquiry->keys = calloc(looks->count, sizeof *inquiry->keys);
    inquiry->words = calloc(looks->count + ask_count, sizeof *inquiry->words);
    inquiry->asks = calloc(ask_count, sizeof *inquiry->asks);
    inquiry->questions = calloc(ask_count, sizeof *inquiry->questions);
    if (inquiry->keys && inquiry->words && inquiry->asks && inquiry->questions) return 0;
    return rv_fail(err, REEVE_ENOMEM, "out of memory");
}

void rv_rd_looks_release(struct rv_rd_looks *looks) {
    struct rv_rd_inquiry *inquiry = looks->inquiry;
    if (!inquiry) return;
    for (size_t i = 0; inquiry->questions && i < inquiry->ask_count; i++)
        rv_rd_replies_free(inquiry->questions[i].replies, 2);
    free(inquiry->questions);
    free(inquiry->asks);
    free(inquiry->words);
    free(inquiry->keys);
    free(inquiry);
    looks->inquiry = NULL;
}

/* One ask for the looks from first on. */
static void put(struct rv_rd *store, const struct rv_rd_looks *looks, size_t first, size_t count,
                size_t number) {
    static const char *const time[] = {"TIME"};
    struct rv_rd_inquiry *inquiry = looks->inquiry;
    struct question *question = &inquiry->questions[number];
    const char **words = inquiry->words + first + number;
    words[0] = "MGET"; /* not GET: a wrong type is found by those who use it */
    for (size_t i = 0; i < count; i++) {
        rv_rd_key(store, &looks->all[first + i].shard, "meta", inquiry->keys[first + i]);
        words[1 + i] = inquiry->keys[first + i];
    }
    question->commands[0] = (struct rv_rd_command){.argc = (int)count + 1, .argv = words};
    question->commands[1] = (struct rv_rd_command){.argc = 1, .argv = time};
    inquiry->asks[number] = (struct rv_rd_ask){.shard = &looks->all[first].shard,
                                               .commands = question->commands,
                                               .count = looks->all[first].with_time ? 2 : 1,
                                               .replies = question->replies,
                                               .harmless = true,
                                               .once = looks->once,
                                               .brief = looks->brief,
                                               .spare = looks->spare};
}

static void deal(const struct rv_rd_looks *looks, size_t first, size_t count, size_t number) {
    struct rv_rd_ask *ask = &looks->inquiry->asks[number];
    if (!ask->rc && !rv_rd_is_array(ask->replies[0], count))
        ask->rc = rv_rd_fail_answer(looks->all[first].shard.queue, &ask->err);
    for (size_t i = 0; i < count; i++) {
        struct rv_rd_look *look = &looks->all[first + i];
        look->ask = ask;
        look->meta = (struct rv_bytes){0};
        look->time = !ask->rc && i == 0 && ask->count > 1 ? ask->replies[1] : NULL;
        if (!ask->rc) look->meta = rv_rd_bytes(ask->replies[0]->element[i]);
    }
}

int rv_rd_looks_ask(struct rv_rd *store, struct rv_rd_looks *looks, struct rv_error *err) {
    size_t at_once = store->topology.shape == RV_RD_CLUSTER ? 1 : AT_ONCE;
    size_t ask_count = (looks->count + at_once - 1) / at_once;
    int rc = allocate(looks, ask_count, err);
    if (rc) return rc;
    for (size_t i = 0; i < ask_count; i++) {
        size_t first = i * at_once, left = looks->count - first;
        put(store, looks, first, left < at_once ? left : at_once, i);
    }
    rv_rd_call_many(store, looks->inquiry->asks, ask_count, store->timeout_ms);
    for (size_t i = 0; i < ask_count; i++) {
        size_t first = i * at_once, left = looks->count - first;
        deal(looks, first, left < at_once ? left : at_once, i);
    }
    return 0;
}
