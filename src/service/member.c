#include "service/member.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/thread.h"
#include "core/check.h"
#include "service/member_inner.h"

enum { AWAY_MS = 1000 }; /* between two attempts at a store that is away, at most */

/* ---- figures ---- */
void rv_member_count(struct reeve_member *m, uint64_t *counter, uint64_t by) {
    (void)pthread_mutex_lock(&m->lock);
    *counter += by;
    (void)pthread_mutex_unlock(&m->lock);
}

void rv_member_count_most(struct reeve_member *m, uint64_t by, uint64_t *total, uint64_t *most) {
    (void)pthread_mutex_lock(&m->lock);
    *total += by;
    if (by > *most) *most = by;
    (void)pthread_mutex_unlock(&m->lock);
}

static void count_call(struct reeve_member *m, int64_t began_us, uint64_t *total, uint64_t *most) {
    rv_member_count_most(m, (uint64_t)(rv_member_now_us() - began_us), total, most);
}

static void set_degraded(struct reeve_member *m, int64_t since_ms) {
    (void)pthread_mutex_lock(&m->lock);
    m->stats.degraded_since_ms = since_ms;
    (void)pthread_mutex_unlock(&m->lock);
}

bool rv_member_heard(struct reeve_member *m, int rc, const struct rv_error *err) {
    char text[RV_QUOTED_SIZE];
    int64_t now_ms = rv_member_now_ms(m);
    if (rc) {
        if (!m->away_ms) {
            rv_log(&m->service->log, REEVE_LOG_WARN, "member.away", "group=%s error=%s text=%s",
                   m->name, reeve_errname(rc), rv_log_quote(text, err->text));
            m->away_ms = now_ms;
            set_degraded(m, rv_store_now_ms(m->service->store));
        }
        int64_t ms = m->options.renew_ms < AWAY_MS ? m->options.renew_ms : AWAY_MS;
        m->retry_ms = rv_time_add(now_ms, rv_random_sooner(&rv_random_system, ms));
        return false;
    }
    if (m->away_ms) {
        rv_log(&m->service->log, REEVE_LOG_WARN, "member.back", "group=%s store=reachable",
               m->name);
        set_degraded(m, 0);
    }
    m->away_ms = m->retry_ms = 0;
    return true;
}

/* ---- taking ---- */
static size_t room(struct reeve_member *m) {
    uint64_t most = (uint64_t)m->options.max < m->cap ? (uint64_t)m->options.max : m->cap;
    size_t owned = rv_holdings_count(&m->holdings);
    if (owned >= most || atomic_load(&m->draining)) return 0;
    return most - owned < RV_CLAIM_MAX ? (size_t)(most - owned) : RV_CLAIM_MAX;
}

/* stream is *at, which is taken over; NULL if there is no memory to own it. */
static struct rv_owned *make_owned(struct reeve_member *m, struct reeve_stream **at,
                                   int64_t sent_ms) {
    struct rv_owned *owned = calloc(1, sizeof *owned);
    if (!owned) return NULL;
    owned->stream = *at;
    owned->since_ms = sent_ms;
    owned->tenure = (struct rv_tenure){.book = &m->book,
                                       .name = owned->stream->name,
                                       .holder = m->holder,
                                       .token = owned->stream->token,
                                       .lease_ms = m->options.lease_ms,
                                       .renew_ms = m->options.renew_ms,
                                       .signal = &m->signal,
                                       .raise = RV_MEMBER_LOOK};
    rv_list_init(&owned->tenure.link);
    rv_tenure_begin(&owned->tenure, sent_ms);
    if (rv_holdings_add(&m->holdings, owned)) {
        free(owned);
        return NULL;
    }
    *at = NULL;
    rv_keeper_hold(m->keeper, &owned->tenure);
    return owned;
}

static void tell_owned(struct reeve_member *m, struct rv_owned *owned) {
    char text[RV_QUOTED_SIZE];
    rv_log(&m->service->log, REEVE_LOG_INFO, "member.owned", "group=%s stream=%s token=%" PRIu64,
           m->name, rv_log_quote(text, owned->stream->name), owned->stream->token);
    rv_member_count(m, &m->stats.owned_total, 1);
    if (m->options.owned) m->options.owned(m->options.arg, owned->stream);
    rv_holdings_unpin(&m->holdings, owned);
}

