/* A store that fails another, as planned. For tests: compiled into their library only. */
#ifndef RV_STORE_FAULT_H
#define RV_STORE_FAULT_H

#include <pthread.h>

#include "store/around.h"

enum rv_fault_kind {
    RV_FAULT_REFUSE = 1, /* REEVE_EUNREACHABLE: not done */
    RV_FAULT_LOSE,       /* REEVE_EUNSURE: done, but the answer is lost */
    RV_FAULT_DELAY,      /* done, delay_ms late */
    RV_FAULT_DIE_BEFORE, /* the process dies as by kill -9: not done */
    RV_FAULT_DIE_AFTER,  /* done, and then it dies: nobody hears of it */
    /* Of exchanges that may be answered in part, and of pushes; the others are not touched: */
    RV_FAULT_REFUSE_PART, /* outcomes and jobs of ids that begin with RV_FAULT_AWAY are not taken */
    RV_FAULT_LOSE_PART,   /* done, but nobody hears of any outcome, nor of what was claimed, nor of
                             jobs with such ids */
};

#define RV_FAULT_AWAY "away-"

struct rv_fault {
    enum rv_fault_kind kind;
    enum rv_op op;     /* 0: any */
    const char *queue; /* calls of this one alone; NULL: any */
    bool again;        /* exchanges alone that ask what an earlier one left in doubt */
    unsigned nth;      /* the how-manieth matching call from now on; 0 is 1: the next */
    bool for_ever;     /* that one and all after it */
    int64_t delay_ms;  /* with RV_FAULT_DELAY */
};

enum { RV_FAULTS_MAX = 8 };

struct rv_fault_plan {
    pthread_mutex_t lock; /* guards all below */
    struct rv_fault faults[RV_FAULTS_MAX];
    size_t count;
    uint64_t calls[RV_OP_COUNT];
};

void rv_fault_plan_init(struct rv_fault_plan *plan);
void rv_fault_plan_release(struct rv_fault_plan *plan);
/* May be called while the store is in use. The first fault that matches a call befalls it. */
void rv_fault_plan_add(struct rv_fault_plan *plan, struct rv_fault fault);
void rv_fault_plan_clear(struct rv_fault_plan *plan); /* all is well again; calls stay counted */
uint64_t rv_fault_plan_calls(struct rv_fault_plan *plan, enum rv_op op); /* 0: all of them */

/* *out owns inner from now on; plan outlives it. On failure inner is still the caller's. */
int rv_fault_open(struct rv_store **out, struct rv_store *inner, struct rv_fault_plan *plan,
                  struct rv_error *err);

#endif
