/* Places for jobs in a worker: how many of them are free, and which of its queues may fill them. Of
 * whoever makes the exchanger's rounds. */
#ifndef RV_WORK_PLACES_H
#define RV_WORK_PLACES_H

#include "work/exchanger.h"

/* Jobs that claims which are unsettled or under way may yet bring. */
size_t rv_places_promised(const struct rv_exchanger *exchanger);
/* Places that are free, and not promised. */
size_t rv_places_free(struct rv_exchanger *exchanger);
/* How many more jobs this worker may take before it has done its share. */
uint64_t rv_places_share_left(const struct rv_exchanger *exchanger);
bool rv_places_may_claim(const struct rv_exchanger *exchanger);

/* Spare tasks for what is promised, and so many more: false without memory. */
bool rv_places_ensure(struct rv_exchanger *exchanger, size_t want);
/* Who may ask for how many in this round, */
void rv_places_deal(struct rv_exchanger *exchanger);
/* and how many jobs to ask this queue for now. */
size_t rv_places_want(struct rv_exchanger *exchanger, struct rv_served *served);

#endif
