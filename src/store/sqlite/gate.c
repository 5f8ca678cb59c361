#include "store/sqlite/gate.h"

#include <reeve.h>

#include "base/clock.h"
#include "base/cond.h"

int rv_sq_gate_init(struct rv_sq_gate *gate) {
    gate->taken = false;
    if (pthread_mutex_init(&gate->lock, NULL)) return REEVE_ENOMEM;
    if (!rv_cond_init(&gate->freed)) return 0;
    (void)pthread_mutex_destroy(&gate->lock);
    return REEVE_ENOMEM;
}

void rv_sq_gate_release(struct rv_sq_gate *gate) {
    (void)pthread_cond_destroy(&gate->freed);
    (void)pthread_mutex_destroy(&gate->lock);
}

bool rv_sq_gate_enter(struct rv_sq_gate *gate, int64_t deadline_ms) {
    (void)pthread_mutex_lock(&gate->lock);
    while (gate->taken) {
        int64_t left_ms = deadline_ms - rv_clock_boot_ms(&rv_clock_real);
        if (left_ms <= 0) break;
        rv_cond_wait(&gate->freed, &gate->lock, left_ms);
    }
    bool entered = !gate->taken;
    gate->taken = true;
    (void)pthread_mutex_unlock(&gate->lock);
    return entered;
}

void rv_sq_gate_leave(struct rv_sq_gate *gate) {
    (void)pthread_mutex_lock(&gate->lock);
    gate->taken = false;
    (void)pthread_cond_signal(&gate->freed);
    (void)pthread_mutex_unlock(&gate->lock);
}
