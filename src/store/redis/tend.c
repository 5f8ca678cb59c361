#include "store/redis/redis.h"

int rv_rd_tend(struct rv_store *s, const char *queue, struct rv_tended *out, struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)out;
    return rv_fail(err, REEVE_ENOTSUP, "tend: not written yet");
}
