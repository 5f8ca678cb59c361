/* The environment of programs: the worker's, without what opens other people's doors, and REEVE_*
 * variables about the job. */
#ifndef RV_WORK_ENVIRONMENT_H
#define RV_WORK_ENVIRONMENT_H

#include "work/task.h"

struct rv_environment {
    char **base; /* NULL-ended, one block: copied once, so that setenv() elsewhere does no harm */
    size_t count;
    const char *mark;   /* "REEVE_RUN=WORKER.": what the number of a run is put behind */
    const char *socket; /* where the worker is asked; NULL: nowhere. Both outlive it */
};

/* Leaves out, by name: REEVE_STORE, REDIS_URL, DATABASE_URL, PGPASSWORD, REDISCLI_AUTH; those that
 * end in PASSWORD, PASSWD, SECRET, TOKEN, API_KEY, ACCESS_KEY, PRIVATE_KEY, CREDENTIALS; whatever
 * holds a url with a password in it; and the variables that rv_environment_make() sets. */
int rv_environment_init(struct rv_environment *environment, const char *mark,
                        const char *socket); /* 0 or REEVE_ENOMEM */
void rv_environment_release(struct rv_environment *environment);

/* Of one attempt: base and REEVE_QUEUE, REEVE_ID, REEVE_KIND, REEVE_ATTEMPT, REEVE_ATTEMPTS_MAX,
 * REEVE_TOKEN, REEVE_LEASE (TOKEN.HOLDER), REEVE_WORKER, REEVE_DEADLINE_MS (since the epoch; 0:
 * none), REEVE_RUN (WORKER.NUMBER: this run and no other), REEVE_SOCKET. One block, borrowing from
 * base; NULL when out of memory. */
char **rv_environment_make(const struct rv_environment *environment, const struct reeve_task *task,
                           uint64_t run);

/* The file that name means, found as execvp() would but never by a shell. 0, or an errno. */
int rv_environment_find(const struct rv_environment *environment, const char *name, char *out,
                        size_t out_size);

#endif
