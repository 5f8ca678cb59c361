/* The doctor: checks that each tell what they found, and mend it if they are to. */
#ifndef RV_STORE_REDIS_EXAMINE_H
#define RV_STORE_REDIS_EXAMINE_H

#include "store/findings.h"
#include "store/redis/redis.h"

struct rv_rd_exam {
    struct rv_rd *store;
    bool repair;
    const char *info; /* what INFO tells; "" if it may not be asked */
    unsigned missed;  /* by the check that is made: shards whose node does not answer */
    struct rv_findings_book book;
};

/* Each adds one finding, or more. An error is the reason why it could not. */
typedef int rv_rd_check_fn(struct rv_rd_exam *exam, struct rv_error *err);
rv_rd_check_fn rv_rd_examine_server, rv_rd_examine_layout, rv_rd_examine_clock; /* settings.c */
rv_rd_check_fn rv_rd_examine_eviction, rv_rd_examine_memory;                    /* settings.c */
rv_rd_check_fn rv_rd_examine_durability, rv_rd_examine_replication;             /* settings.c */
rv_rd_check_fn rv_rd_examine_topology; /* cluster, Sentinels */
rv_rd_check_fn rv_rd_examine_grants;   /* names */
rv_rd_check_fn rv_rd_examine_rights;   /* rights.c */
rv_rd_check_fn rv_rd_examine_types, rv_rd_examine_orphans, rv_rd_examine_counters; /* queues */
rv_rd_check_fn rv_rd_examine_shards;  /* changes of their number that were cut off */
rv_rd_check_fn rv_rd_examine_streams; /* streams */

/* A node of a cluster that does not answer is told of once: what it keeps is passed over. Both say
 * whether that is so, and count it: before a shard is asked, and of what became of it. */
bool rv_rd_exam_passes(struct rv_rd_exam *exam, const struct rv_rd_shard *shard);
bool rv_rd_exam_misses(struct rv_rd_exam *exam, int rc);
/* For what is said of all: " that could be looked at" if there are others, else "". */
const char *rv_rd_exam_extent(const struct rv_rd_exam *exam);

/* Calls fn for each queue of the space. */
typedef int rv_rd_queue_fn(struct rv_rd_exam *exam, const char *queue, void *arg,
                           struct rv_error *err);
int rv_rd_each_queue(struct rv_rd_exam *exam, rv_rd_queue_fn *fn, void *arg, struct rv_error *err);

/* Calls fn for each shard of each queue of the space, but for those that are passed over. */
typedef int rv_rd_shard_fn(struct rv_rd_exam *exam, const struct rv_rd_shard *shard, void *arg,
                           struct rv_error *err);
int rv_rd_each_shard(struct rv_rd_exam *exam, rv_rd_shard_fn *fn, void *arg, struct rv_error *err);

#endif
