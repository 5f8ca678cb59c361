#include "service/upkeep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/signal.h"
#include "base/thread.h"
#include "core/limits.h"
#include "service/agenda.h"
#include "service/leader.h"

enum {
    PASS_MS_MAX = 6000, /* between two passes, whatever the leases */
    PASS_MS_MIN = 10,   /* a store that sees work everywhere must not be kept busy by looking */
    QUEUES_PAGE = 100,

    /* One write each 30 s, as a worker's own sign of life. Longer than other leaders' leases, since
     * the others look now and then anyhow. */
    ELECTED_LEASE_MS = 90000,
    ELECTED_RETRY_MS = 30000,
    FOLLOWER_PASSES = 4, /* one of so many is made by those who are not elected */
    FAILED_MAX = 3,      /* passes in a row: then another may try */
};

struct pass {
    struct rv_store *store;
    const struct rv_log *log;
    int64_t timeout_ms;
    const atomic_bool *stopping;
    struct rv_upkept *done;
    int64_t next_in_ms;       /* of the queue that is looked at */
    struct rv_agenda *agenda; /* for what is due within horizon_ms; or NULL */
    int64_t horizon_ms;
    int64_t lost_ms; /* over queues that could not be tended */
    int rc;          /* why the first of them could not be, */
    struct rv_error *err;
};

static bool is_stopping(const struct pass *p) {
    return p->stopping && atomic_load(p->stopping);
}

/* The sooner of two, of which either may be unknown (-1). */
static int64_t sooner(int64_t a_ms, int64_t b_ms) {
    if (a_ms < 0 || b_ms < 0) return a_ms < 0 ? b_ms : a_ms;
    return a_ms < b_ms ? a_ms : b_ms;
}

/* ---- lapsed claims ---- */

/* Why an attempt failed whose holder went silent. */
struct lapse {
    struct reeve_failure failure;
    char message[REEVE_ID_SIZE + 64];
};

static int judge_lapsed(struct pass *p, const struct rv_lapsed_job *lapsed, struct lapse *lapse,
                        struct rv_outcome *out) {
    const struct reeve_job *job = lapsed->job;
    (void)snprintf(lapse->message, sizeof lapse->message, "worker %s went silent: its lease lapsed",
                   job->worker ? job->worker : "(unnamed)");
    lapse->failure = (struct reeve_failure){.message = lapse->message, .code = "lapsed"};
    struct rv_report report = {
        .ending = RV_LAPSED, .error = &lapse->failure, .ended_at_ms = rv_store_now_ms(p->store)};
    return rv_outcome_judge(job, lapsed->holder, &report, &rv_random_system, out);
}

static void log_lapsed(struct pass *p, const struct reeve_job *job) {
    char id[RV_QUOTED_SIZE], worker[RV_QUOTED_SIZE];
    rv_log(p->log, REEVE_LOG_WARN, "job.lapsed",
           "queue=%s id=%s attempt=%d of=%d worker=%s token=%" PRIu64, job->queue,
           rv_log_quote(id, job->id), job->attempt, job->attempts_max,
           rv_log_quote(worker, job->worker ? job->worker : ""), job->token);
}

/* Hands in by proxy. *finished: how many were still lapsed; the others were renewed or handed in
 * meanwhile. */
static int hand_in(struct pass *p, const char *queue, const struct rv_lapsed *lapsed,
                   struct rv_outcome *outcomes, size_t *finished, struct rv_error *err) {
    struct rv_exchange exchange = {.queue = queue,
                                   .timeout_ms = p->timeout_ms,
                                   .outcomes = outcomes,
                                   .outcome_count = lapsed->count,
                                   .brief = true};
    struct rv_exchanged exchanged = {0};
    int rc = rv_store_exchange(p->store, &exchange, &exchanged, err);
    for (size_t i = 0; !rc && i < lapsed->count; i++) {
        if (outcomes[i].status) continue;
        ++*finished;
        log_lapsed(p, lapsed->jobs[i].job);
    }
    rv_exchanged_release(&exchanged);
    return rc;
}

