/* Jobs through the public calls, on a memory store: pushing, waiting, listing, watching. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <reeve.h>

#include "api/handle.h"
#include "base/random.h"
#include "core/limits.h"
#include "harness/check.h"
#include "harness/eventually.h"
#include "store/fault.h"

enum { BOUND_MS = 20000 };

static struct rv_fault_plan plan; /* of the store of the test that runs */

/* A handle on a store that fails as planned. */
static int set_up(void **state) {
    struct reeve_options options = {.size = sizeof options, .log_level = REEVE_LOG_ERROR};
    reeve *r;
    CHECK_OK(reeve_open(&r, "memory:", &options));
    rv_fault_plan_init(&plan);
    CHECK_OK(rv_fault_open(&r->service.store, r->service.store, &plan, NULL));
    r->gather.store = r->service.store;
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    reeve_close(*state);
    rv_fault_plan_release(&plan);
    return 0;
}

static struct reeve_pushed push(reeve *r, const char *queue, const char *id) {
    struct reeve_push push = {.size = sizeof push, .queue = queue, .id = id};
    struct reeve_pushed out = {.size = sizeof out};
    CHECK_OK(reeve_push(r, &push, &out));
    return out;
}

/* Claims the next job of the queue and ends it, as a worker would. */
static void work_one(reeve *r, const char *queue, struct rv_report report) {
    struct rv_store *store = r->service.store;
    struct rv_exchange claim = {
        .queue = queue,
        .timeout_ms = 1000,
        .want = 1,
        .holder = rv_random_nonzero(&rv_random_system),
        .lease_ms = 30000,
        .worker = "tester",
    };
    struct rv_exchanged got, none;
    struct rv_outcome outcome;
    CHECK_OK(rv_store_exchange(store, &claim, &got, NULL));
    CHECK_INT(got.count, 1);
    CHECK_OK(rv_outcome_judge(got.jobs[0], claim.holder, &report, &rv_random_system, &outcome));
    struct rv_exchange hand_in = {
        .queue = queue, .timeout_ms = 1000, .outcomes = &outcome, .outcome_count = 1};
    CHECK_OK(rv_store_exchange(store, &hand_in, &none, NULL));
    CHECK_OK(outcome.status);
    rv_outcome_release(&outcome);
    rv_exchanged_release(&got);
    rv_exchanged_release(&none);
}

static struct rv_report success(const void *result, size_t size) {
    return (struct rv_report){
        .ending = RV_SUCCEEDED, .has_result = true, .result = result, .result_size = size};
}

/* ---- push ---- */
static void an_id_is_generated(void **state) {
    struct reeve_pushed first = push(*state, "q", NULL), second = push(*state, "q", NULL);
    CHECK_INT(first.status, REEVE_QUEUED);
    CHECK_INT(strlen(first.id), 22);
    CHECK(strcmp(first.id, second.id) != 0);
}

static void many_are_answered_in_their_order(void **state) {
    reeve *r = *state;
    enum { COUNT = 2500 };
    struct reeve_push *pushes = calloc(COUNT, sizeof *pushes);
    struct reeve_pushed *outs = calloc(COUNT, sizeof *outs);
    static char ids[COUNT][16];
    CHECK(pushes && outs);
    for (size_t i = 0; i < COUNT; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "%zu", i);
        pushes[i] = (struct reeve_push){
            .size = sizeof *pushes, .queue = i % 2 ? "odd" : "even", .id = ids[i]};
    }
    pushes[100].priority = 99; /* refused */
    pushes[101].id = ids[99];  /* the same job again */
    outs[0].size = sizeof *outs;
    CHECK_FAILS(reeve_push_many(r, pushes, COUNT, outs), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "priority is 99"));
    for (size_t i = 0; i < COUNT; i++) {
        CHECK_INT(outs[i].error, i == 100 ? REEVE_EINVAL : 0);
        CHECK_INT(outs[i].status, i == 100 ? 0 : i == 101 ? REEVE_DUPLICATE : REEVE_QUEUED);
        CHECK_STR(outs[i].id, i == 100 ? "" : pushes[i].id);
    }
    struct reeve_queue *queue;
    CHECK_OK(reeve_queue_read(r, "even", &queue));
    CHECK_INT(queue->ready, COUNT / 2 - 1);
    reeve_free(queue);
    free(pushes);
    free(outs);
}

static void more_bytes_than_one_step_takes_go_in_several(void **state) {
    enum { COUNT = 5 };
    char *body = calloc(1, REEVE_BODY_MAX);
    struct reeve_push pushes[COUNT];
    struct reeve_pushed outs[COUNT] = {{.size = sizeof outs[0]}};
    CHECK(body);
    for (size_t i = 0; i < COUNT; i++)
        pushes[i] = (struct reeve_push){
            .size = sizeof pushes[0], .queue = "q", .body = body, .body_size = REEVE_BODY_MAX};
    CHECK_OK(reeve_push_many(*state, pushes, COUNT, outs));
    pushes[0].body_size++;
    CHECK_FAILS(reeve_push(*state, pushes, NULL), REEVE_ETOOBIG);
    free(body);
}

