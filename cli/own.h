/* The programs of `stream own`: one for each stream in hand. */
#ifndef CLI_OWN_H
#define CLI_OWN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <reeve.h>

struct own_run;

struct own {
    reeve *r;
    reeve_member *member;
    const char *group;
    char *const *argv;
    int64_t lease_ms;
    pthread_t tells;      /* gets SIGUSR1 when something has happened */
    atomic_int broken;    /* a program could not be started, or the member gave up: an exit code */
    atomic_bool stopping; /* no program is started any more */
    pthread_mutex_t lock; /* guards runs and what hangs on it */
    pthread_cond_t cond;  /* a run is over */
    struct own_run *runs;
};

void own_init(struct own *own);
void own_release(struct own *own); /* no run is left */

/* Callbacks of the member, with own as their argument. */
void own_owned(void *arg, const struct reeve_stream *stream);
void own_lost(void *arg, const struct reeve_stream *stream, enum reeve_lost why);
void own_ended(void *arg, int error, const char *text);

/* Settles what has ended: by its exit status. Returns whether programs are left, or streams that
 * could not be settled. */
bool own_settle(struct own *own);
void own_forget(struct own *own);                     /* what is left: no program runs any more */
void own_stop_all(struct own *own, int64_t grace_ms); /* returns at once */

#endif
