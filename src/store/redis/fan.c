#include "store/redis/fan.h"

#include <stdlib.h>

#include "store/redis/rests.h"

struct rv_rd_fan *rv_rd_fan_create(const struct rv_rd_split *split, enum rv_redis_lua which,
                                   int64_t timeout_ms, size_t bytes_max) {
    struct rv_rd_fan *fan = calloc(1, sizeof *fan + split->count * sizeof *fan->parts);
    if (!fan) return NULL;
    fan->count = split->count;
    for (unsigned i = 0; i < fan->count; i++) {
        struct rv_rd_part *part = &fan->parts[i];
        rv_rd_args_init(&part->args, bytes_max);
        part->script.which = which;
        part->script.shard = rv_rd_split_shard(split, i);
        part->script.args = &part->args;
        part->script.timeout_ms = timeout_ms;
    }
    return fan;
}

void rv_rd_fan_destroy(struct rv_rd_fan *fan) {
    for (unsigned i = 0; fan && i < fan->count; i++) {
        rv_rd_replies_free(&fan->parts[i].script.reply, 1);
        rv_rd_args_release(&fan->parts[i].args);
    }
    free(fan);
}

void rv_rd_fan_run(struct rv_rd *store, struct rv_rd_fan *fan, struct rv_rd_ask *also) {
    struct rv_rd_script *scripts[RV_SHARDS_MAX];
    size_t count = 0;
    for (unsigned i = 0; i < fan->count; i++)
        if (fan->parts[i].wanted) scripts[count++] = &fan->parts[i].script;
    rv_rd_scripts_run(store, scripts, count, also);
}

void rv_rd_fan_be_brief(struct rv_rd_fan *fan, bool brief) {
    for (unsigned i = 0; i < fan->count; i++)
        fan->parts[i].script.brief = fan->parts[i].script.spare = brief;
}

/* ---- what came of it ---- */
struct tally {
    unsigned good, bad, unsure;
    bool stale;
    const struct rv_rd_script *worst; /* a failure to tell of */
};

static struct tally count(const struct rv_rd_fan *fan) {
    struct tally tally = {0};
    for (unsigned i = 0; i < fan->count; i++) {
        const struct rv_rd_script *script = &fan->parts[i].script;
        if (!fan->parts[i].wanted) continue;
        tally.good += !script->rc;
        tally.bad += script->rc != 0;
        tally.unsure += script->rc == REEVE_EUNSURE;
        tally.stale |= script->rc == RV_RD_STALE;
        if (script->rc && (!tally.worst || script->rc == REEVE_EUNSURE)) tally.worst = script;
    }
    return tally;
}

int rv_rd_fan_judge(const struct rv_rd_fan *fan, struct rv_error *err) {
    struct tally tally = count(fan);
    if (tally.stale) return RV_RD_STALE;
    if (!tally.bad) return 0;
    int code = tally.worst->rc;
    if (code == REEVE_EUNREACHABLE && tally.good) code = REEVE_EUNSURE;
    return rv_fail(err, code, "%s", tally.worst->err.text);
}

int rv_rd_fan_judge_some(const struct rv_rd_fan *fan, unsigned *missed, struct rv_error *err) {
    struct tally tally = count(fan);
    *missed = tally.bad;
    if (tally.good && !tally.stale) return 0;
    return rv_rd_fan_judge(fan, err);
}

/* ---- the same at every shard ---- */
enum { ROUND_BYTES_MAX = 512 };

static void prepare(struct rv_rd_fan *fan, const struct rv_rd_round *round,
                    const struct rv_rd_rests *rests) {
    for (unsigned i = 0; i < fan->count; i++) {
        struct rv_rd_part *part = &fan->parts[i];
        part->wanted = !rests->resting[i];
        if (part->wanted && round->ask) round->ask(&part->args, &part->script.shard, round->arg);
    }
}

static int take_round(struct rv_rd *store, const struct rv_rd_split *split, struct rv_rd_fan *fan,
                      const struct rv_rd_round *round, const struct rv_rd_rests *rests,
                      struct rv_error *err) {
    int rc = 0;
    for (unsigned i = 0; !rc && round->take && i < fan->count; i++) {
        const struct rv_rd_script *script = &fan->parts[i].script;
        if (!script->reply) continue;
        rc = round->take(script->reply, &script->shard, round->arg, err);
        if (!rc && round->next && split->count > 1)
            rv_rd_rests_note(store, split, round->what, rests, i, round->next(script->reply));
    }
    return rc;
}

int rv_rd_round_once(struct rv_rd *store, const struct rv_rd_split *split,
                     struct rv_rd_round *round, struct rv_error *err) {
    struct rv_rd_rests rests = {.next_in_ms = -1};
    int rc = round->next && split->count > 1
                 ? rv_rd_rests_look(store, split, round->what, &rests, err)
                 : 0;
    if (rc) return rc;
    struct rv_rd_fan *fan =
        rv_rd_fan_create(split, round->which, store->timeout_ms, ROUND_BYTES_MAX);
    if (!fan) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    prepare(fan, round, &rests);
    rv_rd_fan_be_brief(fan, round->some || round->brief); /* one shard, too: there are others */
    rv_rd_fan_run(store, fan, NULL);
    rc = rv_rd_fan_judge_some(fan, &round->missed, err);
    if (!rc && round->missed && !round->some) rc = rv_rd_fan_judge(fan, err);
    if (!rc) rc = take_round(store, split, fan, round, &rests, err);
    round->next_in_ms = rests.next_in_ms;
    rv_rd_fan_destroy(fan);
    return rc;
}

static int go_round(struct rv_rd *store, const struct rv_rd_split *split, void *arg,
                    struct rv_error *err) {
    return rv_rd_round_once(store, split, arg, err);
}

int rv_rd_round_run(struct rv_rd *store, const char *queue, struct rv_rd_round *round,
                    struct rv_error *err) {
    return rv_rd_split_over(store, queue, go_round, round, err);
}

void rv_rd_sooner(int64_t *next_in_ms, int64_t in_ms) {
    if (in_ms >= 0 && (*next_in_ms < 0 || in_ms < *next_in_ms)) *next_in_ms = in_ms;
}