static void a_done_job_comes_back_with_its_result(void **state) {
    (void)push(*state, "q", "a");
    work_one(*state, "q", success("42", 2));
    struct reeve_pushed again = push(*state, "q", "a");
    CHECK_INT(again.status, REEVE_DUPLICATE_DONE);
    CHECK_BYTES(again.done->result, again.done->result_size, "42", 2);
    reeve_free(again.done);
}

static void a_struct_without_its_size_is_refused(void **state) {
    struct reeve_push bare = {.queue = "q"};
    struct reeve_push good = {.size = sizeof good, .queue = "q"};
    CHECK_FAILS(reeve_push(*state, &bare, NULL), REEVE_EINVAL);
    CHECK_FAILS(reeve_push(*state, &good, &(struct reeve_pushed){0}), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "reeve_pushed"));
}

/* ---- wait ---- */
struct waiter {
    reeve *r;
    pthread_t thread;
    int64_t timeout_ms;
    int rc;
    struct reeve_job *job;
};

static void *wait_for(void *arg) {
    struct waiter *w = arg;
    w->rc = reeve_wait(w->r, "q", "a", w->timeout_ms, &w->job);
    return NULL;
}

static void start(struct waiter *w) {
    CHECK_INT(pthread_create(&w->thread, NULL, wait_for, w), 0);
}

static void join(struct waiter *w) {
    CHECK_INT(pthread_join(w->thread, NULL), 0);
}

static void a_result_that_is_there_is_told_at_once(void **state) { /* A102 */
    struct waiter w = {.r = *state, .timeout_ms = 0};
    (void)push(*state, "q", "a");
    work_one(*state, "q", success("x", 1));
    (void)wait_for(&w);
    CHECK_OK(w.rc);
    CHECK_BYTES(w.job->result, w.job->result_size, "x", 1);
    reeve_free(w.job);
}

static void an_empty_result_is_a_result(void **state) { /* T27 */
    struct waiter w = {.r = *state, .timeout_ms = BOUND_MS};
    (void)push(*state, "q", "a");
    start(&w);
    work_one(*state, "q", success("", 0));
    join(&w);
    CHECK_OK(w.rc);
    CHECK_INT(w.job->state, REEVE_DONE);
    CHECK(w.job->result);
    CHECK_INT(w.job->result_size, 0);
    reeve_free(w.job);
}

static void one_waiter_who_gives_up_disturbs_no_other(void **state) { /* T26 A102 A103 */
    struct waiter patient = {.r = *state, .timeout_ms = BOUND_MS}, other = patient;
    struct waiter hasty = {.r = *state, .timeout_ms = 20};
    (void)push(*state, "q", "a");
    start(&patient);
    start(&other);
    (void)wait_for(&hasty);
    CHECK_FAILS(hasty.rc, REEVE_ETIMEDOUT);
    CHECK_INT(hasty.job->state, REEVE_READY);
    work_one(*state, "q", success("x", 1));
    join(&patient);
    join(&other);
    CHECK_OK(patient.rc);
    CHECK_OK(other.rc);
    CHECK_BYTES(other.job->result, other.job->result_size, "x", 1);
    reeve_free(hasty.job);
    reeve_free(patient.job);
    reeve_free(other.job);
}

static bool has_looked(void *arg) {
    (void)arg;
    return rv_fault_plan_calls(&plan, RV_OP_READ) > 0;
}

/* Returns when the waiter has seen that the job has not ended. */
static void start_waiting(struct waiter *w) {
    start(w);
    CHECK(eventually(has_looked, NULL, BOUND_MS));
}

static void the_end_is_heard_of_at_once(void **state) {
    struct waiter w = {.r = *state, .timeout_ms = BOUND_MS};
    (void)push(*state, "q", "a");
    start_waiting(&w);
    work_one(*state, "q", success("", 0));
    int64_t ended = elapsed_ms();
    join(&w);
    CHECK(elapsed_ms() - ended < 700); /* the re-check alone would come after a second */
    CHECK_OK(w.rc);
    reeve_free(w.job);
}

static void a_lost_hint_is_made_up_for(void **state) { /* T49 */
    struct waiter w = {.r = *state, .timeout_ms = BOUND_MS};
    (void)push(*state, "q", "a");
    rv_fault_plan_add(
        &plan, (struct rv_fault){.kind = RV_FAULT_REFUSE, .op = RV_OP_WAIT, .for_ever = true});
    start_waiting(&w);
    work_one(*state, "q", success("", 0));
    join(&w);
    CHECK_OK(w.rc);
    reeve_free(w.job);
}

