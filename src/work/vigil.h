/* A worker of one thread that has nothing to do: its thread waits for the next job in the store
 * itself, where that can (rv_store_is_patient()), and claims it in the same step. So neither the
 * listener nor the exchanger has to wake anybody, and there is one round trip less. It has the turn
 * meanwhile, and makes all rounds; the exchanger sleeps on. */
#ifndef RV_WORK_VIGIL_H
#define RV_WORK_VIGIL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rv_exchanger;

struct rv_vigil {            /* zeroed: none is kept */
    atomic_bool kept;        /* whoever makes the round may keep one: nobody else is to listen */
    atomic_bool comes;       /* the only thread there is waits for its turn */
    atomic_bool to_end;      /* the exchanger wants its turn */
    atomic_bool oversleeps;  /* the exchanger does, for as long as it is kept */
    _Atomic uint64_t holder; /* of the exchange that waits in the store now; 0: none does */
};

/* With the turn: a round, and then vigils for as long as nothing is in hand. */
void rv_vigil_round(struct rv_exchanger *exchanger);

/* For the exchanger, without it. Its time is over: sleeps on while a vigil is kept. Returns the
 * bits that woke it. */
unsigned rv_vigil_oversleep(struct rv_exchanger *exchanger);
/* Has whoever keeps one let go of the turn. */
void rv_vigil_interrupt(struct rv_exchanger *exchanger);

#endif
