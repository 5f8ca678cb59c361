/* What the parts of a member share: member.c the thread, deeds.c what becomes of a stream in hand,
 * roll.c who else is there. */
#ifndef RV_SERVICE_MEMBER_INNER_H
#define RV_SERVICE_MEMBER_INNER_H

#include "base/id.h"
#include "service/keeper.h"
#include "service/member.h"
#include "service/owned.h"

enum {
    RV_MEMBER_LOOK = 1,  /* a mark on a tenure, or room for another */
    RV_MEMBER_READY = 2, /* a stream waits */
    RV_MEMBER_HEARD = 4, /* an owner is heard to have gone */
    RV_MEMBER_STOP = 8,
};

struct reeve_member {
    struct rv_service *service;
    struct rv_keeper *keeper;
    struct rv_listener *listener;
    struct reeve_member_options options;
    char name[REEVE_NAME_SIZE];
    struct rv_group group; /* of that name */
    char id[RV_GENERATED_ID_SIZE];
    struct rv_signal signal;
    struct rv_interest interest; /* in streams that wait */
    struct rv_interest hint;     /* in owners that are heard to have gone */
    struct rv_tenures book;
    struct rv_holdings holdings;
    pthread_t thread;
    atomic_bool stopping;
    atomic_bool draining; /* it takes nothing any more */

    pthread_mutex_t lock; /* guards stats and rest_until_ms */
    struct reeve_member_stats stats;
    int64_t rest_until_ms; /* others go first */

    /* The thread's own; times are CLOCK_BOOTTIME. */
    uint64_t holder;   /* of the take; kept until it is known what came of it (J7) */
    bool more;         /* for all we know streams wait */
    uint64_t cap;      /* own no more than that, for fairness' sake */
    int64_t scan_ms;   /* when to look for dead owners */
    int64_t beat_ms;   /* when to say that we are here */
    int64_t joined_ms; /* wall */
    int64_t away_ms;   /* since when the store does not answer; 0: it does */
    int64_t retry_ms;  /* and when to ask it again */
};

static inline int64_t rv_member_now_ms(const struct reeve_member *m) {
    return rv_clock_boot_ms(&m->service->clock);
}

static inline int64_t rv_member_call_ms(const struct reeve_member *m) {
    return rv_lease_call_ms(m->service->timeout_ms, m->options.lease_ms);
}

static inline uint64_t rv_member_dead_max(const struct reeve_member *m) {
    return m->options.dead_max == REEVE_NONE ? 0 : (uint64_t)m->options.dead_max;
}

/* ---- member.c ---- */
/* A call came to rc. True: the store has answered. An outage is told once, and its end. */
bool rv_member_heard(struct reeve_member *m, int rc, const struct rv_error *err);
void rv_member_count(struct reeve_member *m, uint64_t *counter, uint64_t by); /* in m->stats */
/* by to a total there, and to the most that there was at once. */
void rv_member_count_most(struct reeve_member *m, uint64_t by, uint64_t *total, uint64_t *most);
static inline int64_t rv_member_now_us(void) { /* for what takes how long */
    return rv_clock_boot_us(&rv_clock_real);
}

/* ---- deeds.c ---- */
/* Streams that were lost, or that we are asked for: tells the user, and lets go of them. */
void rv_member_tell_losses(struct reeve_member *m);
int64_t rv_member_first_end_ms(struct reeve_member *m); /* of those in hand; INT64_MAX: none */
void rv_member_yield_all(struct reeve_member *m);
void rv_member_lose_all(struct reeve_member *m); /* as if all had expired */
/* Lets go of what was just taken and cannot be kept. */
void rv_member_refuse(struct reeve_member *m, const struct reeve_stream *stream, uint64_t holder);

/* ---- roll.c ---- */
/* Says that we are here and looks who else is; sets cap, and marks what others should have. */
void rv_member_beat(struct reeve_member *m);
void rv_member_leave(struct reeve_member *m);

#endif
