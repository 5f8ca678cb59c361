#include "base/thread.h"

#include <signal.h>

int rv_thread_start(pthread_t *out, void *(*run)(void *arg), void *arg) {
    sigset_t all, before;
    (void)sigfillset(&all);
    int rc = pthread_sigmask(SIG_SETMASK, &all, &before); /* inherited by the new thread */
    if (rc) return rc;
    rc = pthread_create(out, NULL, run, arg);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}
