#include "work/parting.h"

enum {
    DOUBT_MS = 1000,       /* for what the store has perhaps given, and nobody has begun */
    FIRST_DOUBT_MS = 3000, /* the same, of a store that has answered till now: it may be slow */
};

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

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* What is asked again takes no longer than that, either. */
static void hurry(struct rv_exchanger *ex, int64_t ms) {
    for (size_t i = 0; i < ex->served_count; i++) {
        struct rv_exchange *exchange = &ex->served[i].request.exchange;
        exchange->timeout_ms = least(exchange->timeout_ms, ms);
    }
}

static int64_t doubt_ms(const struct rv_exchanger *ex) {
    return least(ex->service->timeout_ms, ex->outage.count ? DOUBT_MS : FIRST_DOUBT_MS);
}

void rv_parting_hurry(struct rv_exchanger *ex) {
    if (!ex->in_hand) hurry(ex, doubt_ms(ex));
}

/* What is in hand waits for a store that is away as long as one call may take, and the rest of the
 * grace. One that is in part gets that alone: what is left there lapses. Where nothing is in hand,
 * all that can be learnt is whether something was given, which lapses as well. */
void rv_parting_bound(struct rv_exchanger *ex) {
    if (ex->give_up_ms || rv_pool_load(ex->pool)) return;
    if (!ex->in_hand && !rv_parting_is_unsure(ex)) return;
    bool partly = is_partly_away(ex);
    int64_t now_ms = rv_clock_boot_ms(&ex->service->clock), most_ms = ex->service->timeout_ms;
    int64_t grace_ms = atomic_load(&ex->drain->grace_until_ms);
    bool graced = ex->in_hand && !partly && grace_ms > now_ms && grace_ms < INT64_MAX;
    if (!ex->in_hand) most_ms = doubt_ms(ex);
    rv_parting_hurry(ex);
    ex->give_up_ms = rv_time_add(graced ? grace_ms : now_ms, most_ms);
}
