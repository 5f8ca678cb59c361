#include "work/exchanger.h"

#include <assert.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>

#include "core/check.h"
#include "core/limits.h"
#include "work/exchanger_inner.h"
#include "work/parting.h"
#include "work/places.h"

/* What wakes it. */
enum {
    FINISHED = 1,  /* a task has ended */
    STOP = 2,      /* it is to stop, or the grace has changed */
    LOST = 4,      /* a lease was lost */
    QUIET = 8,     /* quiet has changed */
    SOONER = 16,   /* a round that another thread made is followed by one that cannot wait */
    FIRST_BIT = 8, /* queues raise the bits from here on when they have ready jobs */
};

enum {
    BACKOFF_MS_MAX = 5000, /* or a sixth of the lease, if that is less */
    ONE_OF_MANY_MS = 1000, /* the same, where it costs the other queues nothing to ask again */
    NO_MEMORY_MS = 100,
    EMPTY_LOOK_MS = 200, /* between two looks whether others' jobs have ended */
    GATHER_US = 200,     /* about as long as a step takes */
    GATHER_AGAIN = 32,   /* rounds */
};

static int64_t now_ms(const struct rv_exchanger *ex) {
    return rv_clock_boot_ms(&ex->service->clock);
}

static bool is_stopping(const struct rv_exchanger *ex) {
    return atomic_load(&ex->stopping);
}

/* ---- tasks ---- */

/* It is settled as that ending, or nothing can be done for it any more: 0. */
static void dispose(struct rv_exchanger *ex, struct reeve_task *task, enum rv_ending ending) {
    rv_tally_ended(&ex->tally, ending);
    task->hold.claim->left--;
    rv_keeper_release(ex->keeper, &task->hold);
    rv_task_destroy(task);
    ex->in_hand--;
}

static void log_task(struct rv_exchanger *ex, enum reeve_log_level level, const char *event,
                     const struct reeve_task *task) {
    rv_task_log(task, &ex->service->log, level, event);
}

/* ---- a request ---- */

/* Takes what is finished into the request. What cannot be judged for want of memory waits. */
static int add_outcomes(struct rv_exchanger *ex, struct rv_served *s, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct reeve_task *task = rv_served_take(s);
        if (!task->ending) { /* its lease was lost, which has been said */
            dispose(ex, task, 0);
            continue;
        }
        if (!is_stopping(ex)) rv_served_note_ending(s, task->ending, now_ms(ex));
        if (rv_request_add(&s->request, task)) {
            rv_served_put_back(s, task);
            return REEVE_ENOMEM;
        }
    }
    return 0;
}

/* Makes the next request of a queue: false if there is nothing to ask. */
bool rv_exchanger_prepare(struct rv_exchanger *ex, struct rv_served *s) {
    struct rv_exchange *exchange = &s->request.exchange;
    size_t count = rv_served_batch(s, RV_CLAIM_MAX);
    if (rv_request_reserve(&s->request, count, 1) || add_outcomes(ex, s, count))
        s->retry_at_ms = rv_time_add(now_ms(ex), NO_MEMORY_MS); /* and goes on with what there is */
    exchange->want = s->request.claim ? rv_places_want(ex, s) : 0;
    if (!exchange->outcome_count && !exchange->want) return false;
    exchange->queue = s->queue;
    exchange->timeout_ms = rv_lease_call_ms(ex->service->timeout_ms, ex->options.lease_ms);
    exchange->lane = s->lane;
    exchange->number = ++s->number;
    exchange->holder = rv_random_nonzero(&rv_random_system);
    exchange->lease_ms = ex->options.lease_ms;
    exchange->worker = ex->service->name;
    exchange->stand_by_ms = exchange->want ? rv_vigil_may_last_ms(ex) : 0;
    exchange->in_part = true;
    exchange->brief = ex->served_count > 1;
    exchange->doubt = 0;
    exchange->again = false;
    s->request.sent_ms = now_ms(ex);
    return true;
}

/* Undoes prepare(): nothing has happened. */
static void withdraw(struct rv_served *s) {
    for (size_t i = s->request.exchange.outcome_count; i > 0; i--)
        rv_served_put_back(s, s->request.tasks[i - 1]);
    rv_request_clear(&s->request);
    s->unsettled = false;
}

/* Several queues that hold up nobody but themselves. */
static bool asks_at_once(const struct rv_exchanger *ex) {
    return rv_store_caps(ex->service->store) & RV_CAP_AT_ONCE && ex->served_count > 1;
}

