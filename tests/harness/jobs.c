#include "harness/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/state.h"
#include "harness/eventually.h"

/* ---- push ---- */
struct rv_new_job new_job(struct fixture *f, const char *id) {
    return (struct rv_new_job){
        .queue = f->queue,
        .kind = "default",
        .id = id,
        .nonce = rv_random_nonzero(&rv_random_system),
        .body = {.data = id, .size = strlen(id)},
        .policy = {.attempts_max = 3,
                   .backoff = REEVE_FIXED,
                   .backoff_ms = RETRY_MS,
                   .backoff_ms_max = RETRY_MS,
                   .keep_ms = KEEP_MS},
    };
}

/* Whether it is known of each what became of it. */
static bool push_once(struct fixture *f, const struct rv_new_job *jobs, size_t count,
                      struct rv_pushed *outs) {
    bool sure = true;
    CHECK_CALL(f, rv_store_push(handle(f), f->queue, jobs, count, outs, &f->err));
    for (size_t i = 0; i < count; i++) {
        (void)adopt(f, outs[i].done);
        if (outs[i].error == REEVE_EUNSURE) sure = false;
    }
    return sure;
}

/* On a busy machine a server may answer too late: what is unsure is repeated as it stands (J7). */
static void push_step(struct fixture *f, const struct rv_new_job *jobs, size_t count,
                      struct rv_pushed *outs) {
    int64_t until_ms = elapsed_ms() + CALL_MS;
    while (!push_once(f, jobs, count, outs) && elapsed_ms() < until_ms)
        continue;
    for (size_t i = 0; i < count; i++) {
        CHECK_OK(outs[i].error);
        if (outs[i].status == REEVE_QUEUED) f->expected.pushed++;
    }
}

struct rv_pushed push_job(struct fixture *f, const struct rv_new_job *job) {
    struct rv_pushed out;
    push_step(f, job, 1, &out);
    return out;
}

struct rv_pushed push(struct fixture *f, const char *id) {
    struct rv_new_job job = new_job(f, id);
    return push_job(f, &job);
}

struct rv_pushed push_delayed(struct fixture *f, const char *id, int64_t delay_ms) {
    struct rv_new_job job = new_job(f, id);
    job.delay_ms = delay_ms;
    return push_job(f, &job);
}

struct rv_pushed push_urgent(struct fixture *f, const char *id, int priority) {
    struct rv_new_job job = new_job(f, id);
    job.priority = priority;
    return push_job(f, &job);
}

struct many {
    struct rv_new_job jobs[RV_PUSH_MAX];
    struct rv_pushed outs[RV_PUSH_MAX];
    char ids[RV_PUSH_MAX][REEVE_ID_SIZE];
};

void push_many(struct fixture *f, const char *prefix, size_t count,
               void (*change)(struct rv_new_job *job)) {
    struct many *many = adopt(f, malloc(sizeof *many));
    CHECK(many);
    for (size_t done = 0, step; done < count; done += step) {
        step = count - done < RV_PUSH_MAX ? count - done : RV_PUSH_MAX;
        for (size_t i = 0; i < step; i++) {
            (void)snprintf(many->ids[i], sizeof many->ids[i], "%s%zu", prefix, done + i);
            many->jobs[i] = new_job(f, many->ids[i]);
            if (change) change(&many->jobs[i]);
        }
        push_step(f, many->jobs, step, many->outs);
        for (size_t i = 0; i < step; i++)
            CHECK_INT(many->outs[i].status, REEVE_QUEUED);
    }
}

/* ---- claim ---- */
struct rv_exchange claim_request(struct fixture *f, const char *worker, size_t want) {
    return (struct rv_exchange){
        .queue = f->queue,
        .timeout_ms = CALL_MS,
        .want = want,
        .holder = rv_random_nonzero(&rv_random_system),
        .lease_ms = LEASE_MS,
        .worker = worker,
    };
}

unsigned shard_of(const struct fixture *f, const struct claimed *claimed) {
    return f->shards > 1 ? (unsigned)(claimed->got.token % REEVE_SHARDS_MAX) : 0;
}

static void check_grown(struct fixture *f, const struct claimed *claimed) { /* J4 */
    if (strcmp(claimed->queue, "jobs") != 0) return;
    uint64_t *last = &f->last_tokens[shard_of(f, claimed)];
    CHECK(claimed->got.replayed || claimed->got.token > *last);
    *last = claimed->got.token;
}

static void check_claimed(const struct rv_exchange *request, const struct rv_exchanged *got) {
    CHECK(got->count <= request->want);
    for (size_t i = 0; i < got->count; i++) {
        const struct reeve_job *job = got->jobs[i];
        CHECK_INT(job->state, REEVE_RUNNING);
        CHECK_INT(job->token, got->token); /* J2: those of the claim */
        CHECK_STR(job->queue, request->queue);
        CHECK_STR(job->worker, request->worker);
        CHECK(job->lease_until_ms > 0 && job->started_at_ms > 0);
        CHECK(job->attempt >= 1 && job->attempt <= job->attempts_max);
    }
}

