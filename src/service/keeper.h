/* Renews every lease of the process, so that no handler has to think of it. One thread per open
 * handle; it calls nobody's code, writes no log and shares no lock with whoever does I/O or runs
 * handlers, so that nothing of theirs can starve it. */
#ifndef RV_SERVICE_KEEPER_H
#define RV_SERVICE_KEEPER_H

#include "base/signal.h"
#include "service/claim.h"
#include "service/listener.h"
#include "service/tenure.h"
#include "store/store.h"

struct rv_keeper;

/* The claims that one worker has from one queue: they are renewed together, in bulk. The worker
 * fills the upper part and owns the memory. */
struct rv_kept {
    const char *queue;
    int64_t lease_ms, renew_ms;
    struct rv_signal *signal; /* raised with these bits when a lease was lost */
    unsigned raise;

    /* The keeper's, guarded by its lock. */
    struct rv_list link, claims;
    int64_t due_ms;  /* of the next renewal; INT64_MAX: nothing to renew */
    int64_t sent_ms; /* of the last */
    unsigned bit;    /* that a cancellation in this queue raises */
    bool leaving;
    bool busy;   /* being renewed */
    bool failed; /* in this round, */
    bool missed; /* or some of its claims could not be asked about */
    struct rv_interest cancelled;
};

int rv_keeper_start(struct rv_keeper **out, struct rv_store *store, const struct rv_clock *clock,
                    int64_t timeout_ms, struct rv_listener *listener, struct rv_error *err);
void rv_keeper_stop(struct rv_keeper *keeper); /* NULL is fine; waits for a renewal in flight */

void rv_keeper_add(struct rv_keeper *keeper, struct rv_kept *kept);
/* Waits for a renewal in flight; there is none after. No claim may be left. */
void rv_keeper_remove(struct rv_keeper *keeper, struct rv_kept *kept);

/* Renews all there is, now: leases that a server knew may be unknown to the one that follows it. */
void rv_keeper_hasten(struct rv_keeper *keeper);

/* Renews claim, sent at sent_ms, with all its holds from now on. */
void rv_keeper_take(struct rv_keeper *keeper, struct rv_kept *kept, struct rv_claim *claim,
                    int64_t sent_ms);
/* hold is handed in or given up. Ends its claim if it was the last. */
void rv_keeper_release(struct rv_keeper *keeper, struct rv_hold *hold);

/* Tenures of a group's streams have a book of their own, open from before the first to after the
 * last. */
void rv_keeper_open_book(struct rv_keeper *keeper, struct rv_tenures *book);
void rv_keeper_close_book(struct rv_keeper *keeper, struct rv_tenures *book);
/* Renews a tenure that has begun, until it is let go; one that is lost is renewed no more. */
void rv_keeper_hold(struct rv_keeper *keeper, struct rv_tenure *tenure);
/* Waits for a renewal in flight; there is none after. */
void rv_keeper_let_go(struct rv_keeper *keeper, struct rv_tenure *tenure);

#endif