static void note_away(struct rv_exchanger *ex, struct rv_served *s, int rc,
                      const struct rv_error *err) {
    if (!s->failures && rv_outage_begin(&ex->outage, s->queue, rc, err))
        rv_registry_hurry(&ex->registry);
    int64_t most_ms = ex->options.lease_ms / 6;
    int64_t bound_ms = asks_at_once(ex) ? ONE_OF_MANY_MS : BACKOFF_MS_MAX;
    rv_served_failed(s, now_ms(ex), most_ms < bound_ms ? most_ms : bound_ms);
}

static void note_back(struct rv_exchanger *ex, struct rv_served *s) {
    if (s->failures && rv_outage_end(&ex->outage, s->queue)) rv_registry_hurry(&ex->registry);
    rv_served_answered(s);
}

/* The store's troubles are never the handlers': outcomes wait as they are (T48). */
static void suffer(struct rv_exchanger *ex, struct rv_served *s, int rc,
                   const struct rv_error *err) {
    if (rc == REEVE_EUNSURE) { /* J7: the same again, until it is known */
        s->unsettled = true;
        s->request.exchange.again = s->request.exchange.stand_by_ms > 0;
    }
    if (rc == REEVE_ESTATE) {
        s->lane = rv_random_nonzero(&rv_random_system); /* spoiled; outcomes count by their token */
        s->unsettled = false;
    }
    if (!s->unsettled) withdraw(s);
    if (s->unsettled && ex->served_count > 1) { /* the places it was to fill are the others' */
        s->unsettled = !rv_served_set_aside(s);
        rv_arrears_note(&s->arrears, ex->service, s->queue);
    }
    note_away(ex, s, rc, err);
}

/* What is not known stays in the request: if that was sent before, all that is owed. */
static void settle_outcomes(struct rv_exchanger *ex, struct rv_served *s,
                            struct rv_request *request, bool sent) {
    struct rv_exchange *exchange = &request->exchange;
    size_t left = 0;
    rv_request_log(request, &ex->service->log);
    for (size_t i = 0; i < exchange->outcome_count; i++) {
        struct reeve_task *task = request->tasks[i];
        int status = exchange->outcomes[i].status;
        if (status == REEVE_EUNSURE || (sent && rv_request_is_owed(status))) {
            exchange->outcomes[left] = exchange->outcomes[i];
            request->tasks[left++] = task;
            continue;
        }
        rv_outcome_release(&exchange->outcomes[i]); /* it points into its task */
        if (rv_request_is_owed(status))
            rv_arrears_add(&s->arrears, task);
        else
            dispose(ex, task, status ? 0 : task->ending);
    }
    exchange->outcome_count = left;
}

/* Not begun, and not to be begun any more. */
static void hand_back(struct reeve_task *task) {
    rv_task_end(task, RV_HANDED_BACK);
    rv_served_add(task->served, task);
}

/* The jobs of a claim: their lease to the keeper, then each to the pool, or back. */
static void adopt(struct rv_exchanger *ex, struct rv_served *s, struct rv_request *request,
                  struct rv_exchanged *exchanged, bool to_run) {
    struct rv_list tasks, *link;
    struct rv_claim *claim = request->claim;
    claim->holder = request->exchange.holder;
    claim->token = exchanged->token;
    claim->lease_ms = request->exchange.lease_ms;
    claim->left = exchanged->count;
    request->claim = NULL;
    rv_list_init(&tasks);
    for (size_t i = 0; i < exchanged->count; i++) {
        struct reeve_task *task = rv_spares_take(&ex->spares);
        rv_task_begin(task, claim, exchanged->jobs[i]);
        exchanged->jobs[i] = NULL;
        task->served = s;
        rv_list_add_tail(&tasks, &task->link);
    }
    ex->in_hand += exchanged->count;
    rv_keeper_take(ex->keeper, &s->kept, claim, request->sent_ms);
    if (to_run) {
        ex->claimed += exchanged->count;
        ex->places -= exchanged->count < ex->places ? exchanged->count : ex->places;
        rv_tally_claimed(&ex->tally, exchanged->count);
        if (ex->shares.items)
            rv_shares_took(&ex->shares, (size_t)(s - ex->served), exchanged->count);
        if (!is_stopping(ex)) rv_pool_add(ex->pool, &tasks);
    }
    while ((link = rv_list_pop(&tasks)) != NULL)
        hand_back(rv_container_of(link, struct reeve_task, link));
}

