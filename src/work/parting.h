/* How long an exchanger that is to end waits for a store that does not answer. For whoever has the
 * turn. */
#ifndef RV_WORK_PARTING_H
#define RV_WORK_PARTING_H

#include "work/exchanger.h"

/* What became of some request is not known. */
bool rv_parting_is_unsure(const struct rv_exchanger *exchanger);
/* Where nothing is in hand: what is asked again takes no longer than that is worth. */
void rv_parting_hurry(struct rv_exchanger *exchanger);
/* Once all handlers have ended: sets when to give up, if something is left to be settled. */
void rv_parting_bound(struct rv_exchanger *exchanger);

#endif
