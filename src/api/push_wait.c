/* A push and the wait for its end in one. Where the store tells of ends by itself, the caller
 * sleeps once, and is woken with the record in hand: by what he hears himself if he is alone, else
 * by the listener. Elsewhere one follows the other. */
#include <stdlib.h>
#include <string.h>

#include "api/errmsg.h"
#include "api/single.h"
#include "api/waiting.h"
#include "core/state.h"
#include "service/listener.h"
#include "service/lone.h"

/* How long one who hears nothing sleeps at first, and then twice as long each time. The first jobs
 * of a handle may be done before it listens, which takes about as long as they do. */
enum { FIRST_RECHECK_MS = 100, UNHEARD_RECHECK_MS = 5 };

/* A call under way. */
struct trip {
    struct reeve *r;
    struct rv_single single;
    bool alone; /* lone is how he hears of the end, else await is */
    struct rv_lone lone;
    struct rv_await await;
    int64_t until_ms;      /* boot; -1: for ever */
    int64_t recheck_ms;    /* until the next look, if nothing is heard */
    struct reeve_job *job; /* the latest that is known of it */
};

static int64_t sleep_ms(const struct trip *trip) {
    int64_t left_ms = rv_wait_left_ms(trip->until_ms);
    return left_ms < trip->recheck_ms ? left_ms : trip->recheck_ms;
}

/* When it has to be known whether it was pushed. Who has more time than that takes has all of it:
 * he does not hurry those who share a step with him. */
static int64_t push_until_ms(const struct trip *trip) {
    int64_t left_ms = rv_wait_look_ms(trip->until_ms, false);
    if (left_ms >= 2 * trip->r->service.timeout_ms) return INT64_MAX;
    return rv_clock_boot_ms(&rv_clock_real) + left_ms;
}

/* ---- how he hears of the end ---- */
/* The listener is to listen from now on. */
static int begin_listening(struct rv_service *service, struct rv_error *err) {
    struct rv_listener *listener;
    if (atomic_load(&service->awaits.used)) return 0;
    int rc = rv_service_listener(service, &listener, err);
    if (!rc && !atomic_exchange(&service->awaits.used, true)) rv_store_wake(service->store);
    return rc;
}

/* nonce: to push with. */
static int begin_hearing(struct trip *trip, bool alone, uint64_t *nonce, struct rv_error *err) {
    struct rv_service *service = &trip->r->service;
    int64_t box_ms = rv_wait_look_ms(trip->until_ms, false) / 2; /* the push takes its time, too */
    trip->alone = alone && rv_lone_begin(&trip->lone, &service->awaits, service->store, box_ms);
    if (trip->alone) {
        *nonce = rv_lone_nonce(&trip->lone);
        return 0;
    }
    int rc = begin_listening(service, err);
    if (rc) return rc;
    if (!atomic_load(&service->awaits.heard)) trip->recheck_ms = UNHEARD_RECHECK_MS;
    *nonce = rv_await_begin(&service->awaits, &trip->await);
    return 0;
}

static void end_hearing(struct trip *trip) {
    if (trip->alone)
        rv_lone_end(&trip->lone, trip->job && rv_state_ended(trip->job->state));
    else
        rv_await_end(&trip->r->service.awaits, &trip->await);
}

/* In company, it is slept on until the end, too. */
static int push_and_hear(struct trip *trip, struct rv_error *err) {
    struct rv_single *single = &trip->single;
    int64_t until_ms = push_until_ms(trip);
    if (!trip->alone)
        return rv_gather_push_awaited(&trip->r->gather, &single->job, until_ms, &trip->await,
                                      1 + sleep_ms(trip), &single->pushed, err);
    struct rv_repeat time = {trip->r->service.timeout_ms, until_ms};
    return rv_lone_push(&trip->lone, time, &single->job, &single->pushed, err);
}

/* Sleeps until something is told, or it is time for a look: NULL. Only what is of this job: others
 * may have our address and number by chance. */
static struct reeve_job *hear(struct trip *trip) {
    const struct rv_new_job *pushed = &trip->single.job;
    struct reeve_job *job;
    if (trip->alone) {
        job = rv_lone_hear(&trip->lone, 1 + sleep_ms(trip));
    } else {
        rv_await_sleep(&trip->await, 1 + sleep_ms(trip));
        job = rv_await_take(&trip->r->service.awaits, &trip->await);
    }
    if (!job || (!strcmp(job->id, pushed->id) && !strcmp(job->queue, pushed->queue))) return job;
    free(job);
    return NULL;
}

