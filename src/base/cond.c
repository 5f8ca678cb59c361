#include "base/cond.h"

#include <time.h>

int rv_cond_init(pthread_cond_t *cond) {
    pthread_condattr_t attr;
    int rc = pthread_condattr_init(&attr);
    if (rc) return rc;
    rc = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    if (!rc) rc = pthread_cond_init(cond, &attr);
    (void)pthread_condattr_destroy(&attr);
    return rc;
}

void rv_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t ms) {
    if (ms < 0) {
        (void)pthread_cond_wait(cond, lock);
        return;
    }
    const int64_t day_ms = 24 * 3600 * (int64_t)1000; /* a longer wait just wakes early */
    if (ms > day_ms) ms = day_ms;
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    (void)pthread_cond_timedwait(cond, lock, &until);
}
