/* Those who sleep on bells for a handle. One server takes any number of bells from one sleeper; in
 * a cluster each shard has a sleeper of its own, up to a number: if there are more shards, they
 * take turns, and the rest are only looked at (R14). */
#ifndef RV_STORE_REDIS_SLEEPERS_H
#define RV_STORE_REDIS_SLEEPERS_H

#include "store/redis/bell.h"

enum { RV_RD_SLEEPERS_MAX = 16 };

struct rv_rd_sleepers {
    struct rv_rd_sleeper {
        struct rv_rd_bell bell;
        size_t place;          /* which shard it sleeps on, in a cluster */
        int64_t not_before_ms; /* when to try again; boot */
    } all[RV_RD_SLEEPERS_MAX];
    size_t turn; /* the shard whose turn it is next */
};

void rv_rd_sleepers_close(struct rv_rd_sleepers *sleepers);

/* Those who do not sleep fall asleep on the bells of these shards (count > 0), which are the same
 * until all were woken. A node that is away is passed over for a moment. */
int rv_rd_sleepers_sleep(struct rv_rd_sleepers *sleepers, struct rv_rd *store,
                         const struct rv_rd_shard *shards, size_t count, struct rv_error *err);
/* What has come of the sleep of the i-th, as rv_rd_bell_look(). In a cluster what went wrong is
 * only noted: the others sleep on. */
int rv_rd_sleepers_look(struct rv_rd_sleepers *sleepers, struct rv_rd *store, size_t i,
                        struct rv_rd_ring *out, struct rv_error *err);
/* Asks the servers to end all sleep, and waits a moment for them to do so; look then, and call it
 * again. False: nobody sleeps. */
bool rv_rd_sleepers_unblock(struct rv_rd_sleepers *sleepers, struct rv_rd *store);

#endif
