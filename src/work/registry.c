#include "work/registry.h"

#include <stdio.h>
#include <string.h>

#include "core/limits.h"

enum { RETRY_MS = 5000 };

/* As many names as fit, separated by spaces. */
static void join_queues(char *out, size_t room, const char *const *queues) {
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; queues[i]; i++) {
        size_t size = strlen(queues[i]) + (at ? 1 : 0);
        if (at + size >= room) return;
        (void)snprintf(out + at, room - at, "%s%s", at ? " " : "", queues[i]);
        at += size;
    }
}

void rv_registry_init(struct rv_registry *registry, struct rv_service *service, const char *id,
                      const char *const *queues, int threads) {
    *registry = (struct rv_registry){.service = service, .queues = queues};
    struct rv_worker_row *row = &registry->row;
    (void)snprintf(row->id, sizeof row->id, "%s", id);
    (void)snprintf(row->name, sizeof row->name, "%s", service->name);
    join_queues(row->queues, sizeof row->queues, queues);
    row->threads = threads;
    row->started_at_ms = rv_store_now_ms(service->store);
    registry->beat_at_ms = rv_clock_boot_ms(&service->clock);
}

/* For those who watch, if anybody does. */
static void announce(const struct rv_registry *registry, enum reeve_event_type type) {
    const struct rv_service *service = registry->service;
    struct rv_announcement news = {.type = type, .id = "", .worker = service->name};
    for (size_t i = 0; registry->queues[i]; i++)
        (void)rv_store_announce(service->store, registry->queues[i], &news, service->timeout_ms,
                                NULL);
}

void rv_registry_hurry(struct rv_registry *registry) {
    if (registry->entered) registry->beat_at_ms = 0;
}

bool rv_registry_beat(struct rv_registry *registry, uint64_t running, int64_t degraded_since_ms,
                      int64_t claimed_at_ms) {
    struct rv_service *service = registry->service;
    int64_t now_ms = rv_clock_boot_ms(&service->clock);
    if (now_ms < registry->beat_at_ms) return false;
    registry->row.running = running;
    registry->row.degraded_since_ms = degraded_since_ms;
    registry->row.claimed_at_ms = claimed_at_ms;
    int rc = rv_store_beat(service->store, &registry->row, RV_WORKER_SEEN_MS, NULL);
    registry->beat_at_ms = rv_time_add(now_ms, rc ? RETRY_MS : RV_WORKER_BEAT_MS);
    if (rc) return false;
    if (!registry->entered) announce(registry, REEVE_WORKER_STARTED);
    registry->entered = true;
    return true;
}

void rv_registry_leave(struct rv_registry *registry, bool away) {
    if (!registry->entered || away) return;
    announce(registry, REEVE_WORKER_STOPPED);
    (void)rv_store_leave(registry->service->store, registry->row.id, NULL); /* or it expires */
    registry->entered = false;
}
