/* A claim is one lease: its token and holder are shared by all jobs that it brought. A hold is one
 * of them, as those see it who have to do with leases and not with handlers. */
#ifndef RV_SERVICE_CLAIM_H
#define RV_SERVICE_CLAIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/list.h"

struct rv_claim {
    uint64_t holder, token;
    int64_t lease_ms;
    _Atomic int64_t doubt_at_ms; /* CLOCK_BOOTTIME: from then on it may have lapsed (J8) */

    /* The keeper's, guarded by its lock. */
    struct rv_list holds;
    struct rv_list link; /* in rv_kept.claims while it is renewed */
    uint64_t round;      /* the last that renewed it */

    size_t left; /* jobs of it that are yet to be handed in; the worker's */
};

enum {
    RV_MARK_LOST = 1,      /* the lease is another's: nothing under it counts any more */
    RV_MARK_CANCELLED = 2, /* somebody cancelled the job */
};

struct rv_hold {
    const char *id;
    struct rv_claim *claim;
    _Atomic unsigned marks; /* RV_MARK_* */
    _Atomic int wake_fd;    /* an eventfd that outlives the hold; -1: nobody waits */
    struct rv_list link;    /* in claim->holds; the keeper's */
};

/* NULL when out of memory. free() ends one that no keeper has. */
struct rv_claim *rv_claim_create(uint64_t holder, uint64_t token, int64_t lease_ms);
/* A claim or renewal that was sent at sent_ms has come through. */
void rv_claim_good(struct rv_claim *claim, int64_t sent_ms);
bool rv_claim_in_doubt(const struct rv_claim *claim, const struct rv_clock *clock);

/* Makes hold one of claim's. */
void rv_hold_init(struct rv_hold *hold, struct rv_claim *claim, const char *id);
void rv_hold_mark(struct rv_hold *hold, unsigned mark); /* and wakes who waits */
bool rv_hold_marked(const struct rv_hold *hold, unsigned mark);
void rv_hold_wake(struct rv_hold *hold);
void rv_hold_end(struct rv_hold *hold); /* its handler is over: there is nobody to wake */

#endif
