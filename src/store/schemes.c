/* Which stores there are: one line each. */
#include "store/config.h"
#include "store/ops.h"

extern const struct rv_store_ops rv_store_memory;
extern const struct rv_store_ops rv_store_sqlite;

const struct rv_store_ops *const rv_store_schemes[] = {
    &rv_store_memory,
#ifdef RV_WITH_SQLITE
    &rv_store_sqlite,
#endif
    NULL,
};
