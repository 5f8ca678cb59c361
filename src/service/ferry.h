/* Pushes of many threads, on a store that serves several steps at a time. A ferry is a step: it
 * takes aboard who comes, and leaves when it has its share of all callers of the queue, when no
 * other is under way, or when those that are take too long. Who comes aboard last takes it out for
 * all. So a caller who is alone goes at once, and of a crowd some are answered while others are
 * under way and others come again.
 *
 * Who waits gives way to others a few times before he falls asleep: in a crowd he mostly is
 * answered by the time it is his turn again, and that costs half of what falling asleep and being
 * woken does. Where it is not so he soon does it seldom. */
#ifndef RV_SERVICE_FERRY_H
#define RV_SERVICE_FERRY_H

#include <pthread.h>
#include <reeve.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/gong.h"
#include "base/list.h"
#include "service/batch.h"

enum {
    RV_PIERS = 8,
    RV_FERRIES = 4,    /* of a queue: under way, and one more that takes passengers aboard */
    RV_LUCK_MAX = 256, /* all of a crowd have to try: who does alone finds the others asleep */
};

struct rv_ferry {
    struct rv_list aboard; /* of those who wait for an answer, in the order they came */
    size_t passengers, jobs, bytes;
    bool is_under_way;
    atomic_bool is_called; /* another one came back: one of those aboard is to take it out */
    struct rv_gong gong;   /* for those aboard */
};

/* Where those of a queue come aboard. */
struct rv_pier {
    char queue[REEVE_NAME_SIZE];
    atomic_size_t callers; /* who came and have not left; 0: the pier is free */
    size_t under_way;
    struct rv_ferry ferries[RV_FERRIES];
    struct rv_ferry *next; /* the one that takes them */
    atomic_int luck;       /* of those who gave way: below 0, most fell asleep all the same */
    atomic_uint unlucky;   /* who waited while it was below 0 */
};

struct rv_ferries {
    struct rv_push_step step; /* at_once: that may be under way for a queue */
    int64_t patience_ms;      /* of the first aboard: those under way may be held up */
    pthread_mutex_t lock;     /* guards the rest; never held during I/O */
    struct rv_pier piers[RV_PIERS];
};

int rv_ferries_init(struct rv_ferries *ferries, struct rv_push_step step); /* 0 or REEVE_ENOMEM */
void rv_ferries_release(struct rv_ferries *ferries); /* nobody may be under way */

/* Has the ask answered, with those of others. False, and nothing was done: the store serves one
 * step at a time, or too many other queues are pushed to just now. timeout_ms: as in rv_repeat. */
bool rv_ferries_push(struct rv_ferries *ferries, struct rv_ask *ask, struct rv_store *store,
                     int64_t timeout_ms);

#endif
