#include "store/redis/redis.h"

int rv_rd_examine(struct rv_store *s, bool repair, struct rv_findings *out, struct rv_error *err) {
    (void)s;
    (void)repair;
    (void)out;
    return rv_fail(err, REEVE_ENOTSUP, "examine: not written yet");
}
