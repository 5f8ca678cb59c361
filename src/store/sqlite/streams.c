/* Streams: offered, taken, renewed, ended, given back. */
#include <stdlib.h>

#include "store/sqlite/groups.h"

/* What a step needs to know of a stream once its row is no longer looked at. */
struct found {
    int64_t n; /* 0: there is none */
    uint64_t holder, token;
    int64_t retries;
};

static int find(struct rv_sq_step *step, const struct rv_sq_group *group, const char *name,
                struct found *out, struct rv_error *err) {
    *out = (struct found){0};
    struct rv_sq_query query = rv_sq_stream_query(step, group, name);
    if (rv_sq_row(&query)) {
        struct rv_sq_stream stream = rv_sq_stream_at(&query);
        *out = (struct found){.n = stream.n,
                              .holder = stream.holder,
                              .token = stream.token,
                              .retries = stream.retries};
    }
    return rv_sq_end(&query, 0, err);
}

/* The same for one that has to be there. */
static int find_known(struct rv_sq_step *step, struct rv_sq_group *group, const char *group_name,
                      const char *name, struct found *out, struct rv_error *err) {
    int rc = rv_sq_group_load(step, group_name, group, err);
    if (!rc) rc = find(step, group, name, out, err);
    if (!rc && !out->n)
        rc = rv_fail(err, REEVE_ENOENT, "no stream %s in group %s", name, group_name);
    return rc;
}

/* ---- offer ---- */
static int offer(struct rv_sq_step *step, const char *group_name, const char *name,
                 struct rv_bytes info, bool *known, struct rv_error *err) {
    struct rv_sq_group group;
    struct found found;
    int rc = rv_sq_group_make(step, group_name, &group, err);
    if (!rc) rc = find(step, &group, name, &found, err);
    if (rc) return rc;
    *known = found.n != 0; /* S1 */
    group.figures[*known ? RV_SQ_DUPLICATES_TOTAL : RV_SQ_OFFERED_TOTAL]++;
    if (!*known) rc = rv_sq_stream_add(step, &group, name, info, err);
    return rc ? rc : rv_sq_group_save(step, &group, err);
}

static int sq_offer(struct rv_store *s, const struct rv_group *group, const char *name,
                    const void *info, size_t info_size, bool *known, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    rc = offer(&step, group->name, name, (struct rv_bytes){info, info_size}, known, err);
    return rv_sq_step_end(&step, rc, err);
}

/* ---- take ---- */

/* What this very request took before (J7). */
static int tell_again(struct rv_sq_step *step, const struct rv_sq_group *group,
                      const struct rv_stream_ask *ask, struct rv_streams *out,
                      struct rv_error *err) {
    int rc = 0;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_HELD);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_u64(&query, ask->holder);
    rv_sq_bind_int(&query, (int64_t)ask->want);
    while (!rc && rv_sq_row(&query)) {
        struct rv_sq_stream stream = rv_sq_stream_at(&query);
        out->token = stream.token;
        out->streams[out->count] = rv_sq_stream_pack(step, group, &stream);
        if (!out->streams[out->count++]) rc = rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    return rv_sq_end(&query, rc, err);
}

/* The first in line, packed as they will be; ns gets their numbers. */
static int pack_first(struct rv_sq_step *step, const struct rv_sq_group *group,
                      const struct rv_stream_ask *ask, int64_t ns[RV_CLAIM_MAX],
                      struct rv_streams *out, struct rv_error *err) {
    int rc = 0;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_TAKE);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_int(&query, (int64_t)ask->want);
    while (!rc && rv_sq_row(&query)) {
        struct rv_sq_stream stream = rv_sq_stream_at(&query);
        ns[out->count] = stream.n;
        stream.holder = ask->holder;
        stream.token = out->token;
        stream.by = ask->by;
        stream.since_ms = step->now_ms;
        stream.deadline = rv_time_add(step->boot_ms, ask->lease_ms);
        out->streams[out->count] = rv_sq_stream_pack(step, group, &stream);
        if (!out->streams[out->count++]) rc = rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    return rv_sq_end(&query, rc, err);
}

static int give(struct rv_sq_step *step, const struct rv_stream_ask *ask, int64_t n, uint64_t token,
                struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_GIVE);
    rv_sq_bind_int(&query, n);
    rv_sq_bind_u64(&query, ask->holder);
    rv_sq_bind_u64(&query, token);
    rv_sq_bind_int(&query, rv_time_add(step->boot_ms, ask->lease_ms));
    rv_sq_bind_int(&query, step->boot_ms);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_text(&query, ask->by);
    return rv_sq_run(&query, NULL, err);
}