struct claimed exchange(struct fixture *f, struct rv_exchange *request) {
    struct claimed claimed = {.queue = request->queue, .holder = request->holder};
    CHECK_CALL(f, rv_store_exchange(handle(f), request, &claimed.got, &f->err));
    for (size_t i = 0; i < claimed.got.count; i++)
        (void)adopt(f, claimed.got.jobs[i]);
    (void)adopt(f, claimed.got.jobs);
    check_claimed(request, &claimed.got);
    if (claimed.got.count) check_grown(f, &claimed);
    return claimed;
}

struct claimed claim_up_to(struct fixture *f, const char *worker, size_t want) {
    struct rv_exchange request = claim_request(f, worker, want);
    return exchange(f, &request);
}

struct held held_of(const struct claimed *claimed, size_t i) {
    CHECK(i < claimed->got.count);
    return (struct held){.queue = claimed->queue,
                         .holder = claimed->holder,
                         .token = claimed->got.token,
                         .job = claimed->got.jobs[i]};
}

/* Whether to claim again: one of another shard may come first, and goes back to its place. One that
 * is due now may be due in a moment for those who ask all shards. */
static bool pass_over(struct fixture *f, const struct claimed *claimed, const char *id) {
    if (f->shards == 1) return false;
    if (!claimed->got.count) return true;
    if (strcmp(claimed->got.jobs[0]->id, id) == 0) return false;
    CHECK_OK(finish(f, held_of(claimed, 0), RV_HANDED_BACK));
    return true;
}

struct held claim_as(struct fixture *f, const char *worker, const char *id) {
    bool passed_over[REEVE_SHARDS_MAX] = {false};
    int64_t until_ms = elapsed_ms() + CALL_MS;
    struct claimed claimed = claim_up_to(f, worker, 1);
    while (elapsed_ms() < until_ms && pass_over(f, &claimed, id)) {
        if (claimed.got.count) passed_over[shard_of(f, &claimed)] = true;
        claimed = claim_up_to(f, worker, 1);
    }
    CHECK_STR(claimed.got.count ? claimed.got.jobs[0]->id : NULL, id);
    CHECK(!passed_over[shard_of(f, &claimed)]); /* J9 */
    return held_of(&claimed, 0);
}

/* ---- finish ---- */
static bool unmark(struct fixture *f, const char *id) {
    for (size_t i = 0; i < f->marked_count; i++) {
        if (strcmp(f->marked[i], id) != 0) continue;
        memcpy(f->marked[i], f->marked[--f->marked_count], REEVE_ID_SIZE);
        return true;
    }
    return false;
}

static void mark(struct fixture *f, const char *id) {
    (void)unmark(f, id);
    CHECK(f->marked_count < MARKED_MAX);
    (void)snprintf(f->marked[f->marked_count++], REEVE_ID_SIZE, "%s", id);
}

void count_outcome(struct fixture *f, const struct rv_outcome *outcome) {
    struct totals *expected = &f->expected;
    if (outcome->status == REEVE_EFENCED) expected->fenced++;
    if (outcome->status) return;
    bool cancelled = unmark(f, outcome->id);
    if (cancelled || rv_state_ended(outcome->state))
        expected->finished++;
    else if (outcome->ending != RV_HANDED_BACK)
        expected->retried++;
    if (outcome->ending == RV_LAPSED) expected->lapsed++;
}

struct rv_outcome judge(struct fixture *f, struct held held, const struct rv_report *report) {
    struct rv_outcome outcome;
    struct rv_report told = *report;
    if (!told.ended_at_ms) told.ended_at_ms = rv_clock_wall_ms(&f->clock);
    struct reeve_job job = *held.job; /* tests may hold a job under a token that is not its own */
    job.token = held.token;
    CHECK_OK(rv_outcome_judge(&job, held.holder, &told, &rv_random_system, &outcome));
    bool again = report->ending == RV_FAILED_ATTEMPT || report->ending == RV_LAPSED;
    if (again && !rv_state_ended(outcome.state)) {
        outcome.state = REEVE_DELAYED;
        outcome.delay_ms = RETRY_MS;
    }
    return outcome;
}

static int hand_in(struct fixture *f, struct held held, const struct rv_report *report,
                   bool repeated) {
    struct rv_outcome outcome = judge(f, held, report);
    struct rv_exchange request = {
        .queue = held.queue, .timeout_ms = CALL_MS, .outcomes = &outcome, .outcome_count = 1};
    (void)exchange(f, &request);
    if (!repeated || outcome.status) count_outcome(f, &outcome);
    rv_outcome_release(&outcome);
    return outcome.status;
}

