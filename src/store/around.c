#include "store/around.h"

#include <stdlib.h>
#include <time.h>

#include "base/list.h"

const char *rv_op_name(enum rv_op op) {
    static const char *const names[RV_OP_COUNT] = {
        [RV_OP_PUSH] = "push",
        [RV_OP_EXCHANGE] = "exchange",
        [RV_OP_RENEW] = "renew",
        [RV_OP_LAPSED] = "lapsed",
        [RV_OP_TEND] = "tend",
        [RV_OP_READ] = "read",
        [RV_OP_CANCEL] = "cancel",
        [RV_OP_REVIVE] = "revive",
        [RV_OP_REMOVE] = "remove",
        [RV_OP_KEEP] = "keep",
        [RV_OP_CHECK] = "check",
        [RV_OP_NOTE] = "note",
        [RV_OP_PURGE] = "purge",
        [RV_OP_LIST] = "list",
        [RV_OP_QUEUES] = "queues",
        [RV_OP_STATS] = "stats",
        [RV_OP_PAUSE] = "pause",
        [RV_OP_SET] = "set",
        [RV_OP_BEAT] = "beat",
        [RV_OP_LEAVE] = "leave",
        [RV_OP_WORKERS] = "workers",
        [RV_OP_WAIT] = "wait",
        [RV_OP_BOX_TAKE] = "box_take",
        [RV_OP_BOX_ATTEND] = "box_attend",
        [RV_OP_ANNOUNCE] = "announce",
        [RV_OP_EVENTS] = "events",
        [RV_OP_MEND] = "mend",
        [RV_OP_EXAMINE] = "examine",
        [RV_OP_GRANT_TAKE] = "grant_take",
        [RV_OP_GRANT_RENEW] = "grant_renew",
        [RV_OP_GRANT_RELEASE] = "grant_release",
        [RV_OP_GRANT_CHECK] = "grant_check",
        [RV_OP_GRANT_RESIGN] = "grant_resign",
        [RV_OP_GRANTS] = "grants",
        [RV_OP_STREAM_OFFER] = "stream_offer",
        [RV_OP_STREAM_TAKE] = "stream_take",
        [RV_OP_STREAM_RENEW] = "stream_renew",
        [RV_OP_STREAM_END] = "stream_end",
        [RV_OP_STREAM_YIELD] = "stream_yield",
        [RV_OP_STREAM_RECALL] = "stream_recall",
        [RV_OP_STREAM_RECOVER] = "stream_recover",
        [RV_OP_STREAM_CLAIM] = "stream_claim",
        [RV_OP_STREAM_LIST] = "stream_list",
        [RV_OP_STREAM_READ] = "stream_read",
        [RV_OP_STREAM_GROUPS] = "stream_groups",
        [RV_OP_STREAM_STATS] = "stream_stats",
        [RV_OP_STREAM_LETTERS] = "stream_letters",
        [RV_OP_STREAM_REVIVE] = "stream_revive",
        [RV_OP_STREAM_PURGE] = "stream_purge",
        [RV_OP_STREAM_BEAT] = "stream_beat",
        [RV_OP_STREAM_MEMBERS] = "stream_members",
        [RV_OP_STREAM_RESET] = "stream_reset",
    };
    return names[op];
}

