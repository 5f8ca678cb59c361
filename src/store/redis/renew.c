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
/* A renewal on its way: a part for each shard that has claims. */
struct passage {
    struct rv_renewing *renewing;
    struct rv_rd_split split;
    unsigned char shards[RV_RENEW_MAX];
    struct rv_rd_fan *fan;
};

/* A claim goes to the shard where it was made. */
static void add_claims(struct passage *passage) {
    for (size_t i = 0; i < passage->renewing->count; i++) {
        struct rv_renewal *claim = &passage->renewing->claims[i];
        unsigned shard = rv_rd_split_claimed(&passage->split, claim->token);
        passage->shards[i] = (unsigned char)shard;
        claim->lost = shard == passage->split.count;
        claim->missed = false;
        if (claim->lost) continue;
        passage->fan->parts[shard].wanted = true;
        add_claim(&passage->fan->parts[shard].args, claim);
    }
}

static int open_passage(struct passage *passage, bool brief, struct rv_error *err) {
    const struct rv_renewing *renewing = passage->renewing;
    passage->fan = rv_rd_fan_create(&passage->split, RV_REDIS_LUA_RENEW, renewing->timeout_ms,
                                    renewing->count * CLAIM_BYTES_MAX);
    if (!passage->fan) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    add_claims(passage);
    rv_rd_fan_be_brief(passage->fan, brief || passage->split.count > 1);
    return 0;
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

static int read_passage(struct passage *passage, struct rv_error *err) {
    struct rv_renewing *renewing = passage->renewing;
    struct group group = {renewing->claims, renewing->count, passage->shards, &renewing->marks,
                          renewing->queue};
    unsigned missed = 0;
    int rc = rv_rd_fan_judge_some(passage->fan, &missed, err);
    return rc ? rc : read_answers(passage->fan, &group, err);
}

static int renew(struct rv_rd *store, const struct rv_rd_split *split, void *arg,
                 struct rv_error *err) {
    struct passage passage = {.renewing = arg, .split = *split};
    int rc = open_passage(&passage, false, err);
    if (rc) return rc;
    rv_rd_fan_run(store, passage.fan, NULL);
    rc = read_passage(&passage, err);
    rv_rd_fan_destroy(passage.fan);
    return rc;
}

int rv_rd_renew(struct rv_store *s, const char *queue, struct rv_renewal *claims, size_t count,
                int64_t timeout_ms, struct rv_cancel_marks *marks, struct rv_error *err) {
    struct rv_renewing renewing = {
        .queue = queue, .claims = claims, .count = count, .timeout_ms = timeout_ms};
    int rc = rv_rd_split_over(rv_container_of(s, struct rv_rd, base), queue, renew, &renewing, err);
    *marks = renewing.marks;
    return rc;
}

/* ---- of several queues ---- */
static void collect_scripts(const struct passage *passages, size_t count,
                            struct rv_rd_script **scripts, size_t *script_count) {
    for (size_t i = 0; i < count; i++) {
        struct rv_rd_fan *fan = passages[i].fan;
        for (unsigned j = 0; fan && j < fan->count; j++)
            if (fan->parts[j].wanted) scripts[(*script_count)++] = &fan->parts[j].script;
    }
}

/* Those whose split has changed are renewed anew, alone. */
static void close_passage(struct rv_rd *store, struct passage *passage) {
    struct rv_renewing *renewing = passage->renewing;
    if (!passage->fan) return;
    renewing->rc = read_passage(passage, &renewing->err);
    rv_rd_fan_destroy(passage->fan);
    if (renewing->rc == RV_RD_STALE)
        renewing->rc = rv_rd_split_over(store, renewing->queue, renew, renewing, &renewing->err);
}

/* A server that stands still is not waited for, or the leases of the others would lapse. */
void rv_rd_renew_all(struct rv_store *s, struct rv_renewing *all, size_t count) {
    struct rv_rd *store = rv_container_of(s, struct rv_rd, base);
    struct passage *passages = calloc(count, sizeof *passages);
    struct rv_rd_script **scripts = calloc(count * RV_SHARDS_MAX, sizeof(*scripts));
    size_t script_count = 0;
    bool room = passages && scripts;
    for (size_t i = 0; i < count; i++) {
        if (room) {
            passages[i].renewing = &all[i];
            (void)rv_rd_splits_find(&store->splits, all[i].queue, &passages[i].split);
        }
        all[i].rc = room ? open_passage(&passages[i], true, &all[i].err)
                         : rv_fail(&all[i].err, REEVE_ENOMEM, "out of memory");
    }
    if (room) collect_scripts(passages, count, scripts, &script_count);
    if (script_count) rv_rd_scripts_run(store, scripts, script_count, NULL);
    for (size_t i = 0; room && i < count; i++)
        close_passage(store, &passages[i]);
    free(scripts);
    free(passages);
}
