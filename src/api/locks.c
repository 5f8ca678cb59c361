#include "api/errmsg.h"
#include "api/handle.h"
#include "core/check.h"
#include "service/lock.h"

int reeve_lock_open(reeve_lock **out, reeve *r, const char *const names[],
                    const struct reeve_lock_options *options) {
    struct rv_error err = {0};
    struct reeve_lock_options checked;
    *out = NULL;
    int rc = rv_check_lock_names(names, &err);
    if (!rc) rc = rv_check_lock_options(options, &checked, &err);
    if (!rc) {
        struct rv_lock_options inner = {.names = names,
                                        .wait_ms = checked.wait_ms,
                                        .lease_ms = checked.lease_ms,
                                        .renew_ms = checked.renew_ms,
                                        .lost = checked.lost,
                                        .arg = checked.arg};
        rc = rv_lock_open(out, &r->service, &inner, &err);
    }
    return rv_api_result(rc, &err);
}

uint64_t reeve_lock_token(const reeve_lock *l, size_t i) {
    return i < rv_lock_count(l) ? rv_lock_token(l, i) : 0;
}

int64_t reeve_lock_left_ms(const reeve_lock *l) {
    int64_t left_ms = rv_lock_left_ms(l);
    return left_ms > 0 ? left_ms : 0;
}

void reeve_lock_close(reeve_lock *l) {
    rv_lock_close(l);
}
