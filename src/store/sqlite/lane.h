/* Lanes: the latest answer of each asker, kept for its repeat (J7). */
#ifndef RV_STORE_SQLITE_LANE_H
#define RV_STORE_SQLITE_LANE_H

#include "store/sqlite/step.h"

struct rv_sq_lane {
    bool known;
    uint64_t number;
    size_t count;
    int statuses[RV_CLAIM_MAX];
};

int rv_sq_lane_read(struct rv_sq_step *step, uint64_t id, struct rv_sq_lane *out,
                    struct rv_error *err);
/* Writes down what the request came to: the statuses of its outcomes. */
int rv_sq_lane_note(struct rv_sq_step *step, const struct rv_exchange *request,
                    struct rv_error *err);

#endif