static int finish_lapsed(struct pass *p, const char *queue, const struct rv_lapsed *lapsed,
                         size_t *finished, struct rv_error *err) {
    struct rv_outcome *outcomes = calloc(lapsed->count, sizeof *outcomes);
    struct lapse *lapses = calloc(lapsed->count, sizeof *lapses);
    size_t judged = 0;
    int rc = outcomes && lapses ? 0 : REEVE_ENOMEM;
    while (!rc && judged < lapsed->count) {
        rc = judge_lapsed(p, &lapsed->jobs[judged], &lapses[judged], &outcomes[judged]);
        if (!rc) judged++;
    }
    rc = rc ? rv_fail(err, rc, "no memory to finish the lapsed jobs of %s", queue)
            : hand_in(p, queue, lapsed, outcomes, finished, err);
    while (judged > 0)
        rv_outcome_release(&outcomes[--judged]);
    free(outcomes);
    free(lapses);
    return rc;
}

static int tend_lapsed(struct pass *p, const char *queue, struct rv_error *err) {
    size_t finished;
    do {
        struct rv_lapsed lapsed = {0};
        finished = 0;
        int rc = rv_store_lapsed(p->store, queue, &lapsed, err);
        if (rc) return rc;
        if (lapsed.count) rc = finish_lapsed(p, queue, &lapsed, &finished, err);
        p->done->lapsed += finished;
        if (!finished) p->next_in_ms = sooner(p->next_in_ms, lapsed.next_in_ms);
        rv_lapsed_release(&lapsed);
        if (rc) return rc;
    } while (finished && !is_stopping(p));
    return 0;
}

/* ---- the pass ---- */

/* A deadline is over when it is past: a look at that very moment would be too early. */
static void note_next(struct pass *p, const char *queue) {
    int64_t in_ms = p->next_in_ms;
    p->done->next_in_ms = sooner(p->done->next_in_ms, in_ms);
    if (p->agenda && in_ms >= 0 && in_ms < p->horizon_ms)
        rv_agenda_add(p->agenda, queue, rv_clock_boot_ms(&rv_clock_real) + in_ms + 1);
}

/* One step, and what has lapsed unless that was looked at before. *again: there may be more. */
static int tend_once(struct pass *p, const char *queue, bool *looked, bool *again,
                     struct rv_error *err) {
    struct rv_tended tended;
    size_t lapsed = p->done->lapsed;
    int rc = rv_store_tend(p->store, queue, &tended, err);
    if (rc) return rc;
    p->done->promoted += tended.promoted;
    p->done->expired += tended.expired;
    if (tended.lapses_in_ms > 0) p->next_in_ms = sooner(p->next_in_ms, tended.lapses_in_ms);
    if (!*looked && !tended.lapses_in_ms) {
        *looked = true;
        rc = tend_lapsed(p, queue, err);
    }
    *again = tended.more || p->done->lapsed > lapsed;
    if (!*again) p->next_in_ms = sooner(p->next_in_ms, tended.next_in_ms);
    return rc;
}

static int tend_queue(struct pass *p, const char *queue, struct rv_error *err) {
    bool looked = false, again = true;
    int rc = 0;
    p->next_in_ms = -1;
    while (!rc && again && !is_stopping(p))
        rc = tend_once(p, queue, &looked, &again, err);
    note_next(p, queue);
    return rc;
}

/* Of a store that is made of parts one may be away while the others are there, and is known to be
 * after the first try; if all of it is, each queue costs the time that is given to a call. */
static void try_queue(struct pass *p, const char *queue) {
    struct rv_error err = {0};
    int64_t from_ms = rv_clock_boot_ms(&rv_clock_real);
    int rc = tend_queue(p, queue, &err);
    p->done->reached += !rc;
    if (!rc) return;
    p->lost_ms += rv_clock_boot_ms(&rv_clock_real) - from_ms;
    if (!p->rc && p->err) *p->err = err;
    if (!p->rc) p->rc = rc;
}

static bool is_over(const struct pass *p) {
    return is_stopping(p) || p->lost_ms >= p->timeout_ms || p->rc == REEVE_ENOMEM;
}

static int pass_over_all(struct pass *p) {
    char after[REEVE_NAME_SIZE] = "";
    for (;;) {
        struct rv_names names = {0};
        int rc = rv_store_queues(p->store, after[0] ? after : NULL, QUEUES_PAGE, &names, p->err);
        for (size_t i = 0; !rc && i < names.count && !is_over(p); i++)
            try_queue(p, names.names[i]);
        bool last = rc || names.count < QUEUES_PAGE || is_over(p);
        if (!last) memcpy(after, names.names[names.count - 1], sizeof after);
        free(names.names);
        if (last) return rc ? rc : p->rc;
    }
}

