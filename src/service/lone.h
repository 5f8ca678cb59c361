/* One who pushes a job and waits for its end, and is the only one of his handle: he listens for
 * himself, where the store has a box for him, and is woken by nothing but the end. Others who come
 * meanwhile go in company (awaits.h). What is told is a hint, with the record, as there. */
#ifndef RV_SERVICE_LONE_H
#define RV_SERVICE_LONE_H

#include "service/awaits.h"
#include "service/repeat.h"

struct rv_lone {
    struct rv_store *store;
    struct rv_box *box;
    uint32_t number; /* of the push */
    bool heard;      /* its end was told */
};

/* Within timeout_ms. False: there is no box to be had, nor will there be soon. */
bool rv_lone_begin(struct rv_lone *lone, struct rv_awaits *awaits, struct rv_store *store,
                   int64_t timeout_ms);
void rv_lone_end(struct rv_lone *lone, bool ended); /* ended: the job has, for certain */
uint64_t rv_lone_nonce(const struct rv_lone *lone); /* to push with */

/* As rv_repeat_push() and rv_repeat_rest(), of one job. It may take until the end is told, if that
 * is soon. */
int rv_lone_push(struct rv_lone *lone, struct rv_repeat time, const struct rv_new_job *job,
                 struct rv_pushed *out, struct rv_error *err);
/* Sleeps until the end is told, for ms at most. The record, for the caller to free; NULL: it is
 * time to look for it. */
struct reeve_job *rv_lone_hear(struct rv_lone *lone, int64_t ms);

#endif
