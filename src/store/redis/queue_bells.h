/* The part of wait that is about queues: sleeps on the bells of those whose jobs are wanted, and
 * hears of the rest by channels. A queue of several shards has a bell and channels in each. */
#ifndef RV_STORE_REDIS_QUEUE_BELLS_H
#define RV_STORE_REDIS_QUEUE_BELLS_H

#include "store/redis/channels.h"
#include "store/redis/redis.h"
#include "store/redis/shard.h"

/* A shard that is waited for, and its counters when last seen. */
struct rv_rd_place {
    struct rv_rd_shard shard;
    struct rv_bell *bell;
    struct rv_rd_counters counters;
    uint64_t seq; /* at the latest look */
    bool has_due; /* it has delayed jobs: what time it is there matters */
    bool rung;    /* since it was last looked at */
    bool stale;   /* its queue is split in another way, as we know by now */
};

struct rv_rd_queue_bells {
    struct rv_bell *bells; /* all of queues */
    size_t count;
    struct rv_rd_place *places;
    size_t place_count;
    size_t turn; /* where the next look begins */
    bool looked; /* all of them were, once */
};

/* bells and count are set. What the wait before has seen is known. */
int rv_rd_queue_bells_init(struct rv_rd *store, struct rv_rd_queue_bells *bells,
                           struct rv_error *err);
/* Remembers what was seen, for the next. */
void rv_rd_queue_bells_release(struct rv_rd *store, struct rv_rd_queue_bells *bells);
/* Some of them are not the ones to wait for any more: begin anew. */
bool rv_rd_queue_bells_are_stale(const struct rv_rd_queue_bells *bells);

int rv_rd_queue_bells_want(struct rv_rd *store, const struct rv_rd_queue_bells *bells,
                           struct rv_error *err);
/* *rings is set if one of them does; *look_at_ms comes nearer if a job is due before, or what is
 * known gets too old. Nobody is asked if hears, no jobs are wanted, and all messages since the
 * latest look were heard. Shards that cannot be asked are passed over as long as others can. */
int rv_rd_queue_bells_look(struct rv_rd *store, struct rv_rd_queue_bells *bells, bool hears,
                           bool *rings, int64_t *look_at_ms, struct rv_error *err);
int rv_rd_queue_bells_hear(struct rv_rd *store, const struct rv_rd_queue_bells *bells,
                           const struct rv_rd_message *message, bool *rings, struct rv_error *err);

/* ---- the bells themselves ---- the handle's ear sleeps on them */
int rv_rd_queue_bells_sleep(struct rv_rd *store, const struct rv_rd_queue_bells *bells,
                            struct rv_error *err);
/* *rung: one has been; *rings: for a job that was not there at the latest look, so that nobody need
 * look again. */
int rv_rd_queue_bells_listen(struct rv_rd *store, const struct rv_rd_queue_bells *bells,
                             bool *rings, bool *rung, struct rv_error *err);
/* Ends all sleep. A bell that we have heard wakes nobody else: who looks no more has to tell of it,
 * so its queue is marked as ready. */
void rv_rd_queue_bells_rise(struct rv_rd *store, const struct rv_rd_queue_bells *bells);

#endif
