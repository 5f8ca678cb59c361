#include "store/redis/redis.h"

int rv_rd_push(struct rv_store *s, const char *queue, const struct rv_new_job *jobs, size_t count,
               struct rv_pushed *outs, struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)jobs;
    (void)count;
    (void)outs;
    return rv_fail(err, REEVE_ENOTSUP, "push: not written yet");
}
