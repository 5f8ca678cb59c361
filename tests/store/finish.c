/* Handing in how an attempt ended, and what the record shows then. */
#include <string.h>

#include "core/limits.h"
#include "store/topics.h"

static void done_keeps_the_result(struct fixture *f) { /* A53 A58 A61 */
    move_clock(f, 86400000);
    (void)push(f, "a");
    struct held held = claim_as(f, "w1", "a");
    CHECK_OK(finish_with_result(f, held, "42\0", 3));
    const struct reeve_job *job = read_job(f, "a");
    int64_t now = rv_clock_wall_ms(&f->clock);
    CHECK_INT(job->state, REEVE_DONE);
    CHECK_BYTES(job->result, job->result_size, "42\0", 3);
    CHECK_BYTES(job->body, job->body_size, "a", 1);
    CHECK_BETWEEN(job->ended_at_ms, now - 60000, now);
    CHECK_BETWEEN(job->started_at_ms, now - 60000, job->ended_at_ms);
    CHECK_INT(job->lease_until_ms, 0); /* J2 */
    CHECK_INT(job->token, held.token);
    CHECK_STR(job->worker, "w1");
    CHECK_INT(job->attempt, 1);
    CHECK(!job->error);
    CHECK_NOTHING_TO_CLAIM(f);
    CHECK_INT(upkeep(f), 0); /* A52 */
}

static void an_empty_result_is_a_result(struct fixture *f) { /* T27 J10 */
    (void)push(f, "empty");
    (void)push(f, "none");
    CHECK_OK(finish_with_result(f, claim_as(f, "w", "empty"), NULL, 0));
    CHECK_OK(finish(f, claim_as(f, "w", "none"), RV_SUCCEEDED));
    const struct reeve_job *empty = read_job(f, "empty"), *none = read_job(f, "none");
    CHECK(empty->result);
    CHECK_INT(empty->result_size, 0);
    CHECK(!none->result);
    CHECK_INT(none->result_size, 0);
}

static void a_failed_attempt_waits_and_runs_again(struct fixture *f) { /* A58 A62 A67 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w1", "a");
    CHECK_OK(finish(f, held, RV_FAILED_ATTEMPT));
    const struct reeve_job *job = read_job(f, "a");
    int64_t now = rv_clock_wall_ms(&f->clock);
    CHECK_INT(job->state, REEVE_DELAYED);
    CHECK_BETWEEN(job->run_at_ms, now - 60000 + RETRY_MS, now + RETRY_MS);
    CHECK_INT(job->lease_until_ms, 0);
    CHECK_INT(job->ended_at_ms, 0);
    CHECK(job->error);
    CHECK_STR(job->error->code, "exit:1");
    CHECK_STR(job->error->message, "it broke");
    move_clock(f, RETRY_MS + 1);
    struct held second = claim_as(f, "w2", "a");
    CHECK_INT(second.job->attempt, 2);
    CHECK_BYTES(second.job->body, second.job->body_size, "a", 1); /* A68 T45 */
    CHECK_OK(finish(f, second, RV_SUCCEEDED));
    CHECK_STATE(f, "a", REEVE_DONE);
    CHECK(!read_job(f, "a")->error); /* what failed before is in the history */
    CHECK_INT(stats(f).retried_total, 1);
}

static void a_retry_is_not_claimed_before_its_time(struct fixture *f) {
    struct rv_outcome outcome;
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    outcome = judge(f, held, &(struct rv_report){.ending = RV_FAILED_ATTEMPT});
    outcome.delay_ms = 60000;
    struct rv_exchange request = {
        .queue = f->queue, .timeout_ms = CALL_MS, .outcomes = &outcome, .outcome_count = 1};
    (void)exchange(f, &request);
    CHECK_OK(outcome.status);
    count_outcome(f, &outcome);
    rv_outcome_release(&outcome);
    move_clock(f, 30000);
    CHECK_NOTHING_TO_CLAIM(f);
    move_clock(f, 30001);
    (void)claim_as(f, "w", "a");
}

static void a_retry_at_once_is_ready(struct fixture *f) {
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    struct rv_outcome outcome = judge(f, held, &(struct rv_report){.ending = RV_FAILED_ATTEMPT});
    outcome.delay_ms = 0;
    outcome.state = REEVE_READY;
    struct rv_exchange request = claim_request(f, "w2", 1);
    request.outcomes = &outcome;
    request.outcome_count = 1;
    struct claimed claimed = exchange(f, &request); /* handed in first, then claimed again */
    CHECK_OK(outcome.status);
    count_outcome(f, &outcome);
    rv_outcome_release(&outcome);
    CHECK_INT(claimed.got.count, 1);
    CHECK_INT(claimed.got.jobs[0]->attempt, 2);
    CHECK(claimed.got.token > held.token);
}

