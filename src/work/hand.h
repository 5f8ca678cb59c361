/* Tasks by hand, for those who have a loop of their own: claimed one at a time, renewed and
 * finished by their owner. No keeper knows them. */
#ifndef RV_WORK_HAND_H
#define RV_WORK_HAND_H

#include "work/task.h"

/* queues: NULL-ended and checked, most urgent first. REEVE_ETIMEDOUT if no job came within
 * wait_ms (< 0: no bound). */
int rv_hand_claim(struct rv_service *service, const char *const queues[], int64_t lease_ms,
                  int64_t wait_ms, struct reeve_task **out, struct rv_error *err);
int rv_hand_renew(struct reeve_task *task, int64_t lease_ms, struct rv_error *err);
int rv_hand_finish(struct reeve_task *task, enum reeve_verdict verdict, struct rv_error *err);
void rv_hand_drop(struct reeve_task *task); /* NULL is fine */

#endif
