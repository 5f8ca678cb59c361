/* Members of a group, and its figures (S9). */
#include <stdio.h>
#include <stdlib.h>

#include "store/sqlite/groups.h"

enum { PRUNE_MAX = 100 }; /* J11: gone ones that a beat removes */

static int prune(struct rv_sq_step *step, const struct rv_sq_group *group, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_MEMBER_PRUNE);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_int(&query, step->boot_ms);
    rv_sq_bind_int(&query, PRUNE_MAX);
    return rv_sq_run(&query, NULL, err);
}

static int write_row(struct rv_sq_step *step, const struct rv_sq_group *group,
                     const struct rv_member_row *member, int64_t ttl_ms, struct rv_error *err) {
    struct rv_buf told;
    rv_buf_init(&told, RV_MEMBER_STATS_SIZE);
    int rc = rv_member_stats_pack(&member->stats, &told);
    if (rc) {
        rv_buf_release(&told);
        return rv_fail(err, rc, "no memory for a member's figures");
    }
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_MEMBER_BEAT);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_text(&query, member->id);
    rv_sq_bind_text(&query, member->name);
    rv_sq_bind_u64(&query, member->owned);
    rv_sq_bind_u64(&query, member->max);
    rv_sq_bind_int(&query, member->joined_at_ms);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_int(&query, rv_time_add(step->boot_ms, ttl_ms));
    rv_sq_bind_bytes(&query, (struct rv_bytes){told.data, told.size});
    rc = rv_sq_run(&query, NULL, err);
    rv_buf_release(&told);
    return rc;
}

static int beat(struct rv_sq_step *step, const char *name, const struct rv_member_row *member,
                int64_t ttl_ms, struct rv_error *err) {
    struct rv_sq_group group;
    int rc = rv_sq_group_make(step, name, &group, err);
    if (!rc) rc = write_row(step, &group, member, ttl_ms, err);
    return rc ? rc : prune(step, &group, err); /* of itself too, if it leaves */
}

int rv_sq_stream_beat(struct rv_store *s, const struct rv_group *group,
                      const struct rv_member_row *member, int64_t ttl_ms, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, beat(&step, group->name, member, ttl_ms, err), err);
}

static void read_row(const struct rv_sq_query *query, struct rv_member_row *row) {
    *row = (struct rv_member_row){.owned = rv_sq_u64(query, 2),
                                  .max = rv_sq_u64(query, 3),
                                  .joined_at_ms = rv_sq_int(query, 4),
                                  .seen_at_ms = rv_sq_int(query, 5)};
    (void)snprintf(row->id, sizeof row->id, "%s", rv_sq_text(query, 0));
    (void)snprintf(row->name, sizeof row->name, "%s", rv_sq_text(query, 1));
    rv_member_stats_unpack(rv_sq_bytes(query, 6), &row->stats);
}

/* rows may be NULL: then they are only counted. */
static int gather(struct rv_sq_step *step, const struct rv_sq_group *group,
                  struct rv_member_row *rows, size_t *count, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_MEMBERS);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_int(&query, step->boot_ms);
    rv_sq_bind_int(&query, RV_MEMBERS_MAX);
    while (rv_sq_row(&query)) {
        if (rows) read_row(&query, &rows[*count]);
        (*count)++;
    }
    return rv_sq_end(&query, 0, err);
}

int rv_sq_stream_members(struct rv_store *s, const struct rv_group *group, struct rv_members *out,
                         struct rv_error *err) {
    struct rv_sq_step step;
    struct rv_sq_group of;
    out->rows = calloc(RV_MEMBERS_MAX, sizeof *out->rows);
    if (!out->rows) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    rc = rv_sq_group_load(&step, group->name, &of, err);
    if (!rc) rc = gather(&step, &of, out->rows, &out->count, err);
    return rv_sq_step_end(&step, rc, err);
}

static void show(const struct rv_sq_group *group, size_t members, struct reeve_group *out) {
    const int64_t *figures = group->figures;
    out->members = members;
    out->waiting = (uint64_t)figures[RV_SQ_WAITING];
    out->owned = (uint64_t)figures[RV_SQ_OWNED];
    out->failed = (uint64_t)figures[RV_SQ_FAILED];
    out->offered_total = (uint64_t)figures[RV_SQ_OFFERED_TOTAL];
    out->duplicates_total = (uint64_t)figures[RV_SQ_DUPLICATES_TOTAL];
    out->taken_total = (uint64_t)figures[RV_SQ_TAKEN_TOTAL];
    out->ended_total = (uint64_t)figures[RV_SQ_ENDED_TOTAL];
    out->yielded_total = (uint64_t)figures[RV_SQ_YIELDED_TOTAL];
    out->lapsed_total = (uint64_t)figures[RV_SQ_LAPSED_TOTAL];
    out->requeued_total = (uint64_t)figures[RV_SQ_REQUEUED_TOTAL];
    out->failed_total = (uint64_t)figures[RV_SQ_FAILED_TOTAL];
    out->trimmed_total = (uint64_t)figures[RV_SQ_TRIMMED_TOTAL];
    out->purged_total = (uint64_t)figures[RV_SQ_PURGED_TOTAL];
    out->revived_total = (uint64_t)figures[RV_SQ_REVIVED_TOTAL];
    out->fenced_total = (uint64_t)figures[RV_SQ_FENCED_TOTAL];
}

int rv_sq_stream_stats(struct rv_store *s, const struct rv_group *group, struct reeve_group *out,
                       struct rv_error *err) {
    struct rv_sq_step step;
    struct rv_sq_group of;
    size_t members = 0;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    rc = rv_sq_group_load(&step, group->name, &of, err);
    if (!rc && !of.n) rc = rv_fail(err, REEVE_ENOENT, "no group %s", group->name);
    if (!rc) rc = gather(&step, &of, NULL, &members, err);
    if (!rc) show(&of, members, out);
    return rv_sq_step_end(&step, rc, err);
}
