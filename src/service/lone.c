#include "service/lone.h"

#include <stdlib.h>
#include <time.h>

#include "core/nonce.h"

enum {
    BOX_MS = 500,     /* no longer than that is one waited for */
    NO_BOX_MS = 5000, /* nor tried for again, once it could not be had */
};

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

bool rv_lone_begin(struct rv_lone *lone, struct rv_awaits *awaits, struct rv_store *store,
                   int64_t timeout_ms) {
    *lone = (struct rv_lone){.store = store};
    if (rv_clock_boot_ms(&rv_clock_real) < atomic_load(&awaits->no_box_ms)) return false;
    if (rv_store_box_take(store, least(timeout_ms, BOX_MS), &lone->box, NULL)) {
        atomic_store(&awaits->no_box_ms, rv_clock_boot_ms(&rv_clock_real) + NO_BOX_MS);
        return false;
    }
    lone->number = atomic_fetch_add(&awaits->next, 1);
    return true;
}

/* Where one end was not told, the next may not be. */
void rv_lone_end(struct rv_lone *lone, bool ended) {
    rv_store_box_give(lone->store, lone->box, ended && !lone->heard);
}

uint64_t rv_lone_nonce(const struct rv_lone *lone) {
    return rv_nonce_awaited(lone->box->address, lone->number);
}

int rv_lone_push(struct rv_lone *lone, struct rv_repeat time, const struct rv_new_job *job,
                 struct rv_pushed *out, struct rv_error *err) {
    struct rv_new_job mine = *job;
    mine.box = lone->box;
    int rc = rv_repeat_push(lone->store, time, job->queue, &mine, 1, out, err);
    if (rc || !rv_repeat_is_left(out, 1)) return rc;
    return rv_repeat_rest(lone->store, time, job->queue, &mine, 1, out, err);
}

/* Takes the record if that came with it. */
static void take_own(struct rv_lone *lone, struct rv_list *told, struct reeve_job **out) {
    for (struct rv_list *l = told->next; l != told; l = l->next) {
        struct rv_told *end = rv_container_of(l, struct rv_told, link);
        if (end->number != lone->number) continue;
        lone->heard = true;
        free(*out);
        *out = end->job;
        end->job = NULL;
    }
    rv_told_release(told);
}

static void pause_until(int64_t until_ms) {
    int64_t ms = until_ms - rv_clock_boot_ms(&rv_clock_real);
    if (ms <= 0) return;
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&time, NULL);
}

/* What others are told there, or was told too late, does not end it. */
struct reeve_job *rv_lone_hear(struct rv_lone *lone, int64_t ms) {
    int64_t until_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), ms), left_ms = ms;
    struct reeve_job *job = NULL;
    struct rv_list told;
    rv_list_init(&told);
    lone->heard = false;
    for (bool any = true; any && !lone->heard && left_ms >= 0;) {
        int rc = rv_store_box_attend(lone->store, lone->box, left_ms, &told, NULL);
        any = !rv_list_empty(&told);
        take_own(lone, &told, &job);
        if (rc && !lone->heard) pause_until(until_ms);
        left_ms = until_ms - rv_clock_boot_ms(&rv_clock_real);
    }
    return job;
}
