/* Grants: leases of names, with a line of those who wait for each. */
#include <stdio.h>
#include <stdlib.h>

#include "store/sqlite/grants.h"

struct row {
    int64_t n; /* 0: there is none */
    uint64_t token, holder;
    int64_t deadline;
};

/* How things are for one who asks. */
struct view {
    struct row row;
    bool stands;           /* the lease does */
    uint64_t first;        /* holder of the first ticket; 0: none */
    int64_t first_until;   /* its deadline */
    int64_t number, until; /* of the asker's own ticket; 0: none */
    size_t ahead;          /* of it */
};

/* ---- looking ---- */
static struct rv_sq_query name_query(struct rv_sq_step *step, enum rv_sqlite_sql which,
                                     enum rv_grant_kind kind, const char *name) {
    struct rv_sq_query query = rv_sq_query(step->conn, which);
    rv_sq_bind_text(&query, step->store->space);
    rv_sq_bind_int(&query, kind);
    rv_sq_bind_text(&query, name);
    return query;
}

static int read_row(struct rv_sq_step *step, enum rv_grant_kind kind, const char *name,
                    struct row *out, struct rv_error *err) {
    *out = (struct row){0};
    struct rv_sq_query query = name_query(step, RV_SQLITE_SQL_GRANT_READ, kind, name);
    if (rv_sq_row(&query)) {
        out->n = rv_sq_int(&query, 0);
        out->token = rv_sq_u64(&query, 1);
        out->holder = rv_sq_u64(&query, 2);
        out->deadline = rv_sq_int(&query, 3);
    }
    return rv_sq_end(&query, 0, err);
}

static bool stands(const struct rv_sq_step *step, const struct row *row) {
    return row->holder && row->deadline > step->boot_ms;
}

int rv_sq_grant_bells(struct rv_sq_step *step, enum rv_grant_kind kind, const char *name,
                      uint64_t *freed, uint64_t *asked, struct rv_error *err) {
    struct rv_sq_query query = name_query(step, RV_SQLITE_SQL_GRANT_READ, kind, name);
    if (rv_sq_row(&query)) {
        *freed = rv_sq_u64(&query, 6);
        *asked = rv_sq_u64(&query, 7);
    }
    return rv_sq_end(&query, 0, err);
}

static int look_at_line(struct rv_sq_step *step, uint64_t holder, struct view *out,
                        struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_TICKET_FIRST);
    rv_sq_bind_int(&query, out->row.n);
    rv_sq_bind_int(&query, step->boot_ms);
    if (rv_sq_row(&query)) {
        out->first = rv_sq_u64(&query, 0);
        out->first_until = rv_sq_int(&query, 1);
    }
    int rc = rv_sq_end(&query, 0, err);
    if (rc || !out->first) return rc;
    query = rv_sq_query(step->conn, RV_SQLITE_SQL_TICKET_FIND);
    rv_sq_bind_int(&query, out->row.n);
    rv_sq_bind_u64(&query, holder);
    rv_sq_bind_int(&query, step->boot_ms);
    if (rv_sq_row(&query)) {
        out->number = rv_sq_int(&query, 0);
        out->until = rv_sq_int(&query, 1);
        out->ahead = (size_t)rv_sq_int(&query, 2);
    }
    return rv_sq_end(&query, 0, err);
}

static int look(struct rv_sq_step *step, enum rv_grant_kind kind, const char *name, uint64_t holder,
                struct view *out, struct rv_error *err) {
    *out = (struct view){0};
    int rc = read_row(step, kind, name, &out->row, err);
    if (rc || !out->row.n) return rc;
    out->stands = stands(step, &out->row);
    return look_at_line(step, holder, out, err);
}

/* ---- take ---- */
static bool can_have(const struct view *view, uint64_t holder) {
    if (view->stands) return view->row.holder == holder;
    return !view->first || view->first == holder; /* L1 */
}

static void tell(const struct rv_sq_step *step, const struct view *view,
                 struct rv_grant_answer *out) {
    int64_t until = view->stands ? view->row.deadline : view->first_until;
    out->free_in_ms = until - step->boot_ms;
    out->ahead = view->ahead;
}

/* Those who only look again cost no write: the answer is no, and their place in line is good for
 * half its time yet. */
static int look_first(struct rv_store *s, const struct rv_grant_ask *ask, bool *settled,
                      struct rv_grant_answer *out, struct rv_error *err) {
    struct rv_sq_step step;
    struct view view;
    *settled = false;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    rc = look(&step, ask->kind, ask->name, ask->holder, &view, err);
    if (!rc && view.row.n && !can_have(&view, ask->holder)) {
        bool in_line = view.number && view.until - step.boot_ms > ask->ticket_ms / 2;
        *settled = !ask->ticket_ms || in_line;
        if (*settled) tell(&step, &view, out);
    }
    return rv_sq_step_end(&step, rc, err);
}

