/* What the background threads of one open handle share. Threads start when first needed. */
#ifndef RV_SERVICE_SERVICE_H
#define RV_SERVICE_SERVICE_H

#include <pthread.h>

#include "base/list.h"
#include "service/awaits.h"
#include "store/store.h"

struct rv_listener;
struct rv_keeper;
struct rv_mender;
struct rv_upkeep;
struct rv_forwarder;
struct rv_spool;

struct rv_service {
    struct rv_store *store;
    struct rv_clock clock;
    struct rv_log log;
    char name[REEVE_ID_SIZE]; /* who we are, for people */
    int64_t timeout_ms;
    struct rv_spool *spool;  /* a part of store; NULL: pushes are not kept while it is away */
    struct rv_awaits awaits; /* who wait for ends of jobs that they pushed */

    pthread_mutex_t lock; /* guards all below; held while one is started */
    struct rv_listener *listener;
    struct rv_keeper *keeper;
    struct rv_mender *mender;
    struct rv_upkeep *upkeep;
    int upkeep_users;
    struct rv_forwarder *forwarder;
    struct rv_list leaders; /* each name is contended for once */
};

/* The thread, started if need be. It ends with the service. */
int rv_service_listener(struct rv_service *service, struct rv_listener **out, struct rv_error *err);
int rv_service_keeper(struct rv_service *service, struct rv_keeper **out, struct rv_error *err);
/* Something was pushed, or is held: after a fail-over it is to be seen to. The thread for that is
 * started if servers follow one another here; without memory for it, nobody sees to it. */
void rv_service_mind(struct rv_service *service);
/* Reads the record of a job that somebody waits for. That it is not there counts once what a
 * fail-over may have lost of our own pushes was made again. */
int rv_service_read(struct rv_service *service, const char *queue, const char *id,
                    int64_t timeout_ms, struct reeve_job **out, struct rv_error *err);
/* Upkeep runs while it has users, as often as suits the shortest of their leases, and whether or
 * not we are elected if one of them has it so. */
int rv_service_tend_begin(struct rv_service *service, int64_t lease_ms, bool elect,
                          struct rv_error *err);
void rv_service_tend_end(struct rv_service *service);

/* Has what the spool keeps forwarded, from now on. */
int rv_service_forward(struct rv_service *service, struct rv_error *err);

/* service is zeroed but for store, log, name, timeout_ms, spool; 0 or REEVE_ENOMEM. stop ends all
 * threads; it does not close the store. */
int rv_service_init(struct rv_service *service);
void rv_service_stop(struct rv_service *service);

#endif
