/* What one wait has seen of the counters of queues, for the next: as long as their channels were
 * listened to without a gap, nothing that was counted since can have been missed. */
#ifndef RV_STORE_REDIS_SEEN_H
#define RV_STORE_REDIS_SEEN_H

#include <stddef.h>
#include <stdint.h>

#include "reeve.h"
#include "store/redis/shard.h"

/* The counters of a shard that waits are about. */
struct rv_rd_counters {
    uint64_t ended, cancelled, events;
    unsigned gaps;    /* of the channels, when they were looked at; 0: they never were */
    int64_t fresh_ms; /* until then, at most; boot */
};

struct rv_rd_seen_one {
    char queue[REEVE_NAME_SIZE];
    unsigned number;
    uint64_t epoch;
    struct rv_rd_counters counters;
};

struct rv_rd_seen {
    struct rv_rd_seen_one *all;
    size_t count, room;
};

/* The counters of shard, all 0 if none are known. at: where it may well be, to be found at once. */
struct rv_rd_counters rv_rd_seen_of(const struct rv_rd_seen *seen, const struct rv_rd_shard *shard,
                                    size_t at);
/* Forgets all, for as many to be put in as one wait was about. */
void rv_rd_seen_clear(struct rv_rd_seen *seen);
/* Without memory it is not remembered, and looked at again. */
void rv_rd_seen_put(struct rv_rd_seen *seen, const struct rv_rd_shard *shard,
                    const struct rv_rd_counters *counters);
void rv_rd_seen_release(struct rv_rd_seen *seen);

#endif
