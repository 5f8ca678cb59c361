/* One job, by queue and id. */
#include <stdlib.h>

#include "api/errmsg.h"
#include "api/waiting.h"
#include "core/state.h"
#include "service/listener.h"

enum { HEARD = 1 };
enum { LOOK_MS = 1000, LAST_LOOK_MS = 100 }; /* at least: of the first, and of those that follow */

int reeve_get(reeve *r, const char *queue, const char *id, struct reeve_job **out) {
    struct rv_error err = {0};
    int rc = rv_store_read(r->service.store, queue, id, out, &err);
    return rv_api_result(rc, &err);
}

int64_t rv_wait_left_ms(int64_t until_ms) {
    if (until_ms < 0) return RV_RECHECK_MS;
    int64_t left = until_ms - rv_clock_boot_ms(&rv_clock_real);
    return left < 0 ? 0 : left;
}

bool rv_wait_goes_on(int rc, bool seen) {
    return !rc || (seen && reeve_retriable(rc));
}

int64_t rv_wait_look_ms(int64_t until_ms, bool seen) {
    if (until_ms < 0) return INT64_MAX;
    int64_t least_ms = seen ? LAST_LOOK_MS : LOOK_MS, left_ms = rv_wait_left_ms(until_ms);
    return left_ms < least_ms ? least_ms : left_ms;
}

int rv_wait_fail_late(const char *queue, const char *id, int rc, struct rv_error *err) {
    if (!rc) return rv_fail(err, REEVE_ETIMEDOUT, "job %s/%s has not ended in time", queue, id);
    struct rv_error why = *err;
    return rv_fail(err, REEVE_ETIMEDOUT, "job %s/%s has not ended in time, as far as is known: %s",
                   queue, id, why.text);
}

/* Reads again whenever an end was heard of, and now and then. *out is the latest record. */
static int read_until_end(struct reeve *r, const char *queue, const char *id, int64_t timeout_ms,
                          bool known, struct rv_signal *signal, struct reeve_job **out,
                          struct rv_error *err) {
    int64_t until_ms =
        timeout_ms < 0 ? -1 : rv_time_add(rv_clock_boot_ms(&rv_clock_real), timeout_ms);
    for (;;) {
        struct reeve_job *now;
        int64_t look_ms = rv_wait_look_ms(until_ms, *out);
        int rc = rv_service_read(&r->service, queue, id, look_ms, &now, err);
        int64_t left = rv_wait_left_ms(until_ms);
        bool is_away = rc == REEVE_EUNREACHABLE || rc == REEVE_EUNSURE;
        if (!rv_wait_goes_on(rc, *out || (is_away && (known || !left)))) return rc;
        if (!rc) {
            free(*out);
            *out = now;
            if (rv_state_ended(now->state)) return 0;
        }
        if (!left) return rv_wait_fail_late(queue, id, rc, err);
        (void)rv_signal_wait(signal, left < RV_RECHECK_MS ? left : RV_RECHECK_MS);
    }
}

/* Subscribes first, so that no end can fall between the look and the wait. */
int rv_wait_for_end(struct reeve *r, const char *queue, const char *id, int64_t timeout_ms,
                    bool known, struct reeve_job **out, struct rv_error *err) {
    struct rv_listener *listener;
    struct rv_signal signal;
    int rc = rv_service_listener(&r->service, &listener, err);
    if (rc) return rc;
    if (rv_signal_init(&signal)) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    struct rv_interest interest = {
        .queue = queue,
        .what = RV_HEAR_ENDED,
        .signal = &signal,
        .raise = HEARD,
    };
    rv_listener_add(listener, &interest);
    rc = read_until_end(r, queue, id, timeout_ms, known, &signal, out, err);
    rv_listener_remove(listener, &interest);
    rv_signal_release(&signal);
    return rc;
}

int reeve_wait(reeve *r, const char *queue, const char *id, int64_t timeout_ms,
               struct reeve_job **out) {
    struct rv_error err = {0};
    struct reeve_job *job = NULL;
    *out = NULL;
    int rc = rv_check_name("queue", queue, &err);
    if (!rc) rc = rv_check_id(id, &err);
    if (!rc) rc = rv_wait_for_end(r, queue, id, timeout_ms, false, &job, &err);
    if (!rc || rc == REEVE_ETIMEDOUT)
        *out = job;
    else
        free(job);
    return rv_api_result(rc, &err);
}

int reeve_cancel(reeve *r, const char *queue, const char *id, enum reeve_state *now) {
    struct rv_error err = {0};
    enum reeve_state state;
    int rc = rv_store_cancel(r->service.store, queue, id, &state, &err);
    if (!rc && now) *now = state;
    return rv_api_result(rc, &err);
}

int reeve_revive(reeve *r, const char *queue, const char *id) {
    struct rv_error err = {0};
    return rv_api_result(rv_store_revive(r->service.store, queue, id, &err), &err);
}

int reeve_remove(reeve *r, const char *queue, const char *id) {
    struct rv_error err = {0};
    return rv_api_result(rv_store_remove(r->service.store, queue, id, &err), &err);
}

int reeve_keep(reeve *r, const char *queue, const char *id, int64_t keep_ms) {
    struct rv_error err = {0};
    int64_t checked_ms;
    int rc = rv_check_keep(keep_ms, &checked_ms, &err);
    if (!rc && !checked_ms)
        rc = rv_fail(&err, REEVE_EINVAL, "keep_ms is none: reeve_remove() forgets a job at once");
    if (!rc) rc = rv_store_keep(r->service.store, queue, id, checked_ms, &err);
    return rv_api_result(rc, &err);
}
