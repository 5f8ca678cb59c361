#include "store/redis/split.h"

#include "store/redis/settle.h"

enum { TURNS_MAX = 32 }; /* J11: of one call that finds its split stale again and again */

struct rv_rd_shard rv_rd_split_shard(const struct rv_rd_split *split, unsigned number) {
    return (struct rv_rd_shard){split->queue, number, split->epoch};
}

unsigned rv_rd_split_home(const struct rv_rd_split *split, const char *id) {
    return split->count == 1 ? 0 : (unsigned)(rv_rd_hash(id) % split->count);
}

unsigned rv_rd_split_claimed(const struct rv_rd_split *split, uint64_t token) {
    if (split->count == 1) return 0;
    unsigned number = (unsigned)(token % RV_SHARDS_MAX); /* as lua/claim.lua makes it */
    return number < split->count ? number : split->count;
}

int rv_rd_split_over(struct rv_rd *store, const char *queue, rv_rd_split_fn *fn, void *arg,
                     struct rv_error *err) {
    struct rv_rd_split split;
    bool known = rv_rd_splits_find(&store->splits, queue, &split);
    int rc = known || store->url.shards <= 1 ? 0 : rv_rd_settle(store, &split, err);
    for (int turn = 0; !rc && turn < TURNS_MAX; turn++) {
        (void)rv_rd_splits_find(&store->splits, queue, &split);
        rc = fn(store, &split, arg, err);
        if (rc != RV_RD_STALE) return rc;
        rc = rv_rd_settle(store, &split, err);
    }
    if (rc) return rc;
    return rv_fail(err, REEVE_EUNSURE, "queue %s: the number of its shards is being changed",
                   queue);
}

struct one {
    struct rv_rd_script *script;
    const char *id;
    redisReply **out;
};

static int run_one(struct rv_rd *store, const struct rv_rd_split *split, void *arg,
                   struct rv_error *err) {
    const struct one *one = arg;
    unsigned number = one->id ? rv_rd_split_home(split, one->id) : 0;
    one->script->shard = rv_rd_split_shard(split, number);
    return rv_rd_script_run(store, one->script, one->out, err);
}

int rv_rd_split_run(struct rv_rd *store, struct rv_rd_script *script, const char *queue,
                    const char *id, redisReply **out, struct rv_error *err) {
    struct one one = {script, id, out};
    return rv_rd_split_over(store, queue, run_one, &one, err);
}
