/* Waiting on a condition with a time-out that no step of the wall clock disturbs. */
#ifndef RV_BASE_COND_H
#define RV_BASE_COND_H

#include <pthread.h>
#include <stdint.h>

int rv_cond_init(pthread_cond_t *cond); /* on CLOCK_MONOTONIC; 0 or an errno */
/* Waits at most ms (< 0: without bound). As with any condition: re-check what you waited for. */
void rv_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t ms);

#endif
