/* Names held for mutual exclusion: all of them, or none. */
#ifndef RV_SERVICE_LOCK_H
#define RV_SERVICE_LOCK_H

#include "service/service.h"

struct rv_lock_options {
    const char *const *names; /* NULL-ended, checked, each once */
    int64_t wait_ms;          /* 0: only looks; -1: for ever */
    int64_t lease_ms, renew_ms;
    reeve_lock_lost_fn *lost; /* may be NULL */
    void *arg;
};

/* Waits until all are had, taken in the order of their bytes so that no two can wait for each
 * other, each in its turn. REEVE_ETIMEDOUT: nothing is held. */
int rv_lock_open(struct reeve_lock **out, struct rv_service *service,
                 const struct rv_lock_options *options, struct rv_error *err);
void rv_lock_close(struct reeve_lock *lock); /* NULL is fine; lost is not called after it */

size_t rv_lock_count(const struct reeve_lock *lock);
const char *rv_lock_name(const struct reeve_lock *lock, size_t i); /* in the order of their bytes */
uint64_t rv_lock_token(const struct reeve_lock *lock, size_t i);   /* 0: it is lost */
int64_t rv_lock_left_ms(const struct reeve_lock *lock); /* until the first may be another's */

#endif
