#include "store/redis/redis.h"

int rv_rd_exchange(struct rv_store *s, struct rv_exchange *exchange, struct rv_exchanged *out,
                   struct rv_error *err) {
    (void)s;
    (void)exchange;
    (void)out;
    return rv_fail(err, REEVE_ENOTSUP, "exchange: not written yet");
}