static int remove_ticket(struct rv_sq_step *step, int64_t n, uint64_t holder,
                         struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_TICKET_REMOVE);
    rv_sq_bind_int(&query, n);
    rv_sq_bind_u64(&query, holder);
    return rv_sq_run(&query, NULL, err);
}

static int give(struct rv_sq_step *step, const struct view *view, const struct rv_grant_ask *ask,
                struct rv_grant_answer *out, struct rv_error *err) {
    uint64_t now = (uint64_t)step->now_us, next = view->row.token + 1;
    out->token = next > now ? next : now; /* J4 */
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_GRANT_GIVE);
    rv_sq_bind_int(&query, view->row.n);
    rv_sq_bind_u64(&query, out->token);
    rv_sq_bind_u64(&query, ask->holder);
    rv_sq_bind_int(&query, rv_time_add(step->boot_ms, ask->lease_ms));
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_text(&query, ask->by);
    int rc = rv_sq_run(&query, NULL, err);
    return rc || !view->number ? rc : remove_ticket(step, view->row.n, ask->holder, err);
}

static int prolong(struct rv_sq_step *step, struct rv_grant_renewal *renewal,
                   struct rv_error *err) {
    struct rv_sq_query query =
        name_query(step, RV_SQLITE_SQL_GRANT_PROLONG, renewal->kind, renewal->name);
    rv_sq_bind_u64(&query, renewal->holder);
    rv_sq_bind_u64(&query, renewal->token);
    rv_sq_bind_int(&query, step->boot_ms);
    rv_sq_bind_int(&query, rv_time_add(step->boot_ms, renewal->lease_ms));
    renewal->lost = true;
    while (rv_sq_row(&query)) {
        renewal->lost = false;
        renewal->resign = rv_sq_int(&query, 0) != 0;
    }
    return rv_sq_end(&query, 0, err);
}

static int give_again(struct rv_sq_step *step, const struct view *view,
                      const struct rv_grant_ask *ask, struct rv_grant_answer *out,
                      struct rv_error *err) {
    struct rv_grant_renewal renewal = {.kind = ask->kind,
                                       .name = ask->name,
                                       .holder = ask->holder,
                                       .token = view->row.token,
                                       .lease_ms = ask->lease_ms};
    out->token = view->row.token;
    return prolong(step, &renewal, err);
}

static int line_up(struct rv_sq_step *step, const struct view *view, const struct rv_grant_ask *ask,
                   struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, view->number ? RV_SQLITE_SQL_TICKET_PROLONG
                                                                    : RV_SQLITE_SQL_TICKET_ADD);
    rv_sq_bind_int(&query, view->row.n);
    rv_sq_bind_u64(&query, view->number ? (uint64_t)view->number : ask->holder);
    rv_sq_bind_int(&query, rv_time_add(step->boot_ms, ask->ticket_ms));
    return rv_sq_run(&query, NULL, err);
}

static int make_row(struct rv_sq_step *step, const struct rv_grant_ask *ask, struct view *view,
                    struct rv_error *err) {
    struct rv_sq_query query = name_query(step, RV_SQLITE_SQL_GRANT_ADD, ask->kind, ask->name);
    int rc = rv_sq_run(&query, NULL, err);
    return rc ? rc : read_row(step, ask->kind, ask->name, &view->row, err);
}

static int take(struct rv_sq_step *step, const struct rv_grant_ask *ask,
                struct rv_grant_answer *out, struct rv_error *err) {
    struct view view;
    int rc = look(step, ask->kind, ask->name, ask->holder, &view, err);
    if (!rc && !view.row.n) rc = make_row(step, ask, &view, err);
    if (rc) return rc;
    if (can_have(&view, ask->holder))
        return view.stands ? give_again(step, &view, ask, out, err)
                           : give(step, &view, ask, out, err);
    if (ask->ticket_ms) rc = line_up(step, &view, ask, err);
    if (!rc && ask->ticket_ms && !view.number) /* how many it has come behind */
        rc = look_at_line(step, ask->holder, &view, err);
    if (!rc) tell(step, &view, out);
    return rc;
}

/* ---- forgetting ---- */
static int forget_tickets(struct rv_sq_step *step, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_TICKET_FORGET);
    rv_sq_bind_int(&query, step->boot_ms);
    rv_sq_bind_int(&query, RV_GRANT_PRUNE_MAX);
    return rv_sq_run(&query, NULL, err);
}

static int forget_names(struct rv_sq_step *step, struct rv_error *err) {
    uint64_t greatest = 0;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_GRANT_FORGET);
    rv_sq_bind_int(&query, step->boot_ms - RV_GRANT_KEPT_MS);
    rv_sq_bind_int(&query, RV_GRANT_PRUNE_MAX);
    while (rv_sq_row(&query))
        if (rv_sq_u64(&query, 0) > greatest) greatest = rv_sq_u64(&query, 0);
    int rc = rv_sq_end(&query, 0, err);
    if (rc || !greatest) return rc;
    query = rv_sq_query(step->conn, RV_SQLITE_SQL_GRANT_NOTE_TOKEN);
    rv_sq_bind_u64(&query, greatest);
    return rv_sq_run(&query, NULL, err);
}

