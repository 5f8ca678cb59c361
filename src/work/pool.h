/* The handler threads of a worker: exactly so many, each with one task or none. A task keeps its
 * thread until its handler is really over, timed out or not (T39). */
#ifndef RV_WORK_POOL_H
#define RV_WORK_POOL_H

#include <pthread.h>

#include "work/run.h"

struct rv_slot {
    struct rv_pool *pool;
    struct rv_place place;
    pthread_t thread;
    struct reeve_task *task; /* guarded by the pool's lock, as is since_ms; NULL: idle */
    int64_t since_ms;
};

struct rv_pool {
    const struct rv_run *run;
    void (*done)(void *arg, struct reeve_task *task); /* takes a task that has ended */
    void *arg;
    struct rv_slot *slots;
    size_t count;

    pthread_mutex_t lock; /* guards all below; held by nobody for long */
    pthread_cond_t cond;  /* something is queued, or ending */
    size_t idle;          /* threads that wait for it */
    size_t waking;        /* how many of them have been signalled */
    struct rv_list queued;
    atomic_size_t load; /* tasks queued and running; changed with the lock held */
    bool ending;
};

/* What one thread is doing, copied. */
struct rv_slot_view {
    bool busy;
    char queue[REEVE_NAME_SIZE], id[REEVE_ID_SIZE], kind[REEVE_NAME_SIZE];
    int attempt;
    uint64_t token;
    int64_t busy_ms;
};

/* Fills the pool, whose upper part the caller has set, with count threads. */
int rv_pool_start(struct rv_pool *pool, size_t count, struct rv_error *err);
void rv_pool_add(struct rv_pool *pool, struct rv_list *tasks); /* takes all of them */
size_t rv_pool_load(const struct rv_pool *pool);
void rv_pool_wake(struct rv_pool *pool); /* makes every running task look up */
/* Takes out what no thread has begun. */
void rv_pool_take_queued(struct rv_pool *pool, struct rv_list *out);
void rv_pool_look(struct rv_pool *pool, struct rv_slot_view *views); /* count of them */
void rv_pool_log_losses(struct rv_pool *pool); /* of leases under running tasks, each once */
/* Waits for running tasks to end, then ends the threads. Nothing may be queued. */
void rv_pool_stop(struct rv_pool *pool);
void rv_pool_release(struct rv_pool *pool); /* after that */

#endif
