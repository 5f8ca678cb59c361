#include "service/claim.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/check.h"

struct rv_claim *rv_claim_create(uint64_t holder, uint64_t token, int64_t lease_ms) {
    struct rv_claim *claim = calloc(1, sizeof *claim);
    if (!claim) return NULL;
    claim->holder = holder;
    claim->token = token;
    claim->lease_ms = lease_ms;
    rv_list_init(&claim->holds);
    rv_list_init(&claim->link);
    return claim;
}

void rv_claim_good(struct rv_claim *claim, int64_t sent_ms) {
    int64_t sure_ms = claim->lease_ms - rv_lease_margin_ms(claim->lease_ms);
    atomic_store(&claim->doubt_at_ms, rv_time_add(sent_ms, sure_ms));
}

bool rv_claim_in_doubt(const struct rv_claim *claim, const struct rv_clock *clock) {
    return rv_clock_boot_ms(clock) >= atomic_load(&claim->doubt_at_ms);
}

void rv_hold_init(struct rv_hold *hold, struct rv_claim *claim, const char *id) {
    hold->id = id;
    hold->claim = claim;
    atomic_init(&hold->marks, 0);
    atomic_init(&hold->wake_fd, -1);
    rv_list_add_tail(&claim->holds, &hold->link);
}

void rv_hold_mark(struct rv_hold *hold, unsigned mark) {
    atomic_fetch_or(&hold->marks, mark);
    rv_hold_wake(hold);
}

bool rv_hold_marked(const struct rv_hold *hold, unsigned mark) {
    return (atomic_load(&hold->marks) & mark) != 0;
}

void rv_hold_wake(struct rv_hold *hold) {
    const uint64_t one = 1;
    int fd = atomic_load(&hold->wake_fd);
    if (fd >= 0 && write(fd, &one, sizeof one) < 0) return; /* full: it is awake already */
}

void rv_hold_end(struct rv_hold *hold) {
    atomic_store(&hold->wake_fd, -1);
}
