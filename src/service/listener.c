#include "service/listener.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cond.h"
#include "base/thread.h"
#include "core/limits.h"

enum {
    BELLS_MAX = RV_QUEUES_MAX, /* of one wait; more queues than that take turns */
    LISTEN_MS = 30000,         /* a wait ends by itself then, so that no lost wake-up lasts */
    TURN_MS = 1000,            /* the same, when queues take turns */
    BACKOFF_MS_MIN = 50,
    BACKOFF_MS_MAX = 5000,
};

/* A queue, grant or group that somebody is interested in, and what was last heard of it. The
 * listener's thread alone touches these. */
struct heard {
    char queue[REEVE_NAME_SIZE];
    enum rv_grant_kind grant;
    bool is_group;
    struct rv_group group; /* whose name is queue, above */
    uint64_t ended, cancelled, events;
    bool wanted; /* by some interest, at the latest look */
};

struct rv_listener {
    struct rv_store *store;
    const struct rv_log *log;
    pthread_t thread;

    pthread_mutex_t lock; /* guards interests and stopping; signals are raised under it */
    pthread_cond_t cond;  /* stopping changed */
    struct rv_list interests;
    struct rv_signal *heeded; /* whom fail-overs are told; NULL: nobody */
    unsigned heeded_bits;
    bool stopping;
    struct rv_awaits *awaits; /* NULL: nobody's ends are told here */

    /* The thread's own. */
    struct rv_list told;
    struct heard *heard;
    size_t heard_count, heard_capacity;
    uint64_t failovers; /* that were told */
    size_t turn;        /* where the next wait begins, when there are more than BELLS_MAX */
    struct rv_bell bells[BELLS_MAX + 1]; /* the last is for ends */
};

static struct rv_interest *interest_of(struct rv_list *link) {
    return rv_container_of(link, struct rv_interest, link);
}

static bool is_about(const struct rv_interest *interest, const struct heard *heard) {
    const struct rv_group *group = interest->group;
    if (interest->grant != heard->grant || (group != NULL) != heard->is_group) return false;
    if (group && (group->compat != heard->group.compat || group->hints != heard->group.hints))
        return false;
    return !strcmp(interest->queue, heard->queue);
}

static struct heard *find_heard(struct rv_listener *l, const struct rv_interest *interest) {
    for (size_t i = 0; i < l->heard_count; i++) {
        if (is_about(interest, &l->heard[i])) return &l->heard[i];
    }
    return NULL;
}

/* NULL when out of memory: the queue is then not heard of this time. */
static struct heard *add_heard(struct rv_listener *l, const struct rv_interest *interest) {
    if (l->heard_count == l->heard_capacity) {
        size_t capacity = l->heard_capacity ? 2 * l->heard_capacity : 8;
        struct heard *heard = realloc(l->heard, capacity * sizeof *heard);
        if (!heard) return NULL;
        l->heard = heard;
        l->heard_capacity = capacity;
    }
    struct heard *heard = &l->heard[l->heard_count++];
    memset(heard, 0, sizeof *heard);
    heard->grant = interest->grant;
    heard->is_group = interest->group != NULL;
    if (interest->group) heard->group = *interest->group;
    memcpy(heard->queue, interest->queue, strlen(interest->queue) + 1); /* checked: it fits */
    return heard;
}

/* With the lock held: brings heard in line with the interests. */
static void look_at_interests(struct rv_listener *l) {
    for (size_t i = 0; i < l->heard_count; i++)
        l->heard[i].wanted = false;
    for (struct rv_list *link = l->interests.next; link != &l->interests; link = link->next) {
        struct heard *heard = find_heard(l, interest_of(link));
        if (!heard) heard = add_heard(l, interest_of(link));
        if (heard) heard->wanted = true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < l->heard_count; i++) {
        if (l->heard[i].wanted) l->heard[kept++] = l->heard[i];
    }
    l->heard_count = kept;
}

/* With the lock held. */
static bool wants_ready(const struct rv_listener *l, const struct heard *heard) {
    for (struct rv_list *link = l->interests.next; link != &l->interests; link = link->next) {
        const struct rv_interest *interest = interest_of(link);
        if (interest->armed && is_about(interest, heard)) return true;
    }
    return false;
}

