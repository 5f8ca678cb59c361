/* tend: what is due, kept long enough or forgotten. A shard that is away does not hold up the
 * others. */
#include "base/list.h"
#include "store/redis/fan.h"

static void ask(struct rv_rd_args *args, const struct rv_rd_shard *shard, const void *arg) {
    (void)shard, (void)arg;
    rv_rd_args_add_number(args, RV_TEND_MAX);
    rv_rd_args_add_number(args, RV_LANE_KEPT_MS);
    rv_rd_args_add_number(args, RV_EVENT_KEPT_MS);
}

static int take(const redisReply *reply, const struct rv_rd_shard *shard, void *arg,
                struct rv_error *err) {
    struct rv_tended *out = arg;
    if (!rv_rd_is_array(reply, 4)) return rv_rd_fail_answer(shard->queue, err);
    int64_t next_in_ms = reply->element[2]->integer;
    out->promoted += (size_t)reply->element[0]->integer;
    out->expired += (size_t)reply->element[1]->integer;
    out->more |= next_in_ms == 0;
    rv_rd_sooner(&out->next_in_ms, next_in_ms);
    /* Of several shards those that rest have not been asked. */
    out->lapses_in_ms = shard->epoch ? 0 : reply->element[3]->integer;
    return 0;
}

static int64_t next(const redisReply *reply) {
    return reply->element[2]->integer;
}

int rv_rd_tend(struct rv_store *s, const char *queue, struct rv_tended *out, struct rv_error *err) {
    struct rv_rd_round round = {.which = RV_REDIS_LUA_TEND,
                                .ask = ask,
                                .take = take,
                                .arg = out,
                                .some = true,
                                .next = next};
    int rc = rv_rd_round_run(rv_container_of(s, struct rv_rd, base), queue, &round, err);
    if (!rc) rv_rd_sooner(&out->next_in_ms, round.next_in_ms);
    if (!rc && round.missed) rv_rd_sooner(&out->next_in_ms, RV_RD_AWAY_MS);
    return rc;
}
