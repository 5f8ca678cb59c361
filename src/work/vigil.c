#include "work/vigil.h"

#include "work/exchanger_inner.h"
#include "work/places.h"

enum {
    VIGIL_MS_MIN = 1000, /* idle workers ask no more often */
    VIGIL_MS_MAX = 5000,
};

static int64_t now_ms(const struct rv_exchanger *ex) {
    return rv_clock_boot_ms(&ex->service->clock);
}

/* Nothing is in hand, and nothing can come up but a job of its one queue. Who listens for that,
 * too, would hear the bell instead. */
static bool may_keep(struct rv_exchanger *ex) {
    const struct rv_served *s = &ex->served[0];
    if (ex->served_count > 1 || ex->in_hand || ex->options.until_empty) return false;
    if (s->hungry || s->listening || s->unsettled || s->failures) return false;
    if (rv_arrears_any(&s->arrears) || now_ms(ex) < s->claim_at_ms) return false;
    return !atomic_load(&ex->vigil.to_end) && rv_places_may_claim(ex) &&
           rv_store_is_patient(ex->service->store);
}

/* How long the next may last: the lease of what it brings is reckoned from its beginning. */
static int64_t lasts_ms(struct rv_exchanger *ex) {
    int64_t most_ms = ex->options.lease_ms / 6, left_ms = rv_exchanger_wakes_at(ex) - now_ms(ex);
    if (most_ms < VIGIL_MS_MIN) return 0;
    if (most_ms > VIGIL_MS_MAX) most_ms = VIGIL_MS_MAX;
    return left_ms < most_ms ? left_ms : most_ms;
}

static void keep(struct rv_exchanger *ex, int64_t ms) {
    struct rv_served *s = &ex->served[0];
    struct rv_exchange *exchange = &s->request.exchange;
    s->hungry = true;
    rv_places_deal(ex);
    if (!rv_exchanger_prepare(ex, s)) return;
    exchange->patience_ms = ms;
    atomic_store(&ex->vigil.holder, exchange->holder);
    if (atomic_load(&ex->vigil.to_end)) exchange->patience_ms = 0; /* nobody saw this one */
    rv_exchanger_send(ex, s);
    atomic_store(&ex->vigil.holder, 0);
    exchange->patience_ms = 0; /* nor does a repeat wait */
    rv_exchanger_beat(ex);
}

void rv_vigil_round(struct rv_exchanger *ex) {
    struct rv_served *s = &ex->served[0];
    int64_t ms;
    atomic_store(&ex->vigil.kept, ex->served_count == 1 && !s->listening);
    rv_exchanger_round(ex);
    while (may_keep(ex) && (ms = lasts_ms(ex)) > 0)
        keep(ex, ms);
    if (atomic_exchange(&ex->vigil.kept, false) && !s->hungry) rv_exchanger_listen(ex, s);
}

unsigned rv_vigil_oversleep(struct rv_exchanger *ex) {
    atomic_store(&ex->vigil.oversleeps, true);
    unsigned bits = atomic_load(&ex->vigil.kept) ? rv_signal_wait(&ex->signal, -1) : 0;
    atomic_store(&ex->vigil.oversleeps, false);
    return bits;
}

void rv_vigil_interrupt(struct rv_exchanger *ex) {
    atomic_store(&ex->vigil.to_end, true);
    uint64_t holder = atomic_load(&ex->vigil.holder);
    if (holder) (void)rv_store_stir(ex->service->store, ex->served[0].queue, holder, NULL);
}
