/* Somebody else's value where a queue has something: planted.h. */
#include <stdlib.h>

#include "redis/planted.h"

enum { HOUR_MS = 3600000, TIMEOUT_MS = 20000, LARGE = 2000 };

static const char large[LARGE];

/* ---- handing in ---- */
struct ending {
    enum rv_ending how;
    enum reeve_state state;
    int64_t keep_ms;
    size_t result_size; /* SIZE_MAX: no result */
};

/* And claims so many in the same step. */
static int exchange(struct patient *p, const char *id, struct held_claim claim,
                    struct ending ending, size_t want) {
    struct rv_outcome outcome = {.id = id,
                                 .token = claim.token,
                                 .holder = claim.holder,
                                 .only_if_lapsed = ending.how == RV_LAPSED,
                                 .ending = ending.how,
                                 .state = ending.state,
                                 .attempt = ending.how != RV_HANDED_BACK,
                                 .keep_ms = ending.keep_ms,
                                 .has_result = ending.result_size <= LARGE,
                                 .result = large,
                                 .result_size =
                                     ending.result_size <= LARGE ? ending.result_size : 0};
    struct rv_exchange exchange = {.queue = "jobs",
                                   .timeout_ms = TIMEOUT_MS,
                                   .lane = 7,
                                   .number = ++p->number,
                                   .want = want,
                                   .holder = 7,
                                   .lease_ms = HOUR_MS,
                                   .worker = "w",
                                   .outcomes = &outcome,
                                   .outcome_count = 1};
    struct rv_exchanged answer;
    int rc = rv_store_exchange(p->store, &exchange, &answer, &p->line->err);
    if (!rc) rv_exchanged_release(&answer);
    return rc ? rc : outcome.status;
}

static int hand_in(struct patient *p, const char *id, struct held_claim claim,
                   struct ending ending) {
    return exchange(p, id, claim, ending, 0);
}

#define DONE_KEPT ((struct ending){RV_SUCCEEDED, REEVE_DONE, HOUR_MS, SIZE_MAX})
#define DONE_LARGE ((struct ending){RV_SUCCEEDED, REEVE_DONE, HOUR_MS, LARGE})
#define DONE_FORGOTTEN ((struct ending){RV_SUCCEEDED, REEVE_DONE, 0, SIZE_MAX})
#define RETRIED ((struct ending){RV_FAILED_ATTEMPT, REEVE_DELAYED, HOUR_MS, SIZE_MAX})
#define GIVEN_UP ((struct ending){RV_GIVEN_UP, REEVE_FAILED, HOUR_MS, SIZE_MAX})
#define HANDED_BACK ((struct ending){RV_HANDED_BACK, REEVE_READY, HOUR_MS, SIZE_MAX})
#define LAPSED ((struct ending){RV_LAPSED, REEVE_READY, HOUR_MS, SIZE_MAX})

/* ---- the queue ---- */
static struct held_claim push_and_claim(struct patient *p, const char *id) {
    size_t got;
    push_one(p->line, p->store, id);
    struct held_claim claim = claim_some(p->line, p->store, 1, &got);
    CHECK_INT(got, 1);
    return claim;
}

static int watch(struct patient *p) {
    struct rv_events events = {0};
    int rc = rv_store_events(p->store, "jobs", 0, &events, &p->line->err);
    if (!rc) free(events.events);
    return rc;
}

static int note(struct patient *p) {
    struct rv_note note = {.id = "running",
                           .token = p->claim.token,
                           .holder = p->claim.holder,
                           .progress = 50,
                           .line = "so far"};
    return rv_store_note(p->store, "jobs", &note, &p->line->err);
}

static int beat(struct patient *p) {
    struct rv_worker_row row = {.id = "w", .name = "w", .queues = "jobs", .kinds = "*"};
    return rv_store_beat(p->store, &row, HOUR_MS, &p->line->err);
}

static int cancel(struct patient *p, const char *id) {
    enum reeve_state now;
    return rv_store_cancel(p->store, "jobs", id, &now, &p->line->err);
}

static int push_with(struct patient *p, const char *id, size_t size, int priority,
                     int64_t delay_ms) {
    struct rv_new_job job = new_one(id);
    struct rv_pushed pushed;
    job.body = (struct rv_bytes){large, size};
    job.priority = priority;
    job.delay_ms = delay_ms;
    int rc = rv_store_push(p->store, "jobs", &job, 1, &pushed, &p->line->err);
    if (!rc) free(pushed.done);
    return rc;
}

static int bound(struct patient *p, int64_t keep_failed) {
    struct reeve_queue_settings settings = {.max_length = 1000, .keep_failed = keep_failed};
    return rv_store_set(p->store, "jobs", &settings, &p->line->err);
}