static bool has_looked_again(void *arg) {
    (void)arg;
    return rv_fault_plan_calls(&plan, RV_OP_READ) > 1;
}

static void a_wait_outlasts_an_outage(void **state) {
    struct waiter w = {.r = *state, .timeout_ms = BOUND_MS};
    (void)push(*state, "q", "a");
    rv_fault_plan_add(&plan, (struct rv_fault){.kind = RV_FAULT_REFUSE,
                                               .op = RV_OP_READ,
                                               .nth = 2, /* the first has seen that it waits */
                                               .for_ever = true});
    start(&w);
    CHECK(eventually(has_looked_again, NULL, BOUND_MS));
    work_one(*state, "q", success("", 0));
    rv_fault_plan_clear(&plan);
    join(&w);
    CHECK_OK(w.rc);
    CHECK_INT(w.job->state, REEVE_DONE);
    reeve_free(w.job);
}

static void a_store_that_is_away_is_told_at_once(void **state) {
    struct waiter w = {.r = *state, .timeout_ms = REEVE_NONE};
    (void)push(*state, "q", "a");
    rv_fault_plan_add(&plan, (struct rv_fault){.kind = RV_FAULT_REFUSE, .op = RV_OP_READ});
    (void)wait_for(&w);
    CHECK_FAILS(w.rc, REEVE_EUNREACHABLE);
    CHECK(!w.job);
}

static void a_failed_job_ends_the_wait(void **state) {
    struct waiter w = {.r = *state, .timeout_ms = REEVE_NONE};
    struct reeve_failure error = {.message = "no", .code = "exit:1"};
    (void)push(*state, "q", "a");
    start(&w);
    work_one(*state, "q", (struct rv_report){.ending = RV_GIVEN_UP, .error = &error});
    join(&w);
    CHECK_OK(w.rc);
    CHECK_INT(w.job->state, REEVE_FAILED);
    CHECK_STR(w.job->error->message, "no");
    reeve_free(w.job);
}

static void nobody_waits_for_what_is_not_there(void **state) {
    struct waiter w = {.r = *state, .timeout_ms = REEVE_NONE};
    (void)wait_for(&w);
    CHECK_FAILS(w.rc, REEVE_ENOENT);
    CHECK(!w.job);
}

/* ---- list ---- */
struct seen {
    size_t count, stop_at;
    char ids[64][32];
};

static int see(void *arg, const struct reeve_job *job) {
    struct seen *seen = arg;
    (void)snprintf(seen->ids[seen->count++], sizeof seen->ids[0], "%s/%s", job->queue, job->id);
    return seen->count == seen->stop_at;
}

static bool was_seen(const struct seen *seen, const char *name) {
    size_t times = 0;
    for (size_t i = 0; i < seen->count; i++)
        times += !strcmp(seen->ids[i], name);
    return times == 1;
}

static void push_some(reeve *r) {
    static const char *const queues[] = {"a", "b", "c"};
    for (size_t i = 0; i < 3; i++) {
        for (int n = 0; n < 5; n++) {
            char id[] = {(char)('0' + n), '\0'};
            (void)push(r, queues[i], id);
        }
    }
}

static void pages_span_queues_and_show_each_job_once(void **state) {
    push_some(*state);
    for (size_t limit = 1; limit <= 16; limit++) {
        struct reeve_filter filter = {.size = sizeof filter, .limit = limit};
        struct seen seen = {0};
        char *cursor = NULL, *before;
        do {
            size_t had = seen.count;
            before = cursor;
            filter.after = before;
            CHECK_OK(reeve_list(*state, &filter, see, &seen, &cursor));
            CHECK(seen.count - had <= limit);
            reeve_free(before);
        } while (cursor);
        CHECK_INT(seen.count, 15);
        CHECK(was_seen(&seen, "a/0") && was_seen(&seen, "b/3") && was_seen(&seen, "c/4"));
    }
}

static void a_filter_holds_across_queues(void **state) {
    push_some(*state);
    CHECK_OK(reeve_cancel(*state, "a", "1", NULL));
    CHECK_OK(reeve_cancel(*state, "c", "4", NULL));
    struct reeve_filter filter = {.size = sizeof filter, .state = REEVE_CANCELLED};
    struct seen seen = {0};
    CHECK_OK(reeve_list(*state, &filter, see, &seen, NULL));
    CHECK_INT(seen.count, 2);
    CHECK(was_seen(&seen, "a/1") && was_seen(&seen, "c/4"));
    filter.queue = "c";
    CHECK_OK(reeve_list(*state, &filter, see, &seen, NULL));
    CHECK_INT(seen.count, 3);
    filter.after = "c";
    CHECK_FAILS(reeve_list(*state, &filter, see, &seen, NULL), REEVE_EINVAL);
    filter.after = "a/x";
    CHECK_FAILS(reeve_list(*state, &filter, see, &seen, NULL), REEVE_EINVAL);
}

