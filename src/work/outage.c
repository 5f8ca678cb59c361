#include "work/outage.h"

#include <inttypes.h>

bool rv_outage_begin(struct rv_outage *outage, const char *queue, int rc,
                     const struct rv_error *err) {
    char text[RV_QUOTED_SIZE];
    if (outage->count++) return false;
    outage->since_ms = rv_store_now_ms(outage->service->store);
    rv_log(&outage->service->log, REEVE_LOG_WARN, "store.away",
           "queue=%s degraded_since_ms=%" PRId64 " error=%s text=%s", queue, outage->since_ms,
           reeve_errname(rc), rv_log_quote(text, err->text));
    return true;
}

bool rv_outage_end(struct rv_outage *outage, const char *queue) {
    if (--outage->count) return false;
    int64_t away_ms = rv_store_now_ms(outage->service->store) - outage->since_ms;
    rv_log(&outage->service->log, REEVE_LOG_WARN, "store.back",
           "queue=%s degraded_since_ms=%" PRId64 " away_ms=%" PRId64, queue, outage->since_ms,
           away_ms);
    outage->since_ms = 0;
    return true;
}
