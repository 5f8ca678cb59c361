/* A name that this process holds: a grant or a stream, as those see it who act under it. The keeper
 * renews it.
 * It is over when the store says so, or when no renewal has come through for so long that it may
 * have lapsed; nothing brings it back after that. */
#ifndef RV_SERVICE_TENURE_H
#define RV_SERVICE_TENURE_H

#include <stdatomic.h>

#include "base/list.h"
#include "base/signal.h"
#include "core/limits.h"
#include "service/listener.h"
#include "store/store.h"

enum {
    RV_TENURE_LOST = 1,   /* the store says so: lapsed, or another's */
    RV_TENURE_RESIGN = 2, /* its holder is asked to give it up */
};

struct rv_tenure {
    struct rv_tenures *book; /* what it is renewed with; NULL: the grants of the handle */
    enum rv_grant_kind kind; /* of a grant */
    const char *name;        /* outlives it */
    uint64_t holder, token;
    int64_t lease_ms, renew_ms;
    struct rv_signal *signal; /* raised with these bits when a mark is set */
    unsigned raise;

    _Atomic int64_t ends_ms;   /* CLOCK_BOOTTIME: over from then on */
    _Atomic int64_t lapses_ms; /* the same, without the margin: the store may give it to another */
    _Atomic unsigned marks;    /* RV_TENURE_* */

    /* The keeper's, guarded by its lock. */
    struct rv_list link;
    int64_t due_ms;
    struct rv_interest asked; /* to resign */
};

/* It was taken by a call that was sent at sent_ms. The fields above ends_ms are set. */
void rv_tenure_begin(struct rv_tenure *tenure, int64_t sent_ms);
/* A renewal that was sent at sent_ms has come through, and it is now_ms. */
void rv_tenure_good(struct rv_tenure *tenure, int64_t sent_ms, int64_t now_ms);
void rv_tenure_mark(struct rv_tenure *tenure, unsigned mark);
bool rv_tenure_marked(const struct rv_tenure *tenure, unsigned mark);
bool rv_tenure_over(const struct rv_tenure *tenure, const struct rv_clock *clock);
/* Lets go of a grant, or of a place in line for it; what is gone already is fine. A lost answer is
 * asked for once more: or others would wait until the lease is over. */
int rv_tenure_release(struct rv_store *store, const struct rv_tenure *tenure, int64_t timeout_ms,
                      struct rv_error *err);

/* Tenures that are renewed in bulk, by one kind of call: all grants, or the streams that a member
 * has of a group. Guarded by the keeper's lock. */
struct rv_tenures {
    struct rv_list link;          /* in the keeper's */
    const struct rv_group *group; /* NULL: grants */
    struct rv_interest asked;     /* of a group: somebody is to yield a stream */
    struct rv_list list;
    bool busy; /* the batch is on its way: none of it may leave */
    int64_t shortest_ms;
    _Atomic uint64_t renewed_total, missed_total; /* that came through, or did not */
    _Atomic uint64_t us_total, us_max;            /* what the calls took */
    union {
        struct rv_grant_renewal grants[RV_RENEW_MAX];
        struct rv_stream_renewal streams[RV_RENEW_MAX];
    } batch;
    struct rv_tenure *of[RV_RENEW_MAX]; /* whom each is for */
};

void rv_tenures_init(struct rv_tenures *tenures, const struct rv_group *group);

int64_t rv_tenures_due_ms(const struct rv_tenures *tenures); /* INT64_MAX: nothing to renew */
/* Fills the batch with what is due, or will be soon; returns how many. */
size_t rv_tenures_collect(struct rv_tenures *tenures, int64_t now_ms);
/* The call. The keeper's lock is not held: only the batch is touched. */
int rv_tenures_send(struct rv_tenures *tenures, struct rv_store *store, size_t count,
                    int64_t timeout_ms, struct rv_error *err);
/* What became of the batch, which was sent at sent_ms; good: the store has answered. */
void rv_tenures_apply(struct rv_tenures *tenures, size_t count, bool good, int64_t sent_ms,
                      int64_t now_ms);
void rv_tenures_hasten(struct rv_tenures *tenures, int64_t now_ms); /* all are due */

#endif
