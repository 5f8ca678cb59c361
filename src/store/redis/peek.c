#include "store/redis/peek.h"

#include <stdlib.h>
#include <string.h>

#include "store/redis/fan.h"
#include "store/redis/looks.h"
#include "store/redis/meta.h"

static bool is_away(const struct rv_rd_ask *ask) {
    return ask->rc == REEVE_EUNREACHABLE || ask->rc == REEVE_EUNSURE;
}

/* ---- jobs ---- */
static void see(struct rv_rd *store, const struct rv_rd_split *split, unsigned shard,
                const struct rv_rd_meta *meta, struct rv_rd_peek *out) {
    int64_t due_in_ms = meta->due_ms ? meta->due_ms - rv_store_now_ms(&store->base) : -1;
    bool due = meta->due_ms && due_in_ms <= 0; /* as good as ready: not told as due as well */
    bool any = meta->counts[REEVE_READY] > 0 || due, ready = any && !meta->paused;
    if (ready) out->ready |= UINT64_C(1) << shard;
    out->held |= any && meta->paused;
    out->paused |= meta->paused;
    if (!due) rv_rd_sooner(&out->due_in_ms, due_in_ms);
    rv_rd_splits_saw(&store->splits, split, shard, !ready);
}

static int take_meta(struct rv_rd *store, const struct rv_rd_split *split, unsigned number,
                     const struct rv_rd_look *look, struct rv_rd_peek *out, struct rv_error *err) {
    struct rv_rd_meta meta;
    if (is_away(look->ask)) {
        out->missed++;
        return 0;
    }
    if (look->ask->rc) return rv_fail(err, look->ask->rc, "%s", look->ask->err.text);
    int rc = rv_rd_meta_read(split->queue, look->meta, &meta, err);
    if (!rc && meta.epoch != split->epoch) return RV_RD_STALE;
    if (!rc) see(store, split, number, &meta, out);
    return rc;
}

int rv_rd_peek(struct rv_rd *store, const struct rv_rd_split *split, bool brief,
               struct rv_rd_peek *out, struct rv_error *err) {
    struct rv_rd_look all[RV_SHARDS_MAX];
    struct rv_rd_looks looks = {
        .all = all, .count = split->count, .once = true, .brief = brief, .spare = brief};
    *out = (struct rv_rd_peek){.due_in_ms = -1};
    for (unsigned i = 0; i < split->count; i++)
        all[i] = (struct rv_rd_look){.shard = rv_rd_split_shard(split, i)};
    int rc = rv_rd_looks_ask(store, &looks, err);
    for (unsigned i = 0; !rc && i < split->count; i++)
        rc = take_meta(store, split, i, &all[i], out, err);
    rv_rd_looks_release(&looks);
    return rc;
}

/* ---- a lane ---- */
enum { LANE_SIZE = 8 };

/* What a shard is asked. */
struct question {
    char key[RV_RD_KEY_SIZE];
    const char *words[3];
    size_t sizes[3];
    struct rv_rd_shard shard;
    struct rv_rd_command command;
    redisReply *reply;
};

static struct rv_rd_ask prepare(struct rv_rd *store, const struct rv_rd_split *split,
                                unsigned number, const char *lane, bool brief,
                                struct question *question) {
    question->shard = rv_rd_split_shard(split, number);
    rv_rd_key(store, &question->shard, "lanes", question->key);
    question->words[0] = "HGET";
    question->words[1] = question->key;
    question->words[2] = lane;
    question->sizes[0] = strlen("HGET");
    question->sizes[1] = strlen(question->key);
    question->sizes[2] = LANE_SIZE;
    question->command =
        (struct rv_rd_command){.argc = 3, .argv = question->words, .sizes = question->sizes};
    return (struct rv_rd_ask){.shard = &question->shard,
                              .commands = &question->command,
                              .count = 1,
                              .replies = &question->reply,
                              .harmless = true,
                              .once = true,
                              .brief = brief,
                              .spare = brief};
}

static int take_lane(struct rv_rd *store, const struct rv_rd_ask *ask, unsigned shard,
                     uint64_t number, struct rv_rd_trace *out, struct rv_error *err) {
    struct rv_reader reader;
    if (is_away(ask)) return 0;
    if (ask->rc) return rv_fail(err, ask->rc, "%s", ask->err.text);
    rv_reader_init(&reader, rv_rd_bytes(*ask->replies));
    uint64_t latest = rv_read_u64(&reader), token = rv_read_uint(&reader, 7);
    int64_t used_at_ms = (int64_t)rv_read_uint(&reader, 6);
    if (reader.failed || used_at_ms + RV_LANE_KEPT_MS <= rv_store_now_ms(&store->base)) return 0;
    if (latest > number) out->late = true;
    if (latest != number || !token) return 0;
    out->claimed = true;
    out->shard = shard;
    return 0;
}

int rv_rd_trace(struct rv_rd *store, const struct rv_rd_split *split, uint64_t lane,
                uint64_t number, bool brief, struct rv_rd_trace *out, struct rv_error *err) {
    char name[LANE_SIZE];
    for (int i = 0; i < LANE_SIZE; i++) /* as rv_buf_add_u64() */
        name[i] = (char)(lane >> (56 - 8 * i));
    struct question *questions = calloc(split->count, sizeof *questions);
    struct rv_rd_ask *asks = calloc(split->count, sizeof *asks);
    int rc = questions && asks ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
    *out = (struct rv_rd_trace){0};
    for (unsigned i = 0; !rc && i < split->count; i++)
        asks[i] = prepare(store, split, i, name, brief, &questions[i]);
    if (!rc) rv_rd_call_many(store, asks, split->count, store->timeout_ms);
    for (unsigned i = 0; !rc && i < split->count; i++)
        rc = take_lane(store, &asks[i], i, number, out, err);
    for (unsigned i = 0; questions && i < split->count; i++)
        rv_rd_replies_free(&questions[i].reply, 1);
    free(asks);
    free(questions);
    return rc;
}
