#include "service/leader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/thread.h"
#include "core/check.h"
#include "service/keeper.h"

enum {
    LOOK = 1,  /* a mark on the tenure, or a wish to resign */
    FREED = 2, /* somebody let go of the name */
    STOP = 4,

    UNSURE_MS = 50, /* an answer that was lost is asked for again so soon */
    AWAY_MS = 1000, /* between two attempts at a store that is away, at most */
    TENDER_RELEASE_MS = 1000,
};

struct reeve_leader {
    struct rv_service *service;
    struct rv_keeper *keeper;
    struct rv_listener *listener;
    struct rv_leader_options options;
    char name[REEVE_NAME_SIZE];
    struct rv_list link; /* in service->leaders */
    struct rv_signal signal;
    struct rv_interest freed;
    pthread_t thread;

    atomic_bool stopping, resigning;
    _Atomic uint64_t term;   /* set once the tenure says how long; 0: none */
    struct rv_tenure tenure; /* begun anew for each term */

    /* The thread's own. */
    struct rv_announcement news; /* not yet told to those who watch; type 0: none */
    uint64_t holder;             /* of the attempt; kept until it is known what came of it (J7) */
    bool away;                   /* the store did not answer, and that was said */
};

static int64_t now_ms(const struct reeve_leader *l) {
    return rv_clock_boot_ms(&l->service->clock);
}

static int64_t call_ms(const struct reeve_leader *l) {
    return rv_lease_call_ms(l->service->timeout_ms, l->options.lease_ms);
}

/* ---- telling those who watch ---- */

/* A store that is away is told when it answers again; what may have been told is not repeated. */
static void tell(struct reeve_leader *l) {
    struct rv_error err;
    if (!l->news.type) return;
    int rc = rv_store_announce(l->service->store, RV_NAMES, &l->news, call_ms(l), &err);
    if (rc != REEVE_EUNREACHABLE) l->news.type = 0;
}

static void set_news(struct reeve_leader *l, enum reeve_event_type type, enum reeve_lost why) {
    bool own = l->options.kind == RV_GRANT_UPKEEP; /* the library's own election */
    l->news = (struct rv_announcement){.type = type,
                                       .why = why,
                                       .id = own ? "@upkeep" : l->name,
                                       .worker = l->service->name,
                                       .token = l->tenure.token};
}

/* ---- leading ---- */

/* Who tends is missed by nobody for long: others look, too. */
static int64_t release_ms(const struct reeve_leader *l) {
    int64_t ms = call_ms(l);
    return l->options.kind == RV_GRANT_UPKEEP && ms > TENDER_RELEASE_MS ? TENDER_RELEASE_MS : ms;
}

/* If that fails, the lease has to lapse: nobody is the worse for it but in time. False: the store
 * is away. */
static bool release(struct reeve_leader *l) {
    struct rv_error err;
    char text[RV_QUOTED_SIZE];
    int rc = rv_tenure_release(l->service->store, &l->tenure, release_ms(l), &err);
    if (rc)
        rv_log(&l->service->log, REEVE_LOG_WARN, "leader.unreleased", "name=%s text=%s", l->name,
               rv_log_quote(text, err.text));
    return rc != REEVE_EUNREACHABLE && rc != REEVE_EUNSURE;
}

/* Why the term has to end; 0: it goes on. */
static enum reeve_lost ending(const struct reeve_leader *l) {
    if (rv_tenure_marked(&l->tenure, RV_TENURE_LOST)) return REEVE_LOST_FENCED;
    if (rv_tenure_over(&l->tenure, &l->service->clock)) return REEVE_LOST_EXPIRED;
    if (atomic_load(&l->stopping)) return REEVE_LOST_CLOSED;
    if (atomic_load(&l->resigning) || rv_tenure_marked(&l->tenure, RV_TENURE_RESIGN))
        return REEVE_LOST_RESIGNED;
    return 0;
}

static void begin_term(struct reeve_leader *l) {
    rv_keeper_hold(l->keeper, &l->tenure);
    atomic_store(&l->term, l->tenure.token);
    rv_log(&l->service->log, REEVE_LOG_INFO, "leader.gained", "name=%s term=%" PRIu64, l->name,
           l->tenure.token);
    set_news(l, REEVE_LEADER_GAINED, 0);
    tell(l);
    if (l->options.gained) l->options.gained(l->options.arg, l->tenure.token);
}

/* First nobody takes it for a leader any more, then its work ends, and only then the name is free
 * for another: meanwhile the lease is renewed, if it can be. */
