/* How one thread tells another that there is something to do: bits that add up until they are
 * taken. */
#ifndef RV_BASE_SIGNAL_H
#define RV_BASE_SIGNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct rv_signal {
    pthread_mutex_t lock; /* held by nobody for long, so raising never blocks on work */
    pthread_cond_t cond;
    atomic_uint bits; /* changed with the lock held */
};

int rv_signal_init(struct rv_signal *signal); /* 0 or REEVE_ENOMEM */
void rv_signal_release(struct rv_signal *signal);
void rv_signal_raise(struct rv_signal *signal, unsigned bits);
/* Waits until a bit is raised or ms are over (< 0: no bound; 0: only looks). Takes and returns the
 * bits. */
unsigned rv_signal_wait(struct rv_signal *signal, int64_t ms);

#endif
