#include "api/errmsg.h"
#include "api/handle.h"

int reeve_check(reeve *r, const char *queue, const char *id, uint64_t token, uint64_t holder) {
    struct rv_error err = {0};
    return rv_api_result(rv_store_check(r->service.store, queue, id, token, holder, &err), &err);
}
