#include "service/ferry.h"

#include <assert.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

enum {
    TURNS = 2,      /* that others are given before one falls asleep */
    RESTING = 4096, /* pushes without that, until it is tried again */
    PATIENCE_MS = 20,
    /* Luck: answered by then; asleep all the same, which costs about twice what is gained else; and
     * so long a turn that somebody has taken the core who is none of us. */
    ANSWERED = 1,
    ASLEEP = -2,
    ROBBED = -64,
    ROBBED_US = 1500, /* that such a turn takes at least, */
    TURN_US = 8,      /* and that a caller's part of one does */
};

/* One who pushes, on his own stack. */
struct passenger {
    struct rv_ask *ask;
    struct rv_list link; /* in ferry.aboard */
    atomic_bool told;    /* the answer is here */
    bool is_first;       /* aboard: he looks how long a turn takes, which asking costs */
};

static struct passenger *passenger_of(struct rv_list *link) {
    return rv_container_of(link, struct passenger, link);
}

/* ---- the pier ---- the lock is held ---- */
static void open_pier(struct rv_pier *pier, const char *queue) {
    (void)snprintf(pier->queue, sizeof pier->queue, "%s", queue);
    atomic_store(&pier->luck, RV_LUCK_MAX);
    atomic_store(&pier->unlucky, 1);
}

/* That of the queue, or a free one; NULL: there is none. */
static struct rv_pier *find_pier(struct rv_ferries *ferries, const char *queue) {
    struct rv_pier *unused = NULL;
    for (size_t i = 0; i < RV_PIERS; i++) {
        struct rv_pier *pier = &ferries->piers[i];
        if (!strcmp(pier->queue, queue)) return pier;
        if (!unused && !atomic_load(&pier->callers)) unused = pier;
    }
    if (unused) open_pier(unused, queue);
    return unused;
}

static struct rv_ferry *find_ferry(struct rv_pier *pier) {
    struct rv_ferry *ferry = pier->ferries;
    while (ferry->is_under_way)
        ferry++;
    return ferry;
}

/* From now on the next one takes who comes. */
static void leave(struct rv_pier *pier) {
    pier->next->is_under_way = true;
    atomic_store(&pier->next->is_called, false);
    pier->under_way++;
    pier->next = find_ferry(pier);
}

/* Its share is that of all callers, those included who were just answered and may come again. */
static bool is_to_leave(const struct rv_pier *pier, struct rv_push_step step) {
    const struct rv_ferry *ferry = pier->next;
    if (!pier->under_way) return true;
    if (pier->under_way >= step.at_once) return false;
    return ferry->passengers * step.at_once >= atomic_load(&pier->callers) ||
           ferry->jobs >= step.jobs || ferry->bytes >= step.bytes;
}

/* ---- aboard ---- */
/* Whether it leaves at once, and who has just come takes it out. */
static bool come_aboard(struct rv_pier *pier, struct rv_ferry *ferry, struct passenger *me,
                        struct rv_push_step step) {
    me->is_first = !ferry->passengers;
    rv_list_add_tail(&ferry->aboard, &me->link);
    ferry->passengers++;
    ferry->jobs += me->ask->count;
    ferry->bytes += me->ask->bytes;
    bool leaves = is_to_leave(pier, step);
    if (leaves) leave(pier);
    return leaves;
}

/* If it is called, and nobody else has answered the call; or, for who has waited for long, if one
 * more may be under way. Who was told meanwhile is no more aboard, whoever is. */
static bool take_out(struct rv_ferries *ferries, struct rv_pier *pier, struct rv_ferry *ferry,
                     const struct passenger *me, bool has_waited) {
    (void)pthread_mutex_lock(&ferries->lock);
    bool is_due = has_waited && pier->under_way < ferries->step.at_once;
    bool mine = !atomic_load(&me->told) && ferry == pier->next &&
                (is_due || atomic_load(&ferry->is_called));
    if (mine) leave(pier);
    (void)pthread_mutex_unlock(&ferries->lock);
    return mine;
}

/* ---- giving way ---- */
/* Not while most had no luck with it, until it is time to try again. */
static bool is_to_give_way(struct rv_pier *pier) {
    if (atomic_load_explicit(&pier->luck, memory_order_relaxed) >= 0) return true;
    if (atomic_fetch_add_explicit(&pier->unlucky, 1, memory_order_relaxed) % RESTING) return false;
    atomic_store_explicit(&pier->luck, RV_LUCK_MAX, memory_order_relaxed);
    return true;
}

static void note_luck(struct rv_pier *pier, int change) {
    int luck = atomic_load_explicit(&pier->luck, memory_order_relaxed) + change;
    if (luck <= RV_LUCK_MAX) atomic_store_explicit(&pier->luck, luck, memory_order_relaxed);
}

/* Who gives way is last in line for the core, behind all others in the machine that want it. */
static bool was_robbed(struct rv_pier *pier, int64_t from_us) {
    int64_t took_us = rv_clock_boot_us(&rv_clock_real) - from_us;
    return took_us > ROBBED_US + TURN_US * (int64_t)atomic_load(&pier->callers);
}

