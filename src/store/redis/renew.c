/* renew: new deadlines for claims. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "store/redis/fan.h"
#include "store/redis/record.h"

enum { CLAIM_BYTES_MAX = 64 };

static void add_claim(struct rv_rd_args *args, const struct rv_renewal *claim) {
    unsigned char name[RV_RD_LEASE_SIZE];
    size_t from = args->bytes.size;
    rv_rd_lease_pack(name, claim->holder, claim->token);
    (void)rv_buf_add(&args->bytes, name, sizeof name);
    rv_rd_args_add_packed(args, from);
    rv_rd_args_add_number(args, claim->lease_ms);
}

/* ---- one shard ---- */
struct group {
    struct rv_renewal *claims; /* all of them */
    size_t count;
    const unsigned char *shards; /* of each */
    struct rv_cancel_marks *marks;
    const char *queue;
};

/* The n-th claim of a shard, from 1 on; NULL: there is none. */
static struct rv_renewal *nth(const struct group *group, unsigned shard, long long n) {
    for (size_t i = 0; i < group->count; i++)
        if (group->shards[i] == shard && --n == 0) return &group->claims[i];
    return NULL;
}

static int make_room(struct rv_cancel_marks *marks, size_t more, struct rv_error *err) {
    struct rv_cancel_mark *grown =
        realloc(marks->marks, (marks->count + more + 1) * sizeof *grown); /* never none */
    if (!grown) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    marks->marks = grown;
    return 0;
}

/* stop: index of a claim and id of a job, for each. */
static int gather_marks(const struct group *group, unsigned shard, const redisReply *stop,
                        struct rv_error *err) {
    struct rv_cancel_marks *marks = group->marks;
    if (!stop->elements) return 0;
    int rc = make_room(marks, stop->elements / 2, err);
    for (size_t i = 0; !rc && i + 1 < stop->elements; i += 2) {
        const struct rv_renewal *claim = nth(group, shard, stop->element[i]->integer);
        struct rv_bytes id = rv_rd_bytes(stop->element[i + 1]);
        struct rv_cancel_mark *mark = &marks->marks[marks->count];
        if (!claim || !id.size || id.size >= sizeof mark->id)
            return rv_rd_fail_answer(group->queue, err);
        *mark = (struct rv_cancel_mark){.holder = claim->holder};
        memcpy(mark->id, id.data, id.size); /* zeroed: NUL-ended */
        marks->count++;
    }
    return rc;
}

static int read_answer(const struct group *group, unsigned shard, const redisReply *reply,
                       struct rv_error *err) {
    if (!rv_rd_is_array(reply, 2)) return rv_rd_fail_answer(group->queue, err);
    struct rv_bytes lost = rv_rd_bytes(reply->element[0]);
    const redisReply *stop = reply->element[1];
    size_t told = 0;
    for (size_t i = 0; i < group->count; i++) {
        if (group->shards[i] != shard) continue;
        if (told < lost.size) group->claims[i].lost = ((const char *)lost.data)[told] == '1';
        told++;
    }
    if (lost.size != told || stop->type != REDIS_REPLY_ARRAY)
        return rv_rd_fail_answer(group->queue, err);
    return gather_marks(group, shard, stop, err);
}

/* ---- all of them ---- */
struct renewing {
    struct rv_renewal *claims;
    size_t count;
    int64_t timeout_ms;
    struct rv_cancel_marks *marks;
};

/* A claim goes to the shard where it was made. */
static void add_claims(const struct rv_rd_split *split, struct rv_rd_fan *fan,
                       struct renewing *renewing, unsigned char *shards) {
    for (size_t i = 0; i < renewing->count; i++) {
        struct rv_renewal *claim = &renewing->claims[i];
        unsigned shard = rv_rd_split_claimed(split, claim->token);
        shards[i] = (unsigned char)shard;
        claim->lost = shard == split->count;
        claim->missed = false;
        if (claim->lost) continue;
        fan->parts[shard].wanted = true;
        add_claim(&fan->parts[shard].args, claim);
    }
}

static int read_answers(const struct rv_rd_fan *fan, const struct group *group,
                        struct rv_error *err) {
    int rc = 0;
    for (unsigned i = 0; !rc && i < fan->count; i++)
        if (fan->parts[i].script.reply) rc = read_answer(group, i, fan->parts[i].script.reply, err);
    for (size_t i = 0; i < group->count; i++) {
        bool asked = group->shards[i] < fan->count;
        group->claims[i].missed = asked && !fan->parts[group->shards[i]].script.reply;
    }
    return rc;
}

static int renew(struct rv_rd *store, const struct rv_rd_split *split, void *arg,
                 struct rv_error *err) {
    struct renewing *renewing = arg;
    unsigned char shards[RV_RENEW_MAX];
    struct group group = {renewing->claims, renewing->count, shards, renewing->marks, split->queue};
    unsigned missed = 0;
    struct rv_rd_fan *fan = rv_rd_fan_create(split, RV_REDIS_LUA_RENEW, renewing->timeout_ms,
                                             renewing->count * CLAIM_BYTES_MAX);
    if (!fan) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    add_claims(split, fan, renewing, shards);
    rv_rd_fan_be_brief(fan, split->count > 1);
    rv_rd_fan_run(store, fan, NULL);
    int rc = rv_rd_fan_judge_some(fan, &missed, err);
    if (!rc) rc = read_answers(fan, &group, err);
    rv_rd_fan_destroy(fan);
    return rc;
}

int rv_rd_renew(struct rv_store *s, const char *queue, struct rv_renewal *claims, size_t count,
                int64_t timeout_ms, struct rv_cancel_marks *marks, struct rv_error *err) {
    struct renewing renewing = {claims, count, timeout_ms, marks};
    return rv_rd_split_over(rv_container_of(s, struct rv_rd, base), queue, renew, &renewing, err);
}