/* What is not known of a request. */
static void leave_rest(struct rv_served *s, unsigned doubt) {
    struct rv_exchange *exchange = &s->request.exchange;
    exchange->doubt = doubt;
    if (s->stands_by) return;
    if (!doubt) exchange->want = 0;
    if (!exchange->outcome_count && !exchange->want) return;
    s->unsettled = !rv_served_set_aside(s);
    s->retry_at_ms = s->unsettled ? s->arrears.again_at_ms : 0;
}

void rv_exchanger_listen(struct rv_exchanger *ex, struct rv_served *s) {
    rv_listener_rearm(ex->listener, &s->ready);
    s->listening = true;
}

/* A claim that filled all places was made: an only queue need not be listened to then, it is asked
 * again when a job is handed in. */
static bool is_filled(const struct rv_exchanger *ex, const struct rv_served *s,
                      const struct rv_exchanged *exchanged) {
    return ex->served_count == 1 && exchanged->count >= s->request.exchange.want;
}

static void settle(struct rv_exchanger *ex, struct rv_served *s, struct rv_exchanged *exchanged) {
    note_back(ex, s);
    settle_outcomes(ex, s, &s->request, s->unsettled);
    s->unsettled = false;
    s->stands_by = exchanged->stands_by;
    if (s->request.exchange.want) {
        rv_tally_answered(&ex->tally, now_ms(ex));
        if (exchanged->count) adopt(ex, s, &s->request, exchanged, true);
        rv_served_note_claim(s, exchanged, now_ms(ex));
        if (is_filled(ex, s, exchanged)) s->hungry = true;
        if (!s->hungry && !atomic_load(&ex->vigil.kept)) rv_exchanger_listen(ex, s);
    }
    leave_rest(s, exchanged->doubt);
    rv_arrears_note(&s->arrears, ex->service, s->queue);
}

static void take_answer(struct rv_exchanger *ex, struct rv_served *s, struct rv_trade *trade) {
    if (trade->rc)
        suffer(ex, s, trade->rc, &trade->err);
    else
        settle(ex, s, &trade->got);
    rv_exchanged_release(&trade->got);
    if (s->stands_by && !atomic_load(&ex->vigil.kept)) rv_exchanger_rise(ex, s);
}

void rv_exchanger_send(struct rv_exchanger *ex, struct rv_served *s) {
    struct rv_trade trade = {.exchange = &s->request.exchange};
    rv_store_exchange_all(ex->service->store, &trade, 1);
    take_answer(ex, s, &trade);
}

/* It is not known whether a job was claimed for it until that is answered. */
void rv_exchanger_rise(struct rv_exchanger *ex, struct rv_served *s) {
    s->stands_by = false;
    s->unsettled = true;
    s->request.exchange.again = true;
    if (is_stopping(ex)) rv_parting_hurry(ex);
    rv_exchanger_send(ex, s);
}

int rv_exchanger_attend(struct rv_exchanger *ex, struct rv_served *s, int64_t ms, bool *known) {
    struct rv_exchanged got;
    int rc = rv_store_attend(ex->service->store, &s->request.exchange, ms, &got, NULL);
    *known = !rc && (got.count || got.more);
    if (*known) settle(ex, s, &got);
    rv_exchanged_release(&got);
    return rc;
}

/* ---- arrears ---- */

/* The places of a claim that was left open are others' by now: what it brings runs if there are any
 * for all of it, else it goes back. */
static void settle_rest(struct rv_exchanger *ex, struct rv_served *s,
                        struct rv_exchanged *exchanged) {
    struct rv_request *rest = &s->arrears.request;
    size_t count = exchanged->count;
    note_back(ex, s);
    bool room =
        rv_places_may_claim(ex) && count <= rv_places_free(ex) && count <= rv_places_share_left(ex);
    settle_outcomes(ex, s, rest, true);
    if (count) adopt(ex, s, rest, exchanged, room);
    rest->exchange.doubt = exchanged->doubt;
    if (!exchanged->doubt) rest->exchange.want = 0;
}

static void send_rest(struct rv_exchanger *ex, struct rv_served *s) {
    struct rv_exchange *rest = &s->arrears.request.exchange;
    struct rv_exchanged exchanged = {0};
    struct rv_error err = {0};
    if (!rv_places_ensure(ex, rest->want)) return;
    int rc = rv_store_exchange(ex->service->store, rest, &exchanged, &err);
    if (!rc) settle_rest(ex, s, &exchanged);
    if (rc == REEVE_ESTATE) rv_served_reclaim(s); /* outcomes count by their token */
    rv_exchanged_release(&exchanged);
}

