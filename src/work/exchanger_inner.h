/* The exchanger as seen by its own parts: for whoever has the turn. */
#ifndef RV_WORK_EXCHANGER_INNER_H
#define RV_WORK_EXCHANGER_INNER_H

#include "work/exchanger.h"

/* Makes the next request of a queue: false if there is nothing to ask. */
bool rv_exchanger_prepare(struct rv_exchanger *exchanger, struct rv_served *served);
void rv_exchanger_send(struct rv_exchanger *exchanger, struct rv_served *served);
/* Its latest request stands by: waits for what is claimed for it, up to ms. Not *known: it still
 * does, as far as one can tell; if this failed, nothing more will be heard. */
int rv_exchanger_attend(struct rv_exchanger *exchanger, struct rv_served *served, int64_t ms,
                        bool *known);
/* It is to stand by no more: sends it again, which tells what was claimed for it. */
void rv_exchanger_rise(struct rv_exchanger *exchanger, struct rv_served *served);
/* A request to each queue that needs one, and what else is due. */
void rv_exchanger_round(struct rv_exchanger *exchanger);
void rv_exchanger_beat(struct rv_exchanger *exchanger); /* if it is time to */
/* When the next round is needed if nothing is heard; CLOCK_BOOTTIME. */
int64_t rv_exchanger_wakes_at(struct rv_exchanger *exchanger);
/* The queue has no more: its jobs are to be heard of. */
void rv_exchanger_listen(struct rv_exchanger *exchanger, struct rv_served *served);

#endif