/* Until the answer is here; true: the ferry is to be taken out. */
static bool wait_aboard(struct rv_ferries *ferries, struct rv_pier *pier, struct rv_ferry *ferry,
                        struct passenger *me) {
    bool gives_way = is_to_give_way(pier), looks = gives_way && me->is_first;
    bool has_waited = false;
    int64_t from_us = looks ? rv_clock_boot_us(&rv_clock_real) : 0;
    for (int turn = 0;; turn++) {
        unsigned heard = rv_gong_heard(&ferry->gong);
        if (atomic_load(&me->told)) break;
        if ((has_waited || atomic_load(&ferry->is_called)) &&
            take_out(ferries, pier, ferry, me, has_waited))
            return true;
        if (gives_way && turn < TURNS) {
            (void)sched_yield();
            continue;
        }
        if (gives_way) note_luck(pier, ASLEEP);
        gives_way = false;
        has_waited = !rv_gong_wait(&ferry->gong, heard, me->is_first ? ferries->patience_ms : -1);
    }
    if (gives_way) note_luck(pier, looks && was_robbed(pier, from_us) ? ROBBED : ANSWERED);
    return false;
}

/* ---- under way ---- */
/* As many of those aboard as one step may hold; they are no more aboard. */
static void fill(struct rv_batch *batch, struct rv_list *told_of, struct rv_ferry *ferry,
                 struct rv_push_step most) {
    rv_list_init(told_of);
    for (bool is_first = true; !rv_list_empty(&ferry->aboard); is_first = false) {
        struct rv_list *link = ferry->aboard.next;
        struct rv_ask *ask = passenger_of(link)->ask;
        if (is_first)
            rv_batch_init(batch, ask);
        else if (!rv_batch_add(batch, ask, most))
            return;
        rv_list_remove(link);
        rv_list_add_tail(told_of, link);
    }
}

/* Who is told is gone: he lived on his own stack. */
static void tell_all(struct rv_list *passengers) {
    for (struct rv_list *link; (link = rv_list_pop(passengers));)
        atomic_store(&passenger_of(link)->told, true);
}

/* Those of the last step, told_last, are not told yet. */
static void ask_for_all(struct rv_ferry *ferry, struct rv_list *told_last, struct rv_push_step most,
                        struct rv_store *store, int64_t timeout_ms) {
    assert(!rv_list_empty(&ferry->aboard));
    for (;;) {
        struct rv_batch batch;
        fill(&batch, told_last, ferry, most);
        rv_batch_send(&batch, store, timeout_ms);
        if (rv_list_empty(&ferry->aboard)) return;
        tell_all(told_last);
        rv_gong_strike(&ferry->gong);
    }
}

/* It is back, and another one may leave. Who is not told by the time that others come aboard would
 * take himself for one of them. */
static void come_back(struct rv_ferries *ferries, struct rv_pier *pier, struct rv_ferry *ferry,
                      struct rv_list *told_last) {
    (void)pthread_mutex_lock(&ferries->lock);
    tell_all(told_last);
    ferry->passengers = ferry->jobs = ferry->bytes = 0;
    ferry->is_under_way = false;
    pier->under_way--;
    struct rv_ferry *next = pier->next;
    bool calls = next->passengers && is_to_leave(pier, ferries->step);
    if (calls) atomic_store(&next->is_called, true);
    (void)pthread_mutex_unlock(&ferries->lock);
    if (calls) rv_gong_strike_one(&next->gong);
    rv_gong_strike(&ferry->gong);
}

/* ---- for callers ---- */
static void init_pier(struct rv_pier *pier) {
    pier->queue[0] = 0;
    pier->under_way = 0;
    atomic_init(&pier->callers, 0);
    atomic_init(&pier->luck, 0);
    atomic_init(&pier->unlucky, 1);
    for (size_t i = 0; i < RV_FERRIES; i++) {
        struct rv_ferry *ferry = &pier->ferries[i];
        ferry->passengers = ferry->jobs = ferry->bytes = 0;
        ferry->is_under_way = false;
        atomic_init(&ferry->is_called, false);
        rv_list_init(&ferry->aboard);
        rv_gong_init(&ferry->gong);
    }
    pier->next = pier->ferries;
}

int rv_ferries_init(struct rv_ferries *ferries, struct rv_push_step step) {
    ferries->step = step;
    ferries->patience_ms = PATIENCE_MS;
    if (step.at_once >= RV_FERRIES) ferries->step.at_once = RV_FERRIES - 1;
    for (size_t i = 0; i < RV_PIERS; i++)
        init_pier(&ferries->piers[i]);
    return pthread_mutex_init(&ferries->lock, NULL) ? REEVE_ENOMEM : 0;
}

void rv_ferries_release(struct rv_ferries *ferries) {
    (void)pthread_mutex_destroy(&ferries->lock);
}

bool rv_ferries_push(struct rv_ferries *ferries, struct rv_ask *ask, struct rv_store *store,
                     int64_t timeout_ms) {
    if (ferries->step.at_once < 2) return false;
    struct passenger me = {.ask = ask};
    atomic_init(&me.told, false);
    (void)pthread_mutex_lock(&ferries->lock);
    struct rv_pier *pier = find_pier(ferries, ask->queue);
    struct rv_ferry *ferry = pier ? pier->next : NULL;
    if (pier) (void)atomic_fetch_add(&pier->callers, 1);
    bool leaves = pier && come_aboard(pier, ferry, &me, ferries->step);
    (void)pthread_mutex_unlock(&ferries->lock);
    if (!pier) return false;
    if (leaves || wait_aboard(ferries, pier, ferry, &me)) {
        struct rv_list told_last;
        ask_for_all(ferry, &told_last, ferries->step, store, timeout_ms);
        come_back(ferries, pier, ferry, &told_last);
    }
    (void)atomic_fetch_sub(&pier->callers, 1);
    return true;
}
