/* The topics of the conformance suite. Each test gets a store with nothing in it, and ends with
 * check_totals(). */
#ifndef STORE_TOPICS_H
#define STORE_TOPICS_H

#include "harness/check.h"
#include "harness/jobs.h"

/* Of the store that is tried: its queues have one shard each. For what is said of the whole queue
 * and is not so of several, as the bounds of one step, or who makes room. */
enum { ONE_SHARD = 1 << 16 };

struct store_test {
    const char *name;
    void (*run)(struct fixture *f);
    unsigned needs; /* RV_CAP_*, ONE_SHARD: left out on a store without them */
};

struct topic {
    const char *name;
    const struct store_test *tests; /* ended by one without a name */
};

#define TEST(function) \
    { #function, function, 0 }
#define TEST_NEEDING(caps, function) \
    { #function, function, (caps) }

extern const struct topic topic_push, topic_order, topic_claim, topic_finish, topic_lease,
    topic_lapse, topic_cancel, topic_jobs, topic_queues, topic_workers, topic_wait, topic_events,
    topic_replay, topic_limits, topic_threads, topic_processes, topic_notes, topic_bounds,
    topic_purge, topic_doctor, topic_grants, topic_contest, topic_streams, topic_recover;

#endif