/* All are kept before the first is told of: a slow user loses none by it (T72, T53). */
static void own_taken(struct reeve_member *m, struct rv_streams *taken, int64_t sent_ms) {
    struct rv_owned *fresh[RV_CLAIM_MAX];
    size_t count = 0;
    for (size_t i = 0; i < taken->count; i++) {
        struct rv_owned *owned = make_owned(m, &taken->streams[i], sent_ms);
        if (owned)
            fresh[count++] = owned;
        else
            rv_member_refuse(m, taken->streams[i], m->holder);
    }
    m->holder = 0; /* another acquisition, another holder */
    if (count) m->beat_ms = rv_member_now_ms(m);
    for (size_t i = 0; i < count; i++)
        tell_owned(m, fresh[i]);
}

static void take(struct reeve_member *m, size_t want) {
    struct rv_streams taken;
    struct rv_error err;
    if (!m->holder) m->holder = rv_random_nonzero(&rv_random_system);
    struct rv_stream_ask ask = {.member = m->id,
                                .by = m->service->name,
                                .holder = m->holder,
                                .want = want,
                                .lease_ms = m->options.lease_ms,
                                .dead_max = rv_member_dead_max(m),
                                .timeout_ms = rv_member_call_ms(m)};
    int64_t sent_ms = rv_member_now_ms(m), began_us = rv_member_now_us();
    int rc = rv_store_stream_take(m->service->store, &m->group, &ask, &taken, &err);
    count_call(m, began_us, &m->stats.take_us_total, &m->stats.take_us_max);
    rv_member_count(m, rc ? &m->stats.takes_failed_total : &m->stats.takes_total, 1);
    if (!rv_member_heard(m, rc, &err)) return;
    rv_member_count(m, &m->stats.unparseable_total, taken.unreadable);
    m->more = taken.more;
    if (!m->more) rv_listener_rearm(m->listener, &m->interest);
    own_taken(m, &taken, sent_ms);
    rv_streams_release(&taken);
}

/* ---- recovering ---- */
static void tell_lapsed(struct reeve_member *m, const struct reeve_stream *stream) {
    char text[RV_QUOTED_SIZE];
    rv_log(&m->service->log, REEVE_LOG_INFO, "member.lapsed",
           "group=%s stream=%s token=%" PRIu64 " retries=%" PRIu64, m->name,
           rv_log_quote(text, stream->name), stream->token, stream->retries);
    rv_member_count(m, &m->stats.lapsed_total, 1);
    if (m->options.lapsed) m->options.lapsed(m->options.arg, stream);
}

static void count_scan(struct reeve_member *m, const struct rv_stream_scanned *scanned) {
    (void)pthread_mutex_lock(&m->lock);
    m->stats.scans_total++;
    m->stats.requeued_total += scanned->requeued;
    m->stats.dead_total += scanned->dead;
    m->stats.unparseable_total += scanned->unreadable;
    m->stats.alive_total += scanned->alive;
    (void)pthread_mutex_unlock(&m->lock);
    if (scanned->dead || scanned->unreadable)
        rv_log(&m->service->log, REEVE_LOG_WARN, "member.dead",
               "group=%s letters=%" PRIu64 " unparseable=%" PRIu64, m->name, scanned->dead,
               scanned->unreadable);
}

/* One step; false: there is no more to do, or no store. */
static bool scan_step(struct reeve_member *m, char after[RV_STREAM_CURSOR_SIZE]) {
    struct rv_stream_scanned scanned;
    struct rv_error err;
    struct rv_stream_scan scan = {.min_idle_ms = m->options.min_idle_ms,
                                  .max_retries = m->options.max_retries,
                                  .dead_max = rv_member_dead_max(m),
                                  .after = after[0] ? after : NULL};
    int64_t began_us = rv_member_now_us();
    int rc = rv_store_stream_recover(m->service->store, &m->group, &scan, &scanned, &err);
    count_call(m, began_us, &m->stats.scan_us_total, &m->stats.scan_us_max);
    if (!rv_member_heard(m, rc, &err)) {
        rv_member_count(m, &m->stats.scans_failed_total, 1);
        return false;
    }
    count_scan(m, &scanned);
    if (scanned.requeued) m->more = true;
    memcpy(after, scanned.cursor, RV_STREAM_CURSOR_SIZE);
    for (size_t i = 0; i < scanned.count; i++)
        tell_lapsed(m, scanned.lapsed[i]);
    rv_stream_scanned_release(&scanned);
    return after[0] != '\0';
}

/* The first brings back what was left while nobody was here. */
static void note_start(struct reeve_member *m, int64_t began_us) {
    (void)pthread_mutex_lock(&m->lock);
    if (!m->stats.start_us && m->stats.scans_total) {
        m->stats.start_us = (uint64_t)(rv_member_now_us() - began_us) + 1; /* never 0 */
        m->stats.recovered_at_start = m->stats.requeued_total;
    }
    (void)pthread_mutex_unlock(&m->lock);
}

