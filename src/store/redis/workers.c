#include "store/redis/redis.h"

int rv_rd_beat(struct rv_store *s, const struct rv_worker_row *worker, int64_t ttl_ms,
               struct rv_error *err) {
    (void)s;
    (void)worker;
    (void)ttl_ms;
    return rv_fail(err, REEVE_ENOTSUP, "beat: not written yet");
}

int rv_rd_leave(struct rv_store *s, const char *worker_id, struct rv_error *err) {
    (void)s;
    (void)worker_id;
    return rv_fail(err, REEVE_ENOTSUP, "leave: not written yet");
}

int rv_rd_workers(struct rv_store *s, struct rv_workers *out, struct rv_error *err) {
    (void)s;
    (void)out;
    return rv_fail(err, REEVE_ENOTSUP, "workers: not written yet");
}
