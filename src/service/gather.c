/* One request per caller, on his own stack. Per queue one of them is the sender; those who come
 * while he is in the store line up behind him, and then the first of them sends for all. Where the
 * store serves several steps at a time, most go by ferry instead (ferry.h). */
#include "service/gather.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/latch.h"
#include "core/limits.h"
#include "service/batch.h"

struct request {
    struct rv_ask ask;
    struct rv_await *await; /* not NULL: he sleeps on until the job has ended, too */

    struct rv_list link;      /* in gather.senders, or among the followers of a sender */
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
};

enum { TOLD = 1 };

static struct request *request_of(struct rv_list *link) {
    return rv_container_of(link, struct request, link);
}

static struct request *asker(struct rv_ask *ask) {
    return rv_container_of(ask, struct request, ask);
}

/* Takes the sender's followers into his batch, in the order they came, as many as one step may
 * hold. */
static void batch_fill(struct rv_batch *batch, struct request *sender,
                       const struct rv_gather *gather) {
    struct rv_push_step most = rv_store_push_step(gather->store);
    rv_batch_init(batch, &sender->ask);
    while (!rv_list_empty(&sender->followers)) {
        struct request *next = request_of(sender->followers.next);
        if (!rv_batch_add(batch, &next->ask, most)) return;
        rv_list_remove(&next->link);
    }
}

static struct request *find_sender(struct rv_gather *gather, const char *queue) {
    for (struct rv_list *l = gather->senders.next; l != &gather->senders; l = l->next) {
        if (!strcmp(request_of(l)->ask.queue, queue)) return request_of(l);
    }
    return NULL;
}

static struct rv_gong *next_gong(struct rv_gather *gather) {
    return &gather->gongs[gather->next_gong++ % RV_GONGS];
}

static void follow(struct request *sender, struct request *me) {
    rv_list_add_tail(&sender->followers, &me->link);
    (void)atomic_fetch_add(&sender->gathered, me->ask.count);
}

/* Makes the first of those who came meanwhile the sender for the rest. NULL: nobody came. */
static struct request *hand_over(struct rv_gather *gather, struct request *sender) {
    rv_list_remove(&sender->link);
    struct rv_list *link = rv_list_pop(&sender->followers);
    if (!link) return NULL;
    struct request *next = request_of(link);
    while ((link = rv_list_pop(&sender->followers)))
        follow(next, request_of(link));
    rv_list_add_tail(&gather->senders, &next->link);
    next->gong = sender->gong;
    next->sends = true;
    return next;
}

/* There is an end to wait for, which the store will tell. */
static bool is_queued(const struct request *request) {
    return !request->ask.status && request->ask.outs->status == REEVE_QUEUED;
}

static bool is_woken_alone(const struct request *follower) {
    return follower->first || follower->await || follower->ask.until_ms != INT64_MAX;
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
 * lived on his stack. gong: of the followers who came while the step before was under way, but for
 * the first; one whom no step could hold since then sleeps by an older one. */
static void tell_all(struct rv_batch *batch, struct request *sender, struct request *next,
                     struct rv_gong *gong) {
    bool others = false;
    if (next) tell_alone(next);
    for (struct rv_ask *ask; (ask = rv_batch_pop(batch));) {
        struct request *request = asker(ask);
        if (request == sender) continue;
        if (is_woken_alone(request) || request->wakes != gong) {
            tell_alone(request);
        } else {
            atomic_store(&request->told, true);
            others = true;
        }
    }
    if (others) rv_gong_strike(gong);
    if (sender->await) rv_await_answer(sender->await, !is_queued(sender));
}

/* Lets those who were told together catch up: a step for all of them costs little more than one for
 * the first. */
static void await_crowd(struct rv_gather *gather, struct request *sender) {
    size_t jobs;
    bool all_came;
    while (sender->await && rv_awaits_gather(sender->await->of))
        (void)sched_yield();
    if (sender->await) return;
    (void)pthread_mutex_lock(&gather->lock);
    int64_t until_us = rv_crowd_expect(&gather->crowd, sender->ask.queue, &jobs);
    (void)pthread_mutex_unlock(&gather->lock);
    if (atomic_load(&sender->gathered) >= jobs) return;
    if (!until_us || rv_clock_boot_us(&rv_clock_real) >= until_us) return;
    do {
        (void)sched_yield();
        all_came = atomic_load(&sender->gathered) >= jobs;
    } while (!all_came && rv_clock_boot_us(&rv_clock_real) < until_us);
    (void)pthread_mutex_lock(&gather->lock);
    rv_crowd_waited(&gather->crowd, all_came);
    (void)pthread_mutex_unlock(&gather->lock);
}

/* Takes those who are there into the batch. Who comes from now on is of the next one. Returns what
 * those who are there sleep by. */
static struct rv_gong *begin_batch(struct rv_gather *gather, struct rv_batch *batch,
                                   struct request *sender) {
    (void)pthread_mutex_lock(&gather->lock);
    struct rv_gong *gong = sender->gong;
    batch_fill(batch, sender, gather);
    sender->gong = next_gong(gather);
    (void)pthread_mutex_unlock(&gather->lock);
    return gong;
}

/* The jobs of all who came, and may come again together; 0: there was but one, however many he
 * brought. */
static size_t crowd_of(struct request *sender) {
    size_t gathered = atomic_load(&sender->gathered);
    return gathered > sender->ask.count ? gathered : 0;
}

static void send_for_all(struct rv_gather *gather, struct request *sender) {
    struct rv_batch batch;
    await_crowd(gather, sender);
    struct rv_gong *gong = begin_batch(gather, &batch, sender);
    int64_t from_us = rv_clock_boot_us(&rv_clock_real);
    rv_batch_send(&batch, gather->store, gather->timeout_ms);
    int64_t now_us = rv_clock_boot_us(&rv_clock_real);
    (void)pthread_mutex_lock(&gather->lock);
    rv_crowd_note(&gather->crowd, sender->ask.queue, crowd_of(sender), now_us, now_us - from_us);
    struct request *next = hand_over(gather, sender);
    (void)pthread_mutex_unlock(&gather->lock);
    tell_all(&batch, sender, next, gong);
}

/* Lines up behind the sender of the queue, or becomes it. */
static bool line_up(struct rv_gather *gather, struct request *me) {
    (void)pthread_mutex_lock(&gather->lock);
    struct request *sender = find_sender(gather, me->ask.queue);
    if (sender) {
        me->first = rv_list_empty(&sender->followers);
        me->wakes = sender->gong;
        follow(sender, me);
    } else {
        me->gong = next_gong(gather);
        rv_list_add_tail(&gather->senders, &me->link);
    }
    (void)pthread_mutex_unlock(&gather->lock);
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
        (void)rv_gong_wait(me->wakes, heard, -1);
    }
}