static void fill_with_everything(struct patient *p) {
    size_t got;
    CHECK_OK(watch(p));
    CHECK_OK(hand_in(p, "done", push_and_claim(p, "done"), DONE_LARGE));
    CHECK_OK(hand_in(p, "failed", push_and_claim(p, "failed"), GIVEN_UP));
    push_one(p->line, p->store, "cancelled");
    CHECK_OK(cancel(p, "cancelled"));
    push_one(p->line, p->store, "running");
    CHECK_OK(push_with(p, "large", LARGE, 0, 0));
    p->claim = claim_some(p->line, p->store, 2, &got);
    CHECK_INT(got, 2);
    CHECK_OK(note(p));
    p->marked = push_and_claim(p, "marked");
    CHECK_OK(cancel(p, "marked"));
    CHECK_OK(hand_in(p, "back", push_and_claim(p, "back"), HANDED_BACK));
    push_one(p->line, p->store, "ready");
    CHECK_OK(push_with(p, "urgent", 1, REEVE_PRIORITY_MIN, 0));
    CHECK_OK(push_with(p, "delayed", 1, 0, HOUR_MS));
    CHECK_OK(bound(p, 10));
    CHECK_OK(beat(p));
}

/* Two run under a lane that is known, three are ready, one is delayed. */
static void fill_plainly(struct patient *p) {
    size_t got;
    CHECK_OK(hand_in(p, "done", push_and_claim(p, "done"), DONE_FORGOTTEN));
    push_one(p->line, p->store, "running");
    push_one(p->line, p->store, "other");
    p->claim = claim_some(p->line, p->store, 2, &got);
    CHECK_INT(got, 2);
    CHECK_OK(push_with(p, "ready", 1, 0, 0));
    CHECK_OK(push_with(p, "urgent", 1, REEVE_PRIORITY_MIN, 0));
    CHECK_OK(push_with(p, "delayed", 1, 0, HOUR_MS));
    CHECK_OK(beat(p));
}

/* ---- the operations ---- */
static int push_small(struct patient *p) {
    return push_with(p, "new", 1, 0, 0);
}

static int push_large(struct patient *p) {
    return push_with(p, "new", LARGE, 0, 0);
}

static int push_urgent(struct patient *p) {
    return push_with(p, "new", 1, REEVE_PRIORITY_MIN, 0);
}

static int push_delayed(struct patient *p) {
    return push_with(p, "new", 1, 0, HOUR_MS);
}

static int push_over_cancelled(struct patient *p) {
    return push_with(p, "cancelled", 1, 0, 0);
}

static int push_done(struct patient *p) {
    return push_with(p, "done", 1, 0, 0);
}

static int claim(struct patient *p) {
    struct held_claim held;
    return try_claim(p->store, 8, &held, NULL, &p->line->err);
}

/* So late that all is due and all leases are over. */
static int later(struct patient *p, int (*op)(struct patient *p)) {
    rv_clock_move(&p->line->clock, 2 * HOUR_MS);
    int rc = op(p);
    rv_clock_move(&p->line->clock, -2 * HOUR_MS);
    return rc;
}

static int claim_later(struct patient *p) {
    return later(p, claim);
}

static int finish(struct patient *p) {
    return hand_in(p, "running", p->claim, DONE_KEPT);
}

static int finish_large(struct patient *p) {
    return hand_in(p, "large", p->claim, DONE_LARGE);
}

static int finish_forgotten(struct patient *p) {
    return hand_in(p, "running", p->claim, DONE_FORGOTTEN);
}

static int finish_large_forgotten(struct patient *p) {
    return hand_in(p, "large", p->claim, DONE_FORGOTTEN);
}

static int finish_and_claim(struct patient *p) {
    return exchange(p, "running", p->claim, DONE_KEPT, 8);
}

static int forget_and_claim(struct patient *p) {
    return exchange(p, "running", p->claim, DONE_FORGOTTEN, 8);
}

static int forget_and_claim_later(struct patient *p) {
    return later(p, forget_and_claim);
}

static int retry(struct patient *p) {
    return hand_in(p, "running", p->claim, RETRIED);
}

static int give_up(struct patient *p) {
    return hand_in(p, "running", p->claim, GIVEN_UP);
}

static int hand_back(struct patient *p) {
    return hand_in(p, "running", p->claim, HANDED_BACK);
}

static int stop_marked(struct patient *p) {
    return hand_in(p, "marked", p->marked, RETRIED);
}

static int lapse(struct patient *p) {
    return hand_in(p, "running", p->claim, LAPSED);
}

static int lapse_later(struct patient *p) {
    return later(p, lapse);
}

