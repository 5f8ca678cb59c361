/* purge: in steps, none of which looks at more than it may remove. */
#include "store/redis/split.h"

enum { ARGS_MAX = 64, ROUNDS_MAX = 3 };

struct step {
    size_t over;    /* of its line: passed over, they stay */
    size_t removed; /* out */
    bool none_left; /* out */
    bool at_end;    /* out: of its line */
};

static int read_answer(const char *queue, const redisReply *reply, struct step *step,
                       struct rv_error *err) {
    if (!rv_rd_is_array(reply, 3)) return rv_rd_fail_answer(queue, err);
    long long removed = reply->element[0]->integer, stay = reply->element[2]->integer;
    step->removed = (size_t)removed;
    step->none_left = reply->element[1]->integer <= 0;
    step->at_end = removed + stay < RV_TEND_MAX;
    step->over += (size_t)stay;
    return 0;
}

static int purge_some(struct rv_rd *store, const struct rv_rd_shard *shard, enum reeve_state state,
                      struct step *step, struct rv_error *err) {
    struct rv_rd_args args;
    struct rv_rd_script script = {.which = RV_REDIS_LUA_PURGE,
                                  .shard = *shard,
                                  .args = &args,
                                  .timeout_ms = store->timeout_ms};
    redisReply *reply;
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_number(&args, state);
    rv_rd_args_add_number(&args, RV_TEND_MAX);
    rv_rd_args_add_number(&args, (int64_t)step->over);
    int rc = rv_rd_script_run(store, &script, &reply, err);
    rv_rd_args_release(&args);
    if (rc) return rc;
    rc = read_answer(shard->queue, reply, step, err);
    freeReplyObject(reply);
    return rc;
}

/* Others of its line may be in the way. While it changes some may be passed over unseen: then from
 * its head again, but not for ever, should the count be wrong. */
static int purge_shard(struct rv_rd *store, const struct rv_rd_shard *shard, enum reeve_state state,
                       size_t *removed, struct rv_error *err) {
    struct step step = {0};
    int rc = 0;
    for (int round = 0; !rc && round < ROUNDS_MAX;) {
        rc = purge_some(store, shard, state, &step, err);
        if (rc || step.removed || step.none_left) break;
        if (!step.at_end) continue;
        step.over = 0;
        round++;
    }
    if (!rc) *removed = step.removed;
    return rc;
}

struct purge {
    enum reeve_state state;
    size_t removed;
};

/* Of the first shard that has any. */
static int purge(struct rv_rd *store, const struct rv_rd_split *split, void *arg,
                 struct rv_error *err) {
    struct purge *purge = arg;
    int rc = 0;
    for (unsigned i = 0; !rc && !purge->removed && i < split->count; i++) {
        struct rv_rd_shard shard = rv_rd_split_shard(split, i);
        rc = purge_shard(store, &shard, purge->state, &purge->removed, err);
    }
    return rc;
}

int rv_rd_purge(struct rv_store *s, const char *queue, enum reeve_state state, size_t *removed,
                struct rv_error *err) {
    struct purge arg = {.state = state};
    int rc = rv_rd_split_over((struct rv_rd *)s, queue, purge, &arg, err);
    *removed = arg.removed;
    return rc;
}
