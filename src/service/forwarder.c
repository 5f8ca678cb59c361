#include "service/forwarder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/signal.h"
#include "base/thread.h"
#include "core/limits.h"
#include "core/parcel.h"
#include "core/step.h"
#include "service/upkeep.h"

enum {
    RETRY_MS = 100, /* after a failure, doubled each time */
    RETRY_MS_MAX = 5000,
    IDLE_MS = 30000, /* nothing waits: others may have left something */
    LEASE_MS = 60000,
};

/* One claim of pushes, and what becomes of each. */
struct round {
    struct rv_service *service;
    struct rv_store *file, *target;
    const char *queue; /* of the file */
    struct rv_forwarded *done;
    uint64_t holder;
    struct rv_exchanged claimed;

    size_t count; /* of those that could be read, in the order of their queues */
    size_t places[RV_CLAIM_MAX];
    struct rv_new_job jobs[RV_CLAIM_MAX];
    struct rv_pushed outs[RV_CLAIM_MAX];

    struct rv_parcel parcels[RV_CLAIM_MAX]; /* by place, as are the rest */
    int errors[RV_CLAIM_MAX];
    struct reeve_failure failures[RV_CLAIM_MAX];
    struct rv_outcome outcomes[RV_CLAIM_MAX];
};

/* ---- claiming ---- */

static int claim(struct round *round, struct rv_error *err) {
    round->holder = rv_random_nonzero(&rv_random_system);
    struct rv_exchange exchange = {
        .queue = round->queue,
        .timeout_ms = round->service->timeout_ms,
        .want = RV_CLAIM_MAX,
        .holder = round->holder,
        .lease_ms = LEASE_MS,
        .worker = round->service->name,
    };
    return rv_store_exchange(round->file, &exchange, &round->claimed, err);
}

static void unpack(struct round *round) {
    struct rv_push_place order[RV_CLAIM_MAX];
    round->count = 0;
    for (size_t i = 0; i < round->claimed.count; i++) {
        const struct reeve_job *job = round->claimed.jobs[i];
        struct rv_bytes bytes = {job->body, job->body_size};
        round->errors[i] = rv_parcel_read(bytes, &round->parcels[i], NULL);
        if (!round->errors[i])
            order[round->count++] = (struct rv_push_place){round->parcels[i].job.queue, i};
    }
    rv_step_sort(order, round->count); /* claimed as they were pushed */
    for (size_t i = 0; i < round->count; i++) {
        round->places[i] = order[i].place;
        round->jobs[i] = round->parcels[order[i].place].job;
    }
}

/* ---- pushing ---- */

/* 0, or the error of one that is to be tried again as it is: the store is away, or no memory. */
static int push_step(struct round *round, size_t from, size_t count, struct rv_error *err) {
    struct rv_new_job *jobs = round->jobs + from;
    struct rv_pushed *outs = round->outs + from;
    int again = 0;
    (void)rv_store_push(round->target, jobs->queue, jobs, count, outs, err);
    for (size_t i = 0; i < count; i++) {
        round->errors[round->places[from + i]] = outs[i].error;
        if (reeve_retriable(outs[i].error)) again = outs[i].error;
        free(outs[i].done);
        outs[i].done = NULL;
    }
    return again;
}

/* A refusal of all may be the fault of one: each then goes alone. */
static int push_apart(struct round *round, size_t from, size_t count, struct rv_error *err) {
    int again = push_step(round, from, count, err);
    if (again || count == 1 || !round->outs[from].error) return again;
    for (size_t i = from; !again && i < from + count; i++)
        again = push_step(round, i, 1, err);
    return again;
}

/* Once the store is away, the rest is not tried. */
static int push_all(struct round *round, struct rv_error *err) {
    struct rv_push_step most = rv_store_push_step(round->target);
    size_t from = 0;
    int away = 0;
    for (size_t count; !away && from < round->count; from += count) {
        count = rv_step_size(round->jobs + from, round->count - from, most);
        away = push_apart(round, from, count, err);
    }
    for (; from < round->count; from++)
        round->errors[round->places[from]] = away;
    return away;
}

/* ---- handing in ---- */

/* What was not heard of, or what there was no memory for, is not the push's fault. What is not
 * right will not be so the next time. The rest may be. */
