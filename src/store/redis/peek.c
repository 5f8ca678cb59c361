#include "store/redis/peek.h"

#include <stdlib.h>

#include "store/redis/fan.h"
#include "store/redis/meta.h"

static void see(struct rv_rd *store, const struct rv_rd_split *split, unsigned shard,
                const struct rv_rd_meta *meta, struct rv_rd_peek *out) {
    int64_t due_in_ms = meta->due_ms ? meta->due_ms - rv_store_now_ms(&store->base) : -1;
    if (meta->due_ms && due_in_ms < 0) due_in_ms = 0;
    bool ready = !meta->paused && (meta->counts[REEVE_READY] > 0 || due_in_ms == 0);
    if (ready) out->ready |= UINT64_C(1) << shard;
    out->paused |= meta->paused;
    rv_rd_sooner(&out->due_in_ms, due_in_ms);
    rv_rd_splits_saw(&store->splits, split, shard, !ready);
}

struct look {
    char key[RV_RD_KEY_SIZE];
    const char *words[2];
    struct rv_rd_shard shard;
    struct rv_rd_command command;
    redisReply *reply;
};

static struct rv_rd_ask prepare(struct rv_rd *store, const struct rv_rd_split *split,
                                unsigned number, struct look *look) {
    look->shard = rv_rd_split_shard(split, number);
    rv_rd_key(store, &look->shard, "meta", look->key);
    look->words[0] = "GET";
    look->words[1] = look->key;
    look->command = (struct rv_rd_command){.argc = 2, .argv = look->words};
    return (struct rv_rd_ask){.shard = &look->shard,
                              .commands = &look->command,
                              .count = 1,
                              .replies = &look->reply,
                              .harmless = true,
                              .once = true};
}

static int take(struct rv_rd *store, const struct rv_rd_split *split, unsigned number,
                const struct rv_rd_ask *ask, struct rv_rd_peek *out, struct rv_error *err) {
    struct rv_rd_meta meta;
    if (ask->rc == REEVE_EUNREACHABLE || ask->rc == REEVE_EUNSURE) return 0;
    if (ask->rc) return rv_fail(err, ask->rc, "%s", ask->err.text);
    int rc = rv_rd_meta_read(split->queue, rv_rd_bytes(*ask->replies), &meta, err);
    if (!rc && meta.epoch != split->epoch) return RV_RD_STALE;
    if (!rc) see(store, split, number, &meta, out);
    return rc;
}

int rv_rd_peek(struct rv_rd *store, const struct rv_rd_split *split, struct rv_rd_peek *out,
               struct rv_error *err) {
    struct look *looks = calloc(split->count, sizeof *looks);
    struct rv_rd_ask *asks = calloc(split->count, sizeof *asks);
    int rc = looks && asks ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
    *out = (struct rv_rd_peek){.due_in_ms = -1};
    for (unsigned i = 0; !rc && i < split->count; i++)
        asks[i] = prepare(store, split, i, &looks[i]);
    if (!rc) rv_rd_call_many(store, asks, split->count, store->timeout_ms);
    for (unsigned i = 0; !rc && i < split->count; i++)
        rc = take(store, split, i, &asks[i], out, err);
    for (unsigned i = 0; looks && i < split->count; i++)
        rv_rd_replies_free(&looks[i].reply, 1);
    free(asks);
    free(looks);
    return rc;
}
