#include "work/hand.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/limits.h"
#include "service/listener.h"

enum { LOOK_MS = 10000 }; /* the bell is only a hint */

/* ---- claiming ---- */

/* Who waits for jobs of several queues. */
struct wait {
    struct rv_service *service;
    const char *const *queues;
    int64_t lease_ms;
    struct rv_listener *listener;
    struct rv_signal signal;
    struct rv_interest *interests; /* one per queue */
    size_t count;
    int64_t due_in_ms; /* as the store told at the last look; -1: nothing is */

    /* Made beforehand: no job is claimed that there is no memory for. */
    struct rv_claim *claim;
    struct reeve_task *task;
};

void rv_hand_drop(struct reeve_task *task) {
    if (!task) return;
    struct rv_claim *claim = task->hold.claim;
    rv_task_destroy(task);
    free(claim);
}

static struct reeve_task *begin_task(struct wait *w, struct rv_exchanged *exchanged,
                                     uint64_t holder, int64_t sent_ms) {
    struct reeve_task *task = w->task;
    assert(task && w->claim);
    w->claim->holder = holder;
    w->claim->token = exchanged->token;
    rv_claim_good(w->claim, sent_ms);
    rv_task_begin(task, w->claim, exchanged->jobs[0]);
    exchanged->jobs[0] = NULL;
    w->claim = NULL;
    w->task = NULL;
    return task;
}

static int claim_from(struct wait *w, const char *queue, struct reeve_task **out,
                      struct rv_error *err) {
    struct rv_exchanged exchanged = {0};
    struct rv_exchange exchange = {
        .queue = queue,
        .timeout_ms = rv_lease_call_ms(w->service->timeout_ms, w->lease_ms),
        .want = 1,
        .holder = rv_random_nonzero(&rv_random_system),
        .lease_ms = w->lease_ms,
        .worker = w->service->name,
    };
    int64_t sent_ms = rv_clock_boot_ms(&w->service->clock);
    int rc = rv_store_exchange(w->service->store, &exchange, &exchanged, err);
    if (!rc && exchanged.count) *out = begin_task(w, &exchanged, exchange.holder, sent_ms);
    bool sooner = w->due_in_ms < 0 || exchanged.due_in_ms < w->due_in_ms;
    if (!rc && !exchanged.paused && exchanged.due_in_ms >= 0 && sooner)
        w->due_in_ms = exchanged.due_in_ms;
    rv_exchanged_release(&exchanged);
    return rc;
}

static int claim_from_any(struct wait *w, struct reeve_task **out, struct rv_error *err) {
    int rc = 0;
    w->due_in_ms = -1;
    for (size_t i = 0; !rc && !*out && i < w->count; i++)
        rc = claim_from(w, w->queues[i], out, err);
    return rc;
}

/* Looks, waits to hear of something, looks again: until a job came or the time is over. */
static int claim_or_wait(struct wait *w, int64_t wait_ms, struct reeve_task **out,
                         struct rv_error *err) {
    const struct rv_clock *real = &rv_clock_real;
    int64_t until_ms = wait_ms < 0 ? INT64_MAX : rv_time_add(rv_clock_boot_ms(real), wait_ms);
    for (;;) {
        int rc = claim_from_any(w, out, err);
        if (rc || *out) return rc;
        int64_t left_ms = until_ms - rv_clock_boot_ms(real);
        if (left_ms <= 0)
            return rv_fail(err, REEVE_ETIMEDOUT, "no job came within %" PRId64 " ms", wait_ms);
        if (left_ms > LOOK_MS) left_ms = LOOK_MS;
        if (w->due_in_ms >= 0 && w->due_in_ms < left_ms) left_ms = w->due_in_ms + 1;
        for (size_t i = 0; i < w->count; i++)
            rv_listener_rearm(w->listener, &w->interests[i]);
        (void)rv_signal_wait(&w->signal, left_ms);
    }
}

static void free_parts(struct wait *w) {
    free(w->interests);
    free(w->claim);
    rv_task_destroy(w->task);
}

static int begin_wait(struct wait *w, struct rv_error *err) {
    while (w->queues[w->count])
        w->count++;
    int rc = rv_service_listener(w->service, &w->listener, err);
    if (rc) return rc;
    w->interests = calloc(w->count, sizeof *w->interests);
    w->claim = rv_claim_create(0, 0, w->lease_ms);
    w->task = rv_task_create(w->service, NULL);
    if (!w->interests || !w->claim || !w->task || rv_signal_init(&w->signal)) {
        free_parts(w);
        return rv_fail(err, REEVE_ENOMEM, "no memory to wait for jobs");
    }
    for (size_t i = 0; i < w->count; i++) {
        w->interests[i] = (struct rv_interest){
            .queue = w->queues[i], .what = RV_HEAR_READY, .signal = &w->signal, .raise = 1};
        rv_listener_add(w->listener, &w->interests[i]);
    }
    return 0;
}

