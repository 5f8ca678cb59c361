/* What becomes of a stream in hand: ended, given back, lost. */
#include <inttypes.h>
#include <string.h>

#include "base/cond.h"
#include "core/check.h"
#include "service/member_inner.h"

enum {
    UNSURE_MS = 50, /* an answer that was lost is asked for again so soon */
    UNSURE_TRIES = 5,
    REST_MS = 1000, /* who has yielded lets others go first for so long, at most */
};

/* ---- settling ---- */
static int call_store(struct reeve_member *m, const struct rv_owned *owned, enum rv_deed deed,
                      const char *reason, struct rv_error *err) {
    struct rv_stream_ref ref = {
        .name = owned->tenure.name, .holder = owned->tenure.holder, .token = owned->tenure.token};
    struct rv_stream_fault fault = {
        .reason = reason, .max_retries = m->options.max_retries, .dead_max = rv_member_dead_max(m)};
    bool dead;
    if (deed == RV_DEED_END)
        return rv_store_stream_end(m->service->store, &m->group, &ref, rv_member_call_ms(m), err);
    return rv_store_stream_yield(m->service->store, &m->group, &ref,
                                 deed == RV_DEED_FAIL ? &fault : NULL, rv_member_call_ms(m), &dead,
                                 err);
}

static void pause_ms(struct reeve_member *m, int64_t ms) {
    (void)pthread_mutex_lock(&m->holdings.lock);
    rv_cond_wait(&m->holdings.freed, &m->holdings.lock, ms);
    (void)pthread_mutex_unlock(&m->holdings.lock);
}

/* Under the lock, as all that stands beside it is read there. */
static void note_unsure(struct reeve_member *m, struct rv_owned *owned) {
    (void)pthread_mutex_lock(&m->holdings.lock);
    owned->unsure = true;
    (void)pthread_mutex_unlock(&m->holdings.lock);
}

/* After a lost answer, what we wanted to do is found done: ended is gone, yielded another's. */
static bool is_done_already(const struct rv_owned *owned, enum rv_deed deed, int rc) {
    if (!owned->unsure) return false;
    return rc == REEVE_ENOENT || (rc == REEVE_EFENCED && deed != RV_DEED_END);
}

static int settle(struct reeve_member *m, struct rv_owned *owned, enum rv_deed deed,
                  const char *reason, struct rv_error *err) {
    int64_t began_us = rv_member_now_us();
    int rc = call_store(m, owned, deed, reason, err);
    for (int i = 1; rc == REEVE_EUNSURE && i < UNSURE_TRIES; i++) {
        note_unsure(m, owned);
        pause_ms(m, UNSURE_MS);
        rc = call_store(m, owned, deed, reason, err);
    }
    rv_member_count_most(m, (uint64_t)(rv_member_now_us() - began_us), &m->stats.settle_us_total,
                         &m->stats.settle_us_max);
    if (rc == REEVE_EUNSURE) note_unsure(m, owned);
    if (is_done_already(owned, deed, rc)) return 0;
    if (rc == REEVE_ENOENT)
        rc =
            rv_fail(err, REEVE_EFENCED, "stream %s was ended by somebody else", owned->tenure.name);
    return rc;
}

/* No more renewals; the caller has it, or nobody. */
static void let_go(struct reeve_member *m, struct rv_owned *owned) {
    int64_t held_ms = rv_member_now_ms(m) - owned->since_ms;
    rv_member_count_most(m, held_ms > 0 ? (uint64_t)held_ms : 0, &m->stats.held_ms_total,
                         &m->stats.held_ms_max);
    rv_keeper_let_go(m->keeper, &owned->tenure);
    rv_signal_raise(&m->signal, RV_MEMBER_LOOK); /* there is room for another */
}

static void rest(struct reeve_member *m) {
    int64_t ms = m->options.renew_ms < REST_MS ? m->options.renew_ms : REST_MS;
    (void)pthread_mutex_lock(&m->lock);
    m->rest_until_ms = rv_time_add(rv_member_now_ms(m), ms);
    (void)pthread_mutex_unlock(&m->lock);
}

static uint64_t *counter_of(struct reeve_member *m, enum rv_deed deed) {
    if (deed == RV_DEED_END) return &m->stats.ended_total;
    return deed == RV_DEED_YIELD ? &m->stats.yielded_total : &m->stats.failed_total;
}

int rv_member_settle(struct reeve_member *m, const char *name, enum rv_deed deed,
                     const char *reason, struct rv_error *err) {
    struct rv_owned *owned = rv_holdings_seize(&m->holdings, name);
    if (!owned) return rv_fail(err, REEVE_EFENCED, "stream %s is not this member's", name);
    int rc = settle(m, owned, deed, reason, err);
    if (!rc) {
        if (deed != RV_DEED_END) rest(m);
        let_go(m, owned);
        rv_member_count(m, counter_of(m, deed), 1);
    } else {
        rv_member_count(m, &m->stats.settles_failed_total, 1);
    }
    if (rc == REEVE_EFENCED)
        rv_tenure_mark(&owned->tenure, RV_TENURE_LOST); /* which is told by the member's thread */
    rv_holdings_put_back(&m->holdings, owned, !rc);
    return rc;
}

void rv_member_refuse(struct reeve_member *m, const struct reeve_stream *stream, uint64_t holder) {
    struct rv_stream_ref ref = {.name = stream->name, .holder = holder, .token = stream->token};
    struct rv_error err;
    bool dead;
    (void)rv_store_stream_yield(m->service->store, &m->group, &ref, NULL, rv_member_call_ms(m),
                                &dead, &err); /* else it lapses */
}

/* ---- losing ---- */

