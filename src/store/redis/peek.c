#include "store/redis/peek.h"

#include <stdlib.h>
#include <string.h>

#include "store/redis/fan.h"
#include "store/redis/meta.h"

/* ---- one question to every shard ---- */
struct question {
    const char *verb, *key; /* the name of a key of the shard's */
    struct rv_bytes field;  /* of that key; none: it has no fields */
    int (*take)(struct rv_rd *store, const struct rv_rd_split *split, unsigned shard,
                struct rv_bytes answer, void *out, struct rv_error *err);
    void *out;
};

struct look {
    char key[RV_RD_KEY_SIZE];
    const char *words[3];
    size_t sizes[3];
    struct rv_rd_shard shard;
    struct rv_rd_command command;
    redisReply *reply;
};

static struct rv_rd_ask prepare(struct rv_rd *store, const struct rv_rd_split *split,
                                unsigned number, const struct question *question,
                                struct look *look) {
    look->shard = rv_rd_split_shard(split, number);
    rv_rd_key(store, &look->shard, question->key, look->key);
    look->words[0] = question->verb;
    look->words[1] = look->key;
    look->words[2] = question->field.data;
    look->sizes[0] = strlen(question->verb);
    look->sizes[1] = strlen(look->key);
    look->sizes[2] = question->field.size;
    look->command = (struct rv_rd_command){
        .argc = question->field.size ? 3 : 2, .argv = look->words, .sizes = look->sizes};
    return (struct rv_rd_ask){.shard = &look->shard,
                              .commands = &look->command,
                              .count = 1,
                              .replies = &look->reply,
                              .harmless = true,
                              .once = true};
}

static bool is_away(const struct rv_rd_ask *ask) {
    return ask->rc == REEVE_EUNREACHABLE || ask->rc == REEVE_EUNSURE;
}

static int take(struct rv_rd *store, const struct rv_rd_split *split, unsigned number,
                const struct question *question, const struct rv_rd_ask *ask,
                struct rv_error *err) {
    if (is_away(ask)) return 0;
    if (ask->rc) return rv_fail(err, ask->rc, "%s", ask->err.text);
    return question->take(store, split, number, rv_rd_bytes(*ask->replies), question->out, err);
}

static int look_all(struct rv_rd *store, const struct rv_rd_split *split,
                    const struct question *question, unsigned *missed, struct rv_error *err) {
    struct look *looks = calloc(split->count, sizeof *looks);
    struct rv_rd_ask *asks = calloc(split->count, sizeof *asks);
    int rc = looks && asks ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (unsigned i = 0; !rc && i < split->count; i++)
        asks[i] = prepare(store, split, i, question, &looks[i]);
    if (!rc) rv_rd_call_many(store, asks, split->count, store->timeout_ms);
    for (unsigned i = 0; !rc && i < split->count; i++) {
        *missed += is_away(&asks[i]);
        rc = take(store, split, i, question, &asks[i], err);
    }
    for (unsigned i = 0; looks && i < split->count; i++)
        rv_rd_replies_free(&looks[i].reply, 1);
    free(asks);
    free(looks);
    return rc;
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
                     struct rv_bytes answer, void *out, struct rv_error *err) {
    struct rv_rd_meta meta;
    int rc = rv_rd_meta_read(split->queue, answer, &meta, err);
    if (!rc && meta.epoch != split->epoch) return RV_RD_STALE;
    if (!rc) see(store, split, number, &meta, out);
    return rc;
}

int rv_rd_peek(struct rv_rd *store, const struct rv_rd_split *split, struct rv_rd_peek *out,
               struct rv_error *err) {
    const struct question question = {.verb = "GET", .key = "meta", .take = take_meta, .out = out};
    *out = (struct rv_rd_peek){.due_in_ms = -1};
    return look_all(store, split, &question, &out->missed, err);
}

/* ---- a lane ---- */
struct tracing {
    uint64_t number;
    struct rv_rd_trace *out;
};

static int take_lane(struct rv_rd *store, const struct rv_rd_split *split, unsigned number,
                     struct rv_bytes answer, void *arg, struct rv_error *err) {
    const struct tracing *tracing = arg;
    struct rv_reader reader;
    (void)split, (void)err;
    rv_reader_init(&reader, answer);
    uint64_t latest = rv_read_u64(&reader), token = rv_read_uint(&reader, 7);
    int64_t used_at_ms = (int64_t)rv_read_uint(&reader, 6);
    if (reader.failed || used_at_ms + RV_LANE_KEPT_MS <= rv_store_now_ms(&store->base)) return 0;
    if (latest > tracing->number) tracing->out->late = true;
    if (latest != tracing->number || !token) return 0;
    tracing->out->claimed = true;
    tracing->out->shard = number;
    return 0;
}

int rv_rd_trace(struct rv_rd *store, const struct rv_rd_split *split, uint64_t lane,
                uint64_t number, struct rv_rd_trace *out, struct rv_error *err) {
    struct tracing tracing = {number, out};
    unsigned char name[8];
    for (int i = 0; i < 8; i++) /* as rv_buf_add_u64() */
        name[i] = (unsigned char)(lane >> (56 - 8 * i));
    const struct question question = {.verb = "HGET",
                                      .key = "lanes",
                                      .field = {name, sizeof name},
                                      .take = take_lane,
                                      .out = &tracing};
    unsigned missed = 0;
    *out = (struct rv_rd_trace){0};
    return look_all(store, split, &question, &missed, err);
}
