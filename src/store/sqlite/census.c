/* The counts of groups against the streams and dead letters that are there. */
#include <inttypes.h>

#include "store/sqlite/examine.h"

static int tell_wrong(struct rv_sq_exam *exam, struct rv_sq_step *step, size_t *wrong,
                      struct rv_error *err) {
    enum reeve_health health = exam->repair ? REEVE_REPAIRED : REEVE_BAD;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_EXAMINE_STREAMS);
    for (; rv_sq_row(&query); (*wrong)++)
        rv_find(&exam->book, health, "streams", "group %s of space %s is counted wrong",
                rv_sq_text(&query, 1), rv_sq_text(&query, 0));
    return rv_sq_end(&query, 0, err);
}

static int mend(struct rv_sq_exam *exam, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, &exam->store->base, exam->store->timeout_ms, err);
    if (rc) return rc;
    struct rv_sq_query query = rv_sq_query(step.conn, RV_SQLITE_SQL_EXAMINE_STREAMS_MEND);
    rc = rv_sq_run(&query, NULL, err);
    step.rings = true; /* what was counted too low was not taken */
    return rv_sq_step_end(&step, rc, err);
}

int rv_sq_examine_streams(struct rv_sq_exam *exam, struct rv_error *err) {
    struct rv_sq_step step;
    size_t wrong = 0;
    int64_t groups = 0;
    int rc = rv_sq_step_read(&step, &exam->store->base, err);
    if (rc) return rc;
    int result = rv_sq_conn_ask(step.conn, "SELECT count(*) FROM stream_group", &groups);
    rc = result ? rv_sq_fail(step.conn, result, false, err) : tell_wrong(exam, &step, &wrong, err);
    rc = rv_sq_step_end(&step, rc, err);
    if (rc) return rc;
    if (!wrong)
        rv_find(&exam->book, REEVE_FINE, "streams", "%" PRId64 " groups are counted right", groups);
    return wrong && exam->repair ? mend(exam, err) : 0;
}
