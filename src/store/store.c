/* Thin dispatch: holds callers to the contract of store.h, zeroes what comes out, and finds the
 * store behind a url. No store checks any of this again. A caller that breaks the contract gets
 * REEVE_EINVAL and nothing happens; what people get wrong is told better above, by core/check.c. */
#include "store/ops.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/url.h"
#include "core/limits.h"

/* ---- checks ---- */
static int check_range(const char *what, int64_t value, int64_t least, int64_t most,
                       struct rv_error *err) {
    if (value >= least && value <= most) return 0;
    return rv_fail(err, REEVE_EINVAL, "%s must be %lld to %lld, not %lld", what, (long long)least,
                   (long long)most, (long long)value);
}

static int check_count(const char *what, size_t count, size_t least, size_t most,
                       struct rv_error *err) {
    return check_range(what, count > INT64_MAX ? INT64_MAX : (int64_t)count, (int64_t)least,
                       (int64_t)most, err);
}

static int check_job_name(const char *queue, const char *id, struct rv_error *err) {
    int rc = rv_check_name("queue", queue, err);
    return rc ? rc : rv_check_id(id, err);
}

/* ---- opening ---- */
const struct rv_store_ops *rv_store_ops_of(const char *url) {
    size_t size = strcspn(url, ":");
    if (!url[size]) return NULL;
    for (const struct rv_store_scheme *scheme = rv_store_schemes; scheme->name; scheme++)
        if (strlen(scheme->name) == size && memcmp(scheme->name, url, size) == 0)
            return scheme->ops;
    return NULL;
}

static int fail_unknown(const char *url, struct rv_error *err) {
    char known[128] = "";
    size_t size = 0;
    for (const struct rv_store_scheme *scheme = rv_store_schemes; scheme->name; scheme++) {
        size_t length = strlen(scheme->name);
        if (size + length + 3 > sizeof known) break;
        memcpy(known + size, scheme->name, length);
        memcpy(known + size + length, ": ", 3);
        size += length + 2;
    }
    if (size) known[size - 1] = '\0';
    char *shown = rv_url_redact(url);
    int rc = rv_fail(err, REEVE_EINVAL, "no store answers to '%s'; this build knows %s",
                     shown ? shown : "?", known);
    free(shown);
    return rc;
}

/* Every slot of a table is filled: asserted once, never tested again. */
static void assert_ops(const struct rv_store_ops *ops) {
    assert(ops->open && ops->close && ops->now_ms);
    assert(ops->push && ops->exchange && ops->renew && ops->lapsed && ops->tend);
    assert(ops->read && ops->cancel && ops->revive && ops->remove && ops->keep);
    assert(ops->check && ops->note && ops->purge && ops->list);
    assert(ops->queues && ops->stats && ops->pause && ops->set);
    assert(ops->beat && ops->leave && ops->workers);
    assert(!(ops->caps & RV_CAP_GRANTS) ||
           (ops->grant_take && ops->grant_renew && ops->grant_release && ops->grant_check &&
            ops->grant_resign && ops->grants));
    assert(!(ops->caps & RV_CAP_STREAMS) == !ops->streams);
    assert(!(ops->caps & RV_CAP_AT_ONCE) == !ops->exchange_all);
    assert(ops->wait && ops->wake && ops->announce && ops->events && ops->examine);
    (void)ops;
}

int rv_store_open(struct rv_store **out, const char *url, const struct rv_store_config *config,
                  struct rv_error *err) {
    *out = NULL;
    if (!url) return rv_fail(err, REEVE_EINVAL, "no store url");
    int rc = rv_check_name("space", config->space, err);
    if (!rc) rc = check_range("timeout", config->timeout_ms, 1, RV_TIMEOUT_MS_MAX, err);
    if (rc) return rc;
    const struct rv_store_ops *ops = rv_store_ops_of(url);
    if (!ops) return fail_unknown(url, err);
    assert_ops(ops);
    rc = ops->open(out, url, config, err);
    if (rc != REEVE_EUNSURE) return rc;
    if (err) err->code = REEVE_EUNREACHABLE; /* nothing was asked for whose outcome could matter */
    return REEVE_EUNREACHABLE;
}

void rv_store_close(struct rv_store *s) {
    if (s) s->ops->close(s);
}

unsigned rv_store_caps(const struct rv_store *s) {
    return s->ops->caps;
}