static void the_last_attempt_fails_the_job(struct fixture *f) { /* A61 A62 A104 */
    (void)push(f, "a");
    for (int i = 0; i < 3; i++) {
        CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_FAILED_ATTEMPT));
        move_clock(f, RETRY_MS + 1);
    }
    const struct reeve_job *job = read_job(f, "a");
    CHECK_INT(job->state, REEVE_FAILED);
    CHECK_INT(job->attempt, 3);
    CHECK_STR(job->error->message, "it broke");
    CHECK(job->ended_at_ms > 0);
    CHECK_INT(job->history_count, 3);
    CHECK_NOTHING_TO_CLAIM(f);
}

static void giving_up_fails_the_job_at_once(struct fixture *f) {
    (void)push(f, "a");
    CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_GIVEN_UP));
    CHECK_STATE(f, "a", REEVE_FAILED);
    CHECK_INT(stats(f).retried_total, 0);
}

static void handing_back_does_not_count_the_attempt(struct fixture *f) { /* A51 */
    (void)push(f, "a");
    for (int i = 0; i < 5; i++) {
        struct held held = claim_as(f, "w", "a");
        CHECK_INT(held.job->attempt, 1);
        CHECK_OK(finish(f, held, RV_HANDED_BACK));
        const struct reeve_job *job = read_job(f, "a");
        CHECK_INT(job->state, REEVE_READY);
        CHECK_INT(job->attempt, 0);
        CHECK_INT(job->lease_until_ms, 0);
        CHECK_INT(upkeep(f), 0);
    }
    CHECK_INT(read_job(f, "a")->history_count, 5);
    CHECK_INT(read_job(f, "a")->history[4]->outcome, REEVE_ATTEMPT_HANDED_BACK);
    CHECK_INT(stats(f).retried_total, 0);
}

static void nothing_kept_leaves_no_record_but_of_failures(struct fixture *f) { /* A63 J12 */
    static const char *const ids[] = {"done", "failed", "stopped"};
    static const enum rv_ending endings[] = {RV_SUCCEEDED, RV_GIVEN_UP, RV_STOPPED};
    for (int i = 0; i < 3; i++) {
        struct rv_new_job job = new_job(f, ids[i]);
        job.policy.keep_ms = 0;
        (void)push_job(f, &job);
        CHECK_OK(finish(f, claim_as(f, "w", ids[i]), endings[i]));
    }
    CHECK_GONE(f, "done");
    CHECK_GONE(f, "stopped");
    CHECK_STATE(f, "failed", REEVE_FAILED);
    CHECK_INT(stats(f).done + stats(f).cancelled, 0);
    CHECK_INT(stats(f).finished_total, 3);
    move_clock(f, 10 * KEEP_MS);
    CHECK_INT(tend(f).expired, 0);
    CHECK_STATE(f, "failed", REEVE_FAILED); /* until somebody removes it */
}

static void a_failure_stays_until_it_is_removed(struct fixture *f) { /* J12 A88 */
    (void)push(f, "a");
    CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_GIVEN_UP));
    move_clock(f, 100 * (int64_t)KEEP_MS);
    CHECK_STATE(f, "a", REEVE_FAILED);
    CHECK_INT(tend(f).expired, 0);
    CHECK_INT(stats(f).failed, 1);
}

static void an_error_is_kept_whole(struct fixture *f) { /* J10 A106 */
    static char message[RV_ERROR_MESSAGE_MAX + 1], code[RV_ERROR_CODE_MAX + 1];
    static unsigned char detail[RV_ERROR_DETAIL_MAX];
    memset(message, 'm', sizeof message - 1);
    memset(code, 'c', sizeof code - 1);
    for (size_t i = 0; i < sizeof detail; i++)
        detail[i] = (unsigned char)(i * 7);
    struct reeve_failure error = {
        .message = message, .code = code, .detail = detail, .detail_size = sizeof detail};
    (void)push(f, "a");
    struct rv_report report = {.ending = RV_GIVEN_UP, .error = &error};
    CHECK_OK(finish_with(f, claim_as(f, "w", "a"), &report));
    const struct reeve_failure *kept = read_job(f, "a")->error;
    CHECK(kept);
    CHECK_STR(kept->message, message);
    CHECK_STR(kept->code, code);
    CHECK_BYTES(kept->detail, kept->detail_size, detail, sizeof detail);
}

