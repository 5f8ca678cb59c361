/* A worker's own figures: written by its exchanger, read by anybody. */
#ifndef RV_WORK_TALLY_H
#define RV_WORK_TALLY_H

#include <stdatomic.h>

#include "core/outcome.h"

struct rv_tally {
    _Atomic uint64_t claimed, succeeded, failed, handed_back, cancelled, lost;
    _Atomic int64_t answered_ms; /* CLOCK_BOOTTIME: the store answered when it last mattered */
};

void rv_tally_init(struct rv_tally *tally, int64_t now_ms);
void rv_tally_claimed(struct rv_tally *tally, uint64_t count);
void rv_tally_ended(struct rv_tally *tally, enum rv_ending ending); /* 0: the lease was lost */
void rv_tally_answered(struct rv_tally *tally, int64_t now_ms);
int64_t rv_tally_since_ms(const struct rv_tally *tally, int64_t now_ms); /* that was answered */
/* All but running, which it does not know. */
void rv_tally_read(const struct rv_tally *tally, int64_t now_ms, struct reeve_worker_stats *out);

#endif
