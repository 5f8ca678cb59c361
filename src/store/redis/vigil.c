#include "store/redis/vigil.h"

#include <inttypes.h>
#include <stdio.h>

#include "store/redis/call.h"
#include "store/redis/split.h"

static void stir_key(const struct rv_rd *store, const struct rv_rd_shard *shard, uint64_t holder,
                     char out[RV_RD_KEY_SIZE]) {
    char name[sizeof "stir:" + 16];
    (void)snprintf(name, sizeof name, "stir:%016" PRIx64, holder);
    rv_rd_key(store, shard, name, out);
}

void rv_rd_vigil_init(struct rv_rd_vigil *vigil, const struct rv_rd *store,
                      const struct rv_rd_shard *shard, uint64_t holder, int64_t ms) {
    vigil->ms = ms;
    rv_rd_key(store, shard, "bell", vigil->bell);
    stir_key(store, shard, holder, vigil->stir);
    (void)snprintf(vigil->seconds, sizeof vigil->seconds, "%" PRId64 ".%03d", ms / 1000,
                   (int)(ms % 1000));
    vigil->words[0] = "BLPOP";
    vigil->words[1] = vigil->bell;
    vigil->words[2] = vigil->stir;
    vigil->words[3] = vigil->seconds;
    vigil->command = (struct rv_rd_command){.argc = 4, .argv = vigil->words};
}

/* One server, whose bells ring as long as it is there: where others may take its place, who sleeps
 * has to hear of that, too (wait.c). */
bool rv_rd_is_patient(struct rv_store *s) {
    const struct rv_rd *store = (const struct rv_rd *)(const void *)s;
    return store->topology.shape == RV_RD_ONE && !store->url.wait_replicas;
}

/* What nobody takes any more goes by itself. */
int rv_rd_stir(struct rv_store *s, const char *queue, uint64_t holder, struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    struct rv_rd_split split;
    char key[RV_RD_KEY_SIZE];
    redisReply *replies[2];
    (void)rv_rd_splits_find(&store->splits, queue, &split);
    struct rv_rd_shard shard = rv_rd_split_shard(&split, 0);
    stir_key(store, &shard, holder, key);
    const char *const push[] = {"RPUSH", key, "1"}, *const expire[] = {"PEXPIRE", key, "10000"};
    const struct rv_rd_command commands[] = {{.argc = 3, .argv = push},
                                             {.argc = 3, .argv = expire}};
    int rc = rv_rd_call(store, &shard, commands, 2, store->timeout_ms, replies, err);
    rv_rd_replies_free(replies, 2);
    return rc;
}
