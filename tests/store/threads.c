/* Many threads at once, on both handles: each job exactly once. Threads do not check; they tell,
 * and the test's own thread checks. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/eventually.h"
#include "store/topics.h"

enum { THREADS = 8, LONG_MS = 60000 };

/* One thread's part: it works on one handle, and stops at the first error. */
struct part {
    pthread_t thread;
    struct fixture *f; /* read only, but for what is atomic */
    struct rv_store *store;
    int number;
    void *shared;
    int rc;
    struct rv_error err;
};

static void run_parts(struct fixture *f, size_t count, void *(*run)(void *), void *shared,
                      struct part *parts) {
    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct part){
            .f = f, .store = i % 2 ? f->second : f->first, .number = (int)i, .shared = shared};
        CHECK_INT(pthread_create(&parts[i].thread, NULL, run, &parts[i]), 0);
    }
    for (size_t i = 0; i < count; i++)
        CHECK_INT(pthread_join(parts[i].thread, NULL), 0);
    for (size_t i = 0; i < count; i++) {
        if (parts[i].rc) print_error("thread %zu: %s\n", i, parts[i].err.text);
        CHECK_OK(parts[i].rc);
    }
}

/* ---- pushing and exchanging ---- */
enum { EACH = 60, BATCH = 10, ALL = THREADS * EACH };

struct traffic {
    _Atomic int claimed[ALL], finished[ALL];
    _Atomic int ended;
};

static int push_part(struct part *part) {
    char ids[BATCH][16];
    struct rv_new_job jobs[BATCH];
    struct rv_pushed outs[BATCH];
    for (int done = 0; done < EACH && !part->rc; done += BATCH) {
        for (int i = 0; i < BATCH; i++) {
            (void)snprintf(ids[i], sizeof ids[i], "%d", part->number * EACH + done + i);
            jobs[i] = new_job(part->f, ids[i]);
        }
        part->rc = rv_store_push(part->store, "jobs", jobs, BATCH, outs, &part->err);
        for (int i = 0; i < BATCH && !part->rc; i++)
            if (outs[i].status != REEVE_QUEUED) part->rc = REEVE_EBUG;
    }
    return part->rc;
}

/* Judges every job of a claim as done. */
static size_t judge_all(struct rv_exchanged *got, uint64_t holder, struct rv_outcome *outcomes) {
    static const struct rv_report report = {.ending = RV_SUCCEEDED, .ended_at_ms = 1};
    for (size_t i = 0; i < got->count; i++)
        if (rv_outcome_judge(got->jobs[i], holder, &report, &rv_random_system, &outcomes[i]))
            return 0;
    return got->count;
}

static void note_outcomes(struct traffic *traffic, struct rv_outcome *outcomes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!outcomes[i].status) {
            traffic->finished[strtol(outcomes[i].id, NULL, 10)]++;
            traffic->ended++;
        }
        rv_outcome_release(&outcomes[i]);
    }
}

/* Exchanges, as a worker does: hands in what it has and takes up to BATCH more, until all are
 * ended. */
static void *push_and_exchange(void *arg) {
    struct part *part = arg;
    struct traffic *traffic = part->shared;
    struct rv_outcome outcomes[BATCH];
    struct rv_exchanged held = {0};
    size_t count = 0;
    int64_t until = elapsed_ms() + LONG_MS;
    if (push_part(part)) return NULL;
    while (!part->rc && (traffic->ended < ALL || count) && elapsed_ms() < until) {
        struct rv_exchange request = claim_request(part->f, "w", BATCH);
        struct rv_exchanged got;
        request.outcomes = outcomes;
        request.outcome_count = count;
        part->rc = rv_store_exchange(part->store, &request, &got, &part->err);
        note_outcomes(traffic, outcomes, count);
        rv_exchanged_release(&held); /* what the outcomes borrowed from */
        held = got;
        for (size_t i = 0; i < got.count; i++)
            traffic->claimed[strtol(got.jobs[i]->id, NULL, 10)]++;
        count = judge_all(&held, request.holder, outcomes);
    }
    note_outcomes(traffic, outcomes, part->rc ? 0 : count);
    rv_exchanged_release(&held);
    return NULL;
}

static void each_job_runs_exactly_once(struct fixture *f) { /* A39 A112 A125 */
    struct part parts[THREADS];
    struct traffic *traffic = adopt(f, calloc(1, sizeof *traffic));
    CHECK(traffic);
    run_parts(f, THREADS, push_and_exchange, traffic, parts);
    for (int i = 0; i < ALL; i++) {
        CHECK_INT(traffic->claimed[i], 1);
        CHECK_INT(traffic->finished[i], 1);
    }
    f->expected.pushed = f->expected.finished = ALL;
    CHECK_INT(stats(f).done, ALL);
}

/* ---- one id, one job, one lease ---- */
/* Claims all that is ready, some at a time. Returns how many there were. */
static size_t claim_all(struct fixture *f) {
    size_t all = 0, got;
    do {
        got = claim_up_to(f, "w", BATCH).got.count;
        all += got;
    } while (got);
    return all;
}