int64_t rv_store_now_ms(const struct rv_store *s) {
    return s->ops->now_ms(s);
}

/* ---- push ---- */
struct rv_push_step rv_store_push_step(const struct rv_store *s) {
    struct rv_push_step step = s->ops->push_step;
    if (!step.jobs) step.jobs = RV_PUSH_MAX;
    if (!step.bytes) step.bytes = RV_PUSH_BYTES_MAX;
    if (!step.at_once) step.at_once = 1;
    return step;
}

static int check_new_job(const struct rv_new_job *job, struct rv_error *err) {
    int rc = rv_check_id(job->id, err);
    if (!rc) rc = rv_check_name("kind", job->kind, err);
    if (!rc)
        rc = check_range("priority", job->priority, REEVE_PRIORITY_MIN, REEVE_PRIORITY_MAX, err);
    if (!rc) rc = check_count("body size", job->body.size, 0, RV_BODY_MAX + RV_PARCEL_MAX, err);
    if (!rc) rc = check_range("delay", job->delay_ms, 0, RV_DELAY_MS_MAX, err);
    if (!rc) rc = check_range("run_at", job->run_at_ms, 0, RV_RUN_AT_MS_MAX, err);
    if (!rc) rc = check_range("keep", job->policy.keep_ms, 0, RV_KEEP_MS_MAX, err);
    if (!rc) rc = check_range("attempts", job->policy.attempts_max, 1, RV_ATTEMPTS_MAX, err);
    return rc;
}

static int check_push(const char *queue, const struct rv_new_job *jobs, size_t count,
                      struct rv_error *err) {
    int rc = rv_check_name("queue", queue, err);
    if (!rc) rc = check_count("jobs of a push", count, 1, RV_PUSH_MAX, err);
    size_t bytes = 0;
    for (size_t i = 0; !rc && i < count; i++) {
        rc = check_new_job(&jobs[i], err);
        bytes += jobs[i].body.size;
    }
    return rc ? rc : check_count("bytes of a push", bytes, 0, RV_PUSH_BYTES_MAX, err);
}

int rv_store_push(struct rv_store *s, const char *queue, const struct rv_new_job *jobs,
                  size_t count, struct rv_pushed *outs, struct rv_error *err) {
    return rv_store_push_within(s, queue, jobs, count, INT64_MAX, outs, err);
}

int rv_store_push_within(struct rv_store *s, const char *queue, const struct rv_new_job *jobs,
                         size_t count, int64_t timeout_ms, struct rv_pushed *outs,
                         struct rv_error *err) {
    memset(outs, 0, count * sizeof *outs);
    int rc = check_push(queue, jobs, count, err);
    if (!rc) rc = s->ops->push(s, queue, jobs, count, timeout_ms, outs, err);
    for (size_t i = 0; rc && i < count; i++) {
        free(outs[i].done);
        outs[i] = (struct rv_pushed){.error = rc};
    }
    return rc;
}

/* ---- exchange ---- */
static int check_outcome(const struct rv_outcome *outcome, struct rv_error *err) {
    int rc = rv_check_id(outcome->id, err);
    if (!rc) rc = check_range("outcome", outcome->state, REEVE_DELAYED, REEVE_CANCELLED, err);
    if (!rc && outcome->state == REEVE_RUNNING)
        rc = rv_fail(err, REEVE_EINVAL, "no outcome leaves a job running");
    if (!rc) rc = check_count("result size", outcome->result_size, 0, RV_BODY_MAX, err);
    if (!rc) rc = check_range("delay", outcome->delay_ms, 0, RV_DELAY_MS_MAX, err);
    if (!rc) rc = check_range("keep", outcome->keep_ms, 0, RV_KEEP_MS_MAX, err);
    return rc;
}

static int check_exchange(const struct rv_exchange *exchange, struct rv_error *err) {
    int rc = rv_check_name("queue", exchange->queue, err);
    if (!rc) rc = check_count("outcomes", exchange->outcome_count, 0, RV_CLAIM_MAX, err);
    if (!rc) rc = check_count("jobs wanted", exchange->want, 0, RV_CLAIM_MAX, err);
    if (!rc && exchange->want > 0) {
        if (!exchange->holder) return rv_fail(err, REEVE_EINVAL, "a claim needs a holder");
        rc = check_range("lease", exchange->lease_ms, RV_LEASE_MS_MIN, RV_LEASE_MS_MAX, err);
    }
    for (size_t i = 0; !rc && i < exchange->outcome_count; i++)
        rc = check_outcome(&exchange->outcomes[i], err);
    return rc;
}

