/* Pushes of many threads share store steps: the first in sends for all of the same queue that came
 * meanwhile. A caller who is alone sends at once; one of a crowd lets the others run up to him
 * first. */
#ifndef RV_SERVICE_GATHER_H
#define RV_SERVICE_GATHER_H

#include <pthread.h>

#include "base/gong.h"
#include "base/list.h"
#include "service/awaits.h"
#include "service/crowd.h"
#include "service/ferry.h"
#include "store/store.h"

enum { RV_GONGS = 8 };

struct rv_gather {
    struct rv_store *store;
    int64_t timeout_ms;        /* how long an unsure push is repeated before that is told */
    struct rv_ferries ferries; /* for stores that serve several steps at a time */

    /* The door, where callers line up else: the steps of a queue go one after the other. */
    pthread_mutex_t lock;   /* guards the rest and all behind it; never held during I/O */
    struct rv_list senders; /* of requests in the store now, one per queue */
    struct rv_crowd crowd;
    struct rv_gong gongs[RV_GONGS]; /* each for the followers of one step, in turn */
    unsigned next_gong;
};

/* 0 or REEVE_ENOMEM. */
int rv_gather_init(struct rv_gather *gather, struct rv_store *store, int64_t timeout_ms);
void rv_gather_release(struct rv_gather *gather); /* no push may be under way */

/* As rv_store_push(), except that the steps may be shared with other callers and that an unsure
 * step is repeated, ids and nonces unchanged (J7), within the time-out. One's refusal never sinks
 * others. err is there, and clear. */
int rv_gather_push(struct rv_gather *gather, const char *queue, const struct rv_new_job *jobs,
                   size_t count, struct rv_pushed *outs, struct rv_error *err);

/* The same for one job, by a caller who cannot wait for long: he is told at until_ms (boot;
 * INT64_MAX: there is time) what is known by then. */
int rv_gather_push_until(struct rv_gather *gather, const struct rv_new_job *job, int64_t until_ms,
                         struct rv_pushed *out, struct rv_error *err);

/* The same for one whose end await is told of. If it was queued, the caller may sleep on until
 * that has come, or recheck_ms are over: he is woken once, not twice. */
int rv_gather_push_awaited(struct rv_gather *gather, const struct rv_new_job *job, int64_t until_ms,
                           struct rv_await *await, int64_t recheck_ms, struct rv_pushed *out,
                           struct rv_error *err);

#endif
