/* Streams: offer, take, renew, yield, and the table of all ops. */
#include "store/redis/streams.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "store/redis/record.h"
#include "store/redis/streams_show.h"
#include "store/redis/streams_split.h"

enum { ARGS_MAX = 1024 };

/* New dead letters go to where they belong, if that is elsewhere. */
static void post(struct rv_store *s, const struct rv_group *group, uint64_t most) {
    struct rv_rd *store = (struct rv_rd *)s;
    if (rv_rd_stream_layout(store, group) == RV_RD_SPLIT) rv_rd_letters_post(store, group, most);
}

/* ---- offer ---- */
static int offer(struct rv_store *s, const struct rv_group *group, const char *name,
                 struct rv_bytes info, int *answer, struct rv_error *err) {
    struct rv_rd_stream_call call;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_OFFER, ARGS_MAX);
    rv_rd_args_add_text(&call.args, name);
    rv_rd_args_add(&call.args, info.data, info.size);
    return rv_rd_stream_ask(&call, answer, err);
}

int rv_rd_stream_offer(struct rv_store *s, const struct rv_group *group, const char *name,
                       const void *info, size_t info_size, bool *known, struct rv_error *err) {
    enum { IN_LINE, KNOWN, NO_OBJECT, IN_NEW_GROUP };
    bool listed = rv_rd_stream_is_listed(s, group);
    int answer = IN_LINE, rc = listed ? 0 : rv_rd_stream_enlist(s, group, err);
    if (!rc) rc = offer(s, group, name, (struct rv_bytes){info, info_size}, &answer, err);
    if (rc) return rc;
    if (answer == NO_OBJECT)
        return rv_fail(err, REEVE_EINVAL,
                       "the info of stream %s must be a JSON object: others in "
                       "the published layout could not read it",
                       name);
    /* The server has lost all since the name was listed. */
    if (answer == IN_NEW_GROUP && listed) rc = rv_rd_stream_enlist(s, group, err);
    *known = answer == KNOWN;
    return rc;
}

/* ---- take ---- */
static int show_taken(const struct rv_group *group, const redisReply *reply, struct rv_streams *out,
                      struct rv_error *err) {
    if (!rv_rd_is_array(reply, 4)) return rv_rd_stream_fail_answer(group, err);
    out->token = (uint64_t)reply->element[0]->integer;
    out->more = reply->element[1]->integer;
    out->unreadable = (uint64_t)reply->element[2]->integer;
    return rv_rd_streams_show(group, reply->element[3], &out->streams, &out->count, err);
}

int rv_rd_stream_take(struct rv_store *s, const struct rv_group *group,
                      const struct rv_stream_ask *ask, struct rv_streams *out,
                      struct rv_error *err) {
    struct rv_rd_stream_call call;
    redisReply *reply;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_TAKE, ARGS_MAX);
    call.tells = true;
    call.timeout_ms = ask->timeout_ms;
    size_t from = call.args.bytes.size;
    (void)rv_buf_add_u64(&call.args.bytes, ask->holder);
    rv_rd_args_add_packed(&call.args, from);
    rv_rd_args_add_number(&call.args, (int64_t)ask->want);
    rv_rd_args_add_number(&call.args, ask->lease_ms);
    rv_rd_args_add_text(&call.args, ask->by);
    rv_rd_args_add_number(&call.args, (int64_t)ask->dead_max);
    rv_rd_args_add_number(&call.args, (int64_t)RV_TAKE_BYTES_MAX);
    int rc = rv_rd_stream_run(&call, &reply, err);
    if (rc) return rc;
    rc = show_taken(group, reply, out, err);
    freeReplyObject(reply);
    if (out->unreadable) post(s, group, ask->dead_max);
    return rc;
}