/* 0 if the store may be asked. */
static int begin_trade(struct rv_trade *trade) {
    struct rv_exchange *exchange = trade->exchange;
    trade->got = (struct rv_exchanged){.due_in_ms = -1};
    trade->err = (struct rv_error){0};
    trade->rc = check_exchange(exchange, &trade->err);
    for (size_t i = 0; i < exchange->outcome_count; i++)
        exchange->outcomes[i].status = REEVE_OK;
    return trade->rc;
}

static void end_trade(struct rv_trade *trade) {
    struct rv_exchange *exchange = trade->exchange;
    if (!trade->rc) return;
    for (size_t i = 0; i < exchange->outcome_count; i++)
        exchange->outcomes[i].status = trade->rc;
    rv_exchanged_release(&trade->got);
}

int rv_store_exchange(struct rv_store *s, struct rv_exchange *exchange, struct rv_exchanged *out,
                      struct rv_error *err) {
    struct rv_trade trade = {.exchange = exchange};
    if (!begin_trade(&trade)) trade.rc = s->ops->exchange(s, exchange, &trade.got, &trade.err);
    end_trade(&trade);
    if (trade.rc && err) *err = trade.err;
    *out = trade.got;
    return trade.rc;
}

/* Arguments are our own: one that is wrong among several is made by itself, to be told so. */
void rv_store_exchange_all(struct rv_store *s, struct rv_trade *trades, size_t count) {
    bool at_once = s->ops->exchange_all && count > 1;
    for (size_t i = 0; i < count; i++)
        at_once = !begin_trade(&trades[i]) && at_once;
    if (at_once) s->ops->exchange_all(s, trades, count);
    for (size_t i = 0; i < count; i++) {
        struct rv_trade *trade = &trades[i];
        if (!at_once && !trade->rc)
            trade->rc = s->ops->exchange(s, trade->exchange, &trade->got, &trade->err);
        end_trade(trade);
    }
}

static void free_jobs(struct reeve_job **jobs, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(jobs[i]);
    free(jobs);
}

void rv_exchanged_release(struct rv_exchanged *exchanged) {
    free_jobs(exchanged->jobs, exchanged->count);
    *exchanged = (struct rv_exchanged){.due_in_ms = -1};
}

/* ---- leases ---- */
static int begin_renewing(struct rv_renewing *one) {
    one->marks = (struct rv_cancel_marks){0};
    one->err = (struct rv_error){0};
    one->rc = rv_check_name("queue", one->queue, &one->err);
    if (!one->rc) one->rc = check_count("claims", one->count, 1, RV_RENEW_MAX, &one->err);
    for (size_t i = 0; !one->rc && i < one->count; i++) {
        struct rv_renewal *claim = &one->claims[i];
        claim->lost = claim->missed = false;
        one->rc =
            check_range("lease", claim->lease_ms, RV_LEASE_MS_MIN, RV_LEASE_MS_MAX, &one->err);
    }
    return one->rc;
}

static void renew_one(struct rv_store *s, struct rv_renewing *one) {
    one->rc = s->ops->renew(s, one->queue, one->claims, one->count, one->timeout_ms, &one->marks,
                            &one->err);
}

static void end_renewing(struct rv_renewing *one) {
    if (!one->rc) return;
    free(one->marks.marks);
    one->marks = (struct rv_cancel_marks){0};
}

int rv_store_renew(struct rv_store *s, const char *queue, struct rv_renewal *claims, size_t count,
                   int64_t timeout_ms, struct rv_cancel_marks *marks, struct rv_error *err) {
    struct rv_renewing one = {
        .queue = queue, .claims = claims, .count = count, .timeout_ms = timeout_ms};
    if (!begin_renewing(&one)) renew_one(s, &one);
    end_renewing(&one);
    *marks = one.marks;
    if (one.rc && err) *err = one.err;
    return one.rc;
}

void rv_store_renew_all(struct rv_store *s, struct rv_renewing *all, size_t count) {
    bool at_once = s->ops->renew_all && count > 1;
    for (size_t i = 0; i < count; i++)
        at_once = !begin_renewing(&all[i]) && at_once;
    if (at_once) s->ops->renew_all(s, all, count);
    for (size_t i = 0; i < count; i++) {
        if (!at_once && !all[i].rc) renew_one(s, &all[i]);
        end_renewing(&all[i]);
    }
}