/* What has come to be due; a queue with more to do at once comes again with the next. */
static int pass_over_due(struct pass *p) {
    char queue[REEVE_NAME_SIZE];
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    while (!is_over(p) && rv_agenda_take(p->agenda, now_ms, queue))
        try_queue(p, queue);
    return p->rc;
}

int rv_upkeep_pass(struct rv_store *store, const struct rv_log *log, int64_t timeout_ms,
                   const atomic_bool *stopping, struct rv_upkept *out, struct rv_error *err) {
    *out = (struct rv_upkept){.next_in_ms = -1};
    struct pass p = {.store = store,
                     .log = log,
                     .timeout_ms = timeout_ms,
                     .stopping = stopping,
                     .done = out,
                     .err = err};
    return pass_over_all(&p);
}

/* ---- the thread ---- */

struct rv_upkeep {
    struct rv_store *store;
    const struct rv_log *log;
    int64_t timeout_ms;
    _Atomic int64_t pass_ms;
    atomic_bool stopping;
    atomic_bool insisting; /* there is no election, or one that does not count */
    atomic_bool elected;
    _Atomic(struct reeve_leader *) election;
    pthread_mutex_t passing; /* held during a pass */
    struct rv_agenda agenda; /* of the thread, as is what follows */
    int64_t all_at_ms;       /* when the next pass over all is due */
    struct rv_signal signal;
    pthread_t thread;
};

/* ---- the election ---- */

static void begin_term(void *arg, uint64_t term) {
    struct rv_upkeep *u = arg;
    (void)term;
    atomic_store(&u->elected, true);
    rv_signal_raise(&u->signal, 1); /* what was left undone is done now */
}

/* A pass under way is waited for: others are told that this one is over only when it is. */
static void end_term(void *arg, enum reeve_lost why) {
    struct rv_upkeep *u = arg;
    (void)why;
    atomic_store(&u->elected, false);
    (void)pthread_mutex_lock(&u->passing);
    (void)pthread_mutex_unlock(&u->passing);
}

void rv_upkeep_elect(struct rv_upkeep *u, struct rv_service *service) {
    struct rv_leader_options options = {.kind = RV_GRANT_UPKEEP,
                                        .name = "upkeep",
                                        .lease_ms = ELECTED_LEASE_MS,
                                        .renew_ms = ELECTED_LEASE_MS / 3,
                                        .retry_ms = ELECTED_RETRY_MS,
                                        .gained = begin_term,
                                        .lost = end_term,
                                        .arg = u};
    struct reeve_leader *election;
    struct rv_error err;
    char text[RV_QUOTED_SIZE];
    if (rv_leader_open(&election, service, &options, &err)) {
        rv_log(u->log, REEVE_LOG_WARN, "upkeep.unelected", "text=%s", rv_log_quote(text, err.text));
        return;
    }
    atomic_store(&u->election, election);
    atomic_store(&u->insisting, false);
}

void rv_upkeep_insist(struct rv_upkeep *u) {
    atomic_store(&u->insisting, true);
}

static bool is_active(const struct rv_upkeep *u) {
    return atomic_load(&u->insisting) || atomic_load(&u->elected);
}

/* ---- the passes ---- */

/* What another has to see to is looked at now and then all the same. */
static int64_t next_pass_ms(const struct rv_upkeep *u) {
    int64_t ms = rv_random_sooner(&rv_random_system, atomic_load(&u->pass_ms));
    return is_active(u) ? ms : FOLLOWER_PASSES * ms;
}

static bool is_all_due(const struct rv_upkeep *u) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    return now_ms >= u->all_at_ms || (is_active(u) && now_ms >= u->agenda.rest_ms);
}

/* *in_vain: no queue could be tended. Where some could, what is known of the others is still good:
 * those that could not are tried again with all. */