static int renew(struct patient *p) {
    struct rv_renewal renewals[] = {
        {.holder = p->claim.holder, .token = p->claim.token, .lease_ms = 1000},
        {.holder = p->marked.holder, .token = p->marked.token, .lease_ms = 1000}};
    struct rv_cancel_marks marks = {0};
    int rc = rv_store_renew(p->store, "jobs", renewals, 2, TIMEOUT_MS, &marks, &p->line->err);
    if (!rc) free(marks.marks);
    return rc;
}

static int lapsed(struct patient *p) {
    struct rv_lapsed out;
    int rc = rv_store_lapsed(p->store, "jobs", &out, &p->line->err);
    if (!rc) rv_lapsed_release(&out);
    return rc;
}

static int lapsed_later(struct patient *p) {
    return later(p, lapsed);
}

static int tend(struct patient *p) {
    struct rv_tended out;
    return rv_store_tend(p->store, "jobs", &out, &p->line->err);
}

static int tend_later(struct patient *p) {
    return later(p, tend);
}

static int read_one(struct patient *p, const char *id) {
    struct reeve_job *job = NULL;
    int rc = rv_store_read(p->store, "jobs", id, &job, &p->line->err);
    if (!rc) free(job);
    return rc;
}

static int read_running(struct patient *p) {
    return read_one(p, "running");
}

static int read_large(struct patient *p) {
    return read_one(p, "large");
}

static int read_done(struct patient *p) {
    return read_one(p, "done");
}

static int cancel_ready(struct patient *p) {
    return cancel(p, "ready");
}

static int cancel_back(struct patient *p) {
    return cancel(p, "back");
}

static int cancel_delayed(struct patient *p) {
    return cancel(p, "delayed");
}

static int cancel_running(struct patient *p) {
    return cancel(p, "running");
}

static int revive_failed(struct patient *p) {
    return rv_store_revive(p->store, "jobs", "failed", &p->line->err);
}

static int revive_cancelled(struct patient *p) {
    return rv_store_revive(p->store, "jobs", "cancelled", &p->line->err);
}

static int remove_ready(struct patient *p) {
    return rv_store_remove(p->store, "jobs", "ready", &p->line->err);
}

static int remove_done(struct patient *p) {
    return rv_store_remove(p->store, "jobs", "done", &p->line->err);
}

static int remove_delayed(struct patient *p) {
    return rv_store_remove(p->store, "jobs", "delayed", &p->line->err);
}

static int keep(struct patient *p) {
    return rv_store_keep(p->store, "jobs", "done", 1000, &p->line->err);
}

static int check_lease(struct patient *p) {
    return rv_store_check(p->store, "jobs", "running", p->claim.token, p->claim.holder,
                          &p->line->err);
}

static int purge(struct patient *p, enum reeve_state state) {
    size_t removed;
    return rv_store_purge(p->store, "jobs", state, &removed, &p->line->err);
}

static int purge_ready(struct patient *p) {
    return purge(p, REEVE_READY);
}

static int purge_delayed(struct patient *p) {
    return purge(p, REEVE_DELAYED);
}

static int purge_done(struct patient *p) {
    return purge(p, REEVE_DONE);
}

static int purge_failed(struct patient *p) {
    return purge(p, REEVE_FAILED);
}

static int list(struct patient *p) {
    struct rv_list_query query = {.queue = "jobs", .limit = 100};
    struct rv_jobs jobs;
    int rc = rv_store_list(p->store, &query, &jobs, &p->line->err);
    if (!rc) rv_jobs_release(&jobs);
    return rc;
}

static int stats(struct patient *p) {
    struct reeve_queue out;
    return rv_store_stats(p->store, "jobs", &out, &p->line->err);
}

static int queues(struct patient *p) {
    struct rv_names names;
    int rc = rv_store_queues(p->store, NULL, 10, &names, &p->line->err);
    if (!rc) free(names.names);
    return rc;
}

static int pause_queue(struct patient *p) {
    return rv_store_pause(p->store, "jobs", true, &p->line->err);
}

static int bound_less(struct patient *p) {
    return bound(p, 5);
}

static int announce(struct patient *p) {
    struct rv_announcement news = {.type = REEVE_WORKER_STARTED, .id = "", .worker = "w"};
    return rv_store_announce(p->store, "jobs", &news, TIMEOUT_MS, &p->line->err);
}

static int leave(struct patient *p) {
    return rv_store_leave(p->store, "w", &p->line->err);
}

static int workers(struct patient *p) {
    struct rv_workers out;
    int rc = rv_store_workers(p->store, &out, &p->line->err);
    if (!rc) free(out.rows);
    return rc;
}

static int wait_a_moment(struct patient *p) {
    struct rv_bell bell = {.queue = "jobs", .want_ready = true};
    return rv_store_wait(p->store, &bell, 1, 10, &p->line->err);
}