/* ---- upkeep ---- */
int rv_store_lapsed(struct rv_store *s, const char *queue, struct rv_lapsed *out,
                    struct rv_error *err) {
    *out = (struct rv_lapsed){.next_in_ms = -1};
    int rc = rv_check_name("queue", queue, err);
    if (!rc) rc = s->ops->lapsed(s, queue, out, err);
    if (rc) rv_lapsed_release(out);
    return rc;
}

void rv_lapsed_release(struct rv_lapsed *lapsed) {
    for (size_t i = 0; i < lapsed->count; i++)
        free(lapsed->jobs[i].job);
    free(lapsed->jobs);
    *lapsed = (struct rv_lapsed){.next_in_ms = -1};
}

int rv_store_tend(struct rv_store *s, const char *queue, struct rv_tended *out,
                  struct rv_error *err) {
    *out = (struct rv_tended){.next_in_ms = -1};
    int rc = rv_check_name("queue", queue, err);
    return rc ? rc : s->ops->tend(s, queue, out, err);
}

/* ---- one job ---- */
int rv_store_read(struct rv_store *s, const char *queue, const char *id, struct reeve_job **out,
                  struct rv_error *err) {
    return rv_store_read_within(s, queue, id, INT64_MAX, out, err);
}

int rv_store_read_within(struct rv_store *s, const char *queue, const char *id, int64_t timeout_ms,
                         struct reeve_job **out, struct rv_error *err) {
    *out = NULL;
    int rc = check_job_name(queue, id, err);
    if (!rc) rc = s->ops->read(s, queue, id, timeout_ms, out, err);
    if (!rc) return 0;
    free(*out);
    *out = NULL;
    return rc;
}

int rv_store_cancel(struct rv_store *s, const char *queue, const char *id, enum reeve_state *now,
                    struct rv_error *err) {
    int rc = check_job_name(queue, id, err);
    return rc ? rc : s->ops->cancel(s, queue, id, now, err);
}

int rv_store_revive(struct rv_store *s, const char *queue, const char *id, struct rv_error *err) {
    int rc = check_job_name(queue, id, err);
    return rc ? rc : s->ops->revive(s, queue, id, err);
}

int rv_store_remove(struct rv_store *s, const char *queue, const char *id, struct rv_error *err) {
    int rc = check_job_name(queue, id, err);
    return rc ? rc : s->ops->remove(s, queue, id, err);
}

int rv_store_keep(struct rv_store *s, const char *queue, const char *id, int64_t keep_ms,
                  struct rv_error *err) {
    int rc = check_job_name(queue, id, err);
    if (!rc) rc = check_range("keep", keep_ms, 1, RV_KEEP_MS_MAX, err);
    return rc ? rc : s->ops->keep(s, queue, id, keep_ms, err);
}

int rv_store_check(struct rv_store *s, const char *queue, const char *id, uint64_t token,
                   uint64_t holder, struct rv_error *err) {
    int rc = check_job_name(queue, id, err);
    return rc ? rc : s->ops->check(s, queue, id, token, holder, err);
}

int rv_store_note(struct rv_store *s, const char *queue, const struct rv_note *note,
                  struct rv_error *err) {
    int rc = check_job_name(queue, note->id, err);
    if (!rc) rc = check_range("progress", note->progress, -1, 100, err);
    if (!rc && note->line)
        rc = check_count("bytes of a line", strlen(note->line), 0, RV_LOG_LINE_MAX, err);
    if (!rc && note->progress < 0 && !note->line)
        rc = rv_fail(err, REEVE_EINVAL, "a note tells progress, a line or both");
    return rc ? rc : s->ops->note(s, queue, note, err);
}

/* ---- many jobs ---- */
int rv_store_purge(struct rv_store *s, const char *queue, enum reeve_state state, size_t *removed,
                   struct rv_error *err) {
    *removed = 0;
    int rc = rv_check_name("queue", queue, err);
    if (!rc) rc = check_range("state", state, REEVE_DELAYED, REEVE_CANCELLED, err);
    if (!rc && state == REEVE_RUNNING)
        rc = rv_fail(err, REEVE_EINVAL, "running jobs cannot be purged");
    return rc ? rc : s->ops->purge(s, queue, state, removed, err);
}

