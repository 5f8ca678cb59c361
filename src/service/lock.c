#include "service/lock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/thread.h"
#include "core/check.h"
#include "service/keeper.h"

enum {
    LOOK = 1,  /* a mark on a tenure */
    FREED = 2, /* somebody let go of a name, or of a place in line */
    STOP = 4,

    TICKET_MS = 10000, /* a waiter who died is waited for so long */
    AWAY_MS = 250,     /* between two attempts at a store that is away */
};

struct held {
    char name[REEVE_NAME_SIZE];
    struct rv_tenure tenure;
    bool had;
};

struct reeve_lock {
    struct rv_service *service;
    struct rv_keeper *keeper;
    struct rv_listener *listener;
    struct rv_lock_options options;
    struct rv_signal signal;
    pthread_t thread;
    atomic_bool stopping;
    size_t count;
    struct held held[]; /* by name */
};

static int64_t now_ms(const struct reeve_lock *l) {
    return rv_clock_boot_ms(&l->service->clock);
}

static int64_t call_ms(const struct reeve_lock *l) {
    return rv_lease_call_ms(l->service->timeout_ms, l->options.lease_ms);
}

static int64_t ticket_ms(const struct reeve_lock *l) {
    return l->options.lease_ms < TICKET_MS ? l->options.lease_ms : TICKET_MS;
}

/* ---- letting go ---- */

static void release(struct reeve_lock *l, const struct held *held) {
    struct rv_error err;
    char text[RV_QUOTED_SIZE];
    int rc = rv_tenure_release(l->service->store, &held->tenure, call_ms(l), &err);
    if (rc)
        rv_log(&l->service->log, REEVE_LOG_WARN, "lock.unreleased", "name=%s text=%s", held->name,
               rv_log_quote(text, err.text));
}

static void let_go_of_all(struct reeve_lock *l) {
    for (size_t i = l->count; i-- > 0;) {
        struct held *held = &l->held[i];
        if (!held->had) continue;
        rv_keeper_let_go(l->keeper, &held->tenure);
        release(l, held);
        held->had = false;
    }
}

/* ---- taking ---- */

static bool is_over(const struct reeve_lock *l, const struct held *held) {
    return held->had && rv_tenure_over(&held->tenure, &l->service->clock);
}

static const struct held *find_lost(const struct reeve_lock *l) {
    for (size_t i = 0; i < l->count; i++)
        if (is_over(l, &l->held[i])) return &l->held[i];
    return NULL;
}

static int ask(struct reeve_lock *l, struct held *held, struct rv_grant_answer *answer,
               struct rv_error *err) {
    struct rv_grant_ask wish = {.kind = RV_GRANT_LOCK,
                                .name = held->name,
                                .holder = held->tenure.holder,
                                .lease_ms = l->options.lease_ms,
                                .ticket_ms = l->options.wait_ms ? ticket_ms(l) : 0,
                                .by = l->service->name};
    int64_t sent_ms = now_ms(l);
    int rc = rv_store_grant_take(l->service->store, &wish, call_ms(l), answer, err);
    if (rc || !answer->token) return rc;
    held->tenure.token = answer->token;
    rv_tenure_begin(&held->tenure, sent_ms);
    rv_keeper_hold(l->keeper, &held->tenure);
    held->had = true;
    return 0;
}

/* How long to wait before asking again: until it may be free, and often enough to keep the place in
 * line. */
static int64_t pause_ms(const struct reeve_lock *l, int rc, const struct rv_grant_answer *answer) {
    int64_t most_ms = rc ? AWAY_MS : ticket_ms(l) / 3;
    int64_t free_ms = rc ? most_ms : answer->free_in_ms + 1;
    return free_ms < most_ms ? free_ms : most_ms;
}

/* A store that does not answer is waited for; what else is wrong is told at once. */
static bool is_away(int rc) {
    return rc == REEVE_EUNREACHABLE || rc == REEVE_EUNSURE;
}

/* One name: 0, REEVE_ETIMEDOUT, or an error. REEVE_EFENCED: one that was had before was lost. */
static int take(struct reeve_lock *l, struct held *held, int64_t until_ms, struct rv_error *err) {
    held->tenure.holder = rv_random_nonzero(&rv_random_system);
    for (;;) {
        struct rv_grant_answer answer;
        int rc = ask(l, held, &answer, err);
        if (held->had) return 0;
        if (!rc && find_lost(l)) rc = REEVE_EFENCED;
        int64_t left_ms = until_ms - now_ms(l);
        bool last = left_ms <= 0 || (rc && !is_away(rc));
        if (last) release(l, held); /* its place in line, or what an unsure answer brought */
        if (last && rc) return rc;
        if (last)
            return rv_fail(err, REEVE_ETIMEDOUT, "'%s' was not had within %" PRId64 " ms",
                           held->name, l->options.wait_ms);
        int64_t wait_ms = pause_ms(l, rc, &answer);
        (void)rv_signal_wait(&l->signal, wait_ms < left_ms ? wait_ms : left_ms);
    }
}

