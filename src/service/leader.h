/* One that contends for a name, leads while it has it, and contends again when it has lost it. A
 * thread of its own does all of that, so that what it calls never overlaps. */
#ifndef RV_SERVICE_LEADER_H
#define RV_SERVICE_LEADER_H

#include "service/service.h"

struct rv_leader_options {
    enum rv_grant_kind kind;
    const char *name;
    int64_t lease_ms, renew_ms, retry_ms; /* checked, complete */
    reeve_gained_fn *gained;              /* may be NULL, as may lost */
    reeve_lost_fn *lost;
    void *arg;
};

/* *out is there before gained() is called. REEVE_ESTATE: this handle contends for it already. */
int rv_leader_open(struct reeve_leader **out, struct rv_service *service,
                   const struct rv_leader_options *options, struct rv_error *err);
/* NULL is fine. A leader loses its term first: it is given back when lost() has returned. */
void rv_leader_close(struct reeve_leader *leader);

uint64_t rv_leader_term(const struct reeve_leader *leader); /* 0: it does not lead */
/* Until the store may give the name to another; 0 or less: it may have. */
int64_t rv_leader_left_ms(const struct reeve_leader *leader);
/* Gives it up soon, and lets others go first. False: it does not lead. */
bool rv_leader_resign(struct reeve_leader *leader);

#endif
