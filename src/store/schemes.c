/* Which stores there are: one line for each scheme. */
#include "store/config.h"
#include "store/ops.h"

extern const struct rv_store_ops rv_store_memory;
extern const struct rv_store_ops rv_store_sqlite;
extern const struct rv_store_ops rv_store_redis;

const struct rv_store_scheme rv_store_schemes[] = {
    {"memory", &rv_store_memory},
#ifdef RV_WITH_SQLITE
    {"sqlite", &rv_store_sqlite},
#endif
#ifdef RV_WITH_REDIS
    {"redis", &rv_store_redis},
    {"rediss", &rv_store_redis},
    {"redis+unix", &rv_store_redis},
    {"redis+sentinel", &rv_store_redis},
    {"rediss+sentinel", &rv_store_redis},
    {"redis+cluster", &rv_store_redis},
    {"rediss+cluster", &rv_store_redis},
#endif
    {NULL, NULL},
};
