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
    uint64_t seen; /* fail-overs; the thread's own */
};

/* ---- the thread ---- */
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

/* Returns how long to wait; -1: until something is pushed, or heard. */
static int64_t mend(struct rv_mender *m) {
    int64_t again_in_ms;
    look_for_failovers(m);
    (void)rv_store_mend(m->store, &again_in_ms, NULL); /* what fails is tried again */
    look_for_failovers(m);                             /* it has asked around */
    return again_in_ms;
}

static void *run(void *arg) {
    struct rv_mender *m = arg;
    int64_t wait_ms = FIRST_MS;
    for (;;) {
        atomic_store(&m->idle, wait_ms < 0);
        unsigned bits = rv_signal_wait(&m->signal, wait_ms);
        if (bits & STOP) return NULL;
        /* What was pushed just now can wait until others were, too. */
        wait_ms = bits == MIND ? FIRST_MS : mend(m);
    }
}

/* ---- for the service ---- */
int rv_mender_start(struct rv_mender **out, struct rv_store *store, struct rv_error *err) {
    struct rv_mender *m = calloc(1, sizeof *m);
    if (!m || rv_signal_init(&m->signal)) {
        free(m);
        return rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    struct rv_failover failover;
    m->store = store;
    while (rv_store_failover(store, m->seen, &failover) && failover.number)
        m->seen = failover.number;
    if (rv_thread_start(&m->thread, run, m)) {
        rv_signal_release(&m->signal);
        free(m);
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
    rv_signal_release(&m->signal);
    free(m);
}

void rv_mender_mind(struct rv_mender *m, struct rv_keeper *keeper, struct rv_listener *listener) {
    atomic_store(&m->keeper, keeper);
    if (listener && !atomic_exchange(&m->listener, listener))
        rv_listener_heed(listener, &m->signal, HEARD);
    if (atomic_exchange(&m->idle, false)) rv_signal_raise(&m->signal, MIND);
}
