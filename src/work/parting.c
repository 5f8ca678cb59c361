#include "work/parting.h"

enum { DOUBT_MS = 1000 }; /* for what a part of the store has perhaps given, and nobody has begun */

bool rv_parting_is_unsure(const struct rv_exchanger *ex) {
    for (size_t i = 0; i < ex->served_count; i++) {
        if (ex->served[i].unsettled || rv_arrears_open(&ex->served[i].arrears)) return true;
    }
    return false;
}

static bool owes_any(const struct rv_exchanger *ex) {
    for (size_t i = 0; i < ex->served_count; i++) {
        if (rv_arrears_any(&ex->served[i].arrears)) return true;
    }
    return false;
}

/* Some of the store answers, and some does not. */
static bool is_partly_away(const struct rv_exchanger *ex) {
    return ex->outage.count < ex->served_count && (ex->outage.count || owes_any(ex));
}

/* Of nothing but a claim that was perhaps made. It is known by now that a store that is away does
 * not answer: what it has given lapses. */
static int64_t doubt_ms(const struct rv_exchanger *ex) {
    if (ex->outage.count == ex->served_count) return 0;
    return ex->service->timeout_ms < DOUBT_MS ? ex->service->timeout_ms : DOUBT_MS;
}

/* What is in hand waits for a store that is away as long as one call may take, and the rest of the
 * grace. One that is in part gets that alone: what is left there lapses. */
void rv_parting_bound(struct rv_exchanger *ex) {
    if (ex->give_up_ms || rv_pool_load(ex->pool)) return;
    if (!ex->in_hand && !rv_parting_is_unsure(ex)) return;
    bool partly = is_partly_away(ex);
    int64_t now_ms = rv_clock_boot_ms(&ex->service->clock), most_ms = ex->service->timeout_ms;
    int64_t grace_ms = atomic_load(&ex->drain->grace_until_ms);
    bool graced = ex->in_hand && !partly && grace_ms > now_ms && grace_ms < INT64_MAX;
    if (!ex->in_hand) most_ms = doubt_ms(ex);
    ex->give_up_ms = rv_time_add(graced ? grace_ms : now_ms, most_ms);
}
