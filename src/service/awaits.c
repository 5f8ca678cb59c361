#include "service/awaits.h"

#include <stdlib.h>

#include "core/nonce.h"

enum {
    RETURN_US = 500, /* who takes longer to come back does not come */
    TOLD_AT_ONCE = 64,
};

int rv_awaits_init(struct rv_awaits *awaits) {
    awaits->address = rv_nonce_draw_address(&rv_random_system);
    atomic_init(&awaits->next, (unsigned)rv_random_u64(&rv_random_system));
    atomic_init(&awaits->callers, 0);
    atomic_init(&awaits->no_box_ms, 0);
    atomic_init(&awaits->used, false);
    atomic_init(&awaits->heard, false);
    atomic_init(&awaits->returning, 0);
    atomic_init(&awaits->told_at_us, 0);
    for (size_t i = 0; i < RV_AWAITS_GONGS; i++)
        rv_gong_init(&awaits->gongs[i]);
    for (size_t i = 0; i < RV_AWAITS_LISTS; i++)
        rv_list_init(&awaits->lists[i]);
    return pthread_mutex_init(&awaits->lock, NULL) ? REEVE_ENOMEM : 0;
}

void rv_awaits_release(struct rv_awaits *awaits) {
    (void)pthread_mutex_destroy(&awaits->lock);
}

bool rv_awaits_come(struct rv_awaits *awaits) {
    return atomic_fetch_add(&awaits->callers, 1) == 0;
}

void rv_awaits_leave(struct rv_awaits *awaits) {
    (void)atomic_fetch_sub(&awaits->callers, 1);
}

/* ---- who sleeps where ---- */
static size_t gong_of(uint32_t number) {
    return number / RV_GONG_BITS % RV_AWAITS_GONGS;
}

static unsigned bit_of(uint32_t number) {
    return 1U << number % RV_GONG_BITS;
}

static void wake(struct rv_awaits *awaits, uint32_t number) {
    rv_gong_strike_for(&awaits->gongs[gong_of(number)], bit_of(number));
}

/* Until the bits are not those seen any more, or ms are over. */
static void sleep_on(struct rv_await *await, unsigned seen, int64_t ms) {
    struct rv_gong *gong = &await->of->gongs[gong_of(await->number)];
    unsigned heard = rv_gong_heard(gong);
    if (rv_latch_bits(&await->latch) != seen) return;
    rv_gong_wait_for(gong, heard, bit_of(await->number), ms);
}

/* ---- telling ---- */
static struct rv_await *find(struct rv_awaits *awaits, uint32_t number) {
    struct rv_list *list = &awaits->lists[number % RV_AWAITS_LISTS];
    for (struct rv_list *l = list->next; l != list; l = l->next) {
        struct rv_await *await = rv_container_of(l, struct rv_await, link);
        if (await->number == number) return await;
    }
    return NULL; /* he waits no more */
}

/* With the lock held: he cannot leave meanwhile. Returns whether he is to be woken. */
static bool tell(struct rv_await *await, struct rv_told *told) {
    free(await->job);
    await->job = told->job;
    told->job = NULL;
    return rv_latch_set(&await->latch, RV_AWAIT_ENDED) & RV_AWAIT_PUSHED;
}

/* Tells some of them. Who is woken needs the lock at once: he is when it is free. */
static void tell_some(struct rv_awaits *awaits, struct rv_list *told) {
    unsigned asleep[RV_AWAITS_GONGS] = {0};
    struct rv_list some, *link;
    rv_list_init(&some);
    (void)pthread_mutex_lock(&awaits->lock);
    for (size_t i = 0; i < TOLD_AT_ONCE && (link = rv_list_pop(told)) != NULL; i++) {
        struct rv_told *end = rv_container_of(link, struct rv_told, link);
        struct rv_await *await = find(awaits, end->number);
        rv_list_add_tail(&some, link);
        if (await && tell(await, end)) asleep[gong_of(end->number)] |= bit_of(end->number);
    }
    (void)pthread_mutex_unlock(&awaits->lock);
    for (size_t i = 0; i < RV_AWAITS_GONGS; i++)
        if (asleep[i]) rv_gong_strike_for(&awaits->gongs[i], asleep[i]);
    rv_told_release(&some);
}

