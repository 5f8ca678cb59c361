#include "store/fault.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/limits.h"

struct faulty {
    struct rv_around around;
    struct rv_fault_plan *plan;
};

void rv_fault_plan_init(struct rv_fault_plan *plan) {
    *plan = (struct rv_fault_plan){0};
    (void)pthread_mutex_init(&plan->lock, NULL);
}

void rv_fault_plan_release(struct rv_fault_plan *plan) {
    (void)pthread_mutex_destroy(&plan->lock);
}

void rv_fault_plan_add(struct rv_fault_plan *plan, struct rv_fault fault) {
    (void)pthread_mutex_lock(&plan->lock);
    assert(plan->count < RV_FAULTS_MAX);
    if (fault.nth == 0) fault.nth = 1;
    plan->faults[plan->count++] = fault;
    (void)pthread_mutex_unlock(&plan->lock);
}

void rv_fault_plan_clear(struct rv_fault_plan *plan) {
    (void)pthread_mutex_lock(&plan->lock);
    plan->count = 0;
    (void)pthread_mutex_unlock(&plan->lock);
}

uint64_t rv_fault_plan_calls(struct rv_fault_plan *plan, enum rv_op op) {
    uint64_t calls = 0;
    (void)pthread_mutex_lock(&plan->lock);
    for (size_t i = 1; i < RV_OP_COUNT; i++)
        if (op == 0 || op == i) calls += plan->calls[i];
    (void)pthread_mutex_unlock(&plan->lock);
    return calls;
}

static void forget(struct rv_fault_plan *plan, size_t i) {
    plan->count--;
    memmove(&plan->faults[i], &plan->faults[i + 1], (plan->count - i) * sizeof *plan->faults);
}

static bool is_meant(const struct rv_fault *fault, const struct rv_call *call) {
    if (fault->op && fault->op != call->op) return false;
    if (fault->again && !call->again) return false;
    return !fault->queue || (call->queue && !strcmp(fault->queue, call->queue));
}

/* What befalls this call, kind 0 if nothing. Every fault that matches counts it, whichever befalls
 * it. */
static struct rv_fault next_fault(struct rv_fault_plan *plan, const struct rv_call *call) {
    struct rv_fault found = {0};
    for (size_t i = 0; i < plan->count;) {
        struct rv_fault *fault = &plan->faults[i];
        bool matches = is_meant(fault, call);
        bool due = matches && fault->nth == 1;
        if (matches && !due) fault->nth--;
        if (due && !found.kind) found = *fault;
        if (due && !fault->for_ever)
            forget(plan, i);
        else
            i++;
    }
    return found;
}

static void sleep_ms(int64_t ms) {
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&left, &left))
        continue;
}

static int befall(struct rv_around *around, struct rv_call *call, struct rv_error *err) {
    struct rv_fault_plan *plan = ((struct faulty *)around)->plan; /* around is its head */
    (void)pthread_mutex_lock(&plan->lock);
    plan->calls[call->op]++;
    struct rv_fault fault = next_fault(plan, call);
    (void)pthread_mutex_unlock(&plan->lock);
    if (fault.kind == RV_FAULT_DELAY) sleep_ms(fault.delay_ms);
    if (fault.kind == RV_FAULT_DIE_BEFORE) (void)raise(SIGKILL);
    call->planned = (int)fault.kind;
    if (fault.kind != RV_FAULT_REFUSE) return 0;
    return rv_fail(err, REEVE_EUNREACHABLE, "%s: refused as planned", rv_op_name(call->op));
}

static int lose(struct rv_around *around, const struct rv_call *call, int rc,
                struct rv_error *err) {
    (void)around;
    if (call->planned == RV_FAULT_DIE_AFTER) (void)raise(SIGKILL);
    if (call->planned != RV_FAULT_LOSE) return rc;
    return rv_fail(err, REEVE_EUNSURE, "%s: answer lost as planned", rv_op_name(call->op));
}

/* ---- a store of which a part does not answer ---- */
static bool is_away_id(const char *id) {
    return !strncmp(id, RV_FAULT_AWAY, strlen(RV_FAULT_AWAY));
}

static bool is_away(const struct rv_outcome *outcome) {
    return is_away_id(outcome->id);
}

