#include "service/mender.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/thread.h"

enum {
    MIND = 1,
    HEARD = 2, /* by the listener: of a fail-over */
    STOP = 4,
    FIRST_MS = 1000, /* who pushes once and ends is not held up */
};

struct rv_mender {
    struct rv_store *store;
    struct rv_signal signal;
    pthread_t thread;
    atomic_bool idle; /* it waits for something to see to */
    _Atomic(struct rv_keeper *) keeper;
    _Atomic(struct rv_listener *) listener;
    pthread_mutex_t lock; /* one pass at a time: it has the pushes in hand */
    uint64_t seen;        /* fail-overs; with the lock */
};

/* ---- a pass ---- */
/* Leases of the server that is gone are told to the one that is there now. */
static void look_for_failovers(struct rv_mender *m) {
    struct rv_failover failover;
    bool any = false;
    while (rv_store_failover(m->store, m->seen, &failover) && failover.number) {
        m->seen = failover.number;
        any = true;
    }
    struct rv_keeper *keeper = atomic_load(&m->keeper);
    if (any && keeper) rv_keeper_hasten(keeper);
}

/* *again_in_ms: how long to wait; -1: until something is pushed, or heard. */
static int mend(struct rv_mender *m, int64_t *again_in_ms, struct rv_error *err) {
    (void)pthread_mutex_lock(&m->lock);
    look_for_failovers(m);
    int rc = rv_store_mend(m->store, again_in_ms, err);
    look_for_failovers(m); /* it has asked around */
    (void)pthread_mutex_unlock(&m->lock);
    return rc;
}

int rv_mender_pass(struct rv_mender *m, struct rv_error *err) {
    int64_t ignored;
    return mend(m, &ignored, err);
}

/* ---- the thread ---- */

static void *run(void *arg) {
    struct rv_mender *m = arg;
    int64_t wait_ms = FIRST_MS;
    for (;;) {
        atomic_store(&m->idle, wait_ms < 0);
        unsigned bits = rv_signal_wait(&m->signal, wait_ms);
        if (bits & STOP) return NULL;
        /* What was pushed just now can wait until others were, too. */
        if (bits == MIND)
            wait_ms = FIRST_MS;
        else
            (void)mend(m, &wait_ms, NULL); /* what fails is tried again */
    }
}

/* ---- for the service ---- */
static struct rv_mender *create(struct rv_store *store) {
    struct rv_failover failover;
    struct rv_mender *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->store = store;
    if (pthread_mutex_init(&m->lock, NULL)) goto no_lock;
    if (rv_signal_init(&m->signal)) goto no_signal;
    while (rv_store_failover(store, m->seen, &failover) && failover.number)
        m->seen = failover.number;
    return m;
no_signal:
    (void)pthread_mutex_destroy(&m->lock);
no_lock:
    free(m);
    return NULL;
}

static void destroy(struct rv_mender *m) {
    rv_signal_release(&m->signal);
    (void)pthread_mutex_destroy(&m->lock);
    free(m);
}

int rv_mender_start(struct rv_mender **out, struct rv_store *store, struct rv_error *err) {
    struct rv_mender *m = create(store);
    if (!m) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    if (rv_thread_start(&m->thread, run, m)) {
        destroy(m);
        return rv_fail(err, REEVE_ENOMEM, "cannot start the mender's thread");
    }
    *out = m;
    return 0;
}

void rv_mender_stop(struct rv_mender *m) {
    if (!m) return;
    struct rv_listener *listener = atomic_load(&m->listener);
    if (listener) rv_listener_heed(listener, NULL, 0);
    rv_signal_raise(&m->signal, STOP);
    (void)pthread_join(m->thread, NULL);
    destroy(m);
}

void rv_mender_mind(struct rv_mender *m, struct rv_keeper *keeper, struct rv_listener *listener) {
    atomic_store(&m->keeper, keeper);
    if (listener && !atomic_exchange(&m->listener, listener))
        rv_listener_heed(listener, &m->signal, HEARD);
    if (atomic_exchange(&m->idle, false)) rv_signal_raise(&m->signal, MIND);
}