/* ---- renew ---- */
int rv_rd_stream_renew(struct rv_store *s, const struct rv_group *group,
                       struct rv_stream_renewal *renewals, size_t count, int64_t timeout_ms,
                       struct rv_error *err) {
    struct rv_rd_stream_call call;
    redisReply *reply;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_RENEW, count * 64);
    call.brief = true; /* other leases wait */
    call.tells = true;
    call.timeout_ms = timeout_ms;
    for (size_t i = 0; i < count; i++) {
        rv_rd_args_add_text(&call.args, renewals[i].name);
        rv_rd_args_add_lease(&call.args, renewals[i].holder, renewals[i].token);
        rv_rd_args_add_number(&call.args, renewals[i].lease_ms);
    }
    int rc = rv_rd_stream_run(&call, &reply, err);
    if (rc) return rc;
    struct rv_bytes answers = rv_rd_bytes(reply);
    if (answers.size != count) rc = rv_rd_stream_fail_answer(group, err);
    for (size_t i = 0; !rc && i < count; i++) {
        char answer = ((const char *)answers.data)[i];
        renewals[i].lost = answer == '1';
        renewals[i].yield = answer == '2';
    }
    freeReplyObject(reply);
    return rc;
}

/* ---- yield ---- */
int rv_rd_stream_yield(struct rv_store *s, const struct rv_group *group,
                       const struct rv_stream_ref *ref, const struct rv_stream_fault *fault,
                       int64_t timeout_ms, bool *dead, struct rv_error *err) {
    enum { IN_LINE, ABSENT, FENCED, DEAD };
    struct rv_rd_stream_call call;
    int answer = IN_LINE;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_YIELD, ARGS_MAX);
    call.tells = true;
    call.timeout_ms = timeout_ms;
    rv_rd_args_add_text(&call.args, ref->name);
    rv_rd_args_add_lease(&call.args, ref->holder, ref->token);
    rv_rd_args_add_text(&call.args, fault ? fault->reason : "");
    rv_rd_args_add_number(&call.args, fault ? fault->max_retries : REEVE_NONE);
    rv_rd_args_add_number(&call.args, fault ? (int64_t)fault->dead_max : 0);
    int rc = rv_rd_stream_ask(&call, &answer, err);
    if (rc) return rc;
    *dead = answer == DEAD;
    if (*dead) post(s, group, fault ? fault->dead_max : 0);
    if (answer == ABSENT) return rv_rd_stream_fail_absent(group, ref->name, err);
    if (answer == FENCED)
        return rv_fail(err, REEVE_EFENCED, "stream %s is not yours any more", ref->name);
    return 0;
}

/* ---- the table ---- */
/* Who keeps what is looked up before the next question, and the wait under way, or the next, begins
 * anew: with its subscriptions. */
static int reset(struct rv_store *s, struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    (void)err;
    rv_rd_topology_doubt(&store->topology, 0);
    rv_rd_ear_ask_reset(&store->ear);
    return 0;
}

static struct rv_stream_hearing hearing(struct rv_store *s) {
    const struct rv_rd_ear *ear = &((struct rv_rd *)s)->ear;
    return (struct rv_stream_hearing){
        .hints_total = atomic_load(&ear->posts.heard_total),
        .listens_total = atomic_load(&ear->posts.set_up_total),
        .listens_failed_total = atomic_load(&ear->posts.failed_total),
        .resets_total = atomic_load(&ear->resets_total),
    };
}

const struct rv_stream_ops rv_rd_stream_ops = {
    .offer = rv_rd_stream_offer,
    .take = rv_rd_stream_take,
    .renew = rv_rd_stream_renew,
    .end = rv_rd_stream_end,
    .yield = rv_rd_stream_yield,
    .recall = rv_rd_stream_recall,
    .recover = rv_rd_stream_recover,
    .claim = rv_rd_stream_claim,
    .list = rv_rd_stream_list,
    .read = rv_rd_stream_read,
    .groups = rv_rd_stream_groups,
    .stats = rv_rd_stream_stats,
    .letters = rv_rd_stream_letters,
    .revive = rv_rd_stream_revive,
    .purge = rv_rd_stream_purge,
    .beat = rv_rd_stream_beat,
    .members = rv_rd_stream_members,
    .reset = reset,
    .hearing = hearing,
};
