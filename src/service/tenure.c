#include "service/tenure.h"

#include "base/random.h"
#include "core/check.h"

static void set_end(struct rv_tenure *tenure, int64_t sent_ms) {
    int64_t margin_ms = rv_lease_margin_ms(tenure->lease_ms);
    int64_t lapses_ms = rv_time_add(sent_ms, tenure->lease_ms);
    atomic_store(&tenure->lapses_ms, lapses_ms);
    atomic_store(&tenure->ends_ms, lapses_ms - margin_ms);
}

void rv_tenure_begin(struct rv_tenure *tenure, int64_t sent_ms) {
    atomic_store(&tenure->marks, 0);
    set_end(tenure, sent_ms);
    tenure->due_ms = rv_time_add(sent_ms, tenure->renew_ms);
}

void rv_tenure_good(struct rv_tenure *tenure, int64_t sent_ms, int64_t now_ms) {
    if (now_ms >= atomic_load(&tenure->ends_ms)) return; /* who has seen its end has acted on it */
    set_end(tenure, sent_ms);
}

void rv_tenure_mark(struct rv_tenure *tenure, unsigned mark) {
    if (atomic_fetch_or(&tenure->marks, mark) & mark) return;
    rv_signal_raise(tenure->signal, tenure->raise);
}

bool rv_tenure_marked(const struct rv_tenure *tenure, unsigned mark) {
    return (atomic_load(&tenure->marks) & mark) != 0;
}

bool rv_tenure_over(const struct rv_tenure *tenure, const struct rv_clock *clock) {
    return rv_tenure_marked(tenure, RV_TENURE_LOST) ||
           rv_clock_boot_ms(clock) >= atomic_load(&tenure->ends_ms);
}

int rv_tenure_release(struct rv_store *store, const struct rv_tenure *tenure, int64_t timeout_ms,
                      struct rv_error *err) {
    int rc = REEVE_EUNSURE;
    for (int tries = 0; rc == REEVE_EUNSURE && tries < 2; tries++)
        rc = rv_store_grant_release(store, tenure->kind, tenure->name, tenure->holder, timeout_ms,
                                    err);
    return rc == REEVE_EFENCED ? 0 : rc;
}

/* ---- in bulk ---- */
void rv_tenures_init(struct rv_tenures *tenures, const struct rv_group *group) {
    *tenures = (struct rv_tenures){.group = group};
    rv_list_init(&tenures->link);
    rv_list_init(&tenures->list);
}

static struct rv_tenure *tenure_of(struct rv_list *link) {
    return rv_container_of(link, struct rv_tenure, link);
}

int64_t rv_tenures_due_ms(const struct rv_tenures *tenures) {
    int64_t due_ms = INT64_MAX;
    for (struct rv_list *at = tenures->list.next; at != &tenures->list; at = at->next)
        if (tenure_of(at)->due_ms < due_ms) due_ms = tenure_of(at)->due_ms;
    return due_ms;
}

/* A quarter of the time early, for company's sake: one step instead of many. */
static bool is_due(const struct rv_tenure *tenure, int64_t now_ms) {
    return tenure->due_ms != INT64_MAX && tenure->due_ms - tenure->renew_ms / 4 <= now_ms;
}

static void put_into_batch(struct rv_tenures *tenures, size_t i, const struct rv_tenure *tenure) {
    if (tenures->group)
        tenures->batch.streams[i] = (struct rv_stream_renewal){.name = tenure->name,
                                                               .holder = tenure->holder,
                                                               .token = tenure->token,
                                                               .lease_ms = tenure->lease_ms};
    else
        tenures->batch.grants[i] = (struct rv_grant_renewal){.kind = tenure->kind,
                                                             .name = tenure->name,
                                                             .holder = tenure->holder,
                                                             .token = tenure->token,
                                                             .lease_ms = tenure->lease_ms};
}

size_t rv_tenures_collect(struct rv_tenures *tenures, int64_t now_ms) {
    size_t count = 0;
    tenures->shortest_ms = INT64_MAX;
    for (struct rv_list *at = tenures->list.next; at != &tenures->list && count < RV_RENEW_MAX;
         at = at->next) {
        struct rv_tenure *tenure = tenure_of(at);
        if (!is_due(tenure, now_ms)) continue;
        if (tenure->lease_ms < tenures->shortest_ms) tenures->shortest_ms = tenure->lease_ms;
        tenures->of[count] = tenure;
        put_into_batch(tenures, count++, tenure);
    }
    return count;
}

static int send_batch(struct rv_tenures *tenures, struct rv_store *store, size_t count,
                      int64_t timeout_ms, struct rv_error *err) {
    if (tenures->group)
        return rv_store_stream_renew(store, tenures->group, tenures->batch.streams, count,
                                     timeout_ms, err);
    return rv_store_grant_renew(store, tenures->batch.grants, count, timeout_ms, err);
}

int rv_tenures_send(struct rv_tenures *tenures, struct rv_store *store, size_t count,
                    int64_t timeout_ms, struct rv_error *err) {
    int64_t began_us = rv_clock_boot_us(&rv_clock_real);
    int rc = send_batch(tenures, store, count, timeout_ms, err);
    uint64_t took_us = (uint64_t)(rv_clock_boot_us(&rv_clock_real) - began_us);
    (void)atomic_fetch_add(&tenures->us_total, took_us);
    if (took_us > atomic_load(&tenures->us_max)) atomic_store(&tenures->us_max, took_us);
    return rc;
}

/* A failed renewal is tried again a few times before the next would be due. */
static int64_t retry_ms(int64_t renew_ms) {
    return renew_ms / 8 + rv_random_below(&rv_random_system, renew_ms / 8 + 1) + 1;
}

static void apply_one(struct rv_tenures *tenures, size_t i, int64_t sent_ms, int64_t now_ms) {
    struct rv_tenure *tenure = tenures->of[i];
    const struct rv_grant_renewal *grant = &tenures->batch.grants[i];
    const struct rv_stream_renewal *stream = &tenures->batch.streams[i];
    bool lost = tenures->group ? stream->lost : grant->lost;
    bool asked = tenures->group ? stream->yield : grant->resign;
    tenure->due_ms = lost ? INT64_MAX : rv_time_add(sent_ms, tenure->renew_ms);
    if (!lost) rv_tenure_good(tenure, sent_ms, now_ms);
    if (lost) rv_tenure_mark(tenure, RV_TENURE_LOST);
    if (asked) rv_tenure_mark(tenure, RV_TENURE_RESIGN);
}

void rv_tenures_apply(struct rv_tenures *tenures, size_t count, bool good, int64_t sent_ms,
                      int64_t now_ms) {
    atomic_fetch_add(good ? &tenures->renewed_total : &tenures->missed_total, count);
    for (size_t i = 0; i < count; i++) {
        struct rv_tenure *tenure = tenures->of[i];
        if (good)
            apply_one(tenures, i, sent_ms, now_ms);
        else
            tenure->due_ms = rv_time_add(now_ms, retry_ms(tenure->renew_ms));
    }
}

void rv_tenures_hasten(struct rv_tenures *tenures, int64_t now_ms) {
    for (struct rv_list *at = tenures->list.next; at != &tenures->list; at = at->next) {
        struct rv_tenure *tenure = tenure_of(at);
        if (tenure->due_ms != INT64_MAX && tenure->due_ms > now_ms) tenure->due_ms = now_ms;
    }
}
