/* What a handle hears with while it waits. */
#ifndef RV_STORE_REDIS_EAR_H
#define RV_STORE_REDIS_EAR_H

#include "store/redis/channels.h"
#include "store/redis/seen.h"
#include "store/redis/sleepers.h"
#include "store/redis/streams_hints.h"
#include "store/redis/switches.h"

struct rv_rd_ear {
    struct rv_rd_sleepers sleepers;
    struct rv_rd_channels channels;
    struct rv_rd_switches switches;
    struct rv_rd_posts posts;
    struct rv_rd_seen seen;
    int wake_fd;
    atomic_bool woken; /* somebody was to be, and wake_fd may tell so */
    atomic_bool reset; /* the next wait is to begin with new connections */
    _Atomic uint64_t resets_total;
    int64_t timed_ms; /* when the server's clock was last asked for; boot, 0: never */
};

int rv_rd_ear_init(struct rv_rd_ear *ear, struct rv_error *err);
void rv_rd_ear_release(struct rv_rd_ear *ear);
/* Waits until one of them has something to say, at most ms. True: somebody called
 * rv_rd_ear_wake(), now or before; once per call of that at most. */
bool rv_rd_ear_poll(struct rv_rd_ear *ear, int64_t ms);
void rv_rd_ear_wake(struct rv_rd_ear *ear);
/* A wake that came before was for somebody else. */
void rv_rd_ear_forget_wake(struct rv_rd_ear *ear);
/* Has the wait under way, if there is one, and the next begin with new connections. */
void rv_rd_ear_ask_reset(struct rv_rd_ear *ear);
/* For who begins to wait: if that was asked, lets all connections go. */
void rv_rd_ear_reset(struct rv_rd_ear *ear);

#endif
