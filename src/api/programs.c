#include "api/errmsg.h"
#include "api/handle.h"
#include "core/check.h"
#include "work/ward.h"

int reeve_program_start(reeve_program **out, reeve *r,
                        const struct reeve_program_options *options) {
    struct rv_error err = {0};
    struct reeve_program_options checked;
    *out = NULL;
    int rc = rv_check_program_options(options, &checked, &err);
    if (!rc) rc = rv_ward_start(out, &r->wards, &checked, &err);
    return rv_api_result(rc, &err);
}

void reeve_program_stop(reeve_program *p, int64_t grace_ms) {
    rv_ward_stop(p, grace_ms > 0 ? grace_ms : 0);
}

int reeve_program_wait(reeve_program *p, int64_t timeout_ms, int *status) {
    struct rv_error err = {0};
    return rv_api_result(rv_ward_wait(p, timeout_ms, status, &err), &err);
}

void reeve_program_close(reeve_program *p) {
    rv_ward_close(p);
}
