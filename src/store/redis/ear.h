/* What a handle hears with while it waits. */
#ifndef RV_STORE_REDIS_EAR_H
#define RV_STORE_REDIS_EAR_H

#include "store/redis/channels.h"
#include "store/redis/sleepers.h"
#include "store/redis/switches.h"

struct rv_rd_ear {
    struct rv_rd_sleepers sleepers;
    struct rv_rd_channels channels;
    struct rv_rd_switches switches;
    int wake_fd;
    int64_t timed_ms; /* when the server's clock was last asked for; boot, 0: never */
};

int rv_rd_ear_init(struct rv_rd_ear *ear, struct rv_error *err);
void rv_rd_ear_release(struct rv_rd_ear *ear);
/* Waits until one of them has something to say, at most ms. True: somebody called
 * rv_rd_ear_wake(), now or before; once per call of that at most. */
bool rv_rd_ear_poll(struct rv_rd_ear *ear, int64_t ms);
void rv_rd_ear_wake(const struct rv_rd_ear *ear);

#endif