static int forget(struct rv_sq_step *step, struct rv_error *err) {
    int rc = forget_tickets(step, err);
    return rc ? rc : forget_names(step, err);
}

/* ---- the ops ---- */
int rv_sq_grant_take(struct rv_store *s, const struct rv_grant_ask *ask, int64_t timeout_ms,
                     struct rv_grant_answer *out, struct rv_error *err) {
    struct rv_sq_step step;
    bool settled;
    int rc = look_first(s, ask, &settled, out, err);
    if (rc || settled) return rc;
    rc = rv_sq_step_write(&step, s, timeout_ms, err);
    if (rc) return rc;
    rc = forget(&step, err);
    if (!rc) rc = take(&step, ask, out, err);
    return rv_sq_step_end(&step, rc, err);
}

int rv_sq_grant_renew(struct rv_store *s, struct rv_grant_renewal *renewals, size_t count,
                      int64_t timeout_ms, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, timeout_ms, err);
    if (rc) return rc;
    for (size_t i = 0; !rc && i < count; i++)
        rc = prolong(&step, &renewals[i], err);
    return rv_sq_step_end(&step, rc, err);
}

static int release(struct rv_sq_step *step, enum rv_grant_kind kind, const char *name,
                   uint64_t holder, struct rv_error *err) {
    struct view view;
    int rc = look(step, kind, name, holder, &view, err);
    if (rc) return rc;
    bool held = view.stands && view.row.holder == holder;
    if (!held && !view.number)
        return rv_fail(err, REEVE_EFENCED, "%s is not yours to release", name);
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_GRANT_FREE);
    rv_sq_bind_int(&query, view.row.n);
    rv_sq_bind_int(&query, held);
    rv_sq_bind_int(&query, step->boot_ms);
    rc = rv_sq_run(&query, NULL, err);
    if (!rc && view.number) rc = remove_ticket(step, view.row.n, holder, err);
    step->rings = true; /* L7 */
    return rc ? rc : forget(step, err);
}

int rv_sq_grant_release(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                        uint64_t holder, int64_t timeout_ms, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, release(&step, kind, name, holder, err), err);
}

int rv_sq_grant_check(struct rv_store *s, enum rv_grant_kind kind, const char *name, uint64_t token,
                      struct rv_error *err) {
    struct rv_sq_step step;
    struct row row;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    rc = read_row(&step, kind, name, &row, err);
    if (!rc && !(stands(&step, &row) && row.token == token)) /* L4 */
        rc = rv_fail(err, REEVE_EFENCED, "%s is not held under this token", name);
    return rv_sq_step_end(&step, rc, err);
}

int rv_sq_grant_resign(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                       struct rv_error *err) {
    struct rv_sq_step step;
    int64_t changes = 0;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    struct rv_sq_query query = name_query(&step, RV_SQLITE_SQL_GRANT_RESIGN, kind, name);
    rv_sq_bind_int(&query, step.boot_ms);
    rc = rv_sq_run(&query, &changes, err);
    if (!rc && !changes) rc = rv_fail(err, REEVE_ENOENT, "nobody holds %s", name);
    step.rings = true;
    return rv_sq_step_end(&step, rc, err);
}

/* ---- grants ---- */
static void show(const struct rv_sq_step *step, const struct rv_sq_query *query,
                 struct rv_grant_row *row) {
    *row = (struct rv_grant_row){
        .token = rv_sq_u64(query, 1),
        .holder = rv_sq_u64(query, 2),
        .since_ms = rv_sq_int(query, 4),
        .until_ms = step->now_ms + rv_sq_int(query, 3) - step->boot_ms,
        .resign = rv_sq_int(query, 5) != 0,
        .waiting = (size_t)rv_sq_int(query, 7),
    };
    (void)snprintf(row->name, sizeof row->name, "%s", rv_sq_text(query, 0));
    (void)snprintf(row->by, sizeof row->by, "%s", rv_sq_text(query, 6));
}

static int gather(struct rv_sq_step *step, const struct rv_grants_query *asked,
                  struct rv_grants *out, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_GRANTS);
    rv_sq_bind_text(&query, step->store->space);
    rv_sq_bind_int(&query, asked->kind);
    rv_sq_bind_int(&query, step->boot_ms);
    rv_sq_bind_text(&query, asked->after ? asked->after : "");
    rv_sq_bind_text(&query, asked->name ? asked->name : "");
    rv_sq_bind_int(&query, (int64_t)asked->limit);
    while (rv_sq_row(&query))
        show(step, &query, &out->rows[out->count++]);
    return rv_sq_end(&query, 0, err);
}

int rv_sq_grants(struct rv_store *s, const struct rv_grants_query *query, struct rv_grants *out,
                 struct rv_error *err) {
    struct rv_sq_step step;
    out->rows = calloc(query->limit, sizeof *out->rows);
    if (!out->rows) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, gather(&step, query, out, err), err);
}
