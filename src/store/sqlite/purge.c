/* purge: looks for some without the writer's lock, for that may take long; then removes them. */
#include "store/sqlite/jobs.h"

struct found {
    int64_t numbers[RV_TEND_MAX];
    size_t count;
};

static int look(struct rv_sq_step *step, const char *queue, enum reeve_state state,
                struct found *out, struct rv_error *err) {
    out->count = 0;
    int rc = rv_sq_queue_load(step, queue, err);
    int64_t most =
        step->queue.counts[state] < RV_TEND_MAX ? step->queue.counts[state] : RV_TEND_MAX;
    if (rc || most <= 0) return rc;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_PURGE_FIND);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_int(&query, state);
    rv_sq_bind_int(&query, most);
    while (rv_sq_row(&query))
        out->numbers[out->count++] = rv_sq_int(&query, 0);
    return rv_sq_end(&query, 0, err);
}

static int find(struct rv_store *s, const char *queue, enum reeve_state state, struct found *out,
                struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, look(&step, queue, state, out, err), err);
}

/* Others may have been there in between: *removed tells whether it was in that state still. */
static int remove_one(struct rv_sq_step *step, int64_t n, enum reeve_state state, bool *removed,
                      struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_PURGE_READ);
    rv_sq_bind_int(&query, n);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_int(&query, state);
    struct rv_sq_record record;
    int rc = 0;
    *removed = rv_sq_row(&query);
    if (*removed) {
        rc = rv_sq_record_read(&query, &record, err);
        if (!rc) rc = rv_sq_job_take_out(step, &record, err);
    }
    return rv_sq_end(&query, rc, err);
}

static int remove_found(struct rv_store *s, const char *queue, enum reeve_state state,
                        const struct found *found, size_t *removed, struct rv_error *err) {
    struct rv_sq_step step;
    size_t count = 0;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    rc = rv_sq_queue_load(&step, queue, err);
    for (size_t i = 0; !rc && i < found->count; i++) {
        bool gone = false;
        rc = remove_one(&step, found->numbers[i], state, &gone, err);
        count += gone;
    }
    rc = rv_sq_step_end(&step, rc, err);
    if (!rc) *removed = count;
    return rc;
}

int rv_sq_purge(struct rv_store *s, const char *queue, enum reeve_state state, size_t *removed,
                struct rv_error *err) {
    struct found found;
    int rc;
    do { /* again only if all that was found has gone elsewhere */
        rc = find(s, queue, state, &found, err);
        if (!rc && found.count) rc = remove_found(s, queue, state, &found, removed, err);
    } while (!rc && found.count && !*removed);
    return rc;
}