/* Tries again what is owed to a part of the store, if it is time for that. */
static void pay_arrears(struct rv_exchanger *ex, struct rv_served *s) {
    if (!rv_arrears_any(&s->arrears) || now_ms(ex) < s->arrears.again_at_ms) return;
    bool recalled = rv_served_recall(s);
    if (rv_arrears_open(&s->arrears)) send_rest(ex, s);
    if (!recalled || rv_arrears_any(&s->arrears))
        rv_arrears_note(&s->arrears, ex->service, s->queue);
}

/* ---- the end ---- */

/* First the claims in flight: what they bring is handed back with the rest (T40). */
static void begin_drain(struct rv_exchanger *ex) {
    struct rv_list unbegun, *link;
    rv_parting_hurry(ex);
    for (size_t i = 0; i < ex->served_count; i++) {
        if (ex->served[i].unsettled) rv_exchanger_send(ex, &ex->served[i]);
    }
    atomic_store(&ex->drain->begun, true);
    rv_list_init(&unbegun);
    rv_pool_take_queued(ex->pool, &unbegun);
    while ((link = rv_list_pop(&unbegun)) != NULL)
        hand_back(rv_container_of(link, struct reeve_task, link));
    rv_pool_wake(ex->pool);
}

/* Leaves what could not be handed in to lapse. */
static void abandon(struct rv_exchanger *ex) {
    for (size_t i = 0; i < ex->served_count; i++) {
        struct reeve_task *task;
        withdraw(&ex->served[i]);
        rv_served_reclaim(&ex->served[i]);
        while ((task = rv_served_take(&ex->served[i])) != NULL) {
            log_task(ex, REEVE_LOG_WARN, "job.unreported", task);
            dispose(ex, task, 0);
        }
    }
}

static bool is_over(const struct rv_exchanger *ex) {
    bool enough = ex->options.jobs_max && ex->claimed >= ex->options.jobs_max;
    if (!is_stopping(ex) && !enough && !ex->empty) return false;
    if (!ex->in_hand && !rv_parting_is_unsure(ex)) return true;
    return ex->give_up_ms && now_ms(ex) >= ex->give_up_ms;
}

/* ---- until_empty ---- */

static bool is_idle(const struct rv_exchanger *ex) {
    if (ex->in_hand || ex->outage.count || rv_parting_is_unsure(ex)) return false;
    for (size_t i = 0; i < ex->served_count; i++) {
        if (ex->served[i].hungry) return false;
    }
    return true;
}

/* Nothing is left to do here when nothing waits and nobody else has a job that may come back. */
static bool is_empty(const struct rv_exchanger *ex) {
    for (size_t i = 0; i < ex->served_count; i++) {
        if (!rv_served_is_empty(&ex->served[i], ex->service->store)) return false;
    }
    return true;
}

static void look_if_empty(struct rv_exchanger *ex) {
    if (!ex->options.until_empty || !is_idle(ex) || now_ms(ex) < ex->empty_look_ms) return;
    ex->empty = is_empty(ex);
    ex->empty_look_ms = rv_time_add(now_ms(ex), EMPTY_LOOK_MS);
}

/* ---- rounds ---- */

/* Not while the store is away as a whole: a beat takes as long as any call that fails. A worker
 * that is full does not claim, and its beats show that it might. */
void rv_exchanger_beat(struct rv_exchanger *ex) {
    if (ex->outage.count == ex->served_count) return;
    int64_t claimed_at_ms =
        rv_store_now_ms(ex->service->store) - rv_tally_since_ms(&ex->tally, now_ms(ex));
    bool answered =
        rv_registry_beat(&ex->registry, rv_pool_load(ex->pool), ex->outage.since_ms, claimed_at_ms);
    if (answered && !(rv_places_may_claim(ex) && rv_places_free(ex)))
        rv_tally_answered(&ex->tally, now_ms(ex));
}

/* Whether there is something to send to a queue now. */
static bool is_due(struct rv_exchanger *ex, struct rv_served *s) {
    if (now_ms(ex) < s->retry_at_ms || rv_served_is_held_up(s)) return false;
    s->retry_at_ms = 0;
    return s->unsettled || rv_exchanger_prepare(ex, s);
}

/* One call for all queues that have not been asked for jobs in this round. Returns how many are
 * now. If each were asked for all places, more could come than there is room for; if each had a
 * part of them, places would stay empty that the first could fill. So the first is asked for all
 * there are, the next for what is left whatever that brings, mostly none: they only hand in. When
 * it is known what came, those that were not asked are, in the next call. */
