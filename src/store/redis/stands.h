/* Where those who watch a queue of several shards stand in its events: a number for each shard,
 * which the handle remembers under one number for all. It forgets the oldest of many. */
#ifndef RV_STORE_REDIS_STANDS_H
#define RV_STORE_REDIS_STANDS_H

#include <pthread.h>
#include <stdint.h>

#include "base/error.h"
#include "core/limits.h"

struct rv_rd_stand {
    uint64_t number;
    uint64_t at[RV_SHARDS_MAX];
};

enum { RV_RD_STANDS = 1024 };

struct rv_rd_stands {
    pthread_mutex_t lock;
    uint64_t last;
    struct rv_rd_stand *kept[RV_RD_STANDS]; /* by number, modulo their size */
};

int rv_rd_stands_init(struct rv_rd_stands *stands, struct rv_error *err);
void rv_rd_stands_release(struct rv_rd_stands *stands);

/* What a number stands for. One that is not, or no longer, known: that number in the first shard,
 * as if there were no others, or the beginning, so that events are told twice rather than never.
 * UINT64_MAX: the end of each. */
void rv_rd_stands_find(struct rv_rd_stands *stands, uint64_t number, struct rv_rd_stand *out);
/* Gives stand a number. */
int rv_rd_stands_keep(struct rv_rd_stands *stands, struct rv_rd_stand *stand, struct rv_error *err);

#endif
