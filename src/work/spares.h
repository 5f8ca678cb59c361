/* Tasks that are made before they are needed: a claim never meets ENOMEM. */
#ifndef RV_WORK_SPARES_H
#define RV_WORK_SPARES_H

#include "work/task.h"

struct rv_spares {
    struct rv_service *service;
    const struct rv_drain *drain;
    struct rv_list tasks;
    size_t count;
};

void rv_spares_init(struct rv_spares *spares, struct rv_service *service,
                    const struct rv_drain *drain);
void rv_spares_release(struct rv_spares *spares);
int rv_spares_ensure(struct rv_spares *spares, size_t count); /* 0 or REEVE_ENOMEM */
struct reeve_task *rv_spares_take(struct rv_spares *spares);  /* there must be one */

#endif
