/* wait and wake: looks at the queues' rows when the bell rings, and once a second. Never writes. */
#include <time.h>

#include "store/sqlite/grants.h"
#include "store/sqlite/groups.h"

enum {
    LOOK_MS = 1000,      /* between looks while nothing is heard */
    LOOK_MS_DEAF = 250,  /* the same where the kernel cannot tell us anything */
    LOOK_APART_US = 250, /* between looks while much is heard: ten times what a look takes */
};

struct wait {
    struct rv_sq *store;
    struct rv_bell *bells;
    size_t count;
    bool rings;
    int64_t due_in_ms; /* of a job that somebody wants; -1: none */
};

/* Grows when a job ends, or is taken out while it waits. */
static uint64_t ended(const struct rv_sq_queue *queue) {
    return (uint64_t)(queue->finished_total + queue->bounds.dropped_total);
}

static int look_at_grant(struct rv_sq_step *step, struct wait *wait, struct rv_bell *bell,
                         struct rv_error *err) {
    uint64_t freed = bell->ended, asked = bell->cancelled;
    int rc = rv_sq_grant_bells(step, bell->grant, bell->queue, &freed, &asked, err);
    if (freed != bell->ended || asked != bell->cancelled) wait->rings = true;
    bell->ended = freed;
    bell->cancelled = asked;
    return rc;
}

static int look_at_group(struct rv_sq_step *step, struct wait *wait, struct rv_bell *bell,
                         struct rv_error *err) {
    uint64_t asked = bell->cancelled;
    bool waiting = false;
    int rc = rv_sq_group_bells(step, bell->queue, &waiting, &asked, err);
    bell->ready = bell->want_ready && waiting;
    if (bell->ready || asked != bell->cancelled) wait->rings = true;
    bell->cancelled = asked;
    return rc;
}

/* Whether a number that grew is worth a ring: else a worker's own hand-ins would ring for it. */
static bool notice(const struct rv_bell *bell, unsigned mute, uint64_t *seen, uint64_t now) {
    bool rings = *seen != now && !(bell->mute & mute);
    *seen = now;
    return rings;
}

static int look_at(struct rv_sq_step *step, struct wait *wait, struct rv_bell *bell,
                   struct rv_error *err) {
    if (bell->grant) return look_at_grant(step, wait, bell, err);
    if (bell->group) return look_at_group(step, wait, bell, err);
    int64_t due_in_ms = -1;
    int rc = rv_sq_queue_load(step, bell->queue, err);
    const struct rv_sq_queue *queue = &step->queue;
    if (rc || !queue->n) return rc;
    bool wanted = bell->want_ready && !queue->paused;
    if (wanted) rc = rv_sq_queue_due_in(step, &due_in_ms, err);
    if (due_in_ms > 0 && (wait->due_in_ms < 0 || due_in_ms < wait->due_in_ms))
        wait->due_in_ms = due_in_ms;
    bell->ready = wanted && (queue->counts[REEVE_READY] > 0 || due_in_ms == 0);
    bool rings = notice(bell, RV_MUTE_ENDED, &bell->ended, ended(queue));
    rings |= notice(bell, RV_MUTE_CANCELLED, &bell->cancelled, (uint64_t)queue->marked_total);
    rings |= notice(bell, RV_MUTE_EVENTS, &bell->events, (uint64_t)queue->event);
    if (rings || bell->ready) wait->rings = true;
    return rc;
}

static int look(struct wait *wait, struct rv_error *err) {
    struct rv_sq_step step;
    wait->rings = false;
    wait->due_in_ms = -1;
    int rc = rv_sq_step_read(&step, &wait->store->base, err);
    if (rc) return rc;
    for (size_t i = 0; !rc && i < wait->count; i++)
        rc = look_at(&step, wait, &wait->bells[i], err);
    return rv_sq_step_end(&step, rc, err);
}

/* Whether somebody wants to hear of the ends of jobs. Grants and groups ring otherwise. */
static bool is_for_ends(const struct wait *wait) {
    for (size_t i = 0; i < wait->count; i++) {
        const struct rv_bell *bell = &wait->bells[i];
        if (!bell->grant && !bell->group && !(bell->mute & RV_MUTE_ENDED)) return true;
    }
    return false;
}

/* How long to listen before the next look. */
static int64_t listen_ms(const struct wait *wait, int64_t left_ms) {
    int64_t ms = wait->store->bell.watch < 0 ? LOOK_MS_DEAF : LOOK_MS;
    if (wait->due_in_ms > 0 && wait->due_in_ms < ms) ms = wait->due_in_ms;
    return left_ms < ms ? left_ms : ms;
}

/* What rings after a while is looked at without delay. */
static void keep_apart(int64_t looked_us) {
    int64_t since_us = rv_clock_wall_us(&rv_clock_real) - looked_us;
    if (since_us < 0 || since_us >= LOOK_APART_US) return;
    long rest_us = (long)(LOOK_APART_US - since_us);
    (void)nanosleep(&(struct timespec){.tv_nsec = rest_us * 1000}, NULL);
}

int rv_sq_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
               struct rv_error *err) {
    struct wait wait = {.store = (struct rv_sq *)s, .bells = bells, .count = count};
    struct rv_sq_bell *bell = &wait.store->bell;
    bool for_ends = is_for_ends(&wait);
    int64_t deadline_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), timeout_ms);
    for (;;) {
        rv_sq_bell_listen(bell, for_ends);
        int64_t looked_us = rv_clock_wall_us(&rv_clock_real);
        int rc = look(&wait, err);
        if (rc || wait.rings) return rc;
        int64_t left_ms = deadline_ms - rv_clock_boot_ms(&rv_clock_real);
        if (left_ms <= 0 || rv_sq_bell_wait(bell, listen_ms(&wait, left_ms))) return 0;
        keep_apart(looked_us);
    }
}

void rv_sq_wake(struct rv_store *s) {
    rv_sq_bell_wake(&((struct rv_sq *)s)->bell);
}