/* With the lock held: what nobody wants to hear of a queue. */
static unsigned muted(const struct rv_listener *l, const struct heard *heard) {
    unsigned what = 0;
    for (struct rv_list *link = l->interests.next; link != &l->interests; link = link->next) {
        const struct rv_interest *interest = interest_of(link);
        if (is_about(interest, heard)) what |= interest->what;
    }
    return (what & RV_HEAR_ENDED ? 0U : RV_MUTE_ENDED) |
           (what & RV_HEAR_CANCELLED ? 0U : RV_MUTE_CANCELLED) |
           (what & RV_HEAR_EVENTS ? 0U : RV_MUTE_EVENTS);
}

/* With the lock held: makes bells of as many queues as one wait takes. Returns how many. */
static size_t hang_bells(struct rv_listener *l) {
    look_at_interests(l);
    size_t count = l->heard_count < BELLS_MAX ? l->heard_count : BELLS_MAX;
    if (count == l->heard_count) l->turn = 0;
    for (size_t i = 0; i < count; i++) {
        struct heard *heard = &l->heard[(l->turn + i) % l->heard_count];
        heard->group.name = heard->queue; /* which may have moved */
        l->bells[i] = (struct rv_bell){
            .queue = heard->queue,
            .grant = heard->grant,
            .group = heard->is_group ? &heard->group : NULL,
            .want_ready = wants_ready(l, heard),
            .mute = muted(l, heard),
            .ended = heard->ended,
            .cancelled = heard->cancelled,
            .events = heard->events,
        };
    }
    return count;
}

/* Behind count others. Returns how many there are then. */
static size_t hang_end_bell(struct rv_listener *l, size_t count) {
    if (!l->awaits || !atomic_load(&l->awaits->used)) return count;
    l->bells[count] = (struct rv_bell){.told = &l->told, .address = l->awaits->address};
    return count + 1;
}

static unsigned rung(const struct heard *before, const struct rv_bell *bell) {
    return (bell->ready ? RV_HEAR_READY : 0U) |
           (bell->ended != before->ended ? RV_HEAR_ENDED : 0U) |
           (bell->cancelled != before->cancelled ? RV_HEAR_CANCELLED : 0U) |
           (bell->events != before->events ? RV_HEAR_EVENTS : 0U);
}

/* With the lock held. An unarmed interest in READY has had its one shot. */
static void tell(struct rv_listener *l, const struct heard *about, unsigned what) {
    for (struct rv_list *link = l->interests.next; link != &l->interests; link = link->next) {
        struct rv_interest *interest = interest_of(link);
        unsigned heard = what & interest->what;
        if (!interest->armed) heard &= ~(unsigned)RV_HEAR_READY;
        if (!heard || !is_about(interest, about)) continue;
        if (heard & RV_HEAR_READY) interest->armed = false;
        rv_signal_raise(interest->signal, interest->raise);
    }
}

static void hear_bells(struct rv_listener *l, size_t count) {
    (void)pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < count; i++) {
        struct rv_bell *bell = &l->bells[i];
        struct heard *heard = &l->heard[(l->turn + i) % l->heard_count];
        unsigned what = rung(heard, bell);
        heard->ended = bell->ended;
        heard->cancelled = bell->cancelled;
        heard->events = bell->events;
        if (what) tell(l, heard, what);
    }
    (void)pthread_mutex_unlock(&l->lock);
    if (count) l->turn = (l->turn + count) % l->heard_count;
}

/* Also after a wait that failed: a server that ends is how most of them begin. */
static void hear_failovers(struct rv_listener *l) {
    struct rv_failover failover;
    bool any = false;
    while (rv_store_failover(l->store, l->failovers, &failover) && failover.number) {
        l->failovers = failover.number;
        any = true;
    }
    if (!any) return;
    (void)pthread_mutex_lock(&l->lock);
    if (l->heeded) rv_signal_raise(l->heeded, l->heeded_bits);
    (void)pthread_mutex_unlock(&l->lock);
}

/* Returns false when the listener is to stop. */
static bool back_off(struct rv_listener *l, int64_t ms) {
    (void)pthread_mutex_lock(&l->lock);
    if (!l->stopping) rv_cond_wait(&l->cond, &l->lock, ms);
    bool go_on = !l->stopping;
    (void)pthread_mutex_unlock(&l->lock);
    return go_on;
}