static int take_first(struct rv_sq_step *step, struct rv_sq_group *group,
                      const struct rv_stream_ask *ask, struct rv_streams *out,
                      struct rv_error *err) {
    int64_t ns[RV_CLAIM_MAX];
    uint64_t next = (uint64_t)group->figures[RV_SQ_TOKEN] + 1, now = (uint64_t)step->now_us;
    out->token = next > now ? next : now; /* J4 */
    int rc = pack_first(step, group, ask, ns, out, err);
    for (size_t i = 0; !rc && i < out->count; i++)
        rc = give(step, ask, ns[i], out->token, err);
    if (rc || !out->count) return rc;
    group->figures[RV_SQ_TOKEN] = (int64_t)out->token;
    group->figures[RV_SQ_TAKEN_TOTAL] += (int64_t)out->count;
    group->figures[RV_SQ_OWNED] += (int64_t)out->count;
    group->figures[RV_SQ_WAITING] -= (int64_t)out->count;
    return rv_sq_group_save(step, group, err);
}

/* *settled: something was taken before, or nothing waits: no write is needed to say so. */
static int look_first(struct rv_store *s, const char *name, const struct rv_stream_ask *ask,
                      struct rv_streams *out, bool *settled, struct rv_error *err) {
    struct rv_sq_step step;
    struct rv_sq_group group;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    rc = rv_sq_group_load(&step, name, &group, err);
    if (!rc && group.n) rc = tell_again(&step, &group, ask, out, err);
    out->more = group.figures[RV_SQ_WAITING] > 0;
    *settled = out->count || !out->more;
    return rv_sq_step_end(&step, rc, err);
}

static int take(struct rv_sq_step *step, const char *name, const struct rv_stream_ask *ask,
                struct rv_streams *out, struct rv_error *err) {
    struct rv_sq_group group;
    int rc = rv_sq_group_load(step, name, &group, err);
    if (!rc) rc = tell_again(step, &group, ask, out, err);
    if (!rc && !out->count) rc = take_first(step, &group, ask, out, err);
    out->more = group.figures[RV_SQ_WAITING] > 0;
    return rc;
}

static int sq_take(struct rv_store *s, const struct rv_group *group,
                   const struct rv_stream_ask *ask, struct rv_streams *out, struct rv_error *err) {
    struct rv_sq_step step;
    bool settled;
    out->streams = calloc(ask->want, sizeof(*out->streams));
    if (!out->streams) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc = look_first(s, group->name, ask, out, &settled, err);
    if (rc || settled) return rc;
    rc = rv_sq_step_write(&step, s, ask->timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, take(&step, group->name, ask, out, err), err);
}

/* ---- what an owner does ---- */
static int prolong(struct rv_sq_step *step, const struct rv_sq_group *group,
                   struct rv_stream_renewal *renewal, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_RENEW);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_text(&query, renewal->name);
    rv_sq_bind_u64(&query, renewal->holder);
    rv_sq_bind_u64(&query, renewal->token);
    rv_sq_bind_int(&query, step->boot_ms);
    rv_sq_bind_int(&query, rv_time_add(step->boot_ms, renewal->lease_ms));
    renewal->lost = true;
    while (rv_sq_row(&query)) {
        renewal->lost = false;
        renewal->yield = rv_sq_int(&query, 0) != 0;
    }
    return rv_sq_end(&query, 0, err);
}

static int sq_renew(struct rv_store *s, const struct rv_group *group,
                    struct rv_stream_renewal *renewals, size_t count, int64_t timeout_ms,
                    struct rv_error *err) {
    struct rv_sq_step step;
    struct rv_sq_group of;
    int rc = rv_sq_step_write(&step, s, timeout_ms, err);
    if (rc) return rc;
    rc = rv_sq_group_load(&step, group->name, &of, err);
    for (size_t i = 0; !rc && i < count; i++)
        rc = prolong(&step, &of, &renewals[i], err);
    return rv_sq_step_end(&step, rc, err);
}

/* Counted, so the step is committed though it is refused: *fenced says so. */
static int fence(struct rv_sq_step *step, struct rv_sq_group *group, bool *fenced,
                 struct rv_error *err) {
    *fenced = true;
    group->figures[RV_SQ_FENCED_TOTAL]++;
    return rv_sq_group_save(step, group, err);
}

static int tell_fenced(int rc, bool fenced, const char *name, struct rv_error *err) {
    if (rc || !fenced) return rc;
    return rv_fail(err, REEVE_EFENCED, "stream %s is not yours any more", name);
}

static bool is_current(const struct found *found, const struct rv_stream_ref *ref) {
    return found->holder && found->holder == ref->holder && found->token == ref->token;
}