static void a_listing_stops_when_told(void **state) {
    push_some(*state);
    struct seen seen = {.stop_at = 3};
    CHECK_OK(reeve_list(*state, NULL, see, &seen, NULL));
    CHECK_INT(seen.count, 3);
}

/* ---- watch ---- */
struct heard {
    atomic_int pushed, claimed, ended;
};

static void hear(void *arg, const struct reeve_event *event) {
    struct heard *heard = arg;
    heard->pushed += event->type == REEVE_JOB_PUSHED;
    heard->claimed += event->type == REEVE_JOB_CLAIMED;
    heard->ended += event->type == REEVE_JOB_ENDED && event->state == REEVE_DONE;
}

static bool heard_all(void *arg) {
    struct heard *heard = arg;
    return heard->pushed == 1 && heard->claimed == 1 && heard->ended == 1;
}

static void watch(reeve *r, const char *queue) {
    struct heard heard = {0};
    reeve_watch *watch;
    CHECK_OK(reeve_watch_open(&watch, r, queue, hear, &heard));
    (void)push(r, "q", "a");
    (void)push(r, "q", "a"); /* a duplicate is no event */
    work_one(r, "q", success("", 0));
    CHECK(eventually(heard_all, &heard, BOUND_MS));
    reeve_watch_close(watch);
    CHECK_INT(heard.pushed, 1);
}

static void events_of_a_queue_are_told(void **state) {
    watch(*state, "q");
}

static void events_of_all_queues_are_told(void **state) {
    CHECK_OK(reeve_pause(*state, "q", true)); /* it exists by now */
    CHECK_OK(reeve_pause(*state, "q", false));
    watch(*state, NULL);
}

/* Who is not sure has to repeat the call, with the same id. */
static void a_push_that_is_unsure_tells_its_id(void **state) {
    reeve *r = *state;
    struct reeve_push unnamed = {.size = sizeof unnamed, .queue = "q"};
    struct reeve_pushed out = {.size = sizeof out}, again = {.size = sizeof again};
    r->gather.timeout_ms = 50;
    rv_fault_plan_add(&plan,
                      (struct rv_fault){.kind = RV_FAULT_LOSE, .op = RV_OP_PUSH, .for_ever = true});
    CHECK_FAILS(reeve_push(r, &unnamed, &out), REEVE_EUNSURE);
    CHECK_INT(out.error, REEVE_EUNSURE);
    CHECK_INT(out.status, 0);
    CHECK(out.id[0]);
    rv_fault_plan_clear(&plan);
    struct reeve_push repeated = {.size = sizeof repeated, .queue = "q", .id = out.id};
    CHECK_OK(reeve_push(r, &repeated, &again));
    CHECK_INT(again.status, REEVE_DUPLICATE); /* it had been done */
}

static void a_push_that_is_refused_tells_nothing(void **state) {
    reeve *r = *state;
    struct reeve_push unnamed = {.size = sizeof unnamed, .queue = "q"};
    struct reeve_pushed out = {.size = sizeof out};
    rv_fault_plan_add(&plan, (struct rv_fault){.kind = RV_FAULT_REFUSE, .op = RV_OP_PUSH});
    CHECK_FAILS(reeve_push(r, &unnamed, &out), REEVE_EUNREACHABLE);
    CHECK(!out.id[0]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(an_id_is_generated),
        TEST(a_push_that_is_unsure_tells_its_id),
        TEST(a_push_that_is_refused_tells_nothing),
        TEST(many_are_answered_in_their_order),
        TEST(more_bytes_than_one_step_takes_go_in_several),
        TEST(a_done_job_comes_back_with_its_result),
        TEST(a_struct_without_its_size_is_refused),
        TEST(a_result_that_is_there_is_told_at_once),
        TEST(an_empty_result_is_a_result),
        TEST(one_waiter_who_gives_up_disturbs_no_other),
        TEST(the_end_is_heard_of_at_once),
        TEST(a_lost_hint_is_made_up_for),
        TEST(a_wait_outlasts_an_outage),
        TEST(a_store_that_is_away_is_told_at_once),
        TEST(a_failed_job_ends_the_wait),
        TEST(nobody_waits_for_what_is_not_there),
        TEST(pages_span_queues_and_show_each_job_once),
        TEST(a_filter_holds_across_queues),
        TEST(a_listing_stops_when_told),
        TEST(events_of_a_queue_are_told),
        TEST(events_of_all_queues_are_told),
    };
    return cmocka_run_group_tests_name("jobs", tests, NULL, NULL);
}
