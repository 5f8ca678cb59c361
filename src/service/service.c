#include "service/service.h"

#include "service/forwarder.h"
#include "service/keeper.h"
#include "service/listener.h"
#include "service/mender.h"
#include "service/upkeep.h"

int rv_service_init(struct rv_service *service) {
    rv_list_init(&service->leaders);
    if (rv_awaits_init(&service->awaits)) return REEVE_ENOMEM;
    if (!pthread_mutex_init(&service->lock, NULL)) return 0;
    rv_awaits_release(&service->awaits);
    return REEVE_ENOMEM;
}

void rv_service_stop(struct rv_service *service) {
    rv_forwarder_stop(service->forwarder);
    rv_upkeep_stop(service->upkeep);
    rv_mender_stop(service->mender);
    rv_keeper_stop(service->keeper);
    rv_listener_stop(service->listener);
    (void)pthread_mutex_destroy(&service->lock);
    rv_awaits_release(&service->awaits);
}

static int start_listener(struct rv_service *service, struct rv_error *err) {
    if (service->listener) return 0;
    return rv_listener_start(&service->listener, service->store, &service->log, &service->awaits,
                             err);
}

/* The keeper hears of cancellations through the listener. */
static int start_keeper(struct rv_service *service, struct rv_error *err) {
    if (service->keeper) return 0;
    int rc = start_listener(service, err);
    return rc ? rc
              : rv_keeper_start(&service->keeper, service->store, &service->clock,
                                service->timeout_ms, service->listener, err);
}

static int start_upkeep(struct rv_service *service, struct rv_error *err) {
    if (service->upkeep) return 0;
    return rv_upkeep_start(&service->upkeep, service->store, &service->log, service->timeout_ms,
                           err);
}

/* Alone on a store, or on one that knows no leaders, there is nobody to elect. */
static bool can_elect(const struct rv_service *service) {
    const unsigned needed = RV_CAP_SHARED | RV_CAP_GRANTS;
    return (rv_store_caps(service->store) & needed) == needed;
}

int rv_service_listener(struct rv_service *service, struct rv_listener **out,
                        struct rv_error *err) {
    (void)pthread_mutex_lock(&service->lock);
    int rc = start_listener(service, err);
    *out = service->listener;
    (void)pthread_mutex_unlock(&service->lock);
    return rc;
}

int rv_service_keeper(struct rv_service *service, struct rv_keeper **out, struct rv_error *err) {
    (void)pthread_mutex_lock(&service->lock);
    int rc = start_keeper(service, err);
    *out = service->keeper;
    (void)pthread_mutex_unlock(&service->lock);
    if (!rc) rv_service_mind(service);
    return rc;
}

void rv_service_mind(struct rv_service *service) {
    struct rv_failover none;
    if (!rv_store_failover(service->store, UINT64_MAX, &none)) return;
    (void)pthread_mutex_lock(&service->lock);
    if (!service->mender) (void)rv_mender_start(&service->mender, service->store, NULL);
    if (service->mender) rv_mender_mind(service->mender, service->keeper, service->listener);
    (void)pthread_mutex_unlock(&service->lock);
}

int rv_service_read(struct rv_service *service, const char *queue, const char *id,
                    int64_t timeout_ms, struct reeve_job **out, struct rv_error *err) {
    int rc = rv_store_read_within(service->store, queue, id, timeout_ms, out, err);
    if (rc != REEVE_ENOENT) return rc;
    (void)pthread_mutex_lock(&service->lock);
    struct rv_mender *mender = service->mender;
    (void)pthread_mutex_unlock(&service->lock);
    if (!mender) return rc;
    rc = rv_mender_pass(mender, err);
    return rc ? rc : rv_store_read_within(service->store, queue, id, timeout_ms, out, err);
}

int rv_service_tend_begin(struct rv_service *service, int64_t lease_ms, bool elect,
                          struct rv_error *err) {
    (void)pthread_mutex_lock(&service->lock);
    int rc = start_upkeep(service, err);
    struct rv_upkeep *upkeep = service->upkeep;
    bool first = !rc && service->upkeep_users++ == 0;
    (void)pthread_mutex_unlock(&service->lock);
    if (rc) return rc;
    if (first && elect && can_elect(service)) /* which needs other threads: not with the lock */
        rv_upkeep_elect(upkeep, service);
    else if (!elect)
        rv_upkeep_insist(upkeep);
    rv_upkeep_suit(upkeep, lease_ms);
    return 0;
}

void rv_service_tend_end(struct rv_service *service) {
    struct rv_upkeep *upkeep = NULL;
    (void)pthread_mutex_lock(&service->lock);
    if (--service->upkeep_users == 0) {
        upkeep = service->upkeep;
        service->upkeep = NULL;
    }
    (void)pthread_mutex_unlock(&service->lock);
    rv_upkeep_stop(upkeep); /* waits for a pass: not with the lock */
}

int rv_service_forward(struct rv_service *service, struct rv_error *err) {
    (void)pthread_mutex_lock(&service->lock);
    int rc = service->forwarder
                 ? 0
                 : rv_forwarder_start(&service->forwarder, service, service->spool, err);
    if (!rc) rv_forwarder_wake(service->forwarder);
    (void)pthread_mutex_unlock(&service->lock);
    return rc;
}