int rv_store_list(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
                  struct rv_error *err) {
    *out = (struct rv_jobs){0};
    int rc = rv_check_name("queue", query->queue, err);
    if (!rc && query->kind) rc = rv_check_name("kind", query->kind, err);
    if (!rc) rc = check_range("state", query->state, 0, REEVE_CANCELLED, err);
    if (!rc) rc = check_count("limit", query->limit, 1, RV_LIST_MAX, err);
    if (!rc && query->after) rc = rv_check_cursor(query->after, RV_CURSOR_SIZE, err);
    if (!rc) rc = s->ops->list(s, query, out, err);
    if (rc) rv_jobs_release(out);
    return rc;
}

void rv_jobs_release(struct rv_jobs *jobs) {
    free_jobs(jobs->jobs, jobs->count);
    *jobs = (struct rv_jobs){0};
}

/* ---- queues ---- */
int rv_store_queues(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                    struct rv_error *err) {
    *out = (struct rv_names){0};
    int rc = check_count("limit", limit, 1, RV_LIST_MAX, err);
    if (!rc) rc = s->ops->queues(s, after, limit, out, err);
    if (!rc) return 0;
    free(out->names);
    *out = (struct rv_names){0};
    return rc;
}

int rv_store_stats(struct rv_store *s, const char *queue, struct reeve_queue *out,
                   struct rv_error *err) {
    *out = (struct reeve_queue){.name = queue, .shards = 1};
    int rc = rv_check_name("queue", queue, err);
    return rc ? rc : s->ops->stats(s, queue, false, out, err);
}

int rv_store_stats_briefly(struct rv_store *s, const char *queue, struct reeve_queue *out,
                           struct rv_error *err) {
    *out = (struct reeve_queue){.name = queue, .shards = 1};
    int rc = rv_check_name("queue", queue, err);
    return rc ? rc : s->ops->stats(s, queue, true, out, err);
}

int rv_store_pause(struct rv_store *s, const char *queue, bool paused, struct rv_error *err) {
    int rc = rv_check_name("queue", queue, err);
    return rc ? rc : s->ops->pause(s, queue, paused, err);
}

int rv_store_set(struct rv_store *s, const char *queue, const struct reeve_queue_settings *settings,
                 struct rv_error *err) {
    int rc = rv_check_name("queue", queue, err);
    if (!rc)
        rc = check_range("max_length", settings->max_length, REEVE_NONE, RV_QUEUE_LENGTH_MAX, err);
    if (!rc) rc = check_range("on_full", settings->on_full, 0, REEVE_DROP_OLDEST, err);
    if (!rc)
        rc =
            check_range("keep_failed", settings->keep_failed, REEVE_NONE, RV_QUEUE_LENGTH_MAX, err);
    if (!rc) rc = check_range("shards", settings->shards, 0, RV_SHARDS_MAX, err);
    if (!rc && settings->shards > 1 && !(s->ops->caps & RV_CAP_SHARDS))
        rc = rv_fail(err, REEVE_ENOTSUP, "shards: %d: this store keeps a queue in one",
                     settings->shards);
    return rc ? rc : s->ops->set(s, queue, settings, err);
}

/* ---- workers ---- */
int rv_store_beat(struct rv_store *s, const struct rv_worker_row *worker, int64_t ttl_ms,
                  struct rv_error *err) {
    int rc = rv_check_id(worker->id, err);
    if (!rc) rc = check_range("time to live", ttl_ms, 1, RV_TIMEOUT_MS_MAX, err);
    return rc ? rc : s->ops->beat(s, worker, ttl_ms, err);
}

int rv_store_leave(struct rv_store *s, const char *worker_id, struct rv_error *err) {
    int rc = rv_check_id(worker_id, err);
    return rc ? rc : s->ops->leave(s, worker_id, err);
}

int rv_store_workers(struct rv_store *s, struct rv_workers *out, struct rv_error *err) {
    *out = (struct rv_workers){0};
    int rc = s->ops->workers(s, out, err);
    if (!rc) return 0;
    free(out->rows);
    *out = (struct rv_workers){0};
    return rc;
}

bool rv_store_is_patient(struct rv_store *s) {
    return s->ops->is_patient && s->ops->is_patient(s);
}

