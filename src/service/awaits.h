/* Those who wait for the ends of jobs that they pushed themselves, where the store tells such ends
 * by itself (RV_CAP_TELLS): whose they are is known by a number in the nonce of the push. What is
 * told is a hint that comes with the record: who hears nothing reads now and then. */
#ifndef RV_SERVICE_AWAITS_H
#define RV_SERVICE_AWAITS_H

#include <pthread.h>
#include <stdbool.h>

#include "base/gong.h"
#include "base/latch.h"
#include "base/list.h"
#include "store/store.h"

enum { RV_AWAITS_LISTS = 256, RV_AWAITS_GONGS = 64 };

struct rv_awaits {
    uint32_t address;
    atomic_uint next;           /* number of a push */
    atomic_uint callers;        /* who push and wait now, alone or in company */
    _Atomic int64_t no_box_ms;  /* until then none is tried for; boot */
    atomic_bool used;           /* ever: the listener is to listen */
    atomic_bool heard;          /* something was told: it does */
    atomic_long returning;      /* who were told of ends together, and may push again any moment */
    _Atomic int64_t told_at_us; /* when; boot */
    /* By number, 32 that follow one another on each: those who pushed together were numbered
     * together, and those who are told together are woken by few calls. */
    struct rv_gong gongs[RV_AWAITS_GONGS];
    pthread_mutex_t lock;                  /* guards the rest, and the jobs of all that is in it */
    struct rv_list lists[RV_AWAITS_LISTS]; /* by number */
};

/* One who waits: a push on its way, then the job until its end. On his stack. */
struct rv_await {
    struct rv_awaits *of;
    struct rv_latch latch; /* RV_AWAIT_*; slept on by the gong of his number */
    uint32_t number;
    struct rv_list link;
    struct reeve_job *job; /* as it was told; NULL: it is to be read */
};

enum {
    RV_AWAIT_PUSHED = 1, /* the push was answered: nobody else looks at it any more */
    RV_AWAIT_OVER = 2,   /* and there is nothing to wait for: it was not queued */
    RV_AWAIT_SENDS = 4,  /* it is his turn to send, for others, too (gather.h) */
    RV_AWAIT_ENDED = 8,  /* the job has ended, as was told */
    RV_AWAIT_LATE = 16,  /* he has slept for long enough: an answer is to wake him, too */
};

int rv_awaits_init(struct rv_awaits *awaits);     /* 0 or REEVE_ENOMEM */
void rv_awaits_release(struct rv_awaits *awaits); /* nobody may wait */
/* Somebody comes to push and wait: whether he is alone (lone.h). Whoever came leaves. */
bool rv_awaits_come(struct rv_awaits *awaits);
void rv_awaits_leave(struct rv_awaits *awaits);
/* Whether it is worth waiting for others before one pushes: they were told of ends just now. */
bool rv_awaits_gather(struct rv_awaits *awaits);
/* Gives each of these to whom it is for, and empties the list. */
void rv_awaits_tell(struct rv_awaits *awaits, struct rv_list *told);

/* From now on its end is told. Returns the nonce to push with. */
uint64_t rv_await_begin(struct rv_awaits *awaits, struct rv_await *await);
void rv_await_end(struct rv_awaits *awaits, struct rv_await *await);

/* For whoever pushes it: it was answered. Unless it is over, the end is what he is woken for. */
void rv_await_answer(struct rv_await *await, bool over);
void rv_await_send(struct rv_await *await);
/* Sleeps until it is his turn to send, or it was answered and he has heard something: of the end,
 * or nothing for ms. */
void rv_await_sleep(struct rv_await *await, int64_t ms);
/* The same; false: at until_ms (boot; INT64_MAX: never) it was neither. */
bool rv_await_sleep_until(struct rv_await *await, int64_t ms, int64_t until_ms);
/* It was told that there is nothing to wait for, and there is after all. */
void rv_await_reopen(struct rv_await *await);
/* His turn to send is over. */
void rv_await_clear_turn(struct rv_await *await);
/* Takes what was told, for the caller to free; NULL: nothing, or it is to be read. To be waited for
 * anew. */
struct reeve_job *rv_await_take(struct rv_awaits *awaits, struct rv_await *await);

#endif
