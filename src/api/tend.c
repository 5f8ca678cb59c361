#include <stdlib.h>
#include <string.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "core/check.h"
#include "core/limits.h"
#include "service/upkeep.h"

struct reeve_tender {
    struct rv_service *service;
};

/* Fills as much of the caller's struct as it has. */
static void fill(struct reeve_tended *out, const struct rv_upkept *done) {
    struct reeve_tended tended = {
        .size = out->size,
        .promoted = done->promoted,
        .lapsed = done->lapsed,
        .expired = done->expired,
        .next_ms = done->next_in_ms,
    };
    memcpy(out, &tended, out->size < sizeof tended ? out->size : sizeof tended);
}

int reeve_tend(reeve *r, struct reeve_tended *out) {
    struct rv_error err = {0};
    struct rv_upkept done;
    if (out && rv_check_size("reeve_tended", out->size, sizeof *out, &err))
        return rv_api_fail(&err);
    int rc =
        rv_upkeep_pass(r->service.store, &r->service.log, r->service.timeout_ms, NULL, &done, &err);
    if (out) fill(out, &done);
    return rv_api_result(rc, &err);
}

int reeve_tender_open(reeve_tender **out, reeve *r, const struct reeve_tender_options *options) {
    struct rv_error err = {0};
    struct reeve_tender_options checked;
    *out = NULL;
    if (rv_check_tender_options(options, &checked, &err)) return rv_api_fail(&err);
    struct reeve_tender *tender = malloc(sizeof *tender);
    if (!tender) {
        (void)rv_fail(&err, REEVE_ENOMEM, "out of memory");
        return rv_api_fail(&err);
    }
    tender->service = &r->service;
    if (rv_service_tend_begin(tender->service, RV_LEASE_MS_DEFAULT, !checked.no_election, &err)) {
        free(tender);
        return rv_api_fail(&err);
    }
    *out = tender;
    return 0;
}

void reeve_tender_close(reeve_tender *t) {
    if (!t) return;
    rv_service_tend_end(t->service);
    free(t);
}
