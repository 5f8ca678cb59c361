/* Streams through a store around another: see around.c. */
#include "store/around.h"

static int around_offer(struct rv_store *s, const struct rv_group *group, const char *name,
                        const void *info, size_t info_size, bool *known, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_OFFER, .queue = group->name, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->offer(a->inner, group, name, info, info_size, known, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_take(struct rv_store *s, const struct rv_group *group,
                       const struct rv_stream_ask *ask, struct rv_streams *out,
                       struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_TAKE, .queue = group->name, .given = ask->want};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->take(a->inner, group, ask, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_renew(struct rv_store *s, const struct rv_group *group,
                        struct rv_stream_renewal *renewals, size_t count, int64_t timeout_ms,
                        struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_RENEW, .queue = group->name, .given = count};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->renew(a->inner, group, renewals, count, timeout_ms, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_end(struct rv_store *s, const struct rv_group *group,
                      const struct rv_stream_ref *ref, int64_t timeout_ms, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_END, .queue = group->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->end(a->inner, group, ref, timeout_ms, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_yield(struct rv_store *s, const struct rv_group *group,
                        const struct rv_stream_ref *ref, const struct rv_stream_fault *fault,
                        int64_t timeout_ms, bool *dead, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_YIELD, .queue = group->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->yield(a->inner, group, ref, fault, timeout_ms, dead, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_recall(struct rv_store *s, const struct rv_group *group, const char *name,
                         struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_RECALL, .queue = group->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->recall(a->inner, group, name, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_recover(struct rv_store *s, const struct rv_group *group,
                          const struct rv_stream_scan *scan, struct rv_stream_scanned *out,
                          struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_RECOVER, .queue = group->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->recover(a->inner, group, scan, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_claim(struct rv_store *s, const struct rv_group *group, const char *name,
                        struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_CLAIM, .queue = group->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->claim(a->inner, group, name, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_list(struct rv_store *s, const struct rv_group *group,
                       const struct rv_stream_query *query, struct rv_streams *out,
                       struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_LIST, .queue = group->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->list(a->inner, group, query, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_read(struct rv_store *s, const struct rv_group *group, const char *name,
                       struct reeve_stream **out, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_READ, .queue = group->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->read(a->inner, group, name, out, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_groups(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                         struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_GROUPS};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->groups(a->inner, after, limit, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_stats(struct rv_store *s, const struct rv_group *group, struct reeve_group *out,
                        struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_STATS, .queue = group->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->stats(a->inner, group, out, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_letters(struct rv_store *s, const struct rv_group *group, const char *after,
                          size_t limit, struct rv_letters *out, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_LETTERS, .queue = group->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->letters(a->inner, group, after, limit, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_revive(struct rv_store *s, const struct rv_group *group, const char *letter,
                         struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_REVIVE, .queue = group->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->revive(a->inner, group, letter, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_purge(struct rv_store *s, const struct rv_group *group,
                        const char *const *letters, size_t count, size_t *removed,
                        struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_PURGE, .queue = group->name, .given = count};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->purge(a->inner, group, letters, count, removed, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_beat(struct rv_store *s, const struct rv_group *group,
                       const struct rv_member_row *member, int64_t ttl_ms, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_BEAT, .queue = group->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->beat(a->inner, group, member, ttl_ms, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_members(struct rv_store *s, const struct rv_group *group, struct rv_members *out,
                          struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_MEMBERS, .queue = group->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->members(a->inner, group, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_reset(struct rv_store *s, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STREAM_RESET};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->streams->reset(a->inner, err);
    return rv_around_end(a, &call, rc, err);
}

static struct rv_stream_hearing around_hearing(struct rv_store *s) {
    return rv_store_stream_hearing(rv_around_of(s)->inner);
}

const struct rv_stream_ops rv_around_streams = {
    .offer = around_offer,
    .take = around_take,
    .renew = around_renew,
    .end = around_end,
    .yield = around_yield,
    .recall = around_recall,
    .recover = around_recover,
    .claim = around_claim,
    .list = around_list,
    .read = around_read,
    .groups = around_groups,
    .stats = around_stats,
    .letters = around_letters,
    .revive = around_revive,
    .purge = around_purge,
    .beat = around_beat,
    .members = around_members,
    .reset = around_reset,
    .hearing = around_hearing,
};
