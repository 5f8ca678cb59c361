/* A worker of one thread that has nothing to do: its latest request stands by in the store, where
 * that can (rv_store_is_patient()), and its thread waits there for the job that is claimed for it.
 * So neither the listener nor the exchanger has to wake anybody, and there is one step less. It has
 * the turn meanwhile, and makes all rounds; the exchanger sleeps on. */
#ifndef RV_WORK_VIGIL_H
#define RV_WORK_VIGIL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rv_exchanger;

struct rv_vigil {           /* zeroed: none is kept */
    atomic_bool kept;       /* whoever makes the round may keep one: nobody else is to listen */
    atomic_bool comes;      /* the only thread there is waits for its turn */
    atomic_bool to_end;     /* the exchanger wants its turn */
    atomic_bool oversleeps; /* the exchanger does, for as long as it is kept */
    _Atomic uint64_t lane;  /* of the request that is waited for now; 0: none is */
};

/* With the turn: a round, and then vigils for as long as nothing is in hand. */
void rv_vigil_round(struct rv_exchanger *exchanger);

/* How long a request that is made now may stand by; 0: it is not to. */
int64_t rv_vigil_may_last_ms(const struct rv_exchanger *exchanger);

/* For the exchanger, without it. Its time is over: sleeps on while a vigil is kept. Returns the
 * bits that woke it. */
unsigned rv_vigil_oversleep(struct rv_exchanger *exchanger);
/* Has whoever keeps one let go of the turn. */
void rv_vigil_interrupt(struct rv_exchanger *exchanger);

#endif