static int refuse_part(struct rv_store *inner, struct rv_exchange *exchange,
                       struct rv_exchanged *out, struct rv_error *err) {
    struct rv_outcome outcomes[RV_CLAIM_MAX];
    struct rv_exchange rest = *exchange;
    rest.outcomes = outcomes;
    rest.outcome_count = 0;
    for (size_t i = 0; i < exchange->outcome_count; i++)
        if (!is_away(&exchange->outcomes[i]))
            outcomes[rest.outcome_count++] = exchange->outcomes[i];
    int rc = inner->ops->exchange(inner, &rest, out, err);
    for (size_t i = 0, at = 0; i < exchange->outcome_count; i++) {
        struct rv_outcome *outcome = &exchange->outcomes[i];
        outcome->status = is_away(outcome) ? REEVE_EUNREACHABLE : outcomes[at++].status;
    }
    return rc;
}

static int lose_part(struct rv_store *inner, struct rv_exchange *exchange, struct rv_exchanged *out,
                     struct rv_error *err) {
    int rc = inner->ops->exchange(inner, exchange, out, err);
    for (size_t i = 0; i < exchange->outcome_count; i++)
        exchange->outcomes[i].status = REEVE_EUNSURE;
    rv_exchanged_release(out);
    out->more = exchange->want > 0;
    out->doubt = out->more ? 1 : 0;
    return rc;
}

static int exchange_in_part(struct rv_store *s, struct rv_exchange *exchange,
                            struct rv_exchanged *out, struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_EXCHANGE,
                           .queue = exchange->queue,
                           .given = exchange->outcome_count,
                           .again = exchange->doubt != 0};
    int rc = rv_around_begin(a, &call, err);
    if (!rc && exchange->in_part && call.planned == RV_FAULT_REFUSE_PART)
        rc = refuse_part(a->inner, exchange, out, err);
    else if (!rc && exchange->in_part && call.planned == RV_FAULT_LOSE_PART)
        rc = lose_part(a->inner, exchange, out, err);
    else if (!rc)
        rc = a->inner->ops->exchange(a->inner, exchange, out, err);
    if (!rc) call.got = out->count;
    return rv_around_end(a, &call, rc, err);
}

static int push_part(struct rv_store *inner, const char *queue, const struct rv_new_job *jobs,
                     size_t count, bool lose, struct rv_pushed *outs, struct rv_error *err) {
    int rc = 0;
    for (size_t i = 0; !rc && i < count; i++) {
        bool away = is_away_id(jobs[i].id);
        if (!away || lose)
            rc = inner->ops->push(inner, queue, &jobs[i], 1, INT64_MAX, &outs[i], err);
        if (!away) continue;
        free(outs[i].done);
        outs[i] = (struct rv_pushed){.error = lose ? REEVE_EUNSURE : REEVE_EUNREACHABLE};
    }
    return rc;
}

static int push_in_part(struct rv_store *s, const char *queue, const struct rv_new_job *jobs,
                        size_t count, int64_t timeout_ms, struct rv_pushed *outs,
                        struct rv_error *err) {
    struct rv_around *a = rv_around_of(s);
    struct rv_call call = {.op = RV_OP_PUSH, .queue = queue, .given = count};
    int rc = rv_around_begin(a, &call, err);
    bool lose = call.planned == RV_FAULT_LOSE_PART;
    if (!rc && (lose || call.planned == RV_FAULT_REFUSE_PART))
        rc = push_part(a->inner, queue, jobs, count, lose, outs, err);
    else if (!rc)
        rc = a->inner->ops->push(a->inner, queue, jobs, count, timeout_ms, outs, err);
    return rv_around_end(a, &call, rc, err);
}

/* Each is planned for by itself. */
static void exchange_all(struct rv_store *s, struct rv_trade *trades, size_t count) {
    for (size_t i = 0; i < count; i++)
        trades[i].rc = exchange_in_part(s, trades[i].exchange, &trades[i].got, &trades[i].err);
}

int rv_fault_open(struct rv_store **out, struct rv_store *inner, struct rv_fault_plan *plan,
                  struct rv_error *err) {
    struct faulty *faulty = malloc(sizeof *faulty);
    if (!faulty) return rv_fail(err, REEVE_ENOMEM, "open a store that fails");
    rv_around_init(&faulty->around, inner);
    faulty->around.before = befall;
    faulty->around.after = lose;
    faulty->around.ops.push = push_in_part;
    faulty->around.ops.exchange = exchange_in_part;
    faulty->around.ops.exchange_all = exchange_all;
    faulty->around.ops.caps |= RV_CAP_AT_ONCE; /* so that tests see it with any store */
    faulty->plan = plan;
    *out = &faulty->around.base;
    return 0;
}