static void end_term(struct reeve_leader *l, enum reeve_lost why) {
    bool wanted = why == REEVE_LOST_RESIGNED || why == REEVE_LOST_CLOSED;
    atomic_store(&l->term, 0);
    rv_log(&l->service->log, wanted ? REEVE_LOG_INFO : REEVE_LOG_WARN, "leader.lost",
           "name=%s term=%" PRIu64 " why=%s", l->name, l->tenure.token, reeve_lost_name(why));
    if (l->options.lost) l->options.lost(l->options.arg, why);
    rv_keeper_let_go(l->keeper, &l->tenure);
    set_news(l, REEVE_LEADER_LOST, why);
    if (rv_tenure_marked(&l->tenure, RV_TENURE_LOST) || release(l)) tell(l);
}

/* From the grant to its end. */
static enum reeve_lost lead(struct reeve_leader *l) {
    enum reeve_lost why = ending(l);
    if (why) { /* the answer was late, or the leader was closed meanwhile */
        (void)release(l);
        return why;
    }
    begin_term(l);
    while (!(why = ending(l))) {
        int64_t left_ms = atomic_load(&l->tenure.ends_ms) - now_ms(l);
        (void)rv_signal_wait(&l->signal, left_ms > 0 ? left_ms : 0);
    }
    end_term(l, why);
    return why;
}

/* ---- contending ---- */

/* An outage is told once, and its end. Returns how long to leave the store alone. */
static int64_t judge_failure(struct reeve_leader *l, int rc, const struct rv_error *err) {
    char text[RV_QUOTED_SIZE];
    if (!l->away)
        rv_log(&l->service->log, REEVE_LOG_WARN, "leader.away", "name=%s error=%s text=%s", l->name,
               reeve_errname(rc), rv_log_quote(text, err->text));
    l->away = true;
    if (rc == REEVE_EUNSURE) return UNSURE_MS;
    return rv_random_sooner(&rv_random_system,
                            l->options.retry_ms < AWAY_MS ? l->options.retry_ms : AWAY_MS);
}

static void note_answer(struct reeve_leader *l) {
    if (l->away)
        rv_log(&l->service->log, REEVE_LOG_WARN, "leader.back", "name=%s store=reachable", l->name);
    l->away = false;
}

static void prepare_tenure(struct reeve_leader *l, uint64_t token, int64_t sent_ms) {
    l->tenure.holder = l->holder;
    l->tenure.token = token;
    atomic_store(&l->resigning, false);
    rv_tenure_begin(&l->tenure, sent_ms);
    l->holder = 0; /* another acquisition, another holder */
}

/* One attempt, and what follows from it. Returns how long to wait before the next; *rest: whatever
 * is heard meanwhile. */
static int64_t attempt(struct reeve_leader *l, bool *rest) {
    struct rv_grant_answer answer;
    struct rv_error err;
    if (!l->holder) l->holder = rv_random_nonzero(&rv_random_system);
    struct rv_grant_ask ask = {.kind = l->options.kind,
                               .name = l->name,
                               .holder = l->holder,
                               .lease_ms = l->options.lease_ms,
                               .by = l->service->name};
    int64_t sent_ms = now_ms(l);
    *rest = false;
    int rc = rv_store_grant_take(l->service->store, &ask, call_ms(l), &answer, &err);
    if (rc) return judge_failure(l, rc, &err);
    note_answer(l);
    tell(l);
    if (!answer.token) {
        int64_t wait_ms = rv_random_sooner(&rv_random_system, l->options.retry_ms);
        return answer.free_in_ms + 1 < wait_ms ? answer.free_in_ms + 1 : wait_ms;
    }
    prepare_tenure(l, answer.token, sent_ms);
    *rest = lead(l) == REEVE_LOST_RESIGNED; /* else nobody else would have a chance */
    return *rest ? l->options.retry_ms : 0;
}

/* Until the next attempt is due, or the name was let go. */
static void pause(struct reeve_leader *l, int64_t wait_ms, bool rest) {
    int64_t until_ms = rv_time_add(now_ms(l), wait_ms);
    unsigned bits = 0;
    while (!atomic_load(&l->stopping) && (rest || !(bits & FREED))) {
        int64_t left_ms = until_ms - now_ms(l);
        if (left_ms <= 0) return;
        bits = rv_signal_wait(&l->signal, left_ms);
    }
}

static void *contend(void *arg) {
    struct reeve_leader *l = arg;
    while (!atomic_load(&l->stopping)) {
        bool rest;
        int64_t wait_ms = attempt(l, &rest);
        pause(l, wait_ms, rest);
    }
    if (l->holder && l->away) { /* an unsure attempt may have got it */
        l->tenure.holder = l->holder;
        (void)release(l);
    }
    return NULL;
}