int64_t rv_around_now_us(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

struct rv_around *rv_around_of(struct rv_store *s) {
    return rv_container_of(s, struct rv_around, base);
}

int rv_around_begin(struct rv_around *around, struct rv_call *call, struct rv_error *err) {
    call->began_us = rv_around_now_us();
    return around->before(around, call, err);
}

int rv_around_end(struct rv_around *around, const struct rv_call *call, int rc,
                  struct rv_error *err) {
    return around->after(around, call, rc, err);
}

/* ---- the calls: begin, pass on, end ---- */
static int around_push(struct rv_store *s, const char *queue, const struct rv_new_job *jobs,
                       size_t count, int64_t timeout_ms, struct rv_pushed *outs,
                       struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_PUSH, .queue = queue, .given = count};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->push(a->inner, queue, jobs, count, timeout_ms, outs, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_exchange(struct rv_store *s, struct rv_exchange *exchange,
                           struct rv_exchanged *out, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {
        .op = RV_OP_EXCHANGE, .queue = exchange->queue, .given = exchange->outcome_count};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->exchange(a->inner, exchange, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

/* The hooks see each of them. Those that are let through are made at once, behind what is told now
 * in their place: trades keep their order. */
static void around_exchange_all(struct rv_store *s, struct rv_trade *trades, size_t count) {
    struct rv_around *a = rv_around_of(s);
    struct rv_trade *passed = calloc(count, sizeof *passed);
    struct rv_call *calls = calloc(count, sizeof *calls);
    size_t let = 0;
    for (size_t i = 0; i < count; i++) {
        struct rv_trade *trade = &trades[i];
        if (!passed || !calls) {
            trade->rc = rv_fail(&trade->err, REEVE_ENOMEM, "out of memory");
            continue;
        }
        calls[i] = (struct rv_call){.op = RV_OP_EXCHANGE,
                                    .queue = trade->exchange->queue,
                                    .given = trade->exchange->outcome_count};
        trade->rc = rv_around_begin(a, &calls[i], &trade->err);
        if (!trade->rc) passed[let++].exchange = trade->exchange;
    }
    if (let) rv_store_exchange_all(a->inner, passed, let);
    for (size_t i = 0, at = 0; calls && passed && i < count; i++) {
        struct rv_trade *trade = &trades[i];
        if (!trade->rc) *trade = passed[at++];
        calls[i].got = trade->got.count;
        trade->rc = rv_around_end(a, &calls[i], trade->rc, &trade->err);
    }
    free(calls);
    free(passed);
}

static int around_renew(struct rv_store *s, const char *queue, struct rv_renewal *claims,
                        size_t count, int64_t timeout_ms, struct rv_cancel_marks *marks,
                        struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_RENEW, .queue = queue, .given = count};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->renew(a->inner, queue, claims, count, timeout_ms, marks, err);
    if (!rc) call.got = marks->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_lapsed(struct rv_store *s, const char *queue, struct rv_lapsed *out,
                         struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_LAPSED, .queue = queue};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->lapsed(a->inner, queue, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_tend(struct rv_store *s, const char *queue, struct rv_tended *out,
                       struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_TEND, .queue = queue};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->tend(a->inner, queue, out, err);
    if (!rc) call.got = out->promoted + out->expired;
    return rv_around_end(a, &call, rc, err);
}

static int around_read(struct rv_store *s, const char *queue, const char *id, int64_t timeout_ms,
                       struct reeve_job **out, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_READ, .queue = queue, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->read(a->inner, queue, id, timeout_ms, out, err);
    if (!rc) call.got = *out != NULL;
    return rv_around_end(a, &call, rc, err);
}

static int around_cancel(struct rv_store *s, const char *queue, const char *id,
                         enum reeve_state *now, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_CANCEL, .queue = queue, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->cancel(a->inner, queue, id, now, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_revive(struct rv_store *s, const char *queue, const char *id,
                         struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_REVIVE, .queue = queue, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->revive(a->inner, queue, id, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_remove(struct rv_store *s, const char *queue, const char *id,
                         struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_REMOVE, .queue = queue, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->remove(a->inner, queue, id, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_keep(struct rv_store *s, const char *queue, const char *id, int64_t keep_ms,
                       struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_KEEP, .queue = queue, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->keep(a->inner, queue, id, keep_ms, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_check(struct rv_store *s, const char *queue, const char *id, uint64_t token,
                        uint64_t holder, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_CHECK, .queue = queue, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->check(a->inner, queue, id, token, holder, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_note(struct rv_store *s, const char *queue, const struct rv_note *note,
                       struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_NOTE, .queue = queue, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->note(a->inner, queue, note, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_purge(struct rv_store *s, const char *queue, enum reeve_state state,
                        size_t *removed, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_PURGE, .queue = queue};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->purge(a->inner, queue, state, removed, err);
    if (!rc) call.got = *removed;
    return rv_around_end(a, &call, rc, err);
}

static int around_list(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
                       struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_LIST, .queue = query->queue};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->list(a->inner, query, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_queues(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                         struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_QUEUES};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->queues(a->inner, after, limit, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_stats(struct rv_store *s, const char *queue, bool brief, struct reeve_queue *out,
                        struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_STATS, .queue = queue};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->stats(a->inner, queue, brief, out, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_pause(struct rv_store *s, const char *queue, bool paused, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_PAUSE, .queue = queue};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->pause(a->inner, queue, paused, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_set(struct rv_store *s, const char *queue,
                      const struct reeve_queue_settings *settings, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_SET, .queue = queue};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->set(a->inner, queue, settings, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_beat(struct rv_store *s, const struct rv_worker_row *worker, int64_t ttl_ms,
                       struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_BEAT, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->beat(a->inner, worker, ttl_ms, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_leave(struct rv_store *s, const char *worker_id, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_LEAVE, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->leave(a->inner, worker_id, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_workers(struct rv_store *s, struct rv_workers *out, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_WORKERS};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->workers(a->inner, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_grant_take(struct rv_store *s, const struct rv_grant_ask *ask, int64_t timeout_ms,
                             struct rv_grant_answer *out, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_GRANT_TAKE, .queue = ask->name, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->grant_take(a->inner, ask, timeout_ms, out, err);
    if (!rc) call.got = out->token != 0;
    return rv_around_end(a, &call, rc, err);
}

static int around_grant_renew(struct rv_store *s, struct rv_grant_renewal *renewals, size_t count,
                              int64_t timeout_ms, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_GRANT_RENEW, .given = count};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->grant_renew(a->inner, renewals, count, timeout_ms, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_grant_release(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                                uint64_t holder, int64_t timeout_ms, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_GRANT_RELEASE, .queue = name, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->grant_release(a->inner, kind, name, holder, timeout_ms, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_grant_check(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                              uint64_t token, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_GRANT_CHECK, .queue = name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->grant_check(a->inner, kind, name, token, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_grant_resign(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                               struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_GRANT_RESIGN, .queue = name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->grant_resign(a->inner, kind, name, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_grants(struct rv_store *s, const struct rv_grants_query *query,
                         struct rv_grants *out, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_GRANTS, .queue = query->name};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->grants(a->inner, query, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
                       struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_WAIT, .given = count};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->wait(a->inner, bells, count, timeout_ms, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_box_take(struct rv_store *s, int64_t timeout_ms, struct rv_box **out,
                           struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_BOX_TAKE};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->box_take(a->inner, timeout_ms, out, err);
    if (!rc) call.got = 1;
    rc = rv_around_end(a, &call, rc, err);
    if (!rc || !call.got) return rc;
    a->inner->ops->box_give(a->inner, *out, true); /* nobody is told that he has it */
    *out = NULL;
    return rc;
}

static int around_box_attend(struct rv_store *s, struct rv_box *box, int64_t timeout_ms,
                             struct rv_list *told, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_BOX_ATTEND};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->box_attend(a->inner, box, timeout_ms, told, err);
    if (!rc) call.got = !rv_list_empty(told);
    return rv_around_end(a, &call, rc, err);
}

static int around_announce(struct rv_store *s, const char *queue,
                           const struct rv_announcement *news, int64_t timeout_ms,
                           struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_ANNOUNCE, .queue = queue, .given = 1};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->announce(a->inner, queue, news, timeout_ms, err);
    return rv_around_end(a, &call, rc, err);
}

static int around_events(struct rv_store *s, const char *queue, uint64_t after,
                         struct rv_events *out, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_EVENTS, .queue = queue};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->events(a->inner, queue, after, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int around_examine(struct rv_store *s, bool repair, struct rv_findings *out,
                          struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_EXAMINE};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = a->inner->ops->examine(a->inner, repair, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

/* ---- what is passed on unseen ---- */
static int64_t around_now_ms(const struct rv_store *s) {
    const struct rv_around *a = (const struct rv_around *)(const void *)s; /* base is its head */
    return rv_store_now_ms(a->inner);
}

static bool around_failover(struct rv_store *s, uint64_t after, struct rv_failover *out) {
    return rv_store_failover(rv_around_of(s)->inner, after, out);
}

static int around_mend(struct rv_store *s, int64_t *again_in_ms, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_MEND};
    int rc = rv_around_begin(a, &call, err);
    if (!rc) rc = rv_store_mend(a->inner, again_in_ms, err);
    return rv_around_end(a, &call, rc, err);
}

static bool around_is_patient(struct rv_store *s) {
    return rv_store_is_patient(rv_around_of(s)->inner);
}

static int around_attend(struct rv_store *s, const struct rv_exchange *exchange, int64_t ms,
                         struct rv_exchanged *out, struct rv_error *err) {
    return rv_store_attend(rv_around_of(s)->inner, exchange, ms, out, err);
}

static int around_stir(struct rv_store *s, const char *queue, uint64_t lane, struct rv_error *err) {
    return rv_store_stir(rv_around_of(s)->inner, queue, lane, err);
}

static void around_box_give(struct rv_store *s, struct rv_box *box, bool deaf) {
    rv_store_box_give(rv_around_of(s)->inner, box, deaf);
}

static void around_wake(struct rv_store *s) {
    rv_store_wake(rv_around_of(s)->inner);
}

static void around_close(struct rv_store *s) {
    struct rv_around *a = rv_around_of(s);
    rv_store_close(a->inner);
    free(a);
}

static int go_on(struct rv_around *around, struct rv_call *call, struct rv_error *err) {
    (void)around, (void)call, (void)err;
    return 0;
}

static int as_it_is(struct rv_around *around, const struct rv_call *call, int rc,
                    struct rv_error *err) {
    (void)around, (void)call, (void)err;
    return rc;
}

void rv_around_init(struct rv_around *around, struct rv_store *inner) {
    *around = (struct rv_around){.inner = inner, .before = go_on, .after = as_it_is};
    around->ops = (struct rv_store_ops){
        .caps = inner->ops->caps,
        .push_step = inner->ops->push_step,
        .open = inner->ops->open,
        .close = around_close,
        .now_ms = around_now_ms,
        .push = around_push,
        .exchange = around_exchange,
        .is_patient = around_is_patient,
        .attend = around_attend,
        .stir = around_stir,
        .exchange_all = inner->ops->exchange_all ? around_exchange_all : NULL,
        .renew = around_renew,
        .lapsed = around_lapsed,
        .tend = around_tend,
        .read = around_read,
        .cancel = around_cancel,
        .revive = around_revive,
        .remove = around_remove,
        .keep = around_keep,
        .check = around_check,
        .note = around_note,
        .purge = around_purge,
        .list = around_list,
        .queues = around_queues,
        .stats = around_stats,
        .pause = around_pause,
        .set = around_set,
        .beat = around_beat,
        .leave = around_leave,
        .workers = around_workers,
        .grant_take = around_grant_take,
        .grant_renew = around_grant_renew,
        .grant_release = around_grant_release,
        .grant_check = around_grant_check,
        .grant_resign = around_grant_resign,
        .grants = around_grants,
        .streams = inner->ops->streams ? &rv_around_streams : NULL,
        .wait = around_wait,
        .box_take = inner->ops->box_take ? around_box_take : NULL,
        .box_give = around_box_give,
        .box_attend = around_box_attend,
        .announce = around_announce,
        .events = around_events,
        .failover = around_failover,
        .mend = around_mend,
        .examine = around_examine,
        .wake = around_wake,
    };
    around->base.ops = &around->ops;
}
