/* The only thread that blocks on the store: it sits in rv_store_wait() and raises the signals of
 * those who asked. A signal is a hint; whoever gets one looks for himself. */
#ifndef RV_SERVICE_LISTENER_H
#define RV_SERVICE_LISTENER_H

#include "base/list.h"
#include "base/signal.h"
#include "service/awaits.h"
#include "store/store.h"

struct rv_listener;

enum {
    RV_HEAR_READY = 1, /* a job can be claimed. One shot: asked for again by rv_listener_rearm() */
    RV_HEAR_ENDED = 2,
    RV_HEAR_CANCELLED = 4,
    RV_HEAR_EVENTS = 8,
};

/* What somebody wants to hear of one queue, or of one grant: ENDED is then a release, CANCELLED
 * that its holder is asked to resign; or of a group of streams: READY is then that one waits, ENDED
 * that an owner is heard to have gone, CANCELLED that one is to yield. The asker fills the upper
 * part and owns the memory. */
struct rv_interest {
    const char *queue;
    enum rv_grant_kind grant;     /* 0: a queue */
    const struct rv_group *group; /* NULL: a queue or grant; else queue is its name */
    unsigned what;                /* RV_HEAR_* */
    struct rv_signal *signal;
    unsigned raise;      /* the bits raised on it */
    struct rv_list link; /* in listener.interests; the listener's own */
    bool armed;          /* READY is still wanted; the listener's own */
};

/* Starts the thread. It ends in rv_listener_stop(). awaits: who wait for ends that the store tells;
 * NULL: nobody. */
int rv_listener_start(struct rv_listener **out, struct rv_store *store, const struct rv_log *log,
                      struct rv_awaits *awaits, struct rv_error *err);
void rv_listener_stop(struct rv_listener *listener); /* NULL is fine; no interest may be left */

/* Raises bits on signal (NULL: on none any more) when servers of the store have followed one
 * another: rv_store_failover(). */
void rv_listener_heed(struct rv_listener *listener, struct rv_signal *signal, unsigned bits);

void rv_listener_add(struct rv_listener *listener,
                     struct rv_interest *interest); /* armed at once */
void rv_listener_rearm(struct rv_listener *listener, struct rv_interest *interest);
void rv_listener_remove(struct rv_listener *listener,
                        struct rv_interest *interest); /* nothing is raised after */

#endif
