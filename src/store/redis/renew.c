#include "store/redis/redis.h"

int rv_rd_renew(struct rv_store *s, const char *queue, struct rv_renewal *claims, size_t count,
                int64_t timeout_ms, struct rv_cancel_marks *marks, struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)claims;
    (void)count;
    (void)timeout_ms;
    (void)marks;
    return rv_fail(err, REEVE_ENOTSUP, "renew: not written yet");
}
