#include "store/redis/rests.h"

/* Of the meta and of our clock's offset, which tests move. Never 0. */
static uint64_t fingerprint(const struct rv_rd *store, struct rv_bytes meta) {
    uint64_t hash = 0xcbf29ce484222325 ^ (uint64_t)atomic_load(&store->clock->offset_ms);
    const unsigned char *bytes = meta.data;
    for (size_t i = 0; i < meta.size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash | 1;
}

static int look(struct rv_rd *store, const struct rv_rd_split *split, struct rv_rd_rests *out,
                struct rv_error *err) {
    struct rv_rd_look all[RV_SHARDS_MAX];
    struct rv_rd_looks looks = {.all = all, .count = split->count, .brief = true, .spare = true};
    for (unsigned i = 0; i < split->count; i++)
        all[i] = (struct rv_rd_look){.shard = {split->queue, i, split->epoch}};
    int rc = rv_rd_looks_ask(store, &looks, err);
    for (unsigned i = 0; !rc && i < split->count; i++)
        if (!all[i].ask->rc) out->seen[i] = fingerprint(store, all[i].meta);
    rv_rd_looks_release(&looks);
    return rc;
}

int rv_rd_rests_look(struct rv_rd *store, const struct rv_rd_split *split, unsigned what,
                     struct rv_rd_rests *out, struct rv_error *err) {
    *out = (struct rv_rd_rests){.next_in_ms = -1};
    int rc = look(store, split, out, err);
    if (rc) return rc;
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    for (unsigned i = 0; i < split->count; i++) {
        int64_t until_ms =
            out->seen[i] ? rv_rd_splits_rest_until(&store->splits, split, what, i, out->seen[i])
                         : 0;
        out->resting[i] = until_ms > now_ms;
        if (!out->resting[i] || until_ms == INT64_MAX) continue;
        int64_t in_ms = until_ms - now_ms;
        if (out->next_in_ms < 0 || in_ms < out->next_in_ms) out->next_in_ms = in_ms;
    }
    return 0;
}

void rv_rd_rests_note(struct rv_rd *store, const struct rv_rd_split *split, unsigned what,
                      const struct rv_rd_rests *rests, unsigned shard, int64_t next_in_ms) {
    if (!rests->seen[shard] || !next_in_ms) return;
    int64_t until_ms =
        next_in_ms < 0 ? INT64_MAX : rv_time_add(rv_clock_boot_ms(&rv_clock_real), next_in_ms);
    rv_rd_splits_rest(&store->splits, split, what, shard, rests->seen[shard], until_ms);
}
