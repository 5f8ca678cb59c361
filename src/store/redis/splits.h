/* What a handle remembers of how queues are split over shards (split.h). Of two queues that fall
 * into one place the later is remembered. */
#ifndef RV_STORE_REDIS_SPLITS_H
#define RV_STORE_REDIS_SPLITS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <reeve.h>

#include "base/error.h"
#include "core/limits.h"

struct rv_rd_split {
    const char *queue; /* the caller's */
    unsigned count;    /* shards: 1..RV_SHARDS_MAX */
    uint64_t epoch;    /* 0: never split over more than one */
};

enum { RV_RD_SPLITS = 256, RV_RD_SPLIT_LANES = 4 };

struct rv_rd_splits {
    pthread_mutex_t lock;
    struct rv_rd_split_place {
        char queue[REEVE_NAME_SIZE]; /* "": none */
        unsigned count;
        uint64_t epoch;
        unsigned turn;       /* where the next claim begins to look */
        uint64_t empty;      /* a bit for each shard that had no job when asked */
        int64_t empty_at_ms; /* the first of them; boot */
        struct {
            uint64_t lane, number;  /* the latest request of a lane (J7); 0: of none */
            unsigned asked;         /* the shard that it was last sent to for jobs */
        } lanes[RV_RD_SPLIT_LANES]; /* by lane, modulo their number: the later is remembered */
        struct rv_rd_rest *rests;   /* of count shards, for each step of upkeep; NULL: none */
    } places[RV_RD_SPLITS];
};

int rv_rd_splits_init(struct rv_rd_splits *splits, struct rv_error *err);
void rv_rd_splits_release(struct rv_rd_splits *splits);

/* What is known of queue to *out; false: nothing, and one shard is taken for granted. */
bool rv_rd_splits_find(struct rv_rd_splits *splits, const char *queue, struct rv_rd_split *out);
void rv_rd_splits_remember(struct rv_rd_splits *splits, const struct rv_rd_split *split);

/* ---- claims go round the shards ---- each has its turn; those that were empty just now are passed
 * over as long as others were not ---- */
struct rv_rd_turn {
    uint64_t lane, number; /* of the request; lane 0: it has none */
    bool is_news;          /* out: it repeats none, as far as lanes go by one handle at a time */
    bool repeats;          /* out: it was sent by this handle before */
    unsigned shard;        /* out: where to ask for jobs first. Where it was sent before, if it was:
                              if that is still on its way it is met there */
};

/* What is known of the lane; the shard only if it repeats. */
void rv_rd_splits_lane(struct rv_rd_splits *splits, const struct rv_rd_split *split,
                       struct rv_rd_turn *turn);
/* The shard whose turn it is. */
void rv_rd_splits_turn(struct rv_rd_splits *splits, const struct rv_rd_split *split,
                       struct rv_rd_turn *turn);
/* The request goes to that shard next. */
void rv_rd_splits_asks(struct rv_rd_splits *splits, const struct rv_rd_split *split,
                       const struct rv_rd_turn *turn, unsigned shard);
/* Whether it had jobs left. */
void rv_rd_splits_saw(struct rv_rd_splits *splits, const struct rv_rd_split *split, unsigned shard,
                      bool empty);

/* ---- upkeep ---- what a shard looked like when there was nothing to do there (rests.h) ---- */
enum { RV_RD_RESTS = 2, RV_RD_REST_VISITS = 16 };

void rv_rd_splits_rest(struct rv_rd_splits *splits, const struct rv_rd_split *split, unsigned what,
                       unsigned shard, uint64_t seen, int64_t until_ms);
/* Until when one that looks so rests; boot. 0: it does not, or has done so RV_RD_REST_VISITS
 * times. */
int64_t rv_rd_splits_rest_until(struct rv_rd_splits *splits, const struct rv_rd_split *split,
                                unsigned what, unsigned shard, uint64_t seen);

uint64_t rv_rd_hash(const char *text); /* even in all its bits */

#endif
