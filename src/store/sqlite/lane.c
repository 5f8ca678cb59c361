#include "store/sqlite/lane.h"

/* A status is a REEVE_E*, which is 0 or a small negative number: one byte, negated. */
static int status_of(unsigned char byte) {
    return -(int)byte;
}

int rv_sq_lane_read(struct rv_sq_step *step, uint64_t id, struct rv_sq_lane *out,
                    struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_LANE_READ);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_u64(&query, id);
    rv_sq_bind_int(&query, step->now_ms - RV_LANE_KEPT_MS);
    out->known = rv_sq_row(&query);
    out->count = 0;
    if (out->known) {
        out->number = rv_sq_u64(&query, 0);
        struct rv_bytes statuses = rv_sq_bytes(&query, 1);
        while (out->count < statuses.size && out->count < RV_CLAIM_MAX) {
            out->statuses[out->count] =
                status_of(((const unsigned char *)statuses.data)[out->count]);
            out->count++;
        }
    }
    return rv_sq_end(&query, 0, err);
}

int rv_sq_lane_note(struct rv_sq_step *step, const struct rv_exchange *request,
                    struct rv_error *err) {
    unsigned char statuses[RV_CLAIM_MAX];
    for (size_t i = 0; i < request->outcome_count; i++)
        statuses[i] = (unsigned char)-request->outcomes[i].status;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_LANE_NOTE);
    rv_sq_bind_int(&query, step->queue.n);
    rv_sq_bind_u64(&query, request->lane);
    rv_sq_bind_u64(&query, request->number);
    rv_sq_bind_bytes(&query, (struct rv_bytes){statuses, request->outcome_count});
    rv_sq_bind_int(&query, step->now_ms);
    return rv_sq_run(&query, NULL, err);
}