static int pass(struct rv_upkeep *u, bool all, bool *in_vain, struct rv_error *err) {
    struct rv_upkept done = {.next_in_ms = -1};
    struct pass p = {.store = u->store,
                     .log = u->log,
                     .timeout_ms = u->timeout_ms,
                     .stopping = &u->stopping,
                     .done = &done,
                     .err = err,
                     .agenda = &u->agenda,
                     .horizon_ms = atomic_load(&u->pass_ms)};
    (void)pthread_mutex_lock(&u->passing);
    if (all) rv_agenda_clear(&u->agenda);
    int rc = all ? pass_over_all(&p) : pass_over_due(&p);
    (void)pthread_mutex_unlock(&u->passing);
    *in_vain = rc && !done.reached;
    if (*in_vain) rv_agenda_clear(&u->agenda); /* all of it, when the store may be back */
    if (*in_vain || all) u->all_at_ms = rv_clock_boot_ms(&rv_clock_real) + next_pass_ms(u);
    return rc;
}

/* The next deadline of those who are not elected is another's business. */
static int64_t pause_ms(const struct rv_upkeep *u) {
    int64_t at_ms = u->all_at_ms;
    int64_t due_ms = rv_agenda_next_ms(&u->agenda);
    if (is_active(u) && due_ms < at_ms) at_ms = due_ms;
    if (is_active(u) && u->agenda.rest_ms < at_ms) at_ms = u->agenda.rest_ms;
    int64_t ms = at_ms - rv_clock_boot_ms(&rv_clock_real);
    return ms > PASS_MS_MIN ? ms : PASS_MS_MIN;
}

/* Who is elected and cannot do it lets another try (T08). What is missed of a part is looked after
 * by those who are not, now and then. */
static void judge_failures(struct rv_upkeep *u, int *failed, bool in_vain) {
    *failed = in_vain ? *failed + 1 : 0;
    struct reeve_leader *election = atomic_load(&u->election);
    if (*failed < FAILED_MAX || !election || !atomic_load(&u->elected)) return;
    (void)rv_leader_resign(election);
    *failed = 0;
}

static void *tend(void *arg) {
    struct rv_upkeep *u = arg;
    bool away = false, all = true;
    int failed = 0;
    while (!atomic_load(&u->stopping)) {
        struct rv_error err;
        char text[RV_QUOTED_SIZE];
        bool in_vain;
        int rc = pass(u, all, &in_vain, &err);
        judge_failures(u, &failed, in_vain);
        if (rc && !away) {
            rv_log(u->log, REEVE_LOG_WARN, "upkeep.away", "error=%s text=%s", reeve_errname(rc),
                   rv_log_quote(text, err.text));
        }
        if (!rc && away) rv_log(u->log, REEVE_LOG_WARN, "upkeep.back", "store=reachable");
        away = rc != 0;
        all = rv_signal_wait(&u->signal, pause_ms(u)) || is_all_due(u);
    }
    return NULL;
}

int rv_upkeep_start(struct rv_upkeep **out, struct rv_store *store, const struct rv_log *log,
                    int64_t timeout_ms, struct rv_error *err) {
    struct rv_upkeep *u = calloc(1, sizeof *u);
    if (!u || rv_signal_init(&u->signal)) {
        free(u);
        return rv_fail(err, REEVE_ENOMEM, "no memory for upkeep");
    }
    u->store = store;
    u->log = log;
    u->timeout_ms = timeout_ms;
    atomic_init(&u->pass_ms, PASS_MS_MAX);
    atomic_init(&u->insisting, true);
    (void)pthread_mutex_init(&u->passing, NULL);
    rv_agenda_init(&u->agenda);
    if (rv_thread_start(&u->thread, tend, u)) {
        (void)pthread_mutex_destroy(&u->passing);
        rv_signal_release(&u->signal);
        free(u);
        return rv_fail(err, REEVE_ENOMEM, "cannot start the upkeep's thread");
    }
    *out = u;
    return 0;
}

void rv_upkeep_stop(struct rv_upkeep *u) {
    if (!u) return;
    atomic_store(&u->stopping, true);
    rv_signal_raise(&u->signal, 1);
    (void)pthread_join(u->thread, NULL);
    rv_leader_close(atomic_load(&u->election)); /* its work has ended */
    (void)pthread_mutex_destroy(&u->passing);
    rv_agenda_release(&u->agenda);
    rv_signal_release(&u->signal);
    free(u);
}

void rv_upkeep_suit(struct rv_upkeep *u, int64_t lease_ms) {
    int64_t ms = lease_ms / 4;
    int64_t now_ms = atomic_load(&u->pass_ms);
    while (ms < now_ms && !atomic_compare_exchange_weak(&u->pass_ms, &now_ms, ms)) {
    }
    rv_signal_raise(&u->signal, 1);
}
