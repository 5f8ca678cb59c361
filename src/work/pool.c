#include "work/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cond.h"

enum { WAKING_MAX = 2 };

/* ---- a thread ---- */

/* With the lock held. Few threads are woken at a time, and each that comes wakes the next: handlers
 * that are quick may have done all that is queued before another thread is up, and those that are
 * slow get all the threads they need this way, too. */
static void wake_another(struct rv_pool *p) {
    if (rv_list_empty(&p->queued) || p->waking == WAKING_MAX || p->waking == p->idle) return;
    p->waking++;
    (void)pthread_cond_signal(&p->cond);
}

/* With the lock held. */
static void wait_for_task(struct rv_pool *p) {
    p->idle++;
    rv_cond_wait(&p->cond, &p->lock, -1);
    p->idle--;
    if (p->waking) p->waking--;
}

static struct reeve_task *next_task(struct rv_slot *slot) {
    struct rv_pool *p = slot->pool;
    (void)pthread_mutex_lock(&p->lock);
    while (rv_list_empty(&p->queued) && !p->ending)
        wait_for_task(p);
    struct rv_list *link = rv_list_pop(&p->queued);
    wake_another(p);
    slot->task = link ? rv_container_of(link, struct reeve_task, link) : NULL;
    slot->since_ms = rv_clock_boot_ms(&p->run->service->clock);
    (void)pthread_mutex_unlock(&p->lock);
    return slot->task;
}

/* The thread is free before the exchanger hears of it, so that it can fill it at once. */
static void finish_task(struct rv_slot *slot, struct reeve_task *task) {
    struct rv_pool *p = slot->pool;
    (void)pthread_mutex_lock(&p->lock);
    slot->task = NULL;
    (void)atomic_fetch_sub(&p->load, 1);
    (void)pthread_mutex_unlock(&p->lock);
    p->done(p->arg, task);
}

static void *serve(void *arg) {
    struct rv_slot *slot = arg;
    struct reeve_task *task;
    while ((task = next_task(slot)) != NULL) {
        rv_run_task(slot->pool->run, &slot->place, task);
        finish_task(slot, task);
    }
    return NULL;
}

/* ---- the pool ---- */

/* Inherits the caller's signal mask: handlers may start programs of their own, and those inherit
 * it from here. */
static int start_slot(struct rv_pool *p, size_t index) {
    struct rv_slot *slot = &p->slots[index];
    slot->pool = p;
    slot->place.slot = index;
    slot->place.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (slot->place.wake_fd < 0) return REEVE_ENOMEM;
    if (!pthread_create(&slot->thread, NULL, serve, slot)) return 0;
    (void)close(slot->place.wake_fd);
    return REEVE_ENOMEM;
}

int rv_pool_start(struct rv_pool *p, size_t count, struct rv_error *err) {
    rv_list_init(&p->queued);
    atomic_init(&p->load, 0);
    p->idle = p->waking = 0;
    p->ending = false;
    p->count = 0;
    p->slots = calloc(count, sizeof *p->slots);
    if (!p->slots || pthread_mutex_init(&p->lock, NULL)) goto no_lock;
    if (rv_cond_init(&p->cond)) goto no_cond;
    while (p->count < count) {
        if (start_slot(p, p->count)) {
            size_t started = p->count;
            rv_pool_stop(p);
            rv_pool_release(p);
            return rv_fail(err, REEVE_ENOMEM, "only %zu of %zu threads could be started", started,
                           count);
        }
        p->count++;
    }
    return 0;

no_cond:
    (void)pthread_mutex_destroy(&p->lock);
no_lock:
    free(p->slots);
    return rv_fail(err, REEVE_ENOMEM, "no memory for %zu threads", count);
}

void rv_pool_stop(struct rv_pool *p) {
    (void)pthread_mutex_lock(&p->lock);
    p->ending = true;
    (void)pthread_cond_broadcast(&p->cond);
    (void)pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < p->count; i++) {
        (void)pthread_join(p->slots[i].thread, NULL);
        (void)close(p->slots[i].place.wake_fd);
    }
}

void rv_pool_release(struct rv_pool *p) {
    (void)pthread_cond_destroy(&p->cond);
    (void)pthread_mutex_destroy(&p->lock);
    free(p->slots);
}

void rv_pool_add(struct rv_pool *p, struct rv_list *tasks) {
    struct rv_list *link;
    (void)pthread_mutex_lock(&p->lock);
    while ((link = rv_list_pop(tasks)) != NULL) {
        rv_list_add_tail(&p->queued, link);
        (void)atomic_fetch_add(&p->load, 1);
        wake_another(p);
    }
    (void)pthread_mutex_unlock(&p->lock);
}

size_t rv_pool_load(const struct rv_pool *p) {
    return atomic_load(&p->load);
}

void rv_pool_wake(struct rv_pool *p) {
    const uint64_t one = 1;
    for (size_t i = 0; i < p->count; i++) {
        if (write(p->slots[i].place.wake_fd, &one, sizeof one) < 0) continue; /* awake already */
    }
}

void rv_pool_take_queued(struct rv_pool *p, struct rv_list *out) {
    struct rv_list *link;
    (void)pthread_mutex_lock(&p->lock);
    while ((link = rv_list_pop(&p->queued)) != NULL) {
        rv_list_add_tail(out, link);
        (void)atomic_fetch_sub(&p->load, 1);
    }
    (void)pthread_mutex_unlock(&p->lock);
}

/* ---- what the threads are doing ---- */

/* With the lock held: a task that its slot shows is alive, and its job does not change. */
static void view_slot(const struct rv_slot *slot, struct rv_slot_view *view) {
    *view = (struct rv_slot_view){.busy = slot->task != NULL};
    if (!slot->task) return;
    const struct reeve_job *job = slot->task->job;
    (void)snprintf(view->queue, sizeof view->queue, "%s", job->queue);
    (void)snprintf(view->id, sizeof view->id, "%s", job->id);
    (void)snprintf(view->kind, sizeof view->kind, "%s", job->kind);
    view->attempt = job->attempt;
    view->token = job->token;
    view->busy_ms = rv_clock_boot_ms(&slot->pool->run->service->clock) - slot->since_ms;
}

void rv_pool_look(struct rv_pool *p, struct rv_slot_view *views) {
    (void)pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->count; i++)
        view_slot(&p->slots[i], &views[i]);
    (void)pthread_mutex_unlock(&p->lock);
}

static bool find_loss(struct rv_pool *p, struct rv_slot_view *view) {
    bool found = false;
    (void)pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->count && !found; i++) {
        struct reeve_task *task = p->slots[i].task;
        found = task && rv_hold_marked(&task->hold, RV_MARK_LOST) && rv_task_loss_is_news(task);
        if (found) view_slot(&p->slots[i], view);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return found;
}

void rv_pool_log_losses(struct rv_pool *p) {
    struct rv_slot_view view;
    while (find_loss(p, &view)) /* the log is somebody else's code: not with the lock */
        rv_log_loss(&p->run->service->log, view.queue, view.id, view.attempt, view.token);
}
