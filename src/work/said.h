/* Words that were said once and need not be said again: so that a queue full of jobs that nobody
 * here knows does not make a log full of them. */
#ifndef RV_WORK_SAID_H
#define RV_WORK_SAID_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { RV_SAID_MAX = 100 }; /* words; of more than that nothing is said */

struct rv_said {
    pthread_mutex_t lock; /* guards all below */
    char *words[RV_SAID_MAX];
    size_t count;
};

int rv_said_init(struct rv_said *said); /* 0 or REEVE_ENOMEM */
void rv_said_release(struct rv_said *said);
bool rv_said_is_news(struct rv_said *said, const char *word); /* true once per word */

#endif