/* Why the ownership has to end; 0: it goes on. */
static enum reeve_lost ending(const struct reeve_member *m, const struct rv_owned *owned) {
    if (rv_tenure_marked(&owned->tenure, RV_TENURE_LOST)) return REEVE_LOST_FENCED;
    if (rv_tenure_over(&owned->tenure, &m->service->clock)) return REEVE_LOST_EXPIRED;
    if (rv_tenure_marked(&owned->tenure, RV_TENURE_RESIGN)) return REEVE_LOST_RESIGNED;
    return 0;
}

/* The next one to tell of, pinned, or NULL. */
static struct rv_owned *next_lost(struct reeve_member *m, enum reeve_lost *why) {
    struct rv_owned *found = NULL;
    (void)pthread_mutex_lock(&m->holdings.lock);
    for (struct rv_list *at = m->holdings.list.next; !found && at != &m->holdings.list;
         at = at->next) {
        struct rv_owned *owned = rv_container_of(at, struct rv_owned, link);
        if (owned->busy || owned->told || !(*why = ending(m, owned))) continue;
        found = owned;
        found->told = true;
        found->pins++;
    }
    (void)pthread_mutex_unlock(&m->holdings.lock);
    return found;
}

static void tell_lost(struct reeve_member *m, const struct rv_owned *owned, enum reeve_lost why) {
    char text[RV_QUOTED_SIZE];
    rv_log(&m->service->log, why == REEVE_LOST_RESIGNED ? REEVE_LOG_INFO : REEVE_LOG_WARN,
           "member.lost", "group=%s stream=%s token=%" PRIu64 " why=%s", m->name,
           rv_log_quote(text, owned->tenure.name), owned->tenure.token, reeve_lost_name(why));
    rv_member_count(m, &m->stats.lost_total, 1);
    if (m->options.lost) m->options.lost(m->options.arg, owned->stream, why);
}

/* Told already: the user has stopped. What he was asked for goes to others now; if that cannot be
 * said, it lapses. */
static void give_up(struct reeve_member *m, const char *name, enum reeve_lost why) {
    struct rv_error err;
    struct rv_owned *owned = rv_holdings_seize(&m->holdings, name);
    if (!owned) return; /* the user has settled it meanwhile */
    if (why == REEVE_LOST_RESIGNED && !settle(m, owned, RV_DEED_YIELD, NULL, &err)) {
        rv_member_count(m, &m->stats.yielded_total, 1);
        rest(m);
    }
    let_go(m, owned);
    rv_holdings_put_back(&m->holdings, owned, true);
}

static void lose(struct reeve_member *m, struct rv_owned *owned, enum reeve_lost why) {
    tell_lost(m, owned, why);
    give_up(m, owned->tenure.name, why);
    rv_holdings_unpin(&m->holdings, owned);
}

void rv_member_tell_losses(struct reeve_member *m) {
    enum reeve_lost why;
    for (struct rv_owned *owned; (owned = next_lost(m, &why));)
        lose(m, owned, why);
}

int64_t rv_member_first_end_ms(struct reeve_member *m) {
    int64_t first_ms = INT64_MAX;
    (void)pthread_mutex_lock(&m->holdings.lock);
    for (struct rv_list *at = m->holdings.list.next; at != &m->holdings.list; at = at->next) {
        const struct rv_owned *owned = rv_container_of(at, struct rv_owned, link);
        int64_t ends_ms = atomic_load(&owned->tenure.ends_ms);
        if (!owned->busy && ends_ms < first_ms) first_ms = ends_ms;
    }
    (void)pthread_mutex_unlock(&m->holdings.lock);
    return first_ms;
}

/* ---- all at once ---- */

/* The first in hand, pinned, or NULL. */
static struct rv_owned *first_in_hand(struct reeve_member *m) {
    struct rv_owned *owned = NULL;
    (void)pthread_mutex_lock(&m->holdings.lock);
    if (!rv_list_empty(&m->holdings.list)) {
        owned = rv_container_of(m->holdings.list.next, struct rv_owned, link);
        owned->pins++;
    }
    (void)pthread_mutex_unlock(&m->holdings.lock);
    return owned;
}

void rv_member_lose_all(struct reeve_member *m) {
    for (struct rv_owned *owned; (owned = first_in_hand(m));) {
        tell_lost(m, owned, REEVE_LOST_EXPIRED);
        give_up(m, owned->tenure.name, REEVE_LOST_EXPIRED);
        rv_holdings_unpin(&m->holdings, owned);
    }
}

/* *rc: what the one before came to. A store that does not answer is asked no more: they lapse. */
static void yield_one(struct reeve_member *m, struct rv_owned *owned, int *rc,
                      struct rv_error *err) {
    char text[RV_QUOTED_SIZE];
    if (*rc != REEVE_EUNREACHABLE) *rc = settle(m, owned, RV_DEED_YIELD, NULL, err);
    if (!*rc)
        rv_member_count(m, &m->stats.yielded_total, 1);
    else
        rv_log(&m->service->log, REEVE_LOG_WARN, "member.unyielded",
               "group=%s token=%" PRIu64 " text=%s", m->name, owned->tenure.token,
               rv_log_quote(text, err->text));
    let_go(m, owned);
    rv_holdings_put_back(&m->holdings, owned, true);
}

void rv_member_yield_all(struct reeve_member *m) {
    struct rv_error err = {0};
    int rc = 0;
    for (struct rv_owned *first; (first = first_in_hand(m));) {
        struct rv_owned *owned = rv_holdings_seize(&m->holdings, first->tenure.name);
        if (owned) yield_one(m, owned, &rc, &err);
        rv_holdings_unpin(&m->holdings, first);
    }
}