bool rv_awaits_gather(struct rv_awaits *awaits) {
    return atomic_load(&awaits->returning) > 0 &&
           rv_clock_boot_us(&rv_clock_real) < atomic_load(&awaits->told_at_us) + RETURN_US;
}

void rv_awaits_tell(struct rv_awaits *awaits, struct rv_list *told) {
    long count = 0;
    if (rv_list_empty(told)) return;
    atomic_store(&awaits->heard, true);
    for (struct rv_list *l = told->next; l != told; l = l->next)
        count++;
    atomic_store(&awaits->returning, count);
    atomic_store(&awaits->told_at_us, rv_clock_boot_us(&rv_clock_real));
    while (!rv_list_empty(told))
        tell_some(awaits, told);
}

uint64_t rv_await_begin(struct rv_awaits *awaits, struct rv_await *await) {
    *await = (struct rv_await){.of = awaits, .number = atomic_fetch_add(&awaits->next, 1)};
    (void)atomic_fetch_sub(&awaits->returning, 1);
    rv_latch_init(&await->latch);
    (void)pthread_mutex_lock(&awaits->lock);
    rv_list_add_tail(&awaits->lists[await->number % RV_AWAITS_LISTS], &await->link);
    (void)pthread_mutex_unlock(&awaits->lock);
    return rv_nonce_awaited(awaits->address, await->number);
}

void rv_await_end(struct rv_awaits *awaits, struct rv_await *await) {
    (void)pthread_mutex_lock(&awaits->lock);
    rv_list_remove(&await->link);
    (void)pthread_mutex_unlock(&awaits->lock);
    free(await->job);
}

/* Once he is answered, he may be gone: he lives on his stack. */
void rv_await_answer(struct rv_await *await, bool over) {
    struct rv_awaits *awaits = await->of;
    uint32_t number = await->number;
    unsigned bits = RV_AWAIT_PUSHED | (over ? RV_AWAIT_OVER : 0U);
    unsigned before = rv_latch_set(&await->latch, bits);
    if (over || before & (RV_AWAIT_ENDED | RV_AWAIT_LATE)) wake(awaits, number);
}

/* He cannot leave before he has sent. */
void rv_await_send(struct rv_await *await) {
    (void)rv_latch_set(&await->latch, RV_AWAIT_SENDS);
    wake(await->of, await->number);
}

void rv_await_sleep(struct rv_await *await, int64_t ms) {
    (void)rv_await_sleep_until(await, ms, INT64_MAX);
}

bool rv_await_sleep_until(struct rv_await *await, int64_t ms, int64_t until_ms) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real), late_ms = rv_time_add(now_ms, ms);
    for (;; now_ms = rv_clock_boot_ms(&rv_clock_real)) {
        unsigned late = now_ms < late_ms ? 0 : RV_AWAIT_LATE;
        unsigned bits = rv_latch_set(&await->latch, late) | late;
        bool pushed = bits & RV_AWAIT_PUSHED;
        bool heard = late || bits & (RV_AWAIT_OVER | RV_AWAIT_ENDED);
        if (bits & RV_AWAIT_SENDS || (pushed && heard)) return true;
        if (!pushed && now_ms >= until_ms) return false;
        int64_t next_ms = late ? INT64_MAX : late_ms;
        if (!pushed && until_ms < next_ms) next_ms = until_ms;
        sleep_on(await, bits, next_ms == INT64_MAX ? -1 : next_ms - now_ms);
    }
}

void rv_await_reopen(struct rv_await *await) {
    rv_latch_clear(&await->latch, RV_AWAIT_OVER);
}

void rv_await_clear_turn(struct rv_await *await) {
    rv_latch_clear(&await->latch, RV_AWAIT_SENDS);
}

struct reeve_job *rv_await_take(struct rv_awaits *awaits, struct rv_await *await) {
    (void)pthread_mutex_lock(&awaits->lock);
    struct reeve_job *job = await->job;
    await->job = NULL;
    rv_latch_clear(&await->latch, RV_AWAIT_ENDED);
    (void)pthread_mutex_unlock(&awaits->lock);
    return job;
}
