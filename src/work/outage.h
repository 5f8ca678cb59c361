/* The queues whose store did not answer when last asked. It is told when the first of them goes,
 * and when all are back. */
#ifndef RV_WORK_OUTAGE_H
#define RV_WORK_OUTAGE_H

#include <stdbool.h>

#include "service/service.h"

struct rv_outage {
    struct rv_service *service;
    size_t count;     /* queues that are away */
    int64_t since_ms; /* the first of them, by the store's clock; 0: none is */
};

/* One more is, or one less. True if that is news of the worker as a whole. */
bool rv_outage_begin(struct rv_outage *outage, const char *queue, int rc,
                     const struct rv_error *err);
bool rv_outage_end(struct rv_outage *outage, const char *queue);

#endif
