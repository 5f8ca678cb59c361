/* The worker's own row among the workers of the store: for people, no decision hangs on it. */
#ifndef RV_WORK_REGISTRY_H
#define RV_WORK_REGISTRY_H

#include "service/service.h"

struct rv_registry {
    struct rv_service *service;
    const char *const *queues;
    struct rv_worker_row row;
    int64_t beat_at_ms; /* CLOCK_BOOTTIME */
    bool entered;
};

/* queues: NULL-ended, outlives it. The kinds of the row are the caller's to set. */
void rv_registry_init(struct rv_registry *registry, struct rv_service *service, const char *id,
                      const char *const *queues, int threads);
/* Enters or refreshes the row if it is time to, and tells those who watch that there is a worker.
 * True if the store was asked and answered; a failure is tried again, and told to nobody. */
bool rv_registry_beat(struct rv_registry *registry, uint64_t running, int64_t degraded_since_ms,
                      int64_t claimed_at_ms);
/* Something has changed that people should see: it is time to. */
void rv_registry_hurry(struct rv_registry *registry);
/* away: the store does not answer, so it is not asked; the row expires. */
void rv_registry_leave(struct rv_registry *registry, bool away);

#endif