int rv_store_attend(struct rv_store *s, const struct rv_exchange *exchange, int64_t ms,
                    struct rv_exchanged *out, struct rv_error *err) {
    *out = (struct rv_exchanged){.due_in_ms = -1};
    return s->ops->attend ? s->ops->attend(s, exchange, ms, out, err) : 0;
}

int rv_store_stir(struct rv_store *s, const char *queue, uint64_t lane, struct rv_error *err) {
    return s->ops->stir ? s->ops->stir(s, queue, lane, err) : 0;
}

/* ---- waiting, events ---- */
static int check_watched(const char *queue, struct rv_error *err) {
    return queue && strcmp(queue, RV_NAMES) == 0 ? 0 : rv_check_name("queue", queue, err);
}

int rv_store_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
                  struct rv_error *err) {
    int rc = check_range("timeout", timeout_ms, 0, RV_TIMEOUT_MS_MAX, err);
    for (size_t i = 0; !rc && i < count; i++) {
        bells[i].ready = false;
        if (bells[i].told) continue;
        if (bells[i].group || bells[i].grant)
            rc = rv_check_name(bells[i].group ? "group" : "grant", bells[i].queue, err);
        else
            rc = check_watched(bells[i].queue, err);
    }
    return rc ? rc : s->ops->wait(s, bells, count, timeout_ms, err);
}

void rv_told_release(struct rv_list *told) {
    for (struct rv_list *link; (link = rv_list_pop(told)) != NULL;) {
        struct rv_told *end = rv_container_of(link, struct rv_told, link);
        free(end->job);
        free(end);
    }
}

int rv_store_box_take(struct rv_store *s, int64_t timeout_ms, struct rv_box **out,
                      struct rv_error *err) {
    *out = NULL;
    if (!s->ops->box_take) return rv_fail(err, REEVE_ENOTSUP, "ends are told to nobody alone");
    return s->ops->box_take(s, timeout_ms, out, err);
}

void rv_store_box_give(struct rv_store *s, struct rv_box *box, bool deaf) {
    if (box) s->ops->box_give(s, box, deaf);
}

int rv_store_box_attend(struct rv_store *s, struct rv_box *box, int64_t timeout_ms,
                        struct rv_list *told, struct rv_error *err) {
    return s->ops->box_attend(s, box, timeout_ms, told, err);
}

bool rv_store_failover(struct rv_store *s, uint64_t after, struct rv_failover *out) {
    out->number = 0;
    return s->ops->failover && s->ops->failover(s, after, out);
}

int rv_store_mend(struct rv_store *s, int64_t *again_in_ms, struct rv_error *err) {
    *again_in_ms = -1;
    return s->ops->mend ? s->ops->mend(s, again_in_ms, err) : 0;
}

void rv_store_wake(struct rv_store *s) {
    s->ops->wake(s);
}

int rv_store_announce(struct rv_store *s, const char *queue, const struct rv_announcement *news,
                      int64_t timeout_ms, struct rv_error *err) {
    int rc = check_watched(queue, err);
    if (!rc) rc = check_range("event", news->type, REEVE_WORKER_STARTED, REEVE_LEADER_LOST, err);
    return rc ? rc : s->ops->announce(s, queue, news, timeout_ms, err);
}

/* The events of leaders are of no queue, and have no job. */
static void tell_of_names(struct rv_events *out) {
    for (size_t i = 0; i < out->count; i++) {
        struct reeve_event *event = &out->events[i];
        event->leader = event->id;
        event->why = (enum reeve_lost)event->state;
        event->queue = event->id = "";
        event->state = 0;
    }
}

int rv_store_events(struct rv_store *s, const char *queue, uint64_t after, struct rv_events *out,
                    struct rv_error *err) {
    *out = (struct rv_events){.after = after};
    int rc = check_watched(queue, err);
    if (!rc) rc = s->ops->events(s, queue, after, out, err);
    if (!rc && strcmp(queue, RV_NAMES) == 0) tell_of_names(out);
    if (!rc) return 0;
    free(out->events);
    *out = (struct rv_events){.after = after};
    return rc;
}

/* ---- doctor ---- */
int rv_store_examine(struct rv_store *s, bool repair, struct rv_findings *out,
                     struct rv_error *err) {
    *out = (struct rv_findings){0};
    int rc = s->ops->examine(s, repair, out, err);
    if (!rc) return 0;
    free(out->findings);
    *out = (struct rv_findings){0};
    return rc;
}