static size_t send_wave(struct rv_exchanger *ex) {
    size_t count = 0, asked = 0;
    for (size_t i = 0; i < ex->served_count; i++) {
        struct rv_served *s = &ex->served[i];
        if (s->asked || !is_due(ex, s)) continue;
        s->asked = s->unsettled || s->request.exchange.want > 0;
        s->under_way = true;
        asked += s->asked;
        ex->trades[count++] = (struct rv_trade){.exchange = &s->request.exchange};
    }
    rv_store_exchange_all(ex->service->store, ex->trades, count);
    for (size_t i = 0, at = 0; i < ex->served_count; i++) {
        struct rv_served *s = &ex->served[i];
        if (!s->under_way) continue;
        s->under_way = false;
        take_answer(ex, s, &ex->trades[at++]);
    }
    return asked;
}

static void send_requests(struct rv_exchanger *ex) {
    bool at_once = asks_at_once(ex);
    for (size_t i = 0; i < ex->served_count; i++) {
        struct rv_served *s = &ex->served[i];
        s->asked = false;
        if (!at_once && is_due(ex, s)) rv_exchanger_send(ex, s);
    }
    while (at_once && send_wave(ex) > 0 && ex->places > 0)
        continue;
}

void rv_exchanger_round(struct rv_exchanger *ex) {
    if (is_stopping(ex) && !atomic_load(&ex->drain->begun)) begin_drain(ex);
    for (size_t i = 0; i < ex->served_count; i++)
        pay_arrears(ex, &ex->served[i]);
    rv_places_deal(ex);
    send_requests(ex);
    if (is_stopping(ex)) rv_parting_bound(ex);
    rv_exchanger_beat(ex);
    look_if_empty(ex);
}

/* Who waits for his turn hands in himself. */
static bool has_to_hand_in(struct rv_exchanger *ex, struct rv_served *s) {
    return rv_served_count(s, 1) && !atomic_load(&ex->vigil.comes);
}

/* When this queue needs its next look. */
static int64_t queue_wakes_at(struct rv_exchanger *ex, struct rv_served *s, bool claiming) {
    if (rv_served_is_held_up(s)) return INT64_MAX; /* until it is time for what is owed */
    if (s->retry_at_ms) return s->retry_at_ms;
    if (s->unsettled || has_to_hand_in(ex, s)) return 0;
    if (!claiming) return INT64_MAX;
    return s->hungry ? s->claim_at_ms : s->look_at_ms;
}

int64_t rv_exchanger_wakes_at(struct rv_exchanger *ex) {
    bool claiming = rv_places_may_claim(ex) && rv_places_free(ex);
    bool away = ex->outage.count == ex->served_count;
    int64_t at_ms = away ? INT64_MAX : ex->registry.beat_at_ms;
    if (ex->options.until_empty && is_idle(ex) && ex->empty_look_ms < at_ms)
        at_ms = ex->empty_look_ms;
    if (ex->give_up_ms && ex->give_up_ms < at_ms) at_ms = ex->give_up_ms;
    for (size_t i = 0; i < ex->served_count; i++) {
        const struct rv_arrears *arrears = &ex->served[i].arrears;
        int64_t queue_ms = queue_wakes_at(ex, &ex->served[i], claiming);
        if (queue_ms < at_ms) at_ms = queue_ms;
        if (rv_arrears_any(arrears) && arrears->again_at_ms < at_ms) at_ms = arrears->again_at_ms;
    }
    return at_ms;
}

static void heed(struct rv_exchanger *ex, unsigned bits) {
    if (bits & LOST) rv_pool_log_losses(ex->pool);
    if (bits & STOP && atomic_load(&ex->drain->begun)) rv_pool_wake(ex->pool);
    for (size_t i = 0; i < ex->served_count; i++) {
        if (bits & ex->served[i].ready.raise) rv_served_heard(&ex->served[i]);
        if (bits & STOP) rv_served_hurry(&ex->served[i]); /* no delay outlasts the wish to stop */
    }
}

static void enter(struct rv_exchanger *ex) {
    for (size_t i = 0; i < ex->served_count; i++) {
        struct rv_served *s = &ex->served[i];
        s->ready = (struct rv_interest){.queue = s->queue,
                                        .what = RV_HEAR_READY,
                                        .signal = &ex->signal,
                                        .raise = 1u << (FIRST_BIT + i % (32 - FIRST_BIT))};
        s->kept = (struct rv_kept){.queue = s->queue,
                                   .lease_ms = ex->options.lease_ms,
                                   .renew_ms = ex->options.renew_ms,
                                   .signal = &ex->signal,
                                   .raise = LOST};
        rv_keeper_add(ex->keeper, &s->kept);
        rv_listener_add(ex->listener, &s->ready);
        s->listening = true;
    }
}