static void the_history_tells_every_attempt(struct fixture *f) {
    static const enum rv_ending endings[] = {RV_FAILED_ATTEMPT, RV_HANDED_BACK, RV_SUCCEEDED};
    static const char *const workers[] = {"w1", "w2", "w3"};
    uint64_t tokens[3];
    (void)push(f, "a");
    for (int i = 0; i < 3; i++) {
        struct held held = claim_as(f, workers[i], "a");
        tokens[i] = held.token;
        CHECK_OK(finish(f, held, endings[i]));
        move_clock(f, RETRY_MS + 1);
    }
    const struct reeve_job *job = read_job(f, "a");
    static const enum reeve_attempt_outcome outcomes[] = {
        REEVE_ATTEMPT_RETRY, REEVE_ATTEMPT_HANDED_BACK, REEVE_ATTEMPT_DONE};
    static const int numbers[] = {1, 2, 2};
    CHECK_INT(job->history_count, 3);
    for (size_t i = 0; i < 3; i++) {
        CHECK_INT(job->history[i]->outcome, outcomes[i]);
        CHECK_INT(job->history[i]->attempt, numbers[i]);
        CHECK_STR(job->history[i]->worker, workers[i]);
        CHECK_INT(job->history[i]->token, tokens[i]);
        CHECK(job->history[i]->ended_at_ms >= job->history[i]->started_at_ms);
    }
    CHECK_STR(job->history[0]->error->code, "exit:1");
}

static void a_long_history_keeps_its_end(struct fixture *f) { /* J11 */
    struct rv_new_job job = new_job(f, "a");
    job.policy.attempts_max = RV_HISTORY_MAX + 3;
    (void)push_job(f, &job);
    for (int i = 0; i < RV_HISTORY_MAX + 3; i++) {
        CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_FAILED_ATTEMPT));
        move_clock(f, RETRY_MS + 1);
    }
    const struct reeve_job *read = read_job(f, "a");
    CHECK_INT(read->state, REEVE_FAILED);
    CHECK_INT(read->history_count, RV_HISTORY_MAX);
    CHECK_INT(read->history[0]->attempt, 4);
    CHECK_INT(read->history[RV_HISTORY_MAX - 1]->attempt, RV_HISTORY_MAX + 3);
}

static void outcomes_of_one_exchange_stand_alone(struct fixture *f) { /* J3 */
    push_many(f, LINE, 3, NULL);
    struct claimed claimed = claim_up_to(f, "w", 3);
    struct rv_report report = {.ending = RV_SUCCEEDED};
    struct rv_outcome outcomes[4];
    for (size_t i = 0; i < 3; i++)
        outcomes[i] = judge(f, held_of(&claimed, i), &report);
    outcomes[3] = judge(f, held_of(&claimed, 0), &report);
    outcomes[1].holder++; /* a stranger's */
    outcomes[3].id = "unknown";
    struct rv_exchange request = {
        .queue = f->queue, .timeout_ms = CALL_MS, .outcomes = outcomes, .outcome_count = 4};
    (void)exchange(f, &request);
    CHECK_OK(outcomes[0].status);
    CHECK_FAILS(outcomes[1].status, REEVE_EFENCED);
    CHECK_OK(outcomes[2].status);
    CHECK_FAILS(outcomes[3].status, REEVE_EFENCED);
    for (size_t i = 0; i < 4; i++) {
        count_outcome(f, &outcomes[i]);
        rv_outcome_release(&outcomes[i]);
    }
    CHECK_STATE(f, LINE "0", REEVE_DONE);
    CHECK_STATE(f, LINE "1", REEVE_RUNNING);
    CHECK_STATE(f, LINE "2", REEVE_DONE);
}

static void keep_nothing(struct rv_new_job *job) {
    job->policy.keep_ms = 0;
}

/* The same when nothing is kept of them, which a store may do for many at once. */
static void outcomes_that_leave_nothing_stand_alone(struct fixture *f) { /* J3 */
    push_many(f, LINE, 5, keep_nothing);
    struct claimed claimed = claim_up_to(f, "w", 4), others = claim_up_to(f, "v", 1);
    struct rv_report report = {.ending = RV_SUCCEEDED};
    static const size_t which[] = {3, 0, 0, 1};
    struct rv_outcome outcomes[6];
    for (size_t i = 0; i < 4; i++)
        outcomes[i] = judge(f, held_of(&claimed, which[i]), &report);
    outcomes[4] = judge(f, held_of(&claimed, 2), &report);
    outcomes[4].id = held_of(&others, 0).job->id;
    outcomes[5] = judge(f, held_of(&claimed, 2), &report);
    outcomes[5].id = "unknown";
    struct rv_exchange request = {
        .queue = f->queue, .timeout_ms = CALL_MS, .outcomes = outcomes, .outcome_count = 6};
    (void)exchange(f, &request);
    static const int statuses[] = {0, 0, REEVE_EFENCED, 0, REEVE_EFENCED, REEVE_EFENCED};
    for (size_t i = 0; i < 6; i++) {
        CHECK_INT(outcomes[i].status, statuses[i]);
        count_outcome(f, &outcomes[i]);
        rv_outcome_release(&outcomes[i]);
    }
    CHECK_GONE(f, LINE "0");
    CHECK_GONE(f, LINE "1");
    CHECK_STATE(f, LINE "2", REEVE_RUNNING);
    CHECK_GONE(f, LINE "3");
    CHECK_STATE(f, LINE "4", REEVE_RUNNING);
    CHECK_OK(finish(f, held_of(&claimed, 2), RV_SUCCEEDED));
    CHECK_OK(finish(f, held_of(&others, 0), RV_SUCCEEDED));
}

