#include "store/redis/redis.h"

int rv_rd_queues(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                 struct rv_error *err) {
    (void)s;
    (void)after;
    (void)limit;
    (void)out;
    return rv_fail(err, REEVE_ENOTSUP, "queues: not written yet");
}

int rv_rd_stats(struct rv_store *s, const char *queue, struct reeve_queue *out,
                struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)out;
    return rv_fail(err, REEVE_ENOTSUP, "stats: not written yet");
}

int rv_rd_pause(struct rv_store *s, const char *queue, bool paused, struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)paused;
    return rv_fail(err, REEVE_ENOTSUP, "pause: not written yet");
}

int rv_rd_set(struct rv_store *s, const char *queue, const struct reeve_queue_settings *settings,
              struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)settings;
    return rv_fail(err, REEVE_ENOTSUP, "set: not written yet");
}