static void leave(struct rv_exchanger *ex) {
    bool away = ex->outage.count == ex->served_count;
    abandon(ex);
    for (size_t i = 0; i < ex->served_count; i++) {
        rv_listener_remove(ex->listener, &ex->served[i].ready);
        rv_keeper_remove(ex->keeper, &ex->served[i].kept);
    }
    rv_registry_leave(&ex->registry, away);
}

/* Jobs that were claimed together and are quick end together, too: a step for all of them costs
 * little more than one for the first. Where they are not, that shows soon and is remembered. */
static void gather(struct rv_exchanger *ex) {
    if (ex->rounds_ungathered > 0) {
        ex->rounds_ungathered--;
        return;
    }
    int64_t until_us = rv_clock_boot_us(&rv_clock_real) + GATHER_US;
    while (rv_pool_load(ex->pool) > 0) {
        if (rv_clock_boot_us(&rv_clock_real) >= until_us) {
            ex->rounds_ungathered = GATHER_AGAIN;
            return;
        }
        (void)sched_yield();
    }
}

/* Others may make its rounds meanwhile. */
static unsigned sleep_until(struct rv_exchanger *ex, int64_t at_ms) {
    int64_t wait_ms = at_ms - now_ms(ex);
    ex->sleeps_until_ms = at_ms;
    ex->asleep = true;
    (void)pthread_mutex_unlock(&ex->turn);
    unsigned bits = rv_signal_wait(&ex->signal, wait_ms > 0 ? wait_ms : 0);
    if (!bits) bits = rv_vigil_oversleep(ex);
    rv_vigil_interrupt(ex);
    (void)pthread_mutex_lock(&ex->turn);
    atomic_store(&ex->vigil.to_end, false);
    ex->asleep = false;
    return bits;
}

void rv_exchanger_run(struct rv_exchanger *ex) {
    (void)pthread_mutex_lock(&ex->turn);
    enter(ex);
    while (!is_over(ex)) {
        unsigned bits = sleep_until(ex, rv_exchanger_wakes_at(ex));
        heed(ex, bits);
        if (bits == FINISHED) gather(ex);
        rv_exchanger_round(ex);
    }
    leave(ex);
    (void)pthread_mutex_unlock(&ex->turn);
}

/* The only thread there is has nothing else to do than to wait for its turn. */
static bool take_turn(struct rv_exchanger *ex) {
    if (ex->options.threads > 1) return !pthread_mutex_trylock(&ex->turn);
    (void)pthread_mutex_lock(&ex->turn);
    atomic_store(&ex->vigil.comes, false);
    return true;
}

/* A thread whose job was the last one makes the round itself while the exchanger sleeps: waking it
 * and being woken by it would take as long as a step. Returns whether it did. */
static bool step_in(struct rv_exchanger *ex) {
    if (rv_pool_load(ex->pool) > 0 || !take_turn(ex)) return false;
    bool asleep = ex->asleep;
    if (asleep) {
        rv_vigil_round(ex);
        if (is_over(ex) || rv_exchanger_wakes_at(ex) < ex->sleeps_until_ms ||
            atomic_load(&ex->vigil.oversleeps))
            rv_signal_raise(&ex->signal, SOONER);
    }
    (void)pthread_mutex_unlock(&ex->turn);
    return asleep;
}

void rv_exchanger_finished(void *exchanger, struct reeve_task *task) {
    struct rv_exchanger *ex = exchanger;
    if (ex->options.threads == 1) atomic_store(&ex->vigil.comes, true);
    rv_served_add(task->served, task);
    if (step_in(ex)) return;
    atomic_store(&ex->vigil.comes, false);
    rv_signal_raise(&ex->signal, FINISHED);
}

/* ---- for its owner ---- */

void rv_exchanger_stop(struct rv_exchanger *ex) {
    atomic_store(&ex->stopping, true);
    rv_signal_raise(&ex->signal, STOP);
}

void rv_exchanger_quiet(struct rv_exchanger *ex, bool quiet) {
    atomic_store(&ex->quiet, quiet);
    rv_signal_raise(&ex->signal, QUIET);
}
