/* Nothing is lost and nothing doubled: the counters of all queues of a store against what the test
 * did, the counts by state against the records that are there. */
#ifndef HARNESS_TOTALS_H
#define HARNESS_TOTALS_H

#include <stdint.h>

struct fixture;

struct totals {
    uint64_t pushed, finished, retried, lapsed,
        fenced;       /* as in struct reeve_queue, of all queues */
    uint64_t revived; /* ended jobs that wait again */
    uint64_t removed; /* waiting jobs that were taken out, or made room */
    uint64_t refused; /* pushes into a full queue */
};

/* The check that ends every test: exact counters, exact counts, and
 * waiting + running = pushed + revived - finished - removed. Lets expired records go first. */
void check_totals(struct fixture *f);
/* The same without that, and so without changing anything: for tests in which nothing expires. */
void check_totals_as_they_stand(struct fixture *f);

#endif
