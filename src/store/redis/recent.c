#include "store/redis/recent.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static struct rv_rd_recent_push *push_of(struct rv_list *link) {
    return rv_container_of(link, struct rv_rd_recent_push, link);
}

int rv_rd_recent_init(struct rv_rd_recent *recent, struct rv_error *err) {
    *recent = (struct rv_rd_recent){0};
    rv_list_init(&recent->pushes);
    if (!pthread_mutex_init(&recent->lock, NULL)) return 0;
    return rv_fail(err, REEVE_ENOMEM, "out of memory");
}

void rv_rd_recent_free(struct rv_list *pushes) {
    struct rv_list *link;
    while ((link = rv_list_pop(pushes)))
        free(push_of(link));
}

void rv_rd_recent_release(struct rv_rd_recent *recent) {
    rv_rd_recent_free(&recent->pushes);
    (void)pthread_mutex_destroy(&recent->lock);
}

/* ---- keeping ---- */
static char *copy(char **at, const void *data, size_t size) {
    char *to = *at;
    if (size) memcpy(to, data, size);
    *at += size;
    return to;
}

static struct rv_rd_recent_push *make(const struct rv_new_job *job) {
    size_t queue = strlen(job->queue) + 1, kind = strlen(job->kind) + 1, id = strlen(job->id) + 1;
    size_t size = sizeof(struct rv_rd_recent_push) + queue + kind + id + job->body.size;
    struct rv_rd_recent_push *push = malloc(size);
    if (!push) return NULL;
    char *at = push->text;
    push->size = size;
    push->job = *job;
    push->job.queue = copy(&at, job->queue, queue);
    push->job.kind = copy(&at, job->kind, kind);
    push->job.id = copy(&at, job->id, id);
    push->job.body.data = copy(&at, job->body.data, job->body.size);
    return push;
}

/* With the lock. */
static void make_room(struct rv_rd_recent *recent) {
    while (recent->bytes > RV_RD_RECENT_BYTES) {
        struct rv_rd_recent_push *oldest = push_of(rv_list_pop(&recent->pushes));
        recent->bytes -= oldest->size;
        recent->dropped++;
        free(oldest);
    }
}

void rv_rd_recent_add(struct rv_rd_recent *recent, const struct rv_new_job *job,
                      const struct rv_rd_point *before, int64_t now_ms) {
    struct rv_rd_recent_push *push = job->body.size <= RV_RD_RECENT_BODY ? make(job) : NULL;
    if (push) {
        push->before = *before;
        push->at_ms = rv_clock_boot_ms(&rv_clock_real);
        if (job->delay_ms && !job->run_at_ms)
            push->job.run_at_ms = rv_time_add(now_ms, job->delay_ms);
    }
    (void)pthread_mutex_lock(&recent->lock);
    if (push) {
        rv_list_add_tail(&recent->pushes, &push->link);
        recent->bytes += push->size;
        make_room(recent);
    } else {
        recent->dropped++;
    }
    (void)pthread_mutex_unlock(&recent->lock);
}

/* ---- looking through them ---- */
/* Moves all of from ahead of what is in to. */
static void move_ahead(struct rv_list *to, struct rv_list *from) {
    if (rv_list_empty(from)) return;
    from->prev->next = to->next;
    to->next->prev = from->prev;
    to->next = from->next;
    from->next->prev = to;
    rv_list_init(from);
}

void rv_rd_recent_take(struct rv_rd_recent *recent, struct rv_list *out) {
    rv_list_init(out);
    (void)pthread_mutex_lock(&recent->lock);
    move_ahead(out, &recent->pushes);
    recent->bytes = 0;
    (void)pthread_mutex_unlock(&recent->lock);
}

void rv_rd_recent_put_back(struct rv_rd_recent *recent, struct rv_list *pushes) {
    size_t bytes = 0;
    for (struct rv_list *link = pushes->next; link != pushes; link = link->next)
        bytes += push_of(link)->size;
    (void)pthread_mutex_lock(&recent->lock);
    move_ahead(&recent->pushes, pushes);
    recent->bytes += bytes;
    make_room(recent);
    (void)pthread_mutex_unlock(&recent->lock);
}

uint64_t rv_rd_recent_dropped(struct rv_rd_recent *recent) {
    (void)pthread_mutex_lock(&recent->lock);
    uint64_t dropped = recent->dropped;
    recent->dropped = 0;
    (void)pthread_mutex_unlock(&recent->lock);
    return dropped;
}

bool rv_rd_recent_is_empty(struct rv_rd_recent *recent) {
    (void)pthread_mutex_lock(&recent->lock);
    bool empty = rv_list_empty(&recent->pushes);
    (void)pthread_mutex_unlock(&recent->lock);
    return empty;
}
