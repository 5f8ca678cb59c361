/* Waiting for the end of a job, whoever pushed it. */
#ifndef RV_API_WAITING_H
#define RV_API_WAITING_H

#include "api/handle.h"

/* A waiter looks for himself so often: a lost hint costs that (T49). */
enum { RV_RECHECK_MS = 1000 };

/* As reeve_wait(), of checked arguments. */
int rv_wait_for_end(struct reeve *r, const char *queue, const char *id, int64_t timeout_ms,
                    struct reeve_job **out, struct rv_error *err);

/* A wait that has so far only brought rc goes on. seen: the job was, once: a store that is away for
 * a while then only makes it longer. */
bool rv_wait_goes_on(int rc, bool seen);
int rv_wait_fail_late(const char *queue, const char *id, struct rv_error *err);
/* Until then, < 0 for ever, by CLOCK_BOOTTIME. */
int64_t rv_wait_left_ms(int64_t until_ms);

#endif
