/* Tasks made before they are needed: what a claim brings never meets want of memory. */
#ifndef RV_WORK_SPARES_H
#define RV_WORK_SPARES_H

#include "work/task.h"

struct rv_spares {
    struct rv_list list;
    size_t count;
};

void rv_spares_init(struct rv_spares *spares);
void rv_spares_release(struct rv_spares *spares);
/* Makes them so many, at least: false without memory. */
bool rv_spares_ensure(struct rv_spares *spares, size_t count, struct rv_service *service,
                      const struct rv_drain *drain);
struct reeve_task *rv_spares_take(struct rv_spares *spares); /* there is one */

#endif