static enum rv_ending ending_of(int error) {
    if (!error) return RV_SUCCEEDED;
    if (reeve_retriable(error)) return RV_HANDED_BACK;
    bool for_ever = error == REEVE_EINVAL || error == REEVE_ETOOBIG || error == REEVE_ECORRUPT;
    return for_ever ? RV_GIVEN_UP : RV_FAILED_ATTEMPT;
}

static void tell(struct round *round, size_t i, enum rv_ending ending) {
    const struct rv_new_job *job = &round->parcels[i].job;
    bool refused = ending == RV_GIVEN_UP;
    char id[RV_QUOTED_SIZE];
    round->done->forwarded += ending == RV_SUCCEEDED;
    round->done->put_off += ending == RV_FAILED_ATTEMPT;
    round->done->refused += refused;
    if (!refused && (ending != RV_FAILED_ATTEMPT || round->claimed.jobs[i]->attempt > 1)) return;
    rv_log(&round->service->log, refused ? REEVE_LOG_ERROR : REEVE_LOG_WARN,
           refused ? "spool.refused" : "spool.put_off", "queue=%s id=%s error=%s",
           job->queue ? job->queue : "", rv_log_quote(id, job->id ? job->id : ""),
           reeve_errname(round->errors[i]));
}

static int judge(struct round *round, size_t i) {
    enum rv_ending ending = ending_of(round->errors[i]);
    round->failures[i] = (struct reeve_failure){.message = reeve_strerror(round->errors[i]),
                                                .code = reeve_errname(round->errors[i])};
    bool failed = ending == RV_FAILED_ATTEMPT || ending == RV_GIVEN_UP;
    struct rv_report report = {
        .ending = ending,
        .error = failed ? &round->failures[i] : NULL,
        .ended_at_ms = rv_store_now_ms(round->file),
    };
    return rv_outcome_judge(round->claimed.jobs[i], round->holder, &report, &rv_random_system,
                            &round->outcomes[i]);
}

/* Whatever does not come to be handed in lapses, and is forwarded once more: that is harmless. */
static int hand_in(struct round *round, struct rv_error *err) {
    struct rv_exchanged none = {0};
    size_t judged = 0;
    while (judged < round->claimed.count && !judge(round, judged))
        judged++;
    struct rv_exchange exchange = {.queue = round->queue,
                                   .timeout_ms = round->service->timeout_ms,
                                   .outcomes = round->outcomes,
                                   .outcome_count = judged};
    int rc = judged < round->claimed.count ? rv_fail(err, REEVE_ENOMEM, "out of memory") : 0;
    if (judged) {
        int given = rv_store_exchange(round->file, &exchange, &none, err);
        if (given) rc = given;
    }
    for (size_t i = 0; i < judged; i++) {
        if (!round->outcomes[i].status) tell(round, i, round->outcomes[i].ending);
        rv_outcome_release(&round->outcomes[i]);
    }
    rv_exchanged_release(&none);
    return rc;
}

/* ---- a pass ---- */

static int run_round(struct round *round, struct rv_error *err) {
    int rc = claim(round, err);
    if (rc || !round->claimed.count) return rc;
    unpack(round);
    int away = push_all(round, err);
    struct rv_error given_err = {0};
    rc = hand_in(round, &given_err);
    if (away) return away;
    return rc ? rv_fail(err, rc, "%s", given_err.text) : 0;
}

/* Before anything is claimed: while the store is away the file is left alone. */
static int is_there(struct rv_store *target, struct rv_error *err) {
    struct rv_names names = {0};
    int rc = rv_store_queues(target, NULL, 1, &names, err);
    free(names.names);
    return rc;
}

/* Pushes whose forwarder died are ready again. */
static int tend_file(struct rv_service *service, struct rv_store *file, const atomic_bool *stopping,
                     struct rv_error *err) {
    struct rv_upkept done;
    return rv_upkeep_pass(file, &service->log, service->timeout_ms, stopping, &done, err);
}

static int run_rounds(struct round *round, const atomic_bool *stopping, struct rv_error *err) {
    int rc = tend_file(round->service, round->file, stopping, err);
    if (!rc) rc = is_there(round->target, err);
    bool more = true;
    while (!rc && more && !(stopping && atomic_load(stopping))) {
        rc = run_round(round, err);
        more = round->claimed.count > 0;
        rv_exchanged_release(&round->claimed);
    }
    return rc;
}

