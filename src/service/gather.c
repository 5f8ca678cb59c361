/* One request per caller, on his own stack. Per queue one of them is the sender; those who come
 * while he is in the store line up behind him, and then the first of them sends for all. */
#include "service/gather.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/latch.h"
#include "core/limits.h"
#include "service/repeat.h"

struct request {
    const char *queue;
    const struct rv_new_job *jobs;
    size_t count, bytes;
    struct rv_pushed *outs;
    struct rv_await *await; /* not NULL: he sleeps on until the job has ended, too */
    int64_t until_ms;       /* boot: he has to be told by then; INT64_MAX: there is time */

    struct rv_list link;      /* in gather.senders, or among the followers of a sender */
    struct rv_list step;      /* in the requests of the batch that is being sent */
    struct rv_list followers; /* as sender: those who came meanwhile */
    atomic_size_t gathered;   /* as sender: jobs of theirs and ours */
    struct rv_gong *gong;     /* as sender: for those who come now */

    /* As follower: told is set when the answer is here, or it is our turn to send. The first one
     * will mostly be the next sender, and is woken before the others. */
    atomic_bool told;
    bool first;
    struct rv_latch wake;  /* of the first, and of those who cannot wait for long: TOLD */
    struct rv_gong *wakes; /* of the others */
    bool sends;
    bool hurried; /* the step was given up because somebody else in it had no more time */
    int status;
    struct rv_error *err; /* the caller's; not NULL */
};

enum { TOLD = 1 };

/* The requests of one step, and their jobs side by side. */
struct batch {
    struct rv_list requests; /* of struct request, the sender's first */
    size_t count, bytes;
    int64_t until_ms; /* the first of theirs */
    struct rv_new_job *jobs;
    struct rv_pushed *outs;
    struct rv_gong *gong; /* of all followers but the first */
};

static struct request *request_of(struct rv_list *link) {
    return rv_container_of(link, struct request, link);
}

static int push_one(struct rv_door *door, struct request *request) {
    struct rv_repeat time = {door->of->timeout_ms, request->until_ms};
    return rv_repeat_push(door->of->store, time, request->queue, request->jobs, request->count,
                          request->outs, request->err);
}

static struct request *in_step(struct rv_list *step) {
    return rv_container_of(step, struct request, step);
}

/* Takes the sender's followers into his batch, in the order they came, as many as one step may
 * hold. */
