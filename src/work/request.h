/* One exchange with the store: the outcomes of one queue, and how many jobs are wanted. It is kept
 * until it is settled: an unsure one is repeated as it stands, so that it counts once (J7). */
#ifndef RV_WORK_REQUEST_H
#define RV_WORK_REQUEST_H

#include "work/task.h"

struct rv_request {
    struct rv_exchange exchange;
    struct reeve_task **tasks; /* of exchange.outcomes, in their order */
    size_t capacity;           /* of both */
    struct rv_claim *claim;    /* for what it may bring: nothing can fail after the store gave it */
    int64_t sent_ms;           /* the first time, by CLOCK_BOOTTIME */
};

/* Room for count outcomes, and a claim if jobs are wanted. 0 or REEVE_ENOMEM. */
int rv_request_reserve(struct rv_request *request, size_t count, size_t want);
/* Adds the outcome of task. 0 or REEVE_ENOMEM. */
int rv_request_add(struct rv_request *request, struct reeve_task *task);
/* A part of the store did not answer for an outcome of that status, while the rest did. */
bool rv_request_is_owed(int status);
/* Tells what became of the outcomes; not of what is owed. */
void rv_request_log(const struct rv_request *request, const struct rv_log *log);
/* Forgets the outcomes; the tasks are untouched. */
void rv_request_clear(struct rv_request *request);
void rv_request_release(struct rv_request *request);

#endif