/* Nobody has taken the request into a step yet, nor made it the sender: it can be withdrawn. */
static bool leave_line(struct rv_gather *gather, struct request *me) {
    (void)pthread_mutex_lock(&gather->lock);
    bool in_line = !me->sends && !rv_list_empty(&me->link);
    if (in_line) {
        struct request *sender = find_sender(gather, me->ask.queue);
        (void)atomic_fetch_sub(&sender->gathered, me->ask.count);
        rv_list_remove(&me->link);
    }
    (void)pthread_mutex_unlock(&gather->lock);
    return in_line;
}

/* Who is in a step when his time is over is told soon: it ends by then. */
static void wait_until_told(struct rv_gather *gather, struct request *me, int64_t recheck_ms) {
    if (sleep_until_told(me, recheck_ms, me->ask.until_ms)) return;
    if (leave_line(gather, me))
        me->ask.status =
            rv_fail(me->ask.err, REEVE_EUNREACHABLE,
                    "queue %s: those who pushed before were not answered in time", me->ask.queue);
    else
        (void)sleep_until_told(me, 0, INT64_MAX);
}

/* await: not NULL if he waits for the end of his job, too, and sleeps recheck_ms at most. */
static int push_by_door(struct rv_gather *gather, const struct rv_ask *ask, struct rv_await *await,
                        int64_t recheck_ms) {
    struct request me = {.ask = *ask, .await = await};
    atomic_init(&me.gathered, ask->count);
    atomic_init(&me.told, false);
    rv_list_init(&me.followers);
    rv_latch_init(&me.wake);
    if (line_up(gather, &me))
        me.sends = true;
    else
        wait_until_told(gather, &me, recheck_ms);
    if (me.sends) {
        send_for_all(gather, &me);
        if (await) rv_await_clear_turn(await);
    }
    bool again = rv_ask_settle(&me.ask, gather->store, gather->timeout_ms);
    if (again && await && is_queued(&me)) rv_await_reopen(await);
    return me.ask.status;
}

/* ---- for callers ---- */
int rv_gather_init(struct rv_gather *gather, struct rv_store *store, int64_t timeout_ms) {
    gather->store = store;
    gather->timeout_ms = timeout_ms;
    gather->crowd = (struct rv_crowd){0};
    rv_list_init(&gather->senders);
    for (size_t i = 0; i < RV_GONGS; i++)
        rv_gong_init(&gather->gongs[i]);
    gather->next_gong = 0;
    if (rv_ferries_init(&gather->ferries, rv_store_push_step(store))) return REEVE_ENOMEM;
    if (!pthread_mutex_init(&gather->lock, NULL)) return 0;
    rv_ferries_release(&gather->ferries);
    return REEVE_ENOMEM;
}

void rv_gather_release(struct rv_gather *gather) {
    (void)pthread_mutex_destroy(&gather->lock);
    rv_ferries_release(&gather->ferries);
}

int rv_gather_push(struct rv_gather *gather, const char *queue, const struct rv_new_job *jobs,
                   size_t count, struct rv_pushed *outs, struct rv_error *err) {
    struct rv_ask ask;
    rv_ask_init(&ask, queue, jobs, count, outs, err);
    if (!rv_ferries_push(&gather->ferries, &ask, gather->store, gather->timeout_ms))
        return push_by_door(gather, &ask, NULL, 0);
    (void)rv_ask_settle(&ask, gather->store, gather->timeout_ms);
    return ask.status;
}

int rv_gather_push_until(struct rv_gather *gather, const struct rv_new_job *job, int64_t until_ms,
                         struct rv_pushed *out, struct rv_error *err) {
    return rv_gather_push_awaited(gather, job, until_ms, NULL, 0, out, err);
}

int rv_gather_push_awaited(struct rv_gather *gather, const struct rv_new_job *job, int64_t until_ms,
                           struct rv_await *await, int64_t recheck_ms, struct rv_pushed *out,
                           struct rv_error *err) {
    struct rv_ask ask;
    rv_ask_init(&ask, job->queue, job, 1, out, err);
    ask.until_ms = until_ms;
    return push_by_door(gather, &ask, await, recheck_ms);
}
