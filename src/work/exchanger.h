/* The only one of a worker who hands in and claims: one store call per queue does both. Under load
 * it is a group commit by itself: what finishes during a call goes into the next. It never waits in
 * the store; handlers, the listener and its owner wake it. While it sleeps, a handler thread with
 * nothing else to do makes its round. */
#ifndef RV_WORK_EXCHANGER_H
#define RV_WORK_EXCHANGER_H

#include "work/outage.h"
#include "work/pool.h"
#include "work/registry.h"
#include "work/served.h"
#include "work/shares.h"
#include "work/spares.h"
#include "work/tally.h"
#include "work/vigil.h"

struct rv_exchanger_options {
    const char *const *queues; /* NULL-ended, most urgent first; outlives the exchanger */
    const int *weights;        /* of queues; NULL: strictly in order. Likewise */
    const struct rv_handlers *handlers;
    const char *id; /* of the worker */
    size_t threads, prefetch;
    int64_t lease_ms, renew_ms;
    uint64_t jobs_max; /* 0: no bound */
    bool until_empty;
};

struct rv_exchanger {
    struct rv_service *service;
    struct rv_exchanger_options options;
    struct rv_listener *listener;
    struct rv_keeper *keeper;
    struct rv_pool *pool;
    struct rv_drain *drain;
    struct rv_registry registry;
    struct rv_signal signal;
    atomic_bool stopping, quiet;
    struct rv_tally tally;

    struct rv_vigil vigil;

    /* Of whoever makes the rounds: its thread or, while that sleeps, one of the pool's. */
    pthread_mutex_t turn; /* guards all below, and is held during calls of the store */
    bool asleep;
    int64_t sleeps_until_ms;
    struct rv_served *served;
    size_t served_count;
    struct rv_trade *trades; /* room for one with each of served */
    struct rv_shares shares; /* by the index of served */
    size_t places; /* for jobs, as they were free when the round began: what comes free during it
                    * is the most urgent queue's, in the next */
    struct rv_spares spares;
    size_t in_hand;   /* claimed and not settled */
    uint64_t claimed; /* ever */
    struct rv_outage outage;
    int64_t empty_look_ms; /* when to look next whether there is no more to do */
    int64_t give_up_ms;    /* a store that is away keeps no worker from ending; 0: not yet */
    bool empty;
    int rounds_ungathered; /* until it is tried again whether handlers are quick */
};

/* pool and drain are to outlive it; the pool need not have started. */
int rv_exchanger_init(struct rv_exchanger *exchanger, struct rv_service *service,
                      const struct rv_exchanger_options *options, struct rv_pool *pool,
                      struct rv_drain *drain, struct rv_error *err);
void rv_exchanger_release(struct rv_exchanger *exchanger);

/* On a thread of its own: until it was told to stop or there is no more to do, and all is handed
 * in. Handlers are told, and what was not begun is handed back, once it is to stop. */
void rv_exchanger_run(struct rv_exchanger *exchanger);
void rv_exchanger_finished(void *exchanger, struct reeve_task *task); /* for the pool */
void rv_exchanger_stop(struct rv_exchanger *exchanger);
void rv_exchanger_quiet(struct rv_exchanger *exchanger, bool quiet);

#endif
