#include "store/sqlite/step.h"

#include <time.h>

#include "base/random.h"
#include "store/sqlite/checkpoint.h"
#include "store/sqlite/schema.h"

/* A process that has just written has an advantage over those who wait for the file: it asks while
 * they sleep. The longer it had to wait itself, the longer it lets them go first. */
static void give_way(const struct rv_sq_gate *gate) {
    if (!gate->crowd) return;
    int64_t us = rv_random_below(&rv_random_system, 100 * (gate->crowd < 20 ? gate->crowd : 20));
    (void)nanosleep(&(struct timespec){.tv_nsec = (long)us * 1000}, NULL);
}

static int begin_once(struct rv_sq_step *step, struct rv_sq *store, enum rv_sqlite_sql how,
                      int64_t timeout_ms, struct rv_error *err) {
    *step = (struct rv_sq_step){.store = store, .writing = how == RV_SQLITE_SQL_BEGIN_WRITE};
    int rc = rv_sq_pool_take(&store->pool, timeout_ms, &step->conn, err);
    if (rc) return rc;
    if (step->writing && !rv_sq_gate_enter(&store->gate, step->conn->deadline_ms)) {
        rv_sq_pool_give(&store->pool, step->conn);
        return rv_fail(err, REEVE_EUNREACHABLE,
                       "busy: %s: other threads kept writing until time was up", store->path);
    }
    if (step->writing) give_way(&store->gate);
    struct rv_sq_query query = rv_sq_query(step->conn, how);
    rc = rv_sq_run(&query, NULL, err);
    if (step->writing) store->gate.crowd = step->conn->tries;
    if (rc) {
        if (step->writing) rv_sq_gate_leave(&store->gate);
        rv_sq_pool_give(&store->pool, step->conn);
        return rc;
    }
    /* The clock is read when the turn has come: tokens and times follow the order of commits. */
    step->now_us = rv_clock_wall_us(store->clock);
    step->now_ms = step->now_us / 1000;
    step->boot_ms = rv_clock_boot_ms(store->clock) - store->boot_ahead_ms;
    return 0;
}

/* What fails because another file has just taken its place is begun again, on that one. */
static int begin(struct rv_sq_step *step, struct rv_store *s, enum rv_sqlite_sql how,
                 int64_t timeout_ms, struct rv_error *err) {
    struct rv_sq *store = (struct rv_sq *)s;
    int64_t deadline_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), timeout_ms);
    for (;;) {
        unsigned replacements = rv_sq_pool_replacements(&store->pool);
        int rc = begin_once(step, store, how, timeout_ms, err);
        if (!rc || !rv_sq_pool_replaced_since(&store->pool, replacements)) return rc;
        timeout_ms = deadline_ms - rv_clock_boot_ms(&rv_clock_real);
        if (timeout_ms <= 0) return rc;
    }
}

int rv_sq_step_read(struct rv_sq_step *step, struct rv_store *s, struct rv_error *err) {
    return rv_sq_step_read_within(step, s, INT64_MAX, err);
}

int rv_sq_step_read_within(struct rv_sq_step *step, struct rv_store *s, int64_t timeout_ms,
                           struct rv_error *err) {
    int64_t most_ms = ((struct rv_sq *)s)->timeout_ms;
    return begin(step, s, RV_SQLITE_SQL_BEGIN_READ, timeout_ms < most_ms ? timeout_ms : most_ms,
                 err);
}

int rv_sq_step_write(struct rv_sq_step *step, struct rv_store *s, int64_t timeout_ms,
                     struct rv_error *err) {
    return begin(step, s, RV_SQLITE_SQL_BEGIN_WRITE, timeout_ms, err);
}

static void roll_back(struct rv_sq_step *step) {
    if (sqlite3_get_autocommit(step->conn->db)) return; /* SQLite has done it by itself */
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_ROLLBACK);
    if (rv_sq_run(&query, NULL, NULL)) step->conn->broken = true;
}

static int commit(struct rv_sq_step *step, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_COMMIT);
    (void)rv_sq_row(&query);
    int rc = query.result ? rv_sq_fail(step->conn, query.result, step->writing, err) : 0;
    return rv_sq_end(&query, rc, err);
}

/* A newer library may have closed the file to us while we had it open: seen at no cost, for SQLite
 * tells when the schema has changed. What made no sense for that reason is told as such. */
static int recheck(struct rv_sq_step *step, int rc, struct rv_error *err) {
    bool puzzled = rc == REEVE_EBUG || rc == REEVE_ECORRUPT;
    if (rc ? !puzzled : !step->conn->unsure) return rc;
    int closed = rv_sq_schema_recheck(step->conn, err);
    return closed ? closed : rc;
}

int rv_sq_step_end(struct rv_sq_step *step, int rc, struct rv_error *err) {
    struct rv_sq *store = step->store;
    rc = recheck(step, rc, err);
    if (!rc && step->writing) rc = rv_sq_queue_save(step, err);
    if (!rc) rc = commit(step, err);
    if (rc) roll_back(step);
    if (!rc && (step->rings || step->ends)) rv_sq_bell_ring(&store->bell, !step->rings);
    if (step->writing) {
        if (!rc) rv_sq_checkpoint(store, step->conn);
        rv_sq_gate_leave(&store->gate);
    }
    rv_sq_pool_give(&store->pool, step->conn);
    return rc;
}