static void end_wait(struct wait *w) {
    for (size_t i = 0; i < w->count; i++)
        rv_listener_remove(w->listener, &w->interests[i]);
    rv_signal_release(&w->signal);
    free_parts(w);
}

int rv_hand_claim(struct rv_service *service, const char *const queues[], int64_t lease_ms,
                  int64_t wait_ms, struct reeve_task **out, struct rv_error *err) {
    struct wait w = {.service = service, .queues = queues, .lease_ms = lease_ms};
    *out = NULL;
    int rc = begin_wait(&w, err);
    if (rc) return rc;
    rc = claim_or_wait(&w, wait_ms, out, err);
    end_wait(&w);
    return rc;
}

/* ---- renewing and finishing ---- */

static void note_cancelled(struct reeve_task *task, const struct rv_cancel_marks *marks) {
    for (size_t i = 0; i < marks->count; i++) {
        if (!strcmp(marks->marks[i].id, task->hold.id))
            rv_hold_mark(&task->hold, RV_MARK_CANCELLED);
    }
}

int rv_hand_renew(struct reeve_task *task, int64_t lease_ms, struct rv_error *err) {
    struct rv_service *service = task->service;
    struct rv_claim *claim = task->hold.claim;
    struct rv_cancel_marks marks = {0};
    struct rv_renewal renewal = {
        .holder = claim->holder, .token = claim->token, .lease_ms = lease_ms};
    int64_t sent_ms = rv_clock_boot_ms(&service->clock);
    int rc = rv_store_renew(service->store, task->job->queue, &renewal, 1,
                            rv_lease_call_ms(service->timeout_ms, lease_ms), &marks, err);
    if (rc) return rc;
    note_cancelled(task, &marks);
    free(marks.marks);
    if (renewal.lost) {
        rv_hold_mark(&task->hold, RV_MARK_LOST);
        return rv_fail(err, REEVE_EFENCED, "the lease of %s/%s is another's now", task->job->queue,
                       task->job->id);
    }
    claim->lease_ms = lease_ms;
    rv_claim_good(claim, sent_ms);
    return 0;
}

static int judge_verdict(enum reeve_verdict verdict, enum rv_ending *out, struct rv_error *err) {
    switch (verdict) {
    case REEVE_SUCCEED:
        *out = RV_SUCCEEDED;
        return 0;
    case REEVE_RETRY:
        *out = RV_FAILED_ATTEMPT;
        return 0;
    case REEVE_GIVE_UP:
        *out = RV_GIVEN_UP;
        return 0;
    case REEVE_HAND_BACK:
        *out = RV_HANDED_BACK;
        return 0;
    default:
        return rv_fail(err, REEVE_EINVAL, "%d is no verdict", (int)verdict);
    }
}

/* A job that was cancelled, and whose owner knows it, is cancelled unless it succeeded. */
static enum rv_ending heed_cancel(const struct reeve_task *task, enum rv_ending ending) {
    bool cancelled = rv_hold_marked(&task->hold, RV_MARK_CANCELLED);
    return cancelled && ending != RV_SUCCEEDED ? RV_STOPPED : ending;
}

static int hand_in(struct reeve_task *task, struct rv_error *err) {
    struct rv_service *service = task->service;
    struct rv_outcome outcome;
    if (rv_task_judge(task, &outcome))
        return rv_fail(err, REEVE_ENOMEM, "no memory to finish %s", task->job->id);
    struct rv_exchanged exchanged = {0};
    struct rv_exchange exchange = {
        .queue = task->job->queue,
        .timeout_ms = service->timeout_ms,
        .outcomes = &outcome,
        .outcome_count = 1,
    };
    int rc = rv_store_exchange(service->store, &exchange, &exchanged, err);
    rv_exchanged_release(&exchanged);
    rv_outcome_release(&outcome);
    if (!rc && outcome.status)
        rc = rv_fail(err, outcome.status, "the lease of %s/%s is another's now", task->job->queue,
                     task->job->id);
    return rc;
}

int rv_hand_finish(struct reeve_task *task, enum reeve_verdict verdict, struct rv_error *err) {
    enum rv_ending ending = RV_HANDED_BACK;
    int rc = judge_verdict(verdict, &ending, err);
    if (rc) return rc;
    task->ending = heed_cancel(task, ending);
    task->ended_at_ms = rv_store_now_ms(task->service->store);
    rc = hand_in(task, err);
    if (!rc || rc == REEVE_EFENCED) rv_hand_drop(task);
    return rc;
}
