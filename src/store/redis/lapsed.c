#include "store/redis/redis.h"

int rv_rd_lapsed(struct rv_store *s, const char *queue, struct rv_lapsed *out,
                 struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)out;
    return rv_fail(err, REEVE_ENOTSUP, "lapsed: not written yet");
}