static void scan(struct reeve_member *m) {
    char after[RV_STREAM_CURSOR_SIZE] = "";
    int64_t began_us = rv_member_now_us();
    while (scan_step(m, after) && !atomic_load(&m->stopping))
        rv_member_tell_losses(m);
    note_start(m, began_us);
    m->scan_ms =
        rv_time_add(rv_member_now_ms(m), rv_random_sooner(&rv_random_system, m->options.scan_ms));
}

/* ---- the thread ---- */
static int64_t rest_until_ms(struct reeve_member *m) {
    (void)pthread_mutex_lock(&m->lock);
    int64_t until_ms = m->rest_until_ms;
    (void)pthread_mutex_unlock(&m->lock);
    return until_ms;
}

static bool may_ask(const struct reeve_member *m) {
    return rv_member_now_ms(m) >= m->retry_ms;
}

static void do_what_is_due(struct reeve_member *m) {
    rv_member_tell_losses(m);
    if (may_ask(m) && rv_member_now_ms(m) >= m->beat_ms) rv_member_beat(m);
    if (may_ask(m) && rv_member_now_ms(m) >= m->scan_ms) scan(m);
    rv_member_tell_losses(m); /* also what the beat would have others own */
    size_t want = m->more && rv_member_now_ms(m) >= rest_until_ms(m) ? room(m) : 0;
    if (want && may_ask(m)) take(m, want);
}

