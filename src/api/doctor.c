/* The doctor: what can be asked of any store, and what the store itself has to say. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "core/limits.h"
#include "service/upkeep.h"
#include "store/spool.h"

/* Upkeep passes every five seconds at most: who is so late is not waiting for the next one. */
enum { OVERDUE_MS = 30000 };

struct doctor {
    reeve *r;
    bool repair;
    reeve_finding_fn *fn;
    void *arg;
    bool stopped; /* nobody wants to hear more */

    /* of all queues */
    uint64_t ready;
    uint64_t overdue; /* jobs whose lease has been over for long */
    int64_t longest_ms;
    size_t looked, missed;     /* queues; the latter are kept by what does not answer */
    int64_t lost_ms;           /* waiting for that in vain */
    struct rv_error queue_err; /* what kept us from looking at all of them */

    struct rv_error err; /* what kept us from going on */
};

static void tell(struct doctor *d, enum reeve_health health, const char *check, const char *text) {
    struct reeve_finding finding = {.health = health, .check = check, .text = text};
    if (!d->stopped && d->fn(d->arg, &finding)) d->stopped = true;
}

static void find(struct doctor *d, enum reeve_health health, const char *check, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

static void find(struct doctor *d, enum reeve_health health, const char *check, const char *format,
                 ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tell(d, health, check, text);
}

/* Why something could not be examined is a finding itself, unless it says nothing of the store. */
static int tell_why_not(struct doctor *d, int rc, const char *check, const struct rv_error *err) {
    if (rc == REEVE_ENOMEM) return rv_fail(&d->err, rc, "%s", err->text);
    tell(d, REEVE_BAD, check, err->text);
    return 0;
}

/* ---- reachable ---- */
static int examine_reach(struct doctor *d, bool *reached) {
    struct rv_error err = {0};
    struct rv_names names;
    int64_t began_us = rv_clock_wall_us(&rv_clock_real);
    int rc = rv_store_queues(d->r->service.store, NULL, 1, &names, &err);
    int64_t took_us = rv_clock_wall_us(&rv_clock_real) - began_us;
    *reached = rc == 0;
    if (rc) return tell_why_not(d, rc, "reachable", &err);
    free(names.names);
    find(d, REEVE_FINE, "reachable", "it answered within %" PRId64 " us", took_us);
    return 0;
}

/* ---- what the store says ---- */
static int examine_store(struct doctor *d) {
    struct rv_error err = {0};
    struct rv_findings findings;
    int rc = rv_store_examine(d->r->service.store, d->repair, &findings, &err);
    if (rc) return tell_why_not(d, rc, "store", &err);
    for (size_t i = 0; i < findings.count; i++) {
        const struct rv_finding *finding = &findings.findings[i];
        tell(d, finding->health, finding->check, finding->text);
    }
    free(findings.findings);
    return 0;
}

/* ---- queues ---- */
static int look_for_overdue(struct doctor *d, const char *queue, struct rv_error *err) {
    struct rv_store *store = d->r->service.store;
    struct rv_lapsed lapsed;
    int rc = rv_store_lapsed(store, queue, &lapsed, err);
    if (rc) return rc;
    int64_t now_ms = rv_store_now_ms(store);
    for (size_t i = 0; i < lapsed.count; i++) {
        int64_t late_ms = now_ms - lapsed.jobs[i].job->lease_until_ms;
        if (late_ms < OVERDUE_MS) continue;
        d->overdue++;
        if (late_ms > d->longest_ms) d->longest_ms = late_ms;
    }
    rv_lapsed_release(&lapsed);
    return 0;
}

static int look_at_queue(struct doctor *d, const char *name, struct rv_error *err) {
    struct reeve_queue queue;
    int rc = rv_store_stats_briefly(d->r->service.store, name, &queue, err);
    if (rc == REEVE_ENOENT) return 0; /* a store may know the name before the queue */
    if (rc) return rc;
    if (!queue.paused) d->ready += queue.ready;
    return queue.running ? look_for_overdue(d, name, err) : 0;
}

/* A part of the store may be away: the others are looked at, until a call's time was lost. */
static bool goes_on(struct doctor *d, int rc, int64_t began_ms) {
    d->looked += !rc;
    if (!rc) return true;
    d->missed++;
    d->lost_ms += rv_clock_boot_ms(&rv_clock_real) - began_ms;
    return reeve_retriable(rc) && rc != REEVE_ENOMEM && d->lost_ms < d->r->service.timeout_ms;
}

/* Of one page; *after becomes the last name, "" at the end. */
static int look_at_page(struct doctor *d, char after[REEVE_NAME_SIZE]) {
    struct rv_names names;
    int rc = rv_store_queues(d->r->service.store, after[0] ? after : NULL, RV_LIST_MAX, &names,
                             &d->queue_err);
    if (rc) return rc;
    after[0] = '\0';
    for (size_t i = 0; i < names.count; i++) {
        int64_t began_ms = rv_clock_boot_ms(&rv_clock_real);
        rc = look_at_queue(d, names.names[i], &d->queue_err);
        if (!goes_on(d, rc, began_ms)) goto out;
    }
    rc = 0;
    if (names.count == RV_LIST_MAX) memcpy(after, names.names[names.count - 1], REEVE_NAME_SIZE);
out:
    free(names.names);
    return rc;
}

static int look_at_queues(struct doctor *d) {
    char after[REEVE_NAME_SIZE] = "";
    int rc;
    do {
        rc = look_at_page(d, after);
    } while (!rc && after[0]);
    return rc;
}

static void tell_missed(struct doctor *d) {
    if (d->missed)
        find(d, REEVE_BAD, "queues", "%zu could not be looked at, %zu could: %s", d->missed,
             d->looked, d->queue_err.text);
}

/* ---- leases ---- */
static int tend(struct doctor *d, struct rv_error *err) {
    struct rv_service *service = &d->r->service;
    struct rv_upkept done;
    return rv_upkeep_pass(service->store, &service->log, service->timeout_ms, NULL, &done, err);
}

static int examine_leases(struct doctor *d) {
    struct rv_error err = {0};
    if (!d->overdue) {
        find(d, REEVE_FINE, "leases", "none is over that nobody has seen to");
        return 0;
    }
    int rc = d->repair ? tend(d, &err) : 0;
    if (rc) return tell_why_not(d, rc, "leases", &err);
    find(d, d->repair ? REEVE_REPAIRED : REEVE_BAD, "leases",
         "%" PRIu64 " running jobs have lost their worker, for %" PRId64
         " s at most, and nobody tends to them: a worker or 'reeve tend' would",
         d->overdue, d->longest_ms / 1000);
    return 0;
}

/* ---- workers ---- */
static int examine_workers(struct doctor *d) {
    struct rv_error err = {0};
    struct rv_workers workers;
    int rc = rv_store_workers(d->r->service.store, &workers, &err);
    if (rc) return tell_why_not(d, rc, "workers", &err);
    size_t degraded = 0;
    for (size_t i = 0; i < workers.count; i++)
        degraded += workers.rows[i].degraded_since_ms != 0;
    bool idle = !workers.count && d->ready > 0;
    find(d, idle || degraded ? REEVE_DOUBTFUL : REEVE_FINE, "workers",
         "%zu seen, %zu of them cut off from the store, %" PRIu64 " jobs ready", workers.count,
         degraded, d->ready);
    free(workers.rows);
    return 0;
}

/* ---- spool ---- what the store knows nothing of ---- */
static int examine_spool(struct doctor *d) {
    struct reeve_spool_info info = {.size = sizeof info};
    struct rv_error err = {0};
    int rc = d->r->service.spool ? reeve_spool_read(d->r, &info) : REEVE_ESTATE;
    if (rc == REEVE_ESTATE) return 0;
    if (rc) {
        (void)rv_fail(&err, rc, "%s", reeve_errmsg());
        return tell_why_not(d, rc, "spool", &err);
    }
    find(d,
         info.refused   ? REEVE_BAD
         : info.waiting ? REEVE_DOUBTFUL
                        : REEVE_FINE,
         "spool",
         "%" PRIu64 " pushes wait to be forwarded, for %" PRId64 " s at most, %" PRIu64
         " were refused: %s",
         info.waiting, info.oldest_ms / 1000, info.refused, rv_spool_path(d->r->service.spool));
    return 0;
}

int reeve_doctor(reeve *r, bool repair, reeve_finding_fn *fn, void *arg) {
    struct doctor d = {.r = r, .repair = repair, .fn = fn, .arg = arg};
    bool reached;
    int rc = examine_spool(&d);
    if (!rc) rc = examine_reach(&d, &reached);
    if (rc) return rv_api_fail(&d.err);
    if (!rc && reached) rc = examine_store(&d);
    if (rc || !reached) return rv_api_result(rc, &d.err);
    rc = look_at_queues(&d);
    if (rc) return rv_api_result(tell_why_not(&d, rc, "queues", &d.queue_err), &d.err);
    tell_missed(&d);
    rc = examine_leases(&d);
    if (!rc) rc = examine_workers(&d);
    return rv_api_result(rc, &d.err);
}
