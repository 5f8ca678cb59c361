#include "store/redis/redis.h"

int rv_rd_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
               struct rv_error *err) {
    (void)s;
    (void)bells;
    (void)count;
    (void)timeout_ms;
    return rv_fail(err, REEVE_ENOTSUP, "wait: not written yet");
}

void rv_rd_wake(struct rv_store *s) {
    (void)s;
}
