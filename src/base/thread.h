/* Threads of the library: signals are the program's business, so every one of them blocks all. */
#ifndef RV_BASE_THREAD_H
#define RV_BASE_THREAD_H

#include <pthread.h>

int rv_thread_start(pthread_t *out, void *(*run)(void *arg), void *arg); /* 0 or an errno */

#endif
