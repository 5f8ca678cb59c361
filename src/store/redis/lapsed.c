/* lapsed: the jobs of claims whose lease is over. A shard that is away does not hold up the others.
 */
#include <stdlib.h>

#include "base/list.h"
#include "store/redis/fan.h"
#include "store/redis/record.h"

/* As many as one hand-in may have; but the first shard that has any tells all of its. */
static bool is_enough(const struct rv_lapsed *out, size_t more) {
    return out->count && out->count + more > RV_CLAIM_MAX;
}

static int make_room(struct rv_lapsed *out, size_t more, struct rv_error *err) {
    struct rv_lapsed_job *jobs =
        realloc(out->jobs, (out->count + more + 1) * sizeof *jobs); /* never none */
    if (!jobs) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    out->jobs = jobs;
    return 0;
}

static int show(const redisReply *reply, const char *queue, struct rv_lapsed *out,
                struct rv_error *err) {
    const redisReply *ids = reply->element[0];
    struct reeve_job **jobs = calloc(ids->elements + 1, sizeof(*jobs));
    uint64_t *holders = calloc(ids->elements + 1, sizeof *holders);
    int rc = jobs && holders ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
    if (!rc) rc = make_room(out, ids->elements, err);
    if (!rc)
        rc = rv_rd_records_show(queue, ids, reply->element[1], reply->element[2], jobs, holders,
                                err);
    for (size_t i = 0; jobs && i < ids->elements && jobs[i]; i++)
        out->jobs[out->count++] = (struct rv_lapsed_job){jobs[i], holders[i]};
    free(holders);
    free(jobs);
    return rc;
}

struct found {
    int64_t next_in_ms; /* the first lease that stands will have lapsed; -1: none stands */
    bool any;           /* have lapsed */
};

/* False: it is no answer. */
static bool read_answer(const redisReply *reply, struct found *out) {
    if (!rv_rd_is_array(reply, 5) || reply->element[0]->type != REDIS_REPLY_ARRAY) return false;
    struct rv_bytes next = rv_rd_bytes(reply->element[3]), now = rv_rd_bytes(reply->element[4]);
    if (!next.size || !now.size) return false;
    int64_t next_ms = strtoll(next.data, NULL, 10), now_ms = strtoll(now.data, NULL, 10);
    out->next_in_ms = !next_ms ? -1 : next_ms > now_ms ? next_ms - now_ms : 0;
    out->any = reply->element[0]->elements > 0;
    return true;
}

static int64_t next(const redisReply *reply) {
    struct found found;
    return read_answer(reply, &found) && !found.any ? found.next_in_ms : 0;
}

static int take(const redisReply *reply, const struct rv_rd_shard *shard, void *arg,
                struct rv_error *err) {
    struct rv_lapsed *out = arg;
    struct found found;
    if (!read_answer(reply, &found)) return rv_rd_fail_answer(shard->queue, err);
    if (found.next_in_ms > 0) rv_rd_sooner(&out->next_in_ms, found.next_in_ms);
    if (!is_enough(out, reply->element[0]->elements)) return show(reply, shard->queue, out, err);
    rv_rd_sooner(&out->next_in_ms, 0);
    return 0;
}

static void ask(struct rv_rd_args *args, const struct rv_rd_shard *shard, const void *arg) {
    (void)shard, (void)arg;
    rv_rd_args_add_number(args, RV_CLAIM_MAX);
    rv_rd_args_add_number(args, (int64_t)RV_RD_TAKE_BYTES);
}

int rv_rd_lapsed(struct rv_store *s, const char *queue, struct rv_lapsed *out,
                 struct rv_error *err) {
    struct rv_rd_round round = {.which = RV_REDIS_LUA_LAPSED,
                                .ask = ask,
                                .take = take,
                                .arg = out,
                                .some = true,
                                .next = next,
                                .what = 1};
    int rc = rv_rd_round_run(rv_container_of(s, struct rv_rd, base), queue, &round, err);
    if (!rc) rv_rd_sooner(&out->next_in_ms, round.next_in_ms);
    if (!rc && round.missed) rv_rd_sooner(&out->next_in_ms, RV_RD_AWAY_MS);
    return rc;
}