/* ---- where ends are told ---- */
static bool has_ended(struct trip *trip, struct reeve_job *now) {
    if (!now) return false;
    free(trip->job);
    trip->job = now;
    return rv_state_ended(now->state);
}

/* It was queued. Reads only if nothing was heard for a while, or no record came with it. */
static int await_end(struct trip *trip, struct rv_error *err) {
    struct rv_service *service = &trip->r->service;
    const struct rv_new_job *job = &trip->single.job;
    while (!has_ended(trip, hear(trip))) {
        struct reeve_job *now = NULL;
        int64_t look_ms = rv_wait_look_ms(trip->until_ms, true);
        int rc = rv_service_read(service, job->queue, job->id, look_ms, &now, err);
        if (!rv_wait_goes_on(rc, true)) return rc;
        if (has_ended(trip, now)) return 0;
        if (!rv_wait_left_ms(trip->until_ms))
            return rv_wait_fail_late(job->queue, job->id, rc, err);
        trip->recheck_ms *= 2;
        if (trip->recheck_ms > RV_RECHECK_MS) trip->recheck_ms = RV_RECHECK_MS;
    }
    return 0;
}

/* nonce: as of rv_single_begin(). */
static int begin(struct trip *trip, const struct reeve_push *push,
                 const struct reeve_pushed *pushed, uint64_t nonce, struct rv_error *err) {
    int rc = rv_single_begin(&trip->single, trip->r, push, pushed, nonce, err);
    if (rc || trip->single.job.policy.keep_ms) return rc;
    return rv_fail(err, REEVE_EINVAL, "keep_ms is none: there would be no result to wait for");
}

static int go_told(struct trip *trip, bool alone, const struct reeve_push *push,
                   struct reeve_pushed *pushed, struct rv_error *err) {
    uint64_t nonce;
    int rc = begin_hearing(trip, alone, &nonce, err);
    if (rc) return rc;
    rc = begin(trip, push, pushed, nonce, err);
    if (!rc) {
        rc = push_and_hear(trip, err);
        rc = rv_single_end(&trip->single, trip->r, rc, pushed, err);
    }
    if (!rc && pushed->status == REEVE_QUEUED) rc = await_end(trip, err);
    end_hearing(trip);
    return rc;
}

/* ---- where they are not ---- */
/* Until its end is told by nobody: it was there before, or the store is one that tells nothing. */
static int go_on(struct trip *trip, struct reeve_pushed *pushed, struct rv_error *err) {
    const char *queue = trip->single.job.queue;
    if (pushed->status == REEVE_SPOOLED)
        return rv_fail(err, REEVE_EUNREACHABLE,
                       "job %s/%s is kept in the spool: wait for it when the store is back", queue,
                       pushed->id);
    if (pushed->done) {
        trip->job = pushed->done;
        pushed->done = NULL;
        return 0;
    }
    int64_t timeout_ms = trip->until_ms < 0 ? REEVE_NONE : rv_wait_left_ms(trip->until_ms);
    return rv_wait_for_end(trip->r, queue, pushed->id, timeout_ms, true, &trip->job, err);
}

static int go(struct trip *trip, const struct reeve_push *push, struct reeve_pushed *pushed,
              struct rv_error *err) {
    if (rv_store_caps(trip->r->service.store) & RV_CAP_TELLS) {
        struct rv_awaits *awaits = &trip->r->service.awaits;
        int rc = go_told(trip, rv_awaits_come(awaits), push, pushed, err);
        rv_awaits_leave(awaits);
        return rc || pushed->status == REEVE_QUEUED ? rc : go_on(trip, pushed, err);
    }
    int rc = begin(trip, push, pushed, 0, err);
    if (rc) return rc;
    rc = rv_gather_push_until(&trip->r->gather, &trip->single.job, push_until_ms(trip),
                              &trip->single.pushed, err);
    rc = rv_single_end(&trip->single, trip->r, rc, pushed, err);
    return rc ? rc : go_on(trip, pushed, err);
}

int reeve_push_wait(reeve *r, const struct reeve_push *push, int64_t timeout_ms,
                    struct reeve_pushed *out, struct reeve_job **job) {
    struct rv_error err = {0};
    struct reeve_pushed pushed = {.size = sizeof pushed};
    struct trip trip = {.r = r, .until_ms = -1, .recheck_ms = FIRST_RECHECK_MS};
    *job = NULL;
    if (!out) out = &pushed;
    if (timeout_ms >= 0) trip.until_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), timeout_ms);
    int rc = go(&trip, push, out, &err);
    if (!rc || rc == REEVE_ETIMEDOUT)
        *job = trip.job;
    else
        free(trip.job);
    return rv_api_result(rc, &err);
}