static int64_t earlier(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* How long there is nothing to do. */
static int64_t idle_ms(struct reeve_member *m) {
    int64_t at_ms = earlier(m->beat_ms, m->scan_ms);
    if (m->more && room(m)) at_ms = earlier(at_ms, rest_until_ms(m));
    if (at_ms < m->retry_ms) at_ms = m->retry_ms;
    if (m->options.give_up_ms && m->away_ms)
        at_ms = earlier(at_ms, rv_time_add(m->away_ms, m->options.give_up_ms));
    at_ms = earlier(at_ms, rv_member_first_end_ms(m));
    int64_t left_ms = at_ms - rv_member_now_ms(m);
    return left_ms > 0 ? left_ms : 0;
}

static bool has_given_up(const struct reeve_member *m) {
    if (!m->options.give_up_ms || !m->away_ms) return false;
    return rv_member_now_ms(m) - m->away_ms >= m->options.give_up_ms;
}

static void end_membership(struct reeve_member *m, bool gave_up) {
    if (gave_up) {
        rv_member_lose_all(m);
        rv_log(&m->service->log, REEVE_LOG_ERROR, "member.gave_up", "group=%s", m->name);
    } else {
        rv_member_yield_all(m);
        if (!m->away_ms) rv_member_leave(m);
    }
    if (m->options.ended)
        m->options.ended(m->options.arg, gave_up ? REEVE_EUNREACHABLE : 0,
                         gave_up ? "the store was away for too long" : "closed");
}

static void *serve(void *arg) {
    struct reeve_member *m = arg;
    bool gave_up = false;
    while (!atomic_load(&m->stopping) && !gave_up) {
        do_what_is_due(m);
        unsigned bits = rv_signal_wait(&m->signal, idle_ms(m));
        if (bits & RV_MEMBER_READY) m->more = true;
        if (bits & RV_MEMBER_HEARD) m->scan_ms = rv_member_now_ms(m);
        gave_up = has_given_up(m);
    }
    end_membership(m, gave_up);
    return NULL;
}

/* ---- opening and closing ---- */
static int init(struct reeve_member *m) {
    if (rv_signal_init(&m->signal)) return REEVE_ENOMEM;
    if (!pthread_mutex_init(&m->lock, NULL)) {
        if (!rv_holdings_init(&m->holdings)) return 0;
        (void)pthread_mutex_destroy(&m->lock);
    }
    rv_signal_release(&m->signal);
    return REEVE_ENOMEM;
}

static void destroy(struct reeve_member *m) {
    rv_holdings_release(&m->holdings);
    (void)pthread_mutex_destroy(&m->lock);
    rv_signal_release(&m->signal);
    free(m);
}

static void stop_hearing(struct reeve_member *m) {
    rv_listener_remove(m->listener, &m->interest);
    rv_listener_remove(m->listener, &m->hint);
    rv_keeper_close_book(m->keeper, &m->book);
}

static int start(struct reeve_member *m, struct rv_error *err) {
    int rc = rv_service_keeper(m->service, &m->keeper, err);
    if (!rc) rc = rv_service_listener(m->service, &m->listener, err);
    if (rc) return rc;
    rv_keeper_open_book(m->keeper, &m->book);
    rv_listener_add(m->listener, &m->interest);
    rv_listener_add(m->listener, &m->hint);
    if (!rv_thread_start(&m->thread, serve, m)) return 0;
    stop_hearing(m);
    return rv_fail(err, REEVE_ENOMEM, "cannot start the member's thread");
}

static void prepare(struct reeve_member *m, const char *group) {
    memcpy(m->name, group, strlen(group) + 1); /* a checked name: it fits */
    m->group = (struct rv_group){.name = m->name,
                                 .compat = m->options.flags & REEVE_COMPAT,
                                 .hints = m->options.flags & REEVE_HINTS};
    rv_id_generate(m->id, rv_clock_wall_us(&m->service->clock), &rv_random_system);
    rv_tenures_init(&m->book, &m->group);
    m->interest = (struct rv_interest){.queue = m->name,
                                       .group = &m->group,
                                       .what = RV_HEAR_READY,
                                       .signal = &m->signal,
                                       .raise = RV_MEMBER_READY};
    m->hint = (struct rv_interest){.queue = m->name,
                                   .group = &m->group,
                                   .what = RV_HEAR_ENDED,
                                   .signal = &m->signal,
                                   .raise = RV_MEMBER_HEARD};
    m->more = true;
    m->cap = UINT64_MAX;
    m->joined_ms = rv_clock_wall_us(&m->service->clock) / 1000;
    m->scan_ms = rv_member_now_ms(m); /* whoever died while nobody was here */
}

int rv_member_open(struct reeve_member **out, struct rv_service *service, const char *group,
                   const struct reeve_member_options *options, struct rv_error *err) {
    *out = NULL;
    if (!(rv_store_caps(service->store) & RV_CAP_STREAMS))
        return rv_fail(err, REEVE_ENOTSUP, "this store knows no streams");
    struct reeve_member *m = calloc(1, sizeof *m);
    if (!m || init(m)) {
        free(m);
        return rv_fail(err, REEVE_ENOMEM, "no memory for a member");
    }
    m->service = service;
    m->options = *options;
    prepare(m, group);
    *out = m; /* before owned() can be called: it may want to end it */
    int rc = start(m, err);
    if (!rc) return 0;
    *out = NULL;
    destroy(m);
    return rc;
}

void rv_member_drain(struct reeve_member *m) {
    atomic_store(&m->draining, true);
}

void rv_member_close(struct reeve_member *m) {
    if (!m) return;
    atomic_store(&m->stopping, true);
    rv_signal_raise(&m->signal, RV_MEMBER_STOP);
    (void)pthread_join(m->thread, NULL);
    stop_hearing(m);
    destroy(m);
}

/* ---- asking ---- */
const char *rv_member_id(const struct reeve_member *m) {
    return m->id;
}

uint64_t rv_member_token(struct reeve_member *m, const char *name) {
    uint64_t token = 0;
    (void)pthread_mutex_lock(&m->holdings.lock);
    struct rv_map_node *node = rv_map_get(&m->holdings.by_name, name);
    const struct rv_owned *owned = node ? rv_container_of(node, struct rv_owned, by_name) : NULL;
    if (owned && !rv_tenure_over(&owned->tenure, &m->service->clock)) token = owned->tenure.token;
    (void)pthread_mutex_unlock(&m->holdings.lock);
    return token;
}

struct reeve_member_stats rv_member_stats(struct reeve_member *m) {
    (void)pthread_mutex_lock(&m->lock);
    struct reeve_member_stats stats = m->stats;
    (void)pthread_mutex_unlock(&m->lock);
    struct rv_stream_hearing heard = rv_store_stream_hearing(m->service->store);
    stats.size = sizeof stats;
    stats.owned = rv_holdings_count(&m->holdings);
    stats.renewed_total = atomic_load(&m->book.renewed_total);
    stats.renewals_failed_total = atomic_load(&m->book.missed_total);
    stats.renew_us_total = atomic_load(&m->book.us_total);
    stats.renew_us_max = atomic_load(&m->book.us_max);
    stats.hints_total = heard.hints_total;
    stats.listens_total = heard.listens_total;
    stats.listens_failed_total = heard.listens_failed_total;
    stats.resets_total = heard.resets_total;
    return stats;
}
