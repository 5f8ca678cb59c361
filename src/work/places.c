#include "work/places.h"

#include "core/limits.h"

enum { NO_MEMORY_MS = 100 };

static int64_t now_ms(const struct rv_exchanger *ex) {
    return rv_clock_boot_ms(&ex->service->clock);
}

size_t rv_places_promised(const struct rv_exchanger *ex) {
    size_t count = 0;
    for (size_t i = 0; i < ex->served_count; i++) {
        if (ex->served[i].unsettled || ex->served[i].under_way)
            count += ex->served[i].request.exchange.want;
    }
    return count;
}

uint64_t rv_places_share_left(const struct rv_exchanger *ex) {
    uint64_t taken = ex->claimed + rv_places_promised(ex);
    if (!ex->options.jobs_max) return UINT64_MAX;
    return taken < ex->options.jobs_max ? ex->options.jobs_max - taken : 0;
}

bool rv_places_may_claim(const struct rv_exchanger *ex) {
    return !atomic_load(&ex->stopping) && !atomic_load(&ex->quiet) && !ex->empty &&
           rv_places_share_left(ex) > 0;
}

size_t rv_places_free(struct rv_exchanger *ex) {
    size_t places = ex->options.threads + ex->options.prefetch;
    size_t taken = rv_pool_load(ex->pool) + rv_places_promised(ex);
    return taken < places ? places - taken : 0;
}

/* As many jobs as one claim may bring now, from whatever queue. */
static size_t jobs_at_most(struct rv_exchanger *ex) {
    size_t most = rv_places_free(ex);
    if (most > RV_CLAIM_MAX) most = RV_CLAIM_MAX;
    return most < rv_places_share_left(ex) ? most : (size_t)rv_places_share_left(ex);
}

bool rv_places_ensure(struct rv_exchanger *ex, size_t want) {
    return rv_spares_ensure(&ex->spares, rv_places_promised(ex) + want, ex->service, ex->drain);
}

/* Is it to be asked for jobs, as far as it alone is concerned? */
static bool may_ask(const struct rv_exchanger *ex, struct rv_served *s) {
    int64_t now = now_ms(ex);
    if (now >= s->look_at_ms) s->hungry = true;
    return s->hungry && now >= s->claim_at_ms;
}

/* Places of this round that no queue was asked to fill just now. */
static size_t places_left(const struct rv_exchanger *ex) {
    size_t asked = 0;
    for (size_t i = 0; i < ex->served_count; i++) {
        const struct rv_served *s = &ex->served[i];
        if (s->under_way && !s->unsettled) asked += s->request.exchange.want;
    }
    return asked < ex->places ? ex->places - asked : 0;
}

size_t rv_places_want(struct rv_exchanger *ex, struct rv_served *s) {
    if (!may_ask(ex, s) || !rv_places_may_claim(ex)) return 0;
    size_t want = jobs_at_most(ex);
    if (want > places_left(ex)) want = places_left(ex);
    if (ex->shares.items) {
        size_t dealt = ex->shares.items[s - ex->served].dealt;
        if (want > dealt) want = dealt;
    }
    if (rv_places_ensure(ex, want)) return want;
    s->claim_at_ms = rv_time_add(now_ms(ex), NO_MEMORY_MS);
    return 0;
}

void rv_places_deal(struct rv_exchanger *ex) {
    ex->places = jobs_at_most(ex);
    if (!ex->shares.items) return;
    for (size_t i = 0; i < ex->served_count; i++) {
        struct rv_served *s = &ex->served[i];
        ex->shares.items[i].asks = !s->unsettled && now_ms(ex) >= s->retry_at_ms && may_ask(ex, s);
    }
    rv_shares_deal(&ex->shares, ex->places);
}
