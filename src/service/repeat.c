#include "service/repeat.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/random.h"

enum { PAUSE_MS_MIN = 5, PAUSE_MS_MAX = 500, TRY_MS_MIN = 20 };

/* ---- pauses ---- each up to twice as long as the one before, until the time is over ---- */
struct pauses {
    int64_t until_ms, last_ms, most_ms;
};

static struct pauses begin(struct rv_repeat time) {
    int64_t until_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), time.timeout_ms);
    return (struct pauses){until_ms < time.until_ms ? until_ms : time.until_ms, time.until_ms,
                           PAUSE_MS_MIN};
}

/* How long the next call may take. */
static int64_t call_ms(const struct pauses *pauses) {
    if (pauses->last_ms == INT64_MAX) return INT64_MAX;
    int64_t left_ms = pauses->last_ms - rv_clock_boot_ms(&rv_clock_real);
    return left_ms < TRY_MS_MIN ? TRY_MS_MIN : left_ms;
}

static bool make_pause(struct pauses *pauses) {
    int64_t left_ms = pauses->until_ms - rv_clock_boot_ms(&rv_clock_real);
    if (left_ms <= 0) return false;
    int64_t ms = 1 + rv_random_below(&rv_random_system, pauses->most_ms);
    if (ms > left_ms) ms = left_ms;
    pauses->most_ms *= 2;
    if (pauses->most_ms > PAUSE_MS_MAX) pauses->most_ms = PAUSE_MS_MAX;
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&time, NULL);
    return true;
}

/* ---- all of them ---- */
/* Once a step is unsure, being unreachable later does not make it sure again. */
int rv_repeat_push(struct rv_store *store, struct rv_repeat time, const char *queue,
                   const struct rv_new_job *jobs, size_t count, struct rv_pushed *outs,
                   struct rv_error *err) {
    struct pauses pauses = begin(time);
    int rc = rv_store_push_within(store, queue, jobs, count, call_ms(&pauses), outs, err);
    if (rc != REEVE_EUNSURE) return rc;
    while (make_pause(&pauses)) {
        struct rv_error again = {0};
        rc = rv_store_push_within(store, queue, jobs, count, call_ms(&pauses), outs, &again);
        if (!rc) return 0;
        if (rc == REEVE_EUNSURE) *err = again;
        if (!reeve_retriable(rc)) break;
    }
    for (size_t i = 0; i < count; i++)
        outs[i].error = REEVE_EUNSURE;
    return REEVE_EUNSURE;
}

/* ---- those that were left ---- */
static bool is_left(const struct rv_pushed *out) {
    return out->error == REEVE_EUNSURE || out->error == REEVE_EUNREACHABLE;
}

bool rv_repeat_is_left(const struct rv_pushed *outs, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_left(&outs[i])) return true;
    return false;
}

/* As they are sent, and where each stands among all. */
struct rest {
    struct rv_new_job *jobs;
    struct rv_pushed *outs;
    size_t *places;
    size_t count;
};

static bool open_rest(struct rest *rest, size_t count) {
    *rest = (struct rest){.jobs = malloc(count * sizeof *rest->jobs),
                          .outs = malloc(count * sizeof *rest->outs),
                          .places = malloc(count * sizeof *rest->places)};
    return rest->jobs && rest->outs && rest->places;
}

static void close_rest(struct rest *rest) {
    free(rest->jobs);
    free(rest->outs);
    free(rest->places);
}

static bool collect(struct rest *rest, const struct rv_new_job *jobs, size_t count,
                    const struct rv_pushed *outs) {
    rest->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_left(&outs[i])) continue;
        rest->places[rest->count] = i;
        rest->jobs[rest->count++] = jobs[i];
    }
    return rest->count > 0;
}

static void take_over(const struct rest *rest, struct rv_pushed *outs) {
    for (size_t i = 0; i < rest->count; i++) {
        struct rv_pushed *out = &outs[rest->places[i]];
        bool unsure = out->error == REEVE_EUNSURE;
        *out = rest->outs[i];
        if (unsure && is_left(out)) out->error = REEVE_EUNSURE;
    }
}

/* The error that all have in common; 0: there is none. */
static int common_error(const struct rv_pushed *outs, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (outs[i].error != outs->error) return 0;
    return outs->error;
}

int rv_repeat_rest(struct rv_store *store, struct rv_repeat time, const char *queue,
                   const struct rv_new_job *jobs, size_t count, struct rv_pushed *outs,
                   struct rv_error *err) {
    struct pauses pauses = begin(time);
    struct rest rest;
    bool room = open_rest(&rest, count);
    while (room && collect(&rest, jobs, count, outs) && make_pause(&pauses)) {
        struct rv_error again = {0};
        int rc = rv_store_push_within(store, queue, rest.jobs, rest.count, call_ms(&pauses),
                                      rest.outs, &again);
        if (rc && !reeve_retriable(rc)) break;
        take_over(&rest, outs);
        if (again.code) *err = again;
    }
    close_rest(&rest);
    int rc = common_error(outs, count);
    if (rc && !err->code) (void)rv_fail(err, rc, "queue %s: a part of it is away", queue);
    return rc;
}
