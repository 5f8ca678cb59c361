#include "work/vigil.h"

#include "work/exchanger_inner.h"
#include "work/places.h"

enum {
    VIGIL_MS_MIN = 3000, /* idle workers ask no more often; to end one takes another request */
    VIGIL_MS_MAX = 6000,
    LOOK_UP_MS = 1000, /* whether it is to end: where the store stands still, nobody is stirred */
};

static int64_t now_ms(const struct rv_exchanger *ex) {
    return rv_clock_boot_ms(&ex->service->clock);
}

/* The lease of what it brings is reckoned from when it was sent. */
int64_t rv_vigil_may_last_ms(const struct rv_exchanger *ex) {
    int64_t most_ms = ex->options.lease_ms / 5;
    if (!atomic_load(&ex->vigil.kept) || atomic_load(&ex->vigil.to_end)) return 0;
    if (ex->options.until_empty || most_ms < VIGIL_MS_MIN) return 0;
    if (!rv_store_is_patient(ex->service->store)) return 0;
    return most_ms < VIGIL_MS_MAX ? most_ms : VIGIL_MS_MAX;
}

/* Nothing is in hand, and nothing can come up but a job of its one queue. */
static bool may_keep(struct rv_exchanger *ex) {
    const struct rv_served *s = &ex->served[0];
    if (ex->served_count > 1 || ex->in_hand || s->hungry) return false;
    if (s->listening || s->unsettled || s->failures) return false;
    if (rv_arrears_any(&s->arrears) || now_ms(ex) < s->claim_at_ms) return false;
    return rv_places_may_claim(ex) && rv_vigil_may_last_ms(ex) > 0;
}

/* Until what else is to be done. */
static int64_t lasts_ms(struct rv_exchanger *ex) {
    int64_t most_ms = rv_vigil_may_last_ms(ex), left_ms = rv_exchanger_wakes_at(ex) - now_ms(ex);
    return left_ms < most_ms ? left_ms : most_ms;
}

/* Another request: the time of the latest is over, or it could not stand by. */
static void ask(struct rv_exchanger *ex, struct rv_served *s) {
    s->hungry = true;
    rv_places_deal(ex);
    if (rv_exchanger_prepare(ex, s)) rv_exchanger_send(ex, s);
}

/* Returns whether it is known what the request came to. */
static bool look_out(struct rv_exchanger *ex, struct rv_served *s, int64_t until_ms) {
    bool known = false;
    int rc = 0;
    while (!rc && !known && !atomic_load(&ex->vigil.to_end)) {
        int64_t left_ms = until_ms - now_ms(ex);
        if (left_ms <= 0) break;
        rc = rv_exchanger_attend(ex, s, left_ms < LOOK_UP_MS ? left_ms : LOOK_UP_MS, &known);
    }
    return known;
}

/* Who wants it to end sees the lane, or else is seen. */
static void attend(struct rv_exchanger *ex, struct rv_served *s, int64_t ms) {
    atomic_store(&ex->vigil.lane, s->lane);
    bool known = look_out(ex, s, now_ms(ex) + ms);
    atomic_store(&ex->vigil.lane, 0);
    if (!known) rv_exchanger_rise(ex, s);
    if (s->hungry && !ex->in_hand && !s->unsettled) ask(ex, s); /* somebody rang */
}

/* Returns whether it was one. */
static bool keep(struct rv_exchanger *ex, int64_t ms) {
    struct rv_served *s = &ex->served[0];
    if (!s->stands_by) ask(ex, s);
    bool kept = s->stands_by;
    if (kept) attend(ex, s, ms);
    rv_exchanger_beat(ex);
    return kept;
}

void rv_vigil_round(struct rv_exchanger *ex) {
    struct rv_served *s = &ex->served[0];
    int64_t ms;
    atomic_store(&ex->vigil.kept, ex->served_count == 1 && !s->listening);
    rv_exchanger_round(ex);
    while (may_keep(ex) && (ms = lasts_ms(ex)) > 0 && keep(ex, ms))
        continue;
    bool was_kept = atomic_exchange(&ex->vigil.kept, false);
    if (s->stands_by) rv_exchanger_rise(ex, s);
    if (was_kept && !s->hungry) rv_exchanger_listen(ex, s);
}

unsigned rv_vigil_oversleep(struct rv_exchanger *ex) {
    atomic_store(&ex->vigil.oversleeps, true);
    unsigned bits = atomic_load(&ex->vigil.kept) ? rv_signal_wait(&ex->signal, -1) : 0;
    atomic_store(&ex->vigil.oversleeps, false);
    return bits;
}

void rv_vigil_interrupt(struct rv_exchanger *ex) {
    atomic_store(&ex->vigil.to_end, true);
    uint64_t lane = atomic_load(&ex->vigil.lane);
    if (lane) (void)rv_store_stir(ex->service->store, ex->served[0].queue, lane, NULL);
}
