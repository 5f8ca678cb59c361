/* One request per caller, on his own stack. Per queue one of them is the sender; those who come
 * while he is in the store line up behind him, and then the first of them sends for all. */
#include "service/gather.h"

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/random.h"
#include "core/limits.h"

struct request {
    const char *queue;
    const struct rv_new_job *jobs;
    size_t count, bytes;
    struct rv_pushed *outs;

    struct rv_list link;      /* in gather.senders, or among the followers of a sender */
    struct rv_list step;      /* in the requests of the batch that is being sent */
    struct rv_list followers; /* as sender: those who came meanwhile */
    sem_t told;               /* as follower: the answer is here, or it is our turn to send */
    bool sends;
    int status;
    struct rv_error err;
};

/* The requests of one step, and their jobs side by side. */
struct batch {
    struct rv_list requests; /* of struct request, the sender's first */
    size_t count, bytes;
    struct rv_new_job *jobs;
    struct rv_pushed *outs;
};

static struct request *request_of(struct rv_list *link) {
    return rv_container_of(link, struct request, link);
}

int rv_gather_init(struct rv_gather *gather, struct rv_store *store, int64_t timeout_ms) {
    gather->store = store;
    gather->timeout_ms = timeout_ms;
    atomic_init(&gather->shared, false);
    rv_list_init(&gather->senders);
    return pthread_mutex_init(&gather->lock, NULL) ? REEVE_ENOMEM : 0;
}

void rv_gather_release(struct rv_gather *gather) {
    (void)pthread_mutex_destroy(&gather->lock);
}

static void pause_ms(int64_t ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&time, NULL);
}

/* Repeats a step whose answer was lost until it is known what became of it, or time is over. Once a
 * step is unsure, being unreachable later does not make it sure again. */
static int push_surely(struct rv_gather *gather, const char *queue, const struct rv_new_job *jobs,
                       size_t count, struct rv_pushed *outs, struct rv_error *err) {
    int64_t until = rv_time_add(rv_clock_boot_ms(&rv_clock_real), gather->timeout_ms);
    int rc = rv_store_push(gather->store, queue, jobs, count, outs, err);
    if (rc != REEVE_EUNSURE) return rc;
    for (int64_t wait_ms = 5; rv_clock_boot_ms(&rv_clock_real) < until; wait_ms *= 2) {
        if (wait_ms > 500) wait_ms = 500;
        pause_ms(1 + rv_random_below(&rv_random_system, wait_ms));
        struct rv_error again = {0};
        rc = rv_store_push(gather->store, queue, jobs, count, outs, &again);
        if (!rc) return 0;
        if (rc == REEVE_EUNSURE) *err = again;
        if (!reeve_retriable(rc)) break;
    }
    for (size_t i = 0; i < count; i++)
        outs[i].error = REEVE_EUNSURE;
    return REEVE_EUNSURE;
}

static int push_one(struct rv_gather *gather, struct request *request) {
    return push_surely(gather, request->queue, request->jobs, request->count, request->outs,
                       &request->err);
}

static struct request *in_step(struct rv_list *step) {
    return rv_container_of(step, struct request, step);
}

/* Takes the sender's followers into his batch, in the order they came, as many as one step may
 * hold. */
static void batch_fill(struct batch *batch, struct request *sender) {
    *batch = (struct batch){.count = sender->count, .bytes = sender->bytes};
    rv_list_init(&batch->requests);
    rv_list_add_tail(&batch->requests, &sender->step);
    while (!rv_list_empty(&sender->followers)) {
        struct request *next = request_of(sender->followers.next);
        if (batch->count + next->count > RV_PUSH_MAX) return;
        if (batch->bytes + next->bytes > RV_PUSH_BYTES_MAX) return;
        batch->count += next->count;
        batch->bytes += next->bytes;
        rv_list_remove(&next->link);
        rv_list_add_tail(&batch->requests, &next->step);
    }
}

static bool batch_join(struct batch *batch) {
    batch->jobs = malloc(batch->count * sizeof *batch->jobs);
    batch->outs = malloc(batch->count * sizeof *batch->outs);
    if (!batch->jobs || !batch->outs) return false;
    size_t at = 0;
    for (struct rv_list *l = batch->requests.next; l != &batch->requests; l = l->next) {
        struct request *request = in_step(l);
        memcpy(batch->jobs + at, request->jobs, request->count * sizeof *batch->jobs);
        at += request->count;
    }
    return true;
}

static void batch_answer(struct batch *batch, int status, const struct rv_error *err) {
    size_t at = 0;
    for (struct rv_list *l = batch->requests.next; l != &batch->requests; l = l->next) {
        struct request *request = in_step(l);
        memcpy(request->outs, batch->outs + at, request->count * sizeof *batch->outs);
        at += request->count;
        request->status = status;
        request->err = *err;
    }
}

