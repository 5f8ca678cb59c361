#include "base/signal.h"

#include <time.h>

#include <reeve.h>

#include "base/clock.h"
#include "base/cond.h"

int rv_signal_init(struct rv_signal *signal) {
    atomic_init(&signal->bits, 0);
    if (pthread_mutex_init(&signal->lock, NULL)) return REEVE_ENOMEM;
    if (!rv_cond_init(&signal->cond)) return 0;
    (void)pthread_mutex_destroy(&signal->lock);
    return REEVE_ENOMEM;
}

void rv_signal_release(struct rv_signal *signal) {
    (void)pthread_cond_destroy(&signal->cond);
    (void)pthread_mutex_destroy(&signal->lock);
}

void rv_signal_raise(struct rv_signal *signal, unsigned bits) {
    /* Raised already and not taken: who takes it looks after that, and sees what we did before. */
    if ((atomic_load(&signal->bits) & bits) == bits) return;
    (void)pthread_mutex_lock(&signal->lock);
    (void)atomic_fetch_or(&signal->bits, bits);
    (void)pthread_cond_broadcast(&signal->cond);
    (void)pthread_mutex_unlock(&signal->lock);
}

unsigned rv_signal_wait(struct rv_signal *signal, int64_t ms) {
    int64_t until = ms < 0 ? 0 : rv_time_add(rv_clock_boot_ms(&rv_clock_real), ms);
    (void)pthread_mutex_lock(&signal->lock);
    while (!atomic_load(&signal->bits)) {
        int64_t left = ms < 0 ? -1 : until - rv_clock_boot_ms(&rv_clock_real);
        if (ms >= 0 && left <= 0) break;
        rv_cond_wait(&signal->cond, &signal->lock, left);
    }
    unsigned bits = atomic_exchange(&signal->bits, 0);
    (void)pthread_mutex_unlock(&signal->lock);
    return bits;
}
