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

/* ---- in bulk ---- */
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

size_t rv_tenures_collect(struct rv_tenures *tenures, int64_t now_ms) {
    size_t count = 0;
    tenures->shortest_ms = INT64_MAX;
    for (struct rv_list *at = tenures->list.next; at != &tenures->list && count < RV_RENEW_MAX;
         at = at->next) {
        struct rv_tenure *tenure = tenure_of(at);
        if (!is_due(tenure, now_ms)) continue;
        if (tenure->lease_ms < tenures->shortest_ms) tenures->shortest_ms = tenure->lease_ms;
        tenures->of[count] = tenure;
        tenures->batch[count++] = (struct rv_grant_renewal){.kind = tenure->kind,
                                                            .name = tenure->name,
                                                            .holder = tenure->holder,
                                                            .token = tenure->token,
                                                            .lease_ms = tenure->lease_ms};
    }
    return count;
}

/* A failed renewal is tried again a few times before the next would be due. */
static int64_t retry_ms(int64_t renew_ms) {
    return renew_ms / 8 + rv_random_below(&rv_random_system, renew_ms / 8 + 1) + 1;
}

static void apply_one(struct rv_tenure *tenure, const struct rv_grant_renewal *renewal,
                      int64_t sent_ms, int64_t now_ms) {
    tenure->due_ms = renewal->lost ? INT64_MAX : rv_time_add(sent_ms, tenure->renew_ms);
    if (!renewal->lost) rv_tenure_good(tenure, sent_ms, now_ms);
    if (renewal->lost) rv_tenure_mark(tenure, RV_TENURE_LOST);
    if (renewal->resign) rv_tenure_mark(tenure, RV_TENURE_RESIGN);
}

void rv_tenures_apply(struct rv_tenures *tenures, size_t count, bool good, int64_t sent_ms,
                      int64_t now_ms) {
    for (size_t i = 0; i < count; i++) {
        struct rv_tenure *tenure = tenures->of[i];
        if (good)
            apply_one(tenure, &tenures->batch[i], sent_ms, now_ms);
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
