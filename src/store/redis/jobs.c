#include "store/redis/redis.h"

int rv_rd_read(struct rv_store *s, const char *queue, const char *id, struct reeve_job **out,
               struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)id;
    (void)out;
    return rv_fail(err, REEVE_ENOTSUP, "read: not written yet");
}

int rv_rd_cancel(struct rv_store *s, const char *queue, const char *id, enum reeve_state *now,
                 struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)id;
    (void)now;
    return rv_fail(err, REEVE_ENOTSUP, "cancel: not written yet");
}

int rv_rd_revive(struct rv_store *s, const char *queue, const char *id, struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)id;
    return rv_fail(err, REEVE_ENOTSUP, "revive: not written yet");
}

int rv_rd_remove(struct rv_store *s, const char *queue, const char *id, struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)id;
    return rv_fail(err, REEVE_ENOTSUP, "remove: not written yet");
}

int rv_rd_keep(struct rv_store *s, const char *queue, const char *id, int64_t keep_ms,
               struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)id;
    (void)keep_ms;
    return rv_fail(err, REEVE_ENOTSUP, "keep: not written yet");
}

int rv_rd_check(struct rv_store *s, const char *queue, const char *id, uint64_t token,
                uint64_t holder, struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)id;
    (void)token;
    (void)holder;
    return rv_fail(err, REEVE_ENOTSUP, "check: not written yet");
}