static const struct planted_op ops[] = {
    PLANTED_OP(push_small),
    PLANTED_OP(push_large),
    PLANTED_OP(push_urgent),
    PLANTED_OP(push_delayed),
    PLANTED_OP(push_done),
    PLANTED_OP(push_over_cancelled),
    PLANTED_OP(claim),
    PLANTED_OP(claim_later),
    PLANTED_OP(finish),
    PLANTED_OP(finish_large),
    PLANTED_OP(finish_forgotten),
    PLANTED_OP(finish_large_forgotten),
    PLANTED_OP(finish_and_claim),
    PLANTED_OP(forget_and_claim),
    PLANTED_OP(forget_and_claim_later),
    PLANTED_OP(retry),
    PLANTED_OP(give_up),
    PLANTED_OP(hand_back),
    PLANTED_OP(stop_marked),
    PLANTED_OP(lapse_later),
    PLANTED_OP(renew),
    PLANTED_OP(lapsed_later),
    PLANTED_OP(tend_later),
    PLANTED_OP(read_running),
    PLANTED_OP(read_large),
    PLANTED_OP(read_done),
    PLANTED_OP(cancel_ready),
    PLANTED_OP(cancel_back),
    PLANTED_OP(cancel_delayed),
    PLANTED_OP(cancel_running),
    PLANTED_OP(revive_failed),
    PLANTED_OP(revive_cancelled),
    PLANTED_OP(remove_ready),
    PLANTED_OP(remove_done),
    PLANTED_OP(remove_delayed),
    PLANTED_OP(keep),
    PLANTED_OP(check_lease),
    PLANTED_OP(note),
    PLANTED_OP(purge_ready),
    PLANTED_OP(purge_delayed),
    PLANTED_OP(purge_done),
    PLANTED_OP(purge_failed),
    PLANTED_OP(list),
    PLANTED_OP(stats),
    PLANTED_OP(queues),
    PLANTED_OP(pause_queue),
    PLANTED_OP(bound_less),
    PLANTED_OP(announce),
    PLANTED_OP(watch),
    PLANTED_OP(beat),
    {.name = "leave", .run = leave, .in_two_steps = true},
    PLANTED_OP(workers),
    PLANTED_OP(wait_a_moment),
};
enum { OPS = sizeof ops / sizeof *ops };

/* ---- the test ---- */
static void somebody_elses_value_is_named_and_does_no_harm(void **state) {
    planted_try(state, fill_with_everything, ops, OPS, OPS);
}

/* Where nothing special is to be heeded, scripts take a shorter way. */
static void so_in_a_queue_without_anything_special(void **state) {
    planted_try(state, fill_plainly, ops, OPS, OPS / 2);
}

/* Records lie in several hashes then. */
static void so_in_a_queue_whose_records_are_spread(void **state) {
    struct line *line = *state;
    line->options = "records_per_key=1";
    planted_try(state, fill_plainly, ops, OPS, OPS / 2);
}

/* And what belongs to them in the sets beside these. */
static void so_in_a_spread_queue_with_everything(void **state) {
    struct line *line = *state;
    line->options = "records_per_key=1";
    planted_try(state, fill_with_everything, ops, OPS, OPS);
}

/* The name is refused, the jobs are not: that is told as neither done nor refused. */
static void a_push_whose_queue_cannot_be_listed_is_unsure(void **state) {
    struct line *line = *state;
    struct reeve_job *job;
    start_queue(line, "");
    COMMAND(line, "SET", "rv:{test}:queues", "x");
    struct rv_store *store = open_store(line);
    struct rv_new_job new = new_one("a");
    struct rv_pushed out;
    CHECK_FAILS(rv_store_push(store, "jobs", &new, 1, &out, &line->err), REEVE_EUNSURE);
    CHECK_OK(rv_store_read(store, "jobs", "a", &job, &line->err));
    free(job);
    COMMAND(line, "DEL", "rv:{test}:queues");
    CHECK_OK(rv_store_push(store, "jobs", &new, 1, &out, &line->err));
    CHECK_INT(out.status, REEVE_QUEUED);
    rv_store_close(store);
}

const struct CMUnitTest planted_tests[] = {
    REDIS_TEST(a_push_whose_queue_cannot_be_listed_is_unsure),
    REDIS_TEST(somebody_elses_value_is_named_and_does_no_harm),
    REDIS_TEST(so_in_a_queue_without_anything_special),
    REDIS_TEST(so_in_a_queue_whose_records_are_spread),
    REDIS_TEST(so_in_a_spread_queue_with_everything),
};
const size_t planted_test_count = sizeof planted_tests / sizeof *planted_tests;
