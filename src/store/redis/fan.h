/* One operation at several shards of a queue at once: a script for each of them that has a part. */
#ifndef RV_STORE_REDIS_FAN_H
#define RV_STORE_REDIS_FAN_H

#include "store/redis/split.h"

struct rv_rd_part {
    struct rv_rd_script script; /* of its shard; what is common to all parts is set */
    struct rv_rd_args args;     /* the script's */
    bool wanted;                /* it is to be run */
};

struct rv_rd_fan {
    unsigned count; /* shards */
    struct rv_rd_part parts[];
};

/* A part for each shard, none of them wanted yet. bytes_max as in rv_rd_args_init(). NULL when out
 * of memory. */
struct rv_rd_fan *rv_rd_fan_create(const struct rv_rd_split *split, enum rv_redis_lua which,
                                   int64_t timeout_ms, size_t bytes_max);
void rv_rd_fan_destroy(struct rv_rd_fan *fan); /* NULL is fine */

/* A shard that does not answer when all others have is not waited for as long, and not at all where
 * it is known to stand still (brief and spare of call.h). */
void rv_rd_fan_be_brief(struct rv_rd_fan *fan, bool brief);
/* Runs the parts that are wanted; also as in rv_rd_scripts_run(). */
void rv_rd_fan_run(struct rv_rd *store, struct rv_rd_fan *fan, struct rv_rd_ask *also);

/* What it comes to as a whole: 0 if all went well. RV_RD_STALE if any part says so: all of it is to
 * be done anew. REEVE_EUNSURE if some went well and others did not. */
int rv_rd_fan_judge(const struct rv_rd_fan *fan, struct rv_error *err);
/* The same for what is of use as far as it goes: 0 if any part went well. *missed: how many did
 * not. */
int rv_rd_fan_judge_some(const struct rv_rd_fan *fan, unsigned *missed, struct rv_error *err);

/* ---- the same at every shard ---- */
struct rv_rd_round {
    enum rv_redis_lua which;
    /* Adds the arguments for a shard; NULL: there are none. */
    void (*ask)(struct rv_rd_args *args, const struct rv_rd_shard *shard, const void *arg);
    /* Takes in the answer of a shard; NULL: it does not matter. */
    int (*take)(const redisReply *reply, const struct rv_rd_shard *shard, void *arg,
                struct rv_error *err);
    void *arg;
    /* Upkeep: in how many ms a shard that answered so is to be visited again (0: now; -1: never).
     * Until then it is passed over (rests.h). NULL: every shard is asked. */
    int64_t (*next)(const redisReply *reply);
    unsigned what;      /* with next: which step of upkeep, 0 or 1 */
    int64_t next_in_ms; /* out, with next: of the shards that were passed over; -1: never */
    bool some;          /* one shard that answers is enough */
    bool brief;         /* what does not answer is not waited for as long: see above */
    unsigned missed;    /* out: shards that did not */
};

int rv_rd_round_run(struct rv_rd *store, const char *queue, struct rv_rd_round *round,
                    struct rv_error *err);

/* The same for that split and no other: RV_RD_STALE if it is no longer right. */
int rv_rd_round_once(struct rv_rd *store, const struct rv_rd_split *split,
                     struct rv_rd_round *round, struct rv_error *err);

enum { RV_RD_AWAY_MS = 1000 }; /* a shard that was missed is worth another try after that */
/* Makes *next_in_ms (-1: never) no later than in_ms (likewise). */
void rv_rd_sooner(int64_t *next_in_ms, int64_t in_ms);

#endif
