#include "store/redis/redis.h"

int rv_rd_list(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
               struct rv_error *err) {
    (void)s;
    (void)query;
    (void)out;
    return rv_fail(err, REEVE_ENOTSUP, "list: not written yet");
}