/* ---- opening and closing ---- */

static bool is_contended(const struct rv_service *service,
                         const struct rv_leader_options *options) {
    for (struct rv_list *at = service->leaders.next; at != &service->leaders; at = at->next) {
        const struct reeve_leader *other = rv_container_of(at, struct reeve_leader, link);
        if (other->options.kind == options->kind && !strcmp(other->name, options->name))
            return true;
    }
    return false;
}

/* Each name once per handle: two of one process would keep each other out. */
static int enlist(struct reeve_leader *l, struct rv_error *err) {
    (void)pthread_mutex_lock(&l->service->lock);
    bool contended = is_contended(l->service, &l->options);
    if (!contended) rv_list_add_tail(&l->service->leaders, &l->link);
    (void)pthread_mutex_unlock(&l->service->lock);
    return contended
               ? rv_fail(err, REEVE_ESTATE, "leader '%s' is open on this handle already", l->name)
               : 0;
}

static void destroy(struct reeve_leader *l) {
    (void)pthread_mutex_lock(&l->service->lock);
    rv_list_remove(&l->link);
    (void)pthread_mutex_unlock(&l->service->lock);
    rv_signal_release(&l->signal);
    free(l);
}

static int start(struct reeve_leader *l, struct rv_error *err) {
    int rc = enlist(l, err);
    if (!rc) rc = rv_service_keeper(l->service, &l->keeper, err);
    if (!rc) rc = rv_service_listener(l->service, &l->listener, err);
    if (rc) return rc;
    rv_listener_add(l->listener, &l->freed);
    if (!rv_thread_start(&l->thread, contend, l)) return 0;
    rv_listener_remove(l->listener, &l->freed);
    return rv_fail(err, REEVE_ENOMEM, "cannot start the leader's thread");
}

int rv_leader_open(struct reeve_leader **out, struct rv_service *service,
                   const struct rv_leader_options *options, struct rv_error *err) {
    *out = NULL;
    if (!(rv_store_caps(service->store) & RV_CAP_GRANTS))
        return rv_fail(err, REEVE_ENOTSUP, "this store knows no leaders");
    struct reeve_leader *l = calloc(1, sizeof *l);
    if (!l || rv_signal_init(&l->signal)) {
        free(l);
        return rv_fail(err, REEVE_ENOMEM, "no memory for a leader");
    }
    l->service = service;
    l->options = *options;
    memcpy(l->name, options->name, strlen(options->name) + 1); /* a checked name: it fits */
    l->options.name = l->name;
    rv_list_init(&l->link);
    l->freed = (struct rv_interest){.queue = l->name,
                                    .grant = options->kind,
                                    .what = RV_HEAR_ENDED,
                                    .signal = &l->signal,
                                    .raise = FREED};
    l->tenure = (struct rv_tenure){.kind = options->kind,
                                   .name = l->name,
                                   .lease_ms = options->lease_ms,
                                   .renew_ms = options->renew_ms,
                                   .signal = &l->signal,
                                   .raise = LOOK};
    *out = l; /* before gained can be called: it may want to resign */
    int rc = start(l, err);
    if (!rc) return 0;
    *out = NULL;
    destroy(l);
    return rc;
}

void rv_leader_close(struct reeve_leader *l) {
    if (!l) return;
    atomic_store(&l->stopping, true);
    rv_signal_raise(&l->signal, STOP);
    (void)pthread_join(l->thread, NULL);
    rv_listener_remove(l->listener, &l->freed);
    destroy(l);
}

/* ---- asking ---- */

/* The end belongs to the term only if that did not change meanwhile: terms never come again. */
uint64_t rv_leader_term(const struct reeve_leader *l) {
    uint64_t term = atomic_load(&l->term);
    bool over = !term || rv_tenure_over(&l->tenure, &l->service->clock);
    return !over && atomic_load(&l->term) == term ? term : 0;
}

int64_t rv_leader_left_ms(const struct reeve_leader *l) {
    if (rv_tenure_marked(&l->tenure, RV_TENURE_LOST)) return 0;
    return atomic_load(&l->tenure.lapses_ms) - now_ms(l);
}

bool rv_leader_resign(struct reeve_leader *l) {
    if (!rv_leader_term(l)) return false;
    atomic_store(&l->resigning, true);
    rv_signal_raise(&l->signal, LOOK);
    return true;
}