static int take_all(struct reeve_lock *l, struct rv_error *err) {
    int64_t wait_ms = l->options.wait_ms;
    int64_t until_ms = wait_ms < 0 ? INT64_MAX : rv_time_add(now_ms(l), wait_ms);
    int rc;
    do { /* what was lost while the next was waited for is waited for anew */
        rc = 0;
        for (size_t i = 0; !rc && i < l->count; i++) {
            struct rv_interest freed = {.queue = l->held[i].name,
                                        .grant = RV_GRANT_LOCK,
                                        .what = RV_HEAR_ENDED,
                                        .signal = &l->signal,
                                        .raise = FREED};
            rv_listener_add(l->listener, &freed);
            rc = take(l, &l->held[i], until_ms, err);
            rv_listener_remove(l->listener, &freed);
        }
        if (!rc && find_lost(l)) rc = REEVE_EFENCED;
        if (rc) let_go_of_all(l);
    } while (rc == REEVE_EFENCED);
    return rc;
}

/* ---- holding ---- */

static int64_t ends_in_ms(const struct reeve_lock *l) {
    int64_t ends_ms = INT64_MAX;
    for (size_t i = 0; i < l->count; i++) {
        int64_t at_ms = atomic_load(&l->held[i].tenure.ends_ms);
        if (at_ms < ends_ms) ends_ms = at_ms;
    }
    return ends_ms - now_ms(l);
}

/* Tells of the first that is lost; the others are of no use without it. */
static void *watch(void *arg) {
    struct reeve_lock *l = arg;
    const struct held *lost = NULL;
    while (!atomic_load(&l->stopping) && !(lost = find_lost(l))) {
        int64_t wait_ms = ends_in_ms(l);
        (void)rv_signal_wait(&l->signal, wait_ms > 0 ? wait_ms : 0);
    }
    if (!lost || atomic_load(&l->stopping)) return NULL;
    rv_log(&l->service->log, REEVE_LOG_WARN, "lock.lost", "name=%s token=%" PRIu64, lost->name,
           lost->tenure.token);
    if (l->options.lost) l->options.lost(l->options.arg, lost->name);
    return NULL;
}

/* ---- opening and closing ---- */

static int by_bytes(const void *a, const void *b) {
    return strcmp(((const struct held *)a)->name, ((const struct held *)b)->name);
}

static struct reeve_lock *create(struct rv_service *service,
                                 const struct rv_lock_options *options) {
    size_t count = 0;
    while (options->names[count])
        count++;
    struct reeve_lock *l = calloc(1, sizeof *l + count * sizeof *l->held);
    if (!l || rv_signal_init(&l->signal)) {
        free(l);
        return NULL;
    }
    l->service = service;
    l->options = *options;
    l->count = count;
    for (size_t i = 0; i < count; i++) /* checked names: they fit */
        memcpy(l->held[i].name, options->names[i], strlen(options->names[i]) + 1);
    qsort(l->held, count, sizeof *l->held, by_bytes);
    for (size_t i = 0; i < count; i++)
        l->held[i].tenure = (struct rv_tenure){.kind = RV_GRANT_LOCK,
                                               .name = l->held[i].name,
                                               .lease_ms = options->lease_ms,
                                               .renew_ms = options->renew_ms,
                                               .signal = &l->signal,
                                               .raise = LOOK};
    return l;
}

static void destroy(struct reeve_lock *l) {
    rv_signal_release(&l->signal);
    free(l);
}

static int start(struct reeve_lock *l, struct rv_error *err) {
    int rc = rv_service_keeper(l->service, &l->keeper, err);
    if (!rc) rc = rv_service_listener(l->service, &l->listener, err);
    if (!rc) rc = take_all(l, err);
    if (rc || !rv_thread_start(&l->thread, watch, l)) return rc;
    let_go_of_all(l);
    return rv_fail(err, REEVE_ENOMEM, "cannot start the lock's thread");
}

int rv_lock_open(struct reeve_lock **out, struct rv_service *service,
                 const struct rv_lock_options *options, struct rv_error *err) {
    *out = NULL;
    struct reeve_lock *l = create(service, options);
    if (!l) return rv_fail(err, REEVE_ENOMEM, "no memory for a lock");
    int rc = start(l, err);
    if (rc)
        destroy(l);
    else
        *out = l;
    return rc;
}

void rv_lock_close(struct reeve_lock *l) {
    if (!l) return;
    atomic_store(&l->stopping, true);
    rv_signal_raise(&l->signal, STOP);
    (void)pthread_join(l->thread, NULL);
    let_go_of_all(l);
    destroy(l);
}

/* ---- asking ---- */

size_t rv_lock_count(const struct reeve_lock *l) {
    return l->count;
}

const char *rv_lock_name(const struct reeve_lock *l, size_t i) {
    return l->held[i].name;
}

uint64_t rv_lock_token(const struct reeve_lock *l, size_t i) {
    return is_over(l, &l->held[i]) ? 0 : l->held[i].tenure.token;
}

int64_t rv_lock_left_ms(const struct reeve_lock *l) {
    int64_t left_ms = INT64_MAX;
    for (size_t i = 0; i < l->count; i++) {
        const struct rv_tenure *tenure = &l->held[i].tenure;
        int64_t ms = rv_tenure_marked(tenure, RV_TENURE_LOST)
                         ? 0
                         : atomic_load(&tenure->lapses_ms) - now_ms(l);
        if (ms < left_ms) left_ms = ms;
    }
    return left_ms;
}
