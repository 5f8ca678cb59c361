#include "store/redis/redis.h"

int rv_rd_note(struct rv_store *s, const char *queue, const struct rv_note *note,
               struct rv_error *err) {
    (void)s;
    (void)queue;
    (void)note;
    return rv_fail(err, REEVE_ENOTSUP, "note: not written yet");
}
