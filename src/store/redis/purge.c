#include "store/redis/redis.h"

int rv_rd_purge(struct rv_store *s, const char *queue, enum reeve_state state, size_t *removed,
                struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)state;
    (void)removed;
    return rv_fail(err, REEVE_ENOTSUP, "purge: not written yet");
}