/* A definite refusal of a shared step may be the fault of one of them: each then goes alone. */
static bool is_common(int status) {
    return !status || status == REEVE_EUNSURE || status == REEVE_EUNREACHABLE;
}

static void batch_send(struct rv_gather *gather, struct batch *batch) {
    struct rv_error err = {0};
    bool shared = batch->requests.next != batch->requests.prev && batch_join(batch);
    int status = REEVE_ENOMEM;
    if (shared) {
        const char *queue = in_step(batch->requests.next)->queue;
        status = push_surely(gather, queue, batch->jobs, batch->count, batch->outs, &err);
    }
    if (shared && is_common(status)) {
        batch_answer(batch, status, &err);
    } else {
        for (struct rv_list *l = batch->requests.next; l != &batch->requests; l = l->next)
            in_step(l)->status = push_one(gather, in_step(l));
    }
    free(batch->jobs);
    free(batch->outs);
}

static struct request *find_sender(struct rv_gather *gather, const char *queue) {
    for (struct rv_list *l = gather->senders.next; l != &gather->senders; l = l->next) {
        if (!strcmp(request_of(l)->queue, queue)) return request_of(l);
    }
    return NULL;
}

/* Makes the first of those who came meanwhile the sender for the rest. NULL: nobody came. */
static struct request *hand_over(struct rv_gather *gather, struct request *sender) {
    rv_list_remove(&sender->link);
    struct rv_list *link = rv_list_pop(&sender->followers);
    if (!link) return NULL;
    struct request *next = request_of(link);
    while ((link = rv_list_pop(&sender->followers)))
        rv_list_add_tail(&next->followers, link);
    rv_list_add_tail(&gather->senders, &next->link);
    next->sends = true;
    return next;
}

/* The next sender first, so that the store is not idle while the others are told, and all without
 * the lock, which each of them would stumble over. Once a follower is told, his request is gone: it
 * lived on his stack. */
static void tell_all(struct batch *batch, struct request *sender, struct request *next) {
    if (next) (void)sem_post(&next->told);
    rv_list_remove(&sender->step);
    for (struct rv_list *step; (step = rv_list_pop(&batch->requests));)
        (void)sem_post(&in_step(step)->told);
}

/* Those of a shared step were told together and come back together: whoever is first lets them
 * catch up, instead of paying for a step of his own. */
static void let_others_come(struct rv_gather *gather) {
    if (atomic_load(&gather->shared)) (void)sched_yield();
}

static void send_for_all(struct rv_gather *gather, struct request *sender) {
    struct batch batch;
    let_others_come(gather);
    (void)pthread_mutex_lock(&gather->lock);
    batch_fill(&batch, sender);
    (void)pthread_mutex_unlock(&gather->lock);
    atomic_store(&gather->shared, batch.requests.next != batch.requests.prev);
    batch_send(gather, &batch);
    (void)pthread_mutex_lock(&gather->lock);
    struct request *next = hand_over(gather, sender);
    (void)pthread_mutex_unlock(&gather->lock);
    tell_all(&batch, sender, next);
}

/* Lines up behind the sender of the queue, or becomes it. */
static bool line_up(struct rv_gather *gather, struct request *me) {
    (void)pthread_mutex_lock(&gather->lock);
    struct request *sender = find_sender(gather, me->queue);
    if (sender)
        rv_list_add_tail(&sender->followers, &me->link);
    else
        rv_list_add_tail(&gather->senders, &me->link);
    (void)pthread_mutex_unlock(&gather->lock);
    return !sender;
}

static void wait_until_told(struct request *me) {
    while (sem_wait(&me->told) && errno == EINTR)
        continue;
}

static size_t body_bytes(const struct rv_new_job *jobs, size_t count) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += jobs[i].body.size;
    return bytes;
}

int rv_gather_push(struct rv_gather *gather, const char *queue, const struct rv_new_job *jobs,
                   size_t count, struct rv_pushed *outs, struct rv_error *err) {
    struct request me = {
        .queue = queue,
        .jobs = jobs,
        .count = count,
        .bytes = body_bytes(jobs, count),
        .outs = outs,
    };
    rv_list_init(&me.followers);
    rv_list_init(&me.step);
    (void)sem_init(&me.told, 0, 0); /* fails only for values and kinds that are not ours */
    if (line_up(gather, &me))
        me.sends = true;
    else
        wait_until_told(&me);
    if (me.sends) send_for_all(gather, &me);
    (void)sem_destroy(&me.told);
    if (me.status) *err = me.err;
    return me.status;
}
