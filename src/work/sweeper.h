/* Clears away what programs left behind, after they have ended. One thread looks for all of them:
 * a look costs a few milliseconds, whoever it is for. */
#ifndef RV_WORK_SWEEPER_H
#define RV_WORK_SWEEPER_H

#include <pthread.h>

#include "base/error.h"
#include "work/strays.h"

struct rv_sweeper {
    struct rv_strays strays;
    pthread_t thread;

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t cond;  /* any of them has changed */
    uint64_t asked;       /* looks that were asked for */
    uint64_t done;        /* of these, all up to this one have been made */
    bool hurry;           /* somebody waits */
    bool stopping;
};

int rv_sweeper_start(struct rv_sweeper *sweeper, const struct rv_strays *strays,
                     struct rv_error *err);
void rv_sweeper_stop(struct rv_sweeper *sweeper); /* after a last look */
/* What is over now is cleared away soon; if wait, before this returns. */
void rv_sweeper_ask(struct rv_sweeper *sweeper, bool wait);

#endif
