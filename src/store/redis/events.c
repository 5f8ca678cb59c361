#include "store/redis/redis.h"

int rv_rd_announce(struct rv_store *s, const char *queue, enum reeve_event_type type,
                   const char *worker, struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)type;
    (void)worker;
    return rv_fail(err, REEVE_ENOTSUP, "announce: not written yet");
}

int rv_rd_events(struct rv_store *s, const char *queue, uint64_t after, struct rv_events *out,
                 struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)after;
    (void)out;
    return rv_fail(err, REEVE_ENOTSUP, "events: not written yet");
}