static const struct reeve_failure failure = {.message = "it broke", .code = "exit:1"};
static const struct reeve_failure silence = {.message = "holder went silent", .code = "lapsed"};

static struct rv_report report_of(enum rv_ending ending) {
    struct rv_report report = {.ending = ending};
    if (ending == RV_FAILED_ATTEMPT || ending == RV_GIVEN_UP) report.error = &failure;
    if (ending == RV_LAPSED) report.error = &silence;
    return report;
}

int finish(struct fixture *f, struct held held, enum rv_ending ending) {
    struct rv_report report = report_of(ending);
    return hand_in(f, held, &report, false);
}

int finish_with(struct fixture *f, struct held held, const struct rv_report *report) {
    return hand_in(f, held, report, false);
}

int finish_with_result(struct fixture *f, struct held held, const void *data, size_t size) {
    struct rv_report report = {
        .ending = RV_SUCCEEDED, .has_result = true, .result = data, .result_size = size};
    return hand_in(f, held, &report, false);
}

int repeat_finish(struct fixture *f, struct held held, enum rv_ending ending) {
    struct rv_report report = report_of(ending);
    return hand_in(f, held, &report, true);
}

/* ---- leases, upkeep ---- */
bool renew(struct fixture *f, struct held held) {
    struct rv_renewal renewal = {.holder = held.holder, .token = held.token, .lease_ms = LEASE_MS};
    struct rv_cancel_marks marks;
    CHECK_CALL(f, rv_store_renew(handle(f), held.queue, &renewal, 1, CALL_MS, &marks, &f->err));
    (void)adopt(f, marks.marks);
    if (renewal.lost) f->expected.fenced++;
    return !renewal.lost;
}

size_t upkeep(struct fixture *f) {
    size_t counted = 0;
    for (;;) {
        struct rv_lapsed lapsed;
        CHECK_CALL(f, rv_store_lapsed(handle(f), f->queue, &lapsed, &f->err));
        size_t before = counted, found = lapsed.count;
        for (size_t i = 0; i < found; i++) {
            struct held held = {.queue = f->queue,
                                .holder = lapsed.jobs[i].holder,
                                .token = lapsed.jobs[i].job->token,
                                .job = lapsed.jobs[i].job};
            counted += finish(f, held, RV_LAPSED) == REEVE_OK;
        }
        rv_lapsed_release(&lapsed);
        if (!found) return counted;
        CHECK(counted > before); /* or this would never end */
    }
}

size_t recover(struct fixture *f) {
    lapse_leases(f);
    size_t counted = upkeep(f);
    move_clock(f, RETRY_MS + 1);
    return counted;
}

struct rv_tended tend(struct fixture *f) {
    struct rv_tended tended;
    CHECK_CALL(f, rv_store_tend(handle(f), f->queue, &tended, &f->err));
    return tended;
}

/* ---- one job ---- */
const struct reeve_job *read_job(struct fixture *f, const char *id) {
    struct reeve_job *job;
    int rc = rv_store_read(handle(f), f->queue, id, &job, &f->err);
    if (rc == REEVE_ENOENT) return NULL;
    CHECK_CALL(f, rc);
    return adopt(f, job);
}

int cancel(struct fixture *f, const char *id, enum reeve_state *now) {
    enum reeve_state state = 0;
    int rc = rv_store_cancel(handle(f), f->queue, id, &state, &f->err);
    if (now) *now = state;
    if (rc) return rc;
    CHECK(state == REEVE_CANCELLED || state == REEVE_RUNNING);
    if (state == REEVE_RUNNING)
        mark(f, id);
    else
        f->expected.finished++;
    return 0;
}

int revive(struct fixture *f, const char *id) {
    int rc = rv_store_revive(handle(f), f->queue, id, &f->err);
    if (!rc) f->expected.revived++;
    return rc;
}

int remove_job(struct fixture *f, const char *id) {
    const struct reeve_job *job = read_job(f, id);
    bool waited = job && rv_state_waiting(job->state);
    int rc = rv_store_remove(handle(f), f->queue, id, &f->err);
    if (!rc && waited) f->expected.removed++;
    return rc;
}

int keep(struct fixture *f, const char *id, int64_t keep_ms) {
    return rv_store_keep(handle(f), f->queue, id, keep_ms, &f->err);
}

struct reeve_queue stats(struct fixture *f) {
    struct reeve_queue queue;
    CHECK_CALL(f, rv_store_stats(handle(f), f->queue, &queue, &f->err));
    return queue;
}

void check_state(struct fixture *f, const char *id, enum reeve_state state, const char *file,
                 int line) {
    const struct reeve_job *job = read_job(f, id);
    check_str(job ? reeve_state_name(job->state) : "gone", reeve_state_name(state), id, file, line);
}