struct contest {
    pthread_barrier_t start;
    char id[16];
    _Atomic int won, lost, other;
};

static void *push_one_id(void *arg) {
    struct part *part = arg;
    struct contest *contest = part->shared;
    struct rv_new_job job = new_job(part->f, contest->id);
    struct rv_pushed out;
    (void)pthread_barrier_wait(&contest->start);
    part->rc = rv_store_push(part->store, "jobs", &job, 1, &out, &part->err);
    if (part->rc) return NULL;
    contest->won += out.status == REEVE_QUEUED;
    contest->lost += out.status == REEVE_DUPLICATE;
    return NULL;
}

static void *claim_one(void *arg) {
    struct part *part = arg;
    struct contest *contest = part->shared;
    struct rv_exchange request = claim_request(part->f, "w", 1);
    struct rv_exchanged got;
    (void)pthread_barrier_wait(&contest->start);
    part->rc = rv_store_exchange(part->store, &request, &got, &part->err);
    contest->won += got.count == 1;
    contest->lost += got.count == 0;
    rv_exchanged_release(&got);
    return NULL;
}

/* One round of count threads that all want the same; of them one wins. */
static void check_one_winner(struct fixture *f, unsigned count, void *(*run)(void *),
                             const char *id) {
    struct part parts[THREADS];
    struct contest contest = {0};
    (void)snprintf(contest.id, sizeof contest.id, "%s", id);
    CHECK_INT(pthread_barrier_init(&contest.start, NULL, count), 0);
    run_parts(f, count, run, &contest, parts);
    (void)pthread_barrier_destroy(&contest.start);
    CHECK_INT(contest.won, 1);
    CHECK_INT(contest.lost, count - 1);
}

static void of_pushes_of_one_id_at_once_one_is_queued(struct fixture *f) { /* A114 A145 T31 */
    for (int round = 0; round < 20; round++) {
        char id[16];
        (void)snprintf(id, sizeof id, "id%d", round);
        check_one_winner(f, 3, push_one_id, id);
        f->expected.pushed++;
    }
    CHECK_INT(claim_all(f), 20);
}

static void of_claims_at_once_one_gets_the_job(struct fixture *f) { /* A39 A35 */
    for (int round = 0; round < 20; round++) {
        char id[16];
        (void)snprintf(id, sizeof id, "id%d", round);
        (void)push(f, id);
        check_one_winner(f, THREADS, claim_one, id);
    }
    CHECK_INT(stats(f).running, 20);
}

/* ---- upkeep, everywhere at once ---- */
enum { LAPSED = 120 };

static void *tend_once(void *arg) {
    struct part *part = arg;
    struct contest *contest = part->shared;
    static const struct rv_report report = {.ending = RV_LAPSED, .ended_at_ms = 1};
    struct rv_lapsed lapsed;
    (void)pthread_barrier_wait(&contest->start);
    part->rc = rv_store_lapsed(part->store, "jobs", &lapsed, &part->err);
    for (size_t i = 0; i < lapsed.count && !part->rc; i++) {
        struct rv_outcome outcome;
        struct rv_exchanged got;
        part->rc = rv_outcome_judge(lapsed.jobs[i].job, lapsed.jobs[i].holder, &report,
                                    &rv_random_system, &outcome);
        if (part->rc) break;
        struct rv_exchange request = {
            .queue = "jobs", .timeout_ms = CALL_MS, .outcomes = &outcome, .outcome_count = 1};
        part->rc = rv_store_exchange(part->store, &request, &got, &part->err);
        contest->won += outcome.status == REEVE_OK;
        contest->lost += outcome.status == REEVE_ESTATE;
        contest->other += outcome.status == REEVE_EFENCED;
        rv_exchanged_release(&got);
        rv_outcome_release(&outcome);
    }
    rv_lapsed_release(&lapsed);
    return NULL;
}

static void of_upkeeps_at_once_each_lapse_counts_once(struct fixture *f) { /* J6 T14 */
    enum { UPKEEPS = 4 };
    struct part parts[THREADS];
    struct contest contest = {0};
    push_many(f, "n", LAPSED, NULL);
    CHECK_INT(claim_all(f), LAPSED);
    lapse_leases(f);
    CHECK_INT(pthread_barrier_init(&contest.start, NULL, UPKEEPS), 0);
    run_parts(f, UPKEEPS, tend_once, &contest, parts);
    (void)pthread_barrier_destroy(&contest.start);
    CHECK_INT(contest.won, LAPSED);
    CHECK_INT(contest.other, 0);
    f->expected.lapsed = f->expected.retried = LAPSED;
}

static const struct store_test tests[] = {
    TEST(each_job_runs_exactly_once),
    TEST(of_pushes_of_one_id_at_once_one_is_queued),
    TEST(of_claims_at_once_one_gets_the_job),
    TEST(of_upkeeps_at_once_each_lapse_counts_once),
    {0},
};

const struct topic topic_threads = {"threads", tests};