static int end(struct rv_sq_step *step, const char *group_name, const struct rv_stream_ref *ref,
               bool *fenced, struct rv_error *err) {
    struct rv_sq_group group;
    struct found found;
    int rc = find_known(step, &group, group_name, ref->name, &found, err);
    if (rc) return rc;
    if (ref->holder && !is_current(&found, ref)) return fence(step, &group, fenced, err);
    if (!ref->holder && found.holder) {
        group.figures[RV_SQ_ASKED]++;
        step->rings = true;
    }
    group.figures[found.holder ? RV_SQ_OWNED : RV_SQ_WAITING]--;
    group.figures[RV_SQ_ENDED_TOTAL]++;
    rc = rv_sq_stream_remove(step, found.n, err);
    return rc ? rc : rv_sq_group_save(step, &group, err);
}

static int sq_end(struct rv_store *s, const struct rv_group *group, const struct rv_stream_ref *ref,
                  int64_t timeout_ms, struct rv_error *err) {
    struct rv_sq_step step;
    bool fenced = false;
    int rc = rv_sq_step_write(&step, s, timeout_ms, err);
    if (rc) return rc;
    rc = rv_sq_step_end(&step, end(&step, group->name, ref, &fenced, err), err);
    return tell_fenced(rc, fenced, ref->name, err);
}

static int fail_it(struct rv_sq_step *step, struct rv_sq_group *group, const char *name,
                   const struct rv_stream_fault *fault, bool *dead, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_stream_query(step, group, name);
    if (!rv_sq_row(&query)) return rv_sq_end(&query, 0, err);
    struct rv_sq_stream stream = rv_sq_stream_at(&query);
    int rc = rv_sq_stream_bounce(step, group, &stream, fault, dead, err);
    return rv_sq_end(&query, rc, err);
}

static int yield(struct rv_sq_step *step, const char *group_name, const struct rv_stream_ref *ref,
                 const struct rv_stream_fault *fault, bool *dead, bool *fenced,
                 struct rv_error *err) {
    struct rv_sq_group group;
    struct found found;
    int rc = find_known(step, &group, group_name, ref->name, &found, err);
    if (rc) return rc;
    if (!is_current(&found, ref)) return fence(step, &group, fenced, err);
    if (fault) {
        rc = fail_it(step, &group, ref->name, fault, dead, err);
    } else {
        group.figures[RV_SQ_YIELDED_TOTAL]++;
        rc = rv_sq_stream_line_up(step, &group, found.n, found.retries, err);
    }
    return rc ? rc : rv_sq_group_save(step, &group, err);
}

static int sq_yield(struct rv_store *s, const struct rv_group *group,
                    const struct rv_stream_ref *ref, const struct rv_stream_fault *fault,
                    int64_t timeout_ms, bool *dead, struct rv_error *err) {
    struct rv_sq_step step;
    bool fenced = false;
    int rc = rv_sq_step_write(&step, s, timeout_ms, err);
    if (rc) return rc;
    rc = rv_sq_step_end(&step, yield(&step, group->name, ref, fault, dead, &fenced, err), err);
    return tell_fenced(rc, fenced, ref->name, err);
}

static int recall(struct rv_sq_step *step, const char *group_name, const char *name,
                  struct rv_error *err) {
    struct rv_sq_group group;
    struct found found;
    int rc = find_known(step, &group, group_name, name, &found, err);
    if (rc) return rc;
    if (!found.holder) return rv_fail(err, REEVE_ESTATE, "nobody owns stream %s", name);
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_RECALL);
    rv_sq_bind_int(&query, found.n);
    rc = rv_sq_run(&query, NULL, err);
    group.figures[RV_SQ_ASKED]++;
    step->rings = true;
    return rc ? rc : rv_sq_group_save(step, &group, err);
}

static int sq_recall(struct rv_store *s, const struct rv_group *group, const char *name,
                     struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, recall(&step, group->name, name, err), err);
}

static int sq_reset(struct rv_store *s, struct rv_error *err) {
    (void)s, (void)err; /* there is one file, and it is looked at anew by every step */
    return 0;
}

const struct rv_stream_ops rv_sq_streams = {
    .offer = sq_offer,
    .take = sq_take,
    .renew = sq_renew,
    .end = sq_end,
    .yield = sq_yield,
    .recall = sq_recall,
    .recover = rv_sq_stream_recover,
    .claim = rv_sq_stream_claim,
    .list = rv_sq_stream_list,
    .read = rv_sq_stream_read,
    .groups = rv_sq_stream_groups,
    .stats = rv_sq_stream_stats,
    .letters = rv_sq_stream_letters,
    .revive = rv_sq_stream_revive,
    .purge = rv_sq_stream_purge,
    .beat = rv_sq_stream_beat,
    .members = rv_sq_stream_members,
    .reset = sq_reset,
};