static void batch_fill(struct batch *batch, struct request *sender, const struct rv_door *door) {
    struct rv_push_step most = rv_store_push_step(door->of->store);
    *batch = (struct batch){.count = sender->count,
                            .bytes = sender->bytes,
                            .until_ms = sender->until_ms,
                            .gong = sender->gong};
    rv_list_init(&batch->requests);
    rv_list_add_tail(&batch->requests, &sender->step);
    while (!rv_list_empty(&sender->followers)) {
        struct request *next = request_of(sender->followers.next);
        if (batch->count + next->count > most.jobs) return;
        if (batch->bytes + next->bytes > most.bytes) return;
        batch->count += next->count;
        batch->bytes += next->bytes;
        if (next->until_ms < batch->until_ms) batch->until_ms = next->until_ms;
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

static bool is_away(int status) {
    return status == REEVE_EUNSURE || status == REEVE_EUNREACHABLE;
}

static void batch_answer(struct batch *batch, int status, const struct rv_error *err) {
    size_t at = 0;
    bool over = is_away(status) && rv_clock_boot_ms(&rv_clock_real) >= batch->until_ms;
    for (struct rv_list *l = batch->requests.next; l != &batch->requests; l = l->next) {
        struct request *request = in_step(l);
        memcpy(request->outs, batch->outs + at, request->count * sizeof *batch->outs);
        at += request->count;
        request->status = status;
        if (err->code) *request->err = *err; /* also where some of them were left */
        request->hurried = over && request->until_ms > batch->until_ms;
    }
}

/* A definite refusal of a shared step may be the fault of one of them: each then goes alone. */
static bool is_common(int status) {
    return !status || is_away(status);
}

static bool is_of_several(const struct batch *batch) {
    return batch->requests.next != batch->requests.prev;
}

static void batch_send(struct rv_door *door, struct batch *batch) {
    struct rv_error err;
    rv_error_clear(&err);
    bool shared = is_of_several(batch) && batch_join(batch);
    int status = REEVE_ENOMEM;
    if (shared) {
        const char *queue = in_step(batch->requests.next)->queue;
        struct rv_repeat time = {door->of->timeout_ms, batch->until_ms};
        status = rv_repeat_push(door->of->store, time, queue, batch->jobs, batch->count,
                                batch->outs, &err);
    }
    if (shared && is_common(status)) {
        batch_answer(batch, status, &err);
    } else {
        for (struct rv_list *l = batch->requests.next; l != &batch->requests; l = l->next)
            in_step(l)->status = push_one(door, in_step(l));
    }
    free(batch->jobs);
    free(batch->outs);
}

static struct request *find_sender(struct rv_door *door, const char *queue) {
    for (struct rv_list *l = door->senders.next; l != &door->senders; l = l->next) {
        if (!strcmp(request_of(l)->queue, queue)) return request_of(l);
    }
    return NULL;
}

static struct rv_gong *next_gong(struct rv_door *door) {
    return &door->gongs[door->next_gong++ % RV_GONGS];
}

static void follow(struct request *sender, struct request *me) {
    rv_list_add_tail(&sender->followers, &me->link);
    (void)atomic_fetch_add(&sender->gathered, me->count);
}

/* Makes the first of those who came meanwhile the sender for the rest. NULL: nobody came. */
static struct request *hand_over(struct rv_door *door, struct request *sender) {
    rv_list_remove(&sender->link);
    struct rv_list *link = rv_list_pop(&sender->followers);
    if (!link) return NULL;
    struct request *next = request_of(link);
    while ((link = rv_list_pop(&sender->followers)))
        follow(next, request_of(link));
    rv_list_add_tail(&door->senders, &next->link);
    next->gong = sender->gong;
    next->sends = true;
    return next;
}

/* There is an end to wait for, which the store will tell. */
static bool is_queued(const struct request *request) {
    return !request->status && request->outs->status == REEVE_QUEUED;
}

static bool is_woken_alone(const struct request *follower) {
    return follower->first || follower->await || follower->until_ms != INT64_MAX;
}

static void tell_alone(struct request *follower) {
    struct rv_gong *gong = is_woken_alone(follower) ? NULL : follower->wakes;
    if (follower->await) {
        if (follower->sends)
            rv_await_send(follower->await);
        else
            rv_await_answer(follower->await, !is_queued(follower));
        return;
    }
    if (gong) {
        atomic_store(&follower->told, true);
        rv_gong_strike(gong);
    } else {
        (void)rv_latch_set(&follower->wake, TOLD);
        rv_latch_wake(&follower->wake);
    }
}

/* The next sender first, so that the store is not idle while the others are told, and all without
 * the lock, which each of them would stumble over. Once a follower is told, his request is gone: it
 * lived on his stack. */
static void tell_all(struct batch *batch, struct request *sender, struct request *next) {
    bool others = false;
    if (next) tell_alone(next);
    rv_list_remove(&sender->step);
    for (struct rv_list *step; (step = rv_list_pop(&batch->requests));) {
        if (is_woken_alone(in_step(step))) {
            tell_alone(in_step(step));
        } else {
            atomic_store(&in_step(step)->told, true);
            others = true;
        }
    }
    if (others) rv_gong_strike(batch->gong);
    if (sender->await) rv_await_answer(sender->await, !is_queued(sender));
}

/* Lets those who were told together catch up: a step for all of them costs little more than one for
 * the first. */
static void await_crowd(struct rv_door *door, struct request *sender) {
    size_t jobs;
    bool all_came;
    while (sender->await && rv_awaits_gather(sender->await->of))
        (void)sched_yield();
    if (sender->await) return;
    (void)pthread_mutex_lock(&door->lock);
    int64_t until_us = rv_crowd_expect(&door->crowd, sender->queue, &jobs);
    (void)pthread_mutex_unlock(&door->lock);
    if (atomic_load(&sender->gathered) >= jobs) return;
    if (!until_us || rv_clock_boot_us(&rv_clock_real) >= until_us) return;
    (void)atomic_fetch_add(&door->gathering, 1);
    do {
        (void)sched_yield();
        all_came = atomic_load(&sender->gathered) >= jobs;
    } while (!all_came && rv_clock_boot_us(&rv_clock_real) < until_us);
    (void)atomic_fetch_add(&door->gathering, 1);
    (void)pthread_mutex_lock(&door->lock);
    rv_crowd_waited(&door->crowd, all_came);
    (void)pthread_mutex_unlock(&door->lock);
}

/* Before a crowd is told: if the other one is coming back just now, its sender would get his turn
 * behind all of ours, and for so long the store would have nothing to do. He waits no longer than a
 * crowd is worth, so neither do we. */
static void let_others_go(const struct rv_door *door) {
    for (size_t i = 0; i < door->of->count; i++) {
        const struct rv_door *other = &door->of->doors[i];
        unsigned seen = other == door ? 0 : atomic_load(&other->gathering);
        while (seen % 2 && atomic_load(&other->gathering) == seen)
            (void)sched_yield();
    }
}

/* Takes those who are there into the batch. Who comes from now on is of the next one. */
static void begin_batch(struct rv_door *door, struct batch *batch, struct request *sender) {
    (void)pthread_mutex_lock(&door->lock);
    batch_fill(batch, sender, door);
    sender->gong = next_gong(door);
    (void)pthread_mutex_unlock(&door->lock);
}

/* The jobs of all who came, and may come again together; 0: there was but one, however many he
 * brought. */
static size_t crowd_of(struct request *sender) {
    size_t gathered = atomic_load(&sender->gathered);
    return gathered > sender->count ? gathered : 0;
}

static void send_for_all(struct rv_door *door, struct request *sender) {
    struct batch batch;
    await_crowd(door, sender);
    begin_batch(door, &batch, sender);
    int64_t from_us = rv_clock_boot_us(&rv_clock_real);
    batch_send(door, &batch);
    int64_t now_us = rv_clock_boot_us(&rv_clock_real);
    (void)pthread_mutex_lock(&door->lock);
    rv_crowd_note(&door->crowd, sender->queue, crowd_of(sender), now_us, now_us - from_us);
    struct request *next = hand_over(door, sender);
    (void)pthread_mutex_unlock(&door->lock);
    if (is_of_several(&batch)) let_others_go(door);
    tell_all(&batch, sender, next);
}

/* Lines up behind the sender of the queue, or becomes it. */
static bool line_up(struct rv_door *door, struct request *me) {
    (void)pthread_mutex_lock(&door->lock);
    struct request *sender = find_sender(door, me->queue);
    if (sender) {
        me->first = rv_list_empty(&sender->followers);
        me->wakes = sender->gong;
        follow(sender, me);
    } else {
        me->gong = next_gong(door);
        rv_list_add_tail(&door->senders, &me->link);
    }
    (void)pthread_mutex_unlock(&door->lock);
    return !sender;
}

/* False: it is until_ms (boot; INT64_MAX: never), and nothing was told. */
static bool sleep_alone(struct request *me, int64_t until_ms) {
    for (unsigned bits; !((bits = rv_latch_bits(&me->wake)) & TOLD);) {
        int64_t left_ms = until_ms - rv_clock_boot_ms(&rv_clock_real);
        if (left_ms <= 0) return false;
        rv_latch_sleep(&me->wake, bits, until_ms == INT64_MAX ? -1 : left_ms);
    }
    return true;
}

static bool sleep_until_told(struct request *me, int64_t recheck_ms, int64_t until_ms) {
    if (me->await) return rv_await_sleep_until(me->await, recheck_ms, until_ms);
    if (is_woken_alone(me)) return sleep_alone(me, until_ms);
    for (;;) {
        unsigned heard = rv_gong_heard(me->wakes);
        if (atomic_load(&me->told)) return true;
        rv_gong_wait(me->wakes, heard);
    }
}

/* Nobody has taken the request into a step yet, nor made it the sender: it can be withdrawn. */
static bool leave_line(struct rv_door *door, struct request *me) {
    (void)pthread_mutex_lock(&door->lock);
    bool in_line = !me->sends && !rv_list_empty(&me->link);
    if (in_line) {
        struct request *sender = find_sender(door, me->queue);
        (void)atomic_fetch_sub(&sender->gathered, me->count);
        rv_list_remove(&me->link);
    }
    (void)pthread_mutex_unlock(&door->lock);
    return in_line;
}

/* Who is in a step when his time is over is told soon: it ends by then. */
static void wait_until_told(struct rv_door *door, struct request *me, int64_t recheck_ms) {
    if (sleep_until_told(me, recheck_ms, me->until_ms)) return;
    if (leave_line(door, me))
        me->status =
            rv_fail(me->err, REEVE_EUNREACHABLE,
                    "queue %s: those who pushed before were not answered in time", me->queue);
    else
        (void)sleep_until_told(me, 0, INT64_MAX);
}

static size_t body_bytes(const struct rv_new_job *jobs, size_t count) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += jobs[i].body.size;
    return bytes;
}

static void request_init(struct request *me, const char *queue, const struct rv_new_job *jobs,
                         size_t count, struct rv_pushed *outs, struct rv_error *err) {
    *me = (struct request){
        .queue = queue,
        .jobs = jobs,
        .count = count,
        .bytes = body_bytes(jobs, count),
        .outs = outs,
        .until_ms = INT64_MAX,
        .err = err,
    };
    atomic_init(&me->gathered, count);
    atomic_init(&me->told, false);
    rv_list_init(&me->followers);
    rv_list_init(&me->step);
    rv_latch_init(&me->wake);
}

/* Where a part of the store did not answer: whoever is concerned goes on by himself, and holds up
 * nobody behind him. */
static void push_rest(struct rv_door *door, struct request *me) {
    if (me->status || !rv_repeat_is_left(me->outs, me->count)) return;
    struct rv_repeat time = {door->of->timeout_ms, me->until_ms};
    me->status =
        rv_repeat_rest(door->of->store, time, me->queue, me->jobs, me->count, me->outs, me->err);
    if (me->await && is_queued(me)) rv_await_reopen(me->await);
}

/* The same where all were given up because of one who had no more time. */
static void push_anew(struct rv_door *door, struct request *me) {
    if (!me->hurried) return;
    bool unsure = me->status == REEVE_EUNSURE;
    me->status = push_one(door, me);
    if (unsure && is_away(me->status)) me->status = me->err->code = REEVE_EUNSURE;
    if (me->await && is_queued(me)) rv_await_reopen(me->await);
}

/* recheck_ms: how long one who waits for the end of his job, too, sleeps at most. */
static int push_at(struct rv_door *door, struct request *me, int64_t recheck_ms) {
    if (line_up(door, me))
        me->sends = true;
    else
        wait_until_told(door, me, recheck_ms);
    if (me->sends) {
        send_for_all(door, me);
        if (me->await) rv_await_clear_turn(me->await);
    }
    push_anew(door, me);
    push_rest(door, me);
    return me->status;
}

/* ---- the doors ---- */
static int open_door(struct rv_door *door, const struct rv_gather *gather) {
    door->of = gather;
    atomic_init(&door->callers, 0);
    atomic_init(&door->gathering, 0);
    door->crowd = (struct rv_crowd){0};
    rv_list_init(&door->senders);
    for (size_t i = 0; i < RV_GONGS; i++)
        rv_gong_init(&door->gongs[i]);
    door->next_gong = 0;
    return pthread_mutex_init(&door->lock, NULL) ? REEVE_ENOMEM : 0;
}

int rv_gather_init(struct rv_gather *gather, struct rv_store *store, int64_t timeout_ms) {
    size_t wanted = rv_store_push_step(store).at_once;
    if (wanted > RV_DOORS) wanted = RV_DOORS;
    gather->store = store;
    gather->timeout_ms = timeout_ms;
    for (gather->count = 0; gather->count < wanted; gather->count++) {
        if (!open_door(&gather->doors[gather->count], gather)) continue;
        rv_gather_release(gather);
        return REEVE_ENOMEM;
    }
    return 0;
}

void rv_gather_release(struct rv_gather *gather) {
    for (size_t i = 0; i < gather->count; i++)
        (void)pthread_mutex_destroy(&gather->doors[i].lock);
}

/* Where the fewest are: who was just answered finds his own as empty as the others left it. */
static struct rv_door *choose_door(struct rv_gather *gather) {
    struct rv_door *best = &gather->doors[0];
    size_t fewest = atomic_load(&best->callers);
    for (size_t i = 1; fewest && i < gather->count; i++) {
        size_t callers = atomic_load(&gather->doors[i].callers);
        if (callers >= fewest) continue;
        best = &gather->doors[i];
        fewest = callers;
    }
    return best;
}

static int push_somewhere(struct rv_gather *gather, struct request *me, int64_t recheck_ms) {
    struct rv_door *door = me->await ? &gather->doors[0] : choose_door(gather);
    (void)atomic_fetch_add(&door->callers, 1);
    int rc = push_at(door, me, recheck_ms);
    (void)atomic_fetch_sub(&door->callers, 1);
    return rc;
}

int rv_gather_push(struct rv_gather *gather, const char *queue, const struct rv_new_job *jobs,
                   size_t count, struct rv_pushed *outs, struct rv_error *err) {
    struct request me;
    request_init(&me, queue, jobs, count, outs, err);
    return push_somewhere(gather, &me, 0);
}

int rv_gather_push_until(struct rv_gather *gather, const struct rv_new_job *job, int64_t until_ms,
                         struct rv_pushed *out, struct rv_error *err) {
    struct request me;
    request_init(&me, job->queue, job, 1, out, err);
    me.until_ms = until_ms;
    return push_somewhere(gather, &me, 0);
}

int rv_gather_push_awaited(struct rv_gather *gather, const struct rv_new_job *job, int64_t until_ms,
                           struct rv_await *await, int64_t recheck_ms, struct rv_pushed *out,
                           struct rv_error *err) {
    struct request me;
    request_init(&me, job->queue, job, 1, out, err);
    me.until_ms = until_ms;
    me.await = await;
    return push_somewhere(gather, &me, recheck_ms);
}
