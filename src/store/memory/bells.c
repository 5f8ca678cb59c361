/* wait and wake: the one condition that every change signals. */
#include "store/memory/memory.h"

#include "base/cond.h"
#include "store/memory/streams.h"

enum { LOOK_MS = 1000 }; /* a clock that was moved is noticed by then */

void rv_mem_ring(struct queue *queue) {
    queue->memory->changed = true;
}

static bool can_claim(const struct queue *queue) {
    if (queue->paused) return false;
    return queue->counts[REEVE_READY] > 0 ||
           rv_mem_first_in_ms(&queue->delayed, queue->memory->now.wall_ms) == 0;
}

static bool look_at_grant(struct memory *memory, struct rv_bell *bell) {
    const struct grant *grant = rv_mem_grant_find(memory, bell->grant, bell->queue);
    if (!grant) return false;
    bool rings = bell->ended != grant->freed || bell->cancelled != grant->asked;
    bell->ended = grant->freed;
    bell->cancelled = grant->asked;
    return rings;
}

static bool look_at_group(struct memory *memory, struct rv_bell *bell) {
    const struct group *group = rv_mem_group_find(memory, bell->queue);
    if (!group) return false;
    bool rings = bell->cancelled != group->asked;
    bell->cancelled = group->asked;
    bell->ready = bell->want_ready && group->totals.waiting > 0;
    return rings || bell->ready;
}

/* Brings the bell up to what stands now; true if it rings. */
static bool look_at(struct memory *memory, struct rv_bell *bell) {
    if (bell->grant) return look_at_grant(memory, bell);
    if (bell->group) return look_at_group(memory, bell);
    const struct queue *queue = rv_mem_queue_find(memory, bell->queue);
    if (!queue) return false;
    bool rings = bell->ended != queue->ended || bell->cancelled != queue->cancelled ||
                 bell->events != queue->events.last;
    bell->ended = queue->ended;
    bell->cancelled = queue->cancelled;
    bell->events = queue->events.last;
    bell->ready = bell->want_ready && can_claim(queue);
    return rings || bell->ready;
}

static bool look(struct memory *memory, struct rv_bell *bells, size_t count) {
    bool rings = false;
    for (size_t i = 0; i < count; i++)
        if (look_at(memory, &bells[i])) rings = true;
    return rings;
}

/* How long to wait at most before a delayed job that somebody wants comes due. */
static int64_t until_due(struct memory *memory, const struct rv_bell *bells, size_t count,
                         int64_t most_ms) {
    for (size_t i = 0; i < count; i++) {
        const struct queue *queue = rv_mem_queue_find(memory, bells[i].queue);
        if (!queue || bells[i].grant || bells[i].group || !bells[i].want_ready || queue->paused)
            continue;
        int64_t ms = rv_mem_first_in_ms(&queue->delayed, memory->now.wall_ms);
        if (ms >= 0 && ms < most_ms) most_ms = ms;
    }
    return most_ms;
}

int rv_mem_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
                struct rv_error *err) {
    (void)err;
    int64_t deadline = rv_time_add(rv_clock_boot_ms(&rv_clock_real), timeout_ms);
    struct memory *memory = rv_mem_enter(s);
    while (!memory->woken && !look(memory, bells, count)) {
        int64_t left = deadline - rv_clock_boot_ms(&rv_clock_real);
        if (left <= 0) break;
        left = until_due(memory, bells, count, left < LOOK_MS ? left : LOOK_MS);
        rv_cond_wait(&memory->bell, &memory->lock, left > 0 ? left : 1);
        rv_mem_read_clock(memory);
    }
    memory->woken = false;
    return rv_mem_leave(memory, 0);
}

void rv_mem_wake(struct rv_store *s) {
    struct memory *memory = rv_mem_enter(s);
    memory->woken = true;
    memory->changed = true;
    (void)rv_mem_leave(memory, 0);
}
