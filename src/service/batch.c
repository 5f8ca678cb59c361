#include "service/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "service/repeat.h"

static size_t body_bytes(const struct rv_new_job *jobs, size_t count) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += jobs[i].body.size;
    return bytes;
}

void rv_ask_init(struct rv_ask *ask, const char *queue, const struct rv_new_job *jobs, size_t count,
                 struct rv_pushed *outs, struct rv_error *err) {
    *ask = (struct rv_ask){
        .queue = queue,
        .jobs = jobs,
        .count = count,
        .bytes = body_bytes(jobs, count),
        .outs = outs,
        .until_ms = INT64_MAX,
        .err = err,
    };
    rv_list_init(&ask->link);
}

static struct rv_ask *ask_of(struct rv_list *link) {
    return rv_container_of(link, struct rv_ask, link);
}

static int push_alone(struct rv_ask *ask, struct rv_store *store, int64_t timeout_ms) {
    struct rv_repeat time = {timeout_ms, ask->until_ms};
    return rv_repeat_push(store, time, ask->queue, ask->jobs, ask->count, ask->outs, ask->err);
}

/* ---- together ---- */
void rv_batch_init(struct rv_batch *batch, struct rv_ask *first) {
    *batch = (struct rv_batch){
        .count = first->count, .bytes = first->bytes, .until_ms = first->until_ms};
    rv_list_init(&batch->asks);
    rv_list_add_tail(&batch->asks, &first->link);
}

bool rv_batch_add(struct rv_batch *batch, struct rv_ask *ask, struct rv_push_step most) {
    if (batch->count + ask->count > most.jobs) return false;
    if (batch->bytes + ask->bytes > most.bytes) return false;
    batch->count += ask->count;
    batch->bytes += ask->bytes;
    if (ask->until_ms < batch->until_ms) batch->until_ms = ask->until_ms;
    rv_list_add_tail(&batch->asks, &ask->link);
    return true;
}

bool rv_batch_is_shared(const struct rv_batch *batch) {
    return batch->asks.next != batch->asks.prev;
}

struct rv_ask *rv_batch_pop(struct rv_batch *batch) {
    struct rv_list *link = rv_list_pop(&batch->asks);
    return link ? ask_of(link) : NULL;
}

static bool join(struct rv_batch *batch) {
    batch->jobs = malloc(batch->count * sizeof *batch->jobs);
    batch->outs = malloc(batch->count * sizeof *batch->outs);
    if (!batch->jobs || !batch->outs) return false;
    size_t at = 0;
    for (struct rv_list *l = batch->asks.next; l != &batch->asks; l = l->next) {
        const struct rv_ask *ask = ask_of(l);
        memcpy(batch->jobs + at, ask->jobs, ask->count * sizeof *batch->jobs);
        at += ask->count;
    }
    return true;
}

static bool is_away(int status) {
    return status == REEVE_EUNSURE || status == REEVE_EUNREACHABLE;
}

static void answer(struct rv_batch *batch, int status, const struct rv_error *err) {
    size_t at = 0;
    bool over = is_away(status) && rv_clock_boot_ms(&rv_clock_real) >= batch->until_ms;
    for (struct rv_list *l = batch->asks.next; l != &batch->asks; l = l->next) {
        struct rv_ask *ask = ask_of(l);
        memcpy(ask->outs, batch->outs + at, ask->count * sizeof *batch->outs);
        at += ask->count;
        ask->status = status;
        if (err->code) *ask->err = *err; /* also where some of them were left */
        ask->hurried = over && ask->until_ms > batch->until_ms;
    }
}

/* A definite refusal of a shared step may be the fault of one of them: each then goes alone. */
static bool is_common(int status) {
    return !status || is_away(status);
}

void rv_batch_send(struct rv_batch *batch, struct rv_store *store, int64_t timeout_ms) {
    struct rv_error err;
    rv_error_clear(&err);
    bool shared = rv_batch_is_shared(batch) && join(batch);
    int status = REEVE_ENOMEM;
    if (shared) {
        const char *queue = ask_of(batch->asks.next)->queue;
        struct rv_repeat time = {timeout_ms, batch->until_ms};
        status = rv_repeat_push(store, time, queue, batch->jobs, batch->count, batch->outs, &err);
    }
    if (shared && is_common(status)) {
        answer(batch, status, &err);
    } else {
        for (struct rv_list *l = batch->asks.next; l != &batch->asks; l = l->next)
            ask_of(l)->status = push_alone(ask_of(l), store, timeout_ms);
    }
    free(batch->jobs);
    free(batch->outs);
}

/* ---- what is left ---- */
/* Where all were given up because of one who had no more time. */
static bool push_anew(struct rv_ask *ask, struct rv_store *store, int64_t timeout_ms) {
    if (!ask->hurried) return false;
    bool unsure = ask->status == REEVE_EUNSURE;
    ask->status = push_alone(ask, store, timeout_ms);
    if (unsure && is_away(ask->status)) ask->status = ask->err->code = REEVE_EUNSURE;
    return true;
}

/* Where a part of the store did not answer. */
static bool push_rest(struct rv_ask *ask, struct rv_store *store, int64_t timeout_ms) {
    if (ask->status || !rv_repeat_is_left(ask->outs, ask->count)) return false;
    struct rv_repeat time = {timeout_ms, ask->until_ms};
    ask->status =
        rv_repeat_rest(store, time, ask->queue, ask->jobs, ask->count, ask->outs, ask->err);
    return true;
}

bool rv_ask_settle(struct rv_ask *ask, struct rv_store *store, int64_t timeout_ms) {
    bool anew = push_anew(ask, store, timeout_ms);
    return push_rest(ask, store, timeout_ms) || anew;
}
