/* The programs that run beside us, of one handle: from the first on one custody for all of them. */
#ifndef RV_WORK_WARDS_H
#define RV_WORK_WARDS_H

#include <pthread.h>

#include "service/service.h"
#include "work/custody.h"

struct rv_wards {
    struct rv_service *service;
    struct rv_custody custody; /* once it is open */

    pthread_mutex_t lock; /* guards all below; held while custody is opened */
    bool open;
    bool *taken; /* by slot */
    size_t next; /* where to look for a slot */
};

int rv_wards_init(struct rv_wards *wards, struct rv_service *service); /* 0 or REEVE_ENOMEM */
void rv_wards_release(struct rv_wards *wards);                         /* none may be left */

/* A slot of the custody, for one program. REEVE_EFULL: as many run as may. */
int rv_wards_take(struct rv_wards *wards, size_t *slot, struct rv_error *err);
void rv_wards_give(struct rv_wards *wards, size_t slot);

#endif