/* An outage is told once, and its end. Returns how long to leave the store alone. */
static int64_t judge(struct rv_listener *l, int rc, const struct rv_error *err,
                     int64_t backoff_ms) {
    char text[RV_QUOTED_SIZE];
    if (!rc) {
        if (backoff_ms) rv_log(l->log, REEVE_LOG_WARN, "listener.back", "store=reachable");
        return 0;
    }
    if (!backoff_ms) {
        rv_log(l->log, REEVE_LOG_WARN, "listener.away", "error=%s text=%s", reeve_errname(rc),
               rv_log_quote(text, err->text));
        return BACKOFF_MS_MIN;
    }
    return 2 * backoff_ms < BACKOFF_MS_MAX ? 2 * backoff_ms : BACKOFF_MS_MAX;
}

static void *listen(void *arg) {
    struct rv_listener *l = arg;
    int64_t backoff_ms = 0;
    for (;;) {
        (void)pthread_mutex_lock(&l->lock);
        bool stopping = l->stopping;
        size_t count = stopping ? 0 : hang_bells(l);
        (void)pthread_mutex_unlock(&l->lock);
        if (stopping) return NULL;

        struct rv_error err = {0};
        int64_t wait_ms = count < l->heard_count ? TURN_MS : LISTEN_MS;
        size_t all = hang_end_bell(l, count);
        int rc = rv_store_wait(l->store, l->bells, all, wait_ms, &err);
        if (all > count) rv_awaits_tell(l->awaits, &l->told); /* somebody waits for these */
        if (!rc) hear_bells(l, count);
        hear_failovers(l);
        backoff_ms = judge(l, rc, &err, backoff_ms);
        if (backoff_ms && !back_off(l, backoff_ms)) return NULL;
    }
}

static void destroy(struct rv_listener *l) {
    (void)pthread_cond_destroy(&l->cond);
    (void)pthread_mutex_destroy(&l->lock);
    free(l->heard);
    free(l);
}

int rv_listener_start(struct rv_listener **out, struct rv_store *store, const struct rv_log *log,
                      struct rv_awaits *awaits, struct rv_error *err) {
    *out = NULL;
    struct rv_listener *l = calloc(1, sizeof *l);
    if (!l) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    l->store = store;
    l->log = log;
    l->awaits = awaits;
    rv_list_init(&l->told);
    rv_list_init(&l->interests);
    if (pthread_mutex_init(&l->lock, NULL)) goto fail_lock;
    if (rv_cond_init(&l->cond)) goto fail_cond;
    if (rv_thread_start(&l->thread, listen, l)) goto fail_thread;
    *out = l;
    return 0;

fail_thread:
    (void)pthread_cond_destroy(&l->cond);
fail_cond:
    (void)pthread_mutex_destroy(&l->lock);
fail_lock:
    free(l);
    return rv_fail(err, REEVE_ENOMEM, "cannot start the listener's thread");
}

void rv_listener_stop(struct rv_listener *l) {
    if (!l) return;
    (void)pthread_mutex_lock(&l->lock);
    l->stopping = true;
    (void)pthread_cond_broadcast(&l->cond);
    (void)pthread_mutex_unlock(&l->lock);
    rv_store_wake(l->store);
    (void)pthread_join(l->thread, NULL);
    destroy(l);
}

void rv_listener_heed(struct rv_listener *l, struct rv_signal *signal, unsigned bits) {
    (void)pthread_mutex_lock(&l->lock);
    l->heeded = signal;
    l->heeded_bits = bits;
    (void)pthread_mutex_unlock(&l->lock);
}

void rv_listener_add(struct rv_listener *l, struct rv_interest *interest) {
    (void)pthread_mutex_lock(&l->lock);
    interest->armed = interest->what & RV_HEAR_READY;
    rv_list_add_tail(&l->interests, &interest->link);
    (void)pthread_mutex_unlock(&l->lock);
    rv_store_wake(l->store);
}

void rv_listener_rearm(struct rv_listener *l, struct rv_interest *interest) {
    (void)pthread_mutex_lock(&l->lock);
    bool changed = !interest->armed && (interest->what & RV_HEAR_READY);
    if (changed) interest->armed = true;
    (void)pthread_mutex_unlock(&l->lock);
    if (changed) rv_store_wake(l->store);
}

void rv_listener_remove(struct rv_listener *l, struct rv_interest *interest) {
    (void)pthread_mutex_lock(&l->lock);
    rv_list_remove(&interest->link);
    (void)pthread_mutex_unlock(&l->lock);
}