int rv_forwarder_pass(struct rv_service *service, struct rv_spool *spool,
                      const atomic_bool *stopping, struct rv_forwarded *out, struct rv_error *err) {
    struct rv_store *file;
    struct reeve_queue queue = {0};
    *out = (struct rv_forwarded){0};
    int rc = rv_spool_file(spool, &file, err);
    if (!rc) rc = rv_store_stats(file, rv_spool_queue(spool), &queue, err);
    if (rc == REEVE_ENOENT) rc = 0; /* which was never pushed to */
    if (!rc && queue.ready + queue.delayed + queue.running) {
        struct round *round = calloc(1, sizeof *round);
        if (!round) return rv_fail(err, REEVE_ENOMEM, "no memory to forward pushes");
        round->service = service;
        round->file = file;
        round->target = rv_spool_target(spool);
        round->queue = rv_spool_queue(spool);
        round->done = out;
        rc = run_rounds(round, stopping, err);
        free(round);
        if (!rc) rc = rv_store_stats(file, rv_spool_queue(spool), &queue, err);
    }
    if (!rc && !queue.ready && !queue.running) rv_spool_emptied(spool);
    return rc;
}

/* ---- the thread ---- */

struct rv_forwarder {
    struct rv_service *service;
    struct rv_spool *spool;
    atomic_bool stopping;
    atomic_bool away; /* many pushes are then no reason to ask the store more often */
    struct rv_signal signal;
    pthread_t thread;
};

static void tell_pass(const struct rv_forwarder *f, const struct rv_forwarded *done) {
    if (!done->forwarded) return;
    rv_log(&f->service->log, REEVE_LOG_INFO, "spool.forwarded", "count=%" PRIu64, done->forwarded);
}

/* What is put off, or being forwarded by another, is looked at again soon. */
static int64_t next_look_ms(const struct rv_forwarder *f) {
    struct rv_store *file;
    struct reeve_queue queue = {0};
    if (rv_spool_file(f->spool, &file, NULL)) return RETRY_MS_MAX;
    if (rv_store_stats(file, rv_spool_queue(f->spool), &queue, NULL)) return IDLE_MS;
    if (queue.ready) return 0;
    return queue.delayed + queue.running ? RETRY_MS_MAX : IDLE_MS;
}

/* After failures in a row, with jitter. */
static int64_t retry_ms(int failures) {
    int64_t ms = RETRY_MS_MAX;
    if (failures < 6) ms = (int64_t)RETRY_MS << failures;
    return ms / 2 + rv_random_below(&rv_random_system, ms / 2);
}

static void *forward(void *arg) {
    struct rv_forwarder *f = arg;
    int failures = 0;
    while (!atomic_load(&f->stopping)) {
        struct rv_forwarded done;
        struct rv_error err = {0};
        int rc = rv_forwarder_pass(f->service, f->spool, &f->stopping, &done, &err);
        tell_pass(f, &done);
        failures = rc ? failures + 1 : 0;
        atomic_store(&f->away, rc != 0); /* before the look: what comes after it wakes us */
        if (rc) (void)rv_signal_wait(&f->signal, 0);
        if (atomic_load(&f->stopping)) break;
        (void)rv_signal_wait(&f->signal, rc ? retry_ms(failures) : next_look_ms(f));
    }
    return NULL;
}

int rv_forwarder_start(struct rv_forwarder **out, struct rv_service *service,
                       struct rv_spool *spool, struct rv_error *err) {
    struct rv_forwarder *f = calloc(1, sizeof *f);
    if (!f || rv_signal_init(&f->signal)) {
        free(f);
        return rv_fail(err, REEVE_ENOMEM, "no memory for a forwarder");
    }
    f->service = service;
    f->spool = spool;
    if (rv_thread_start(&f->thread, forward, f)) {
        rv_signal_release(&f->signal);
        free(f);
        return rv_fail(err, REEVE_ENOMEM, "cannot start the forwarder's thread");
    }
    *out = f;
    return 0;
}

void rv_forwarder_wake(struct rv_forwarder *forwarder) {
    if (!atomic_load(&forwarder->away)) rv_signal_raise(&forwarder->signal, 1);
}

void rv_forwarder_stop(struct rv_forwarder *f) {
    if (!f) return;
    atomic_store(&f->stopping, true);
    rv_signal_raise(&f->signal, 1);
    (void)pthread_join(f->thread, NULL);
    rv_signal_release(&f->signal);
    free(f);
}
