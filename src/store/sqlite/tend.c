/* tend: due jobs become ready; records kept long enough, silent lanes and old events go. Looks
 * first, and writes only if there is something to do (J6: any number may, at once). */
#include "store/sqlite/bounds.h"

struct chores {
    int64_t due_in_ms, expiry_in_ms; /* -1: none */
    bool old_lanes, old_events;
    bool too_many; /* failed records */
};

static int bind_and_ask(struct rv_sq_step *step, enum rv_sqlite_sql which, int64_t before,
                        bool *found, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, which);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_int(&query, before);
    *found = rv_sq_row(&query);
    return rv_sq_end(&query, 0, err);
}

static int expiry_in(struct rv_sq_step *step, int64_t *out, struct rv_error *err) {
    *out = -1;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_TEND_NEXT_EXPIRY);
    rv_sq_bind_int(&query, step->queue.n);
    if (rv_sq_row(&query)) {
        int64_t in_ms = rv_sq_int(&query, 0) - step->now_ms;
        *out = in_ms > 0 ? in_ms : 0;
    }
    return rv_sq_end(&query, 0, err);
}

static int look(struct rv_sq_step *step, struct chores *out, struct rv_error *err) {
    *out = (struct chores){.too_many = rv_sq_bound_excess(step)};
    int rc = rv_sq_queue_due_in(step, &out->due_in_ms, err);
    if (!rc) rc = expiry_in(step, &out->expiry_in_ms, err);
    if (!rc)
        rc = bind_and_ask(step, RV_SQLITE_SQL_TEND_FIND_LANE, step->now_ms - RV_LANE_KEPT_MS,
                          &out->old_lanes, err);
    if (!rc)
        rc = bind_and_ask(step, RV_SQLITE_SQL_TEND_FIND_EVENT, step->now_ms - RV_EVENT_KEPT_MS,
                          &out->old_events, err);
    return rc;
}

static bool is_work(const struct chores *chores) {
    return chores->due_in_ms == 0 || chores->expiry_in_ms == 0 || chores->old_lanes ||
           chores->old_events || chores->too_many;
}

static void describe(const struct chores *chores, struct rv_tended *out) {
    int64_t due = chores->due_in_ms, gone = chores->expiry_in_ms;
    out->next_in_ms = due < 0 || (gone >= 0 && gone < due) ? gone : due;
    if (chores->too_many) out->next_in_ms = 0;
    out->more = out->next_in_ms == 0;
}

/* ---- the work ---- */
static int remove_expired(struct rv_sq_step *step, enum rv_sqlite_sql which, int64_t *count,
                          struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, which);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_int(&query, RV_TEND_MAX);
    return rv_sq_run(&query, count, err);
}

/* J12: what goes is counted. */
static int count_expired(struct rv_sq_step *step, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_TEND_COUNT_EXPIRED);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_int(&query, RV_TEND_MAX);
    while (rv_sq_row(&query)) {
        int64_t state = rv_sq_int(&query, 0), count = rv_sq_int(&query, 1);
        if (state >= REEVE_DELAYED && state <= REEVE_CANCELLED) step->queue.counts[state] -= count;
        step->queue.expired_total += count;
    }
    return rv_sq_end(&query, 0, err);
}

static int expire(struct rv_sq_step *step, struct rv_tended *out, struct rv_error *err) {
    int64_t expired = 0;
    int rc = count_expired(step, err);
    if (!rc) rc = remove_expired(step, RV_SQLITE_SQL_TEND_EXPIRE_BODIES, NULL, err);
    if (!rc) rc = remove_expired(step, RV_SQLITE_SQL_TEND_EXPIRE_NOTES, NULL, err);
    if (!rc) rc = remove_expired(step, RV_SQLITE_SQL_TEND_EXPIRE, &expired, err);
    out->expired += (size_t)expired;
    return rc;
}

static int forget_before(struct rv_sq_step *step, enum rv_sqlite_sql which, int64_t before,
                         struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, which);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_int(&query, before);
    rv_sq_bind_int(&query, RV_TEND_MAX);
    return rv_sq_run(&query, NULL, err);
}

static int work(struct rv_sq_step *step, struct rv_tended *out, struct rv_error *err) {
    struct chores chores;
    int64_t promoted = 0;
    int rc = look(step, &chores, err);
    if (!rc) rc = rv_sq_queue_promote(step, &promoted, err);
    if (!rc && chores.expiry_in_ms == 0) rc = expire(step, out, err);
    if (!rc && chores.too_many) rc = rv_sq_bound_trim(step, RV_TEND_MAX, &out->expired, err);
    if (!rc && chores.old_lanes)
        rc = forget_before(step, RV_SQLITE_SQL_TEND_FORGET_LANES, step->now_ms - RV_LANE_KEPT_MS,
                           err);
    if (!rc && chores.old_events)
        rc = forget_before(step, RV_SQLITE_SQL_TEND_FORGET_EVENTS, step->now_ms - RV_EVENT_KEPT_MS,
                           err);
    out->promoted = (size_t)promoted;
    if (!rc) rc = look(step, &chores, err);
    if (!rc) describe(&chores, out);
    return rc;
}

static int look_first(struct rv_sq_step *step, const char *queue, struct rv_tended *out,
                      bool *is_done, struct rv_error *err) {
    *is_done = true;
    int rc = rv_sq_queue_load(step, queue, err);
    if (rc || !step->queue.n) return rc;
    struct chores chores;
    rc = look(step, &chores, err);
    if (rc) return rc;
    *is_done = !is_work(&chores);
    describe(&chores, out);
    return 0;
}

int rv_sq_tend(struct rv_store *s, const char *queue, struct rv_tended *out, struct rv_error *err) {
    struct rv_sq_step step;
    bool is_done;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    rc = rv_sq_step_end(&step, look_first(&step, queue, out, &is_done, err), err);
    if (rc || is_done) return rc;
    rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    rc = rv_sq_queue_load(&step, queue, err);
    if (!rc) rc = work(&step, out, err);
    return rv_sq_step_end(&step, rc, err);
}
