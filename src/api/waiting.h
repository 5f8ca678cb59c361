/* Waiting for the end of a job, whoever pushed it. */
#ifndef RV_API_WAITING_H
#define RV_API_WAITING_H

#include "api/handle.h"

/* A waiter looks for himself so often: a lost hint costs that (T49). */
enum { RV_RECHECK_MS = 1000 };

/* As reeve_wait(), of checked arguments. known: the store has just told of it, so that one that is
 * away only makes it longer, from the beginning. */
int rv_wait_for_end(struct reeve *r, const char *queue, const char *id, int64_t timeout_ms,
                    bool known, struct reeve_job **out, struct rv_error *err);

/* A wait that has so far only brought rc goes on, or ends because its time is over. seen: the job
 * was, once: a store that is away for a while then only makes it longer. */
bool rv_wait_goes_on(int rc, bool seen);
/* The time is over, and rc is what the last look came to: *err says why, if that is an error. */
int rv_wait_fail_late(const char *queue, const char *id, int rc, struct rv_error *err);
/* Until then, < 0 for ever, by CLOCK_BOOTTIME. */
int64_t rv_wait_left_ms(int64_t until_ms);
/* How long a look at a job may take. Who has seen nothing yet is given time for one in any case;
 * who has hears of an old state if it has to be. */
int64_t rv_wait_look_ms(int64_t until_ms, bool seen);

#endif