static void jobs_of_one_claim_are_finished_one_by_one(struct fixture *f) {
    push_many(f, LINE, 3, NULL);
    struct claimed claimed = claim_up_to(f, "w", 3);
    CHECK_OK(finish(f, held_of(&claimed, 1), RV_SUCCEEDED));
    CHECK_STATE(f, LINE "0", REEVE_RUNNING);
    CHECK_STATE(f, LINE "2", REEVE_RUNNING);
    CHECK(renew(f, held_of(&claimed, 0)));
    CHECK_OK(finish(f, held_of(&claimed, 0), RV_GIVEN_UP));
    CHECK(renew(f, held_of(&claimed, 2)));
    CHECK_OK(finish(f, held_of(&claimed, 2), RV_HANDED_BACK));
    CHECK_STATE(f, LINE "2", REEVE_READY);
}

static void hand_in_and_claim_are_one_step(struct fixture *f) {
    (void)push(f, "a");
    (void)push(f, "b");
    struct held held = claim_as(f, "w", "a");
    struct rv_outcome outcome = judge(f, held, &(struct rv_report){.ending = RV_SUCCEEDED});
    struct rv_exchange request = claim_request(f, "w", 5);
    request.outcomes = &outcome;
    request.outcome_count = 1;
    struct claimed claimed = exchange(f, &request);
    CHECK_OK(outcome.status);
    count_outcome(f, &outcome);
    rv_outcome_release(&outcome);
    CHECK_INT(claimed.got.count, 1);
    CHECK_STR(claimed.got.jobs[0]->id, "b");
    CHECK_STATE(f, "a", REEVE_DONE);
}

static void a_job_that_waits_cannot_be_finished(struct fixture *f) { /* A65 J1 */
    (void)push(f, "other");
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "other");
    struct reeve_job job = *held.job;
    job.id = "a";
    held.job = &job;
    static const enum rv_ending endings[] = {RV_SUCCEEDED, RV_FAILED_ATTEMPT, RV_GIVEN_UP,
                                             RV_HANDED_BACK, RV_STOPPED};
    for (size_t i = 0; i < 5; i++) {
        CHECK_FAILS(finish(f, held, endings[i]), REEVE_EFENCED);
        CHECK_STATE(f, "a", REEVE_READY);
    }
    CHECK_INT(read_job(f, "a")->history_count, 0);
}

static void every_job_of_a_queue_has_an_end_of_its_own(struct fixture *f) { /* T21 T28 */
    push_many(f, "n", 20, NULL);
    for (int i = 0; i < 20; i++) {
        struct claimed claimed = claim_up_to(f, "w", 1);
        CHECK_OK(finish(f, held_of(&claimed, 0), i % 2 ? RV_GIVEN_UP : RV_SUCCEEDED));
    }
    struct reeve_queue queue = stats(f);
    CHECK_INT(queue.done, 10);
    CHECK_INT(queue.failed, 10);
    CHECK_INT(queue.ready + queue.running + queue.delayed, 0);
}

static const struct store_test tests[] = {
    TEST(done_keeps_the_result),
    TEST(an_empty_result_is_a_result),
    TEST(a_failed_attempt_waits_and_runs_again),
    TEST(a_retry_is_not_claimed_before_its_time),
    TEST(a_retry_at_once_is_ready),
    TEST(the_last_attempt_fails_the_job),
    TEST(giving_up_fails_the_job_at_once),
    TEST(handing_back_does_not_count_the_attempt),
    TEST(nothing_kept_leaves_no_record_but_of_failures),
    TEST(a_failure_stays_until_it_is_removed),
    TEST(an_error_is_kept_whole),
    TEST(the_history_tells_every_attempt),
    TEST(a_long_history_keeps_its_end),
    TEST(outcomes_of_one_exchange_stand_alone),
    TEST(outcomes_that_leave_nothing_stand_alone),
    TEST(jobs_of_one_claim_are_finished_one_by_one),
    TEST(hand_in_and_claim_are_one_step),
    TEST(a_job_that_waits_cannot_be_finished),
    TEST(every_job_of_a_queue_has_an_end_of_its_own),
    {0},
};

const struct topic topic_finish = {"finish", tests};
