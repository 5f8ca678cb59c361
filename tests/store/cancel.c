/* Cancelling: at once what waits, by a mark what runs. */
#include <stdlib.h>
#include <string.h>

#include "store/topics.h"

static void a_waiting_job_is_cancelled_at_once(struct fixture *f) { /* A105 */
    enum reeve_state now;
    (void)push(f, "ready");
    (void)push_delayed(f, "delayed", 60000);
    (void)push(f, "other");
    CHECK_OK(cancel(f, "ready", &now));
    CHECK_INT(now, REEVE_CANCELLED);
    CHECK_OK(cancel(f, "delayed", &now));
    CHECK_INT(now, REEVE_CANCELLED);
    CHECK_STATE(f, "ready", REEVE_CANCELLED);
    CHECK_STATE(f, "delayed", REEVE_CANCELLED);
    CHECK(read_job(f, "ready")->ended_at_ms > 0);
    CHECK_OK(finish(f, claim_as(f, "w", "other"), RV_SUCCEEDED));
    move_clock(f, 60001);
    CHECK_NOTHING_TO_CLAIM(f); /* never runs, T18 */
}

static void an_unknown_job_cannot_be_cancelled(struct fixture *f) { /* A105 */
    (void)push(f, "a");
    CHECK_FAILS(cancel(f, "b", NULL), REEVE_ENOENT);
    f->queue = "others";
    CHECK_FAILS(cancel(f, "a", NULL), REEVE_ENOENT);
}

static void an_ended_job_cannot_be_cancelled(struct fixture *f) {
    static const char *const ids[] = {"done", "failed"};
    static const enum rv_ending endings[] = {RV_SUCCEEDED, RV_GIVEN_UP};
    for (int i = 0; i < 2; i++) {
        (void)push(f, ids[i]);
        CHECK_OK(finish(f, claim_as(f, "w", ids[i]), endings[i]));
        CHECK_FAILS(cancel(f, ids[i], NULL), REEVE_ESTATE);
    }
    CHECK_STATE(f, "done", REEVE_DONE);
    CHECK_STATE(f, "failed", REEVE_FAILED);
    (void)push(f, "cancelled");
    CHECK_OK(cancel(f, "cancelled", NULL));
    CHECK_FAILS(cancel(f, "cancelled", NULL), REEVE_ESTATE);
}

static void of_a_cancelled_job_that_keeps_nothing_nothing_stays(struct fixture *f) {
    enum reeve_state now;
    struct rv_new_job job = new_job(f, "a");
    job.policy.keep_ms = 0;
    (void)push_job(f, &job);
    CHECK_OK(cancel(f, "a", &now));
    CHECK_INT(now, REEVE_CANCELLED);
    CHECK_GONE(f, "a");
    CHECK_NOTHING_TO_CLAIM(f);
    CHECK_INT(stats(f).cancelled, 0);
}

/* Renews and returns how many marks the renewal brought; of the last one *id and *holder. */
static size_t read_marks(struct fixture *f, struct held held, struct rv_cancel_mark *last) {
    struct rv_renewal renewal = {.holder = held.holder, .token = held.token, .lease_ms = LEASE_MS};
    struct rv_cancel_marks marks;
    CHECK_CALL(f, rv_store_renew(handle(f), held.queue, &renewal, 1, CALL_MS, &marks, &f->err));
    CHECK(!renewal.lost);
    if (marks.count && last) *last = marks.marks[marks.count - 1];
    free(marks.marks);
    return marks.count;
}

static void a_running_job_is_told_to_stop(struct fixture *f) { /* T18 */
    enum reeve_state now;
    push_many(f, LINE, 3, NULL);
    struct claimed claimed = claim_up_to(f, "w", 2), other = claim_up_to(f, "w", 1);
    CHECK_INT(read_marks(f, held_of(&claimed, 0), NULL), 0);
    CHECK_OK(cancel(f, LINE "1", &now));
    CHECK_INT(now, REEVE_RUNNING);
    CHECK_OK(cancel(f, LINE "1", &now)); /* again: still so */
    CHECK_INT(now, REEVE_RUNNING);
    const struct reeve_job *job = read_job(f, LINE "1");
    CHECK_INT(job->state, REEVE_RUNNING);
    CHECK(job->cancelling);
    CHECK(!read_job(f, LINE "0")->cancelling);
    struct rv_cancel_mark mark = {0};
    for (int i = 0; i < 3; i++) { /* at each renewal until it is handed in */
        CHECK_INT(read_marks(f, held_of(&claimed, 0), &mark), 1);
        CHECK_STR(mark.id, LINE "1");
        CHECK_INT(mark.holder, claimed.holder);
    }
    CHECK_INT(read_marks(f, held_of(&other, 0), NULL), 0);
    CHECK_OK(finish(f, held_of(&claimed, 1), RV_STOPPED));
    CHECK_STATE(f, LINE "1", REEVE_CANCELLED);
    CHECK_INT(read_marks(f, held_of(&claimed, 0), NULL), 0);
}

static void marks_of_many_claims_come_in_one_renewal(struct fixture *f) {
    push_many(f, LINE, 3, NULL);
    struct rv_renewal renewals[3];
    for (int i = 0; i < 3; i++) {
        struct claimed claimed = claim_up_to(f, "w", 1);
        renewals[i] = (struct rv_renewal){
            .holder = claimed.holder, .token = claimed.got.token, .lease_ms = LEASE_MS};
    }
    CHECK_OK(cancel(f, LINE "0", NULL));
    CHECK_OK(cancel(f, LINE "2", NULL));
    struct rv_cancel_marks marks;
    CHECK_CALL(f, rv_store_renew(handle(f), "jobs", renewals, 3, CALL_MS, &marks, &f->err));
    (void)adopt(f, marks.marks);
    CHECK_INT(marks.count, 2);
    bool first_is_n0 = strcmp(marks.marks[0].id, LINE "0") == 0;
    CHECK_STR(marks.marks[!first_is_n0].id, LINE "0");
    CHECK_INT(marks.marks[!first_is_n0].holder, renewals[0].holder);
    CHECK_STR(marks.marks[first_is_n0].id, LINE "2");
    CHECK_INT(marks.marks[first_is_n0].holder, renewals[2].holder);
}

/* "a", claimed and marked. */
static struct held claim_marked(struct fixture *f, int attempts_max) {
    struct rv_new_job job = new_job(f, "a");
    job.policy.attempts_max = attempts_max;
    (void)push_job(f, &job);
    struct held held = claim_as(f, "w", "a");
    CHECK_OK(cancel(f, "a", NULL));
    return held;
}

static void check_cancelled_for_good(struct fixture *f) {
    const struct reeve_job *job = read_job(f, "a");
    CHECK_INT(job->state, REEVE_CANCELLED);
    CHECK(!job->cancelling);
    CHECK_INT(job->lease_until_ms, 0);
    CHECK(job->ended_at_ms > 0);
    move_clock(f, RETRY_MS + 1);
    CHECK_NOTHING_TO_CLAIM(f);
    CHECK_INT(stats(f).cancelled, 1);
    CHECK_INT(stats(f).retried_total, 0);
}

static void a_marked_job_is_not_retried(struct fixture *f) {
    CHECK_OK(finish(f, claim_marked(f, 3), RV_FAILED_ATTEMPT));
    check_cancelled_for_good(f);
}

static void a_marked_job_that_is_handed_back_is_cancelled(struct fixture *f) {
    CHECK_OK(finish(f, claim_marked(f, 3), RV_HANDED_BACK));
    check_cancelled_for_good(f);
}

static void a_marked_job_that_lapses_is_cancelled(struct fixture *f) {
    (void)claim_marked(f, 3);
    lapse_leases(f);
    CHECK_INT(upkeep(f), 1);
    check_cancelled_for_good(f);
    CHECK_INT(stats(f).lapsed_total, 1);
}

static void a_marked_job_that_was_done_is_done(struct fixture *f) { /* T18 */
    CHECK_OK(finish_with_result(f, claim_marked(f, 3), "r", 1));
    const struct reeve_job *job = read_job(f, "a");
    CHECK_INT(job->state, REEVE_DONE);
    CHECK_BYTES(job->result, job->result_size, "r", 1);
    CHECK(!job->cancelling);
    CHECK_INT(stats(f).done, 1);
    CHECK_INT(stats(f).cancelled, 0);
}

static void a_marked_job_that_fails_for_good_has_failed(struct fixture *f) {
    CHECK_OK(finish(f, claim_marked(f, 1), RV_FAILED_ATTEMPT));
    CHECK_STATE(f, "a", REEVE_FAILED);
}

static void a_mark_does_not_outlive_its_attempt(struct fixture *f) {
    CHECK_OK(finish(f, claim_marked(f, 3), RV_STOPPED));
    CHECK_OK(revive(f, "a"));
    struct held held = claim_as(f, "w", "a");
    CHECK(!held.job->cancelling);
    CHECK_INT(read_marks(f, held, NULL), 0);
    CHECK_OK(finish(f, held, RV_FAILED_ATTEMPT));
    CHECK_STATE(f, "a", REEVE_DELAYED);
}

static void a_cancelled_retry_is_over(struct fixture *f) {
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    CHECK_OK(finish(f, held, RV_FAILED_ATTEMPT));
    CHECK_OK(cancel(f, "a", NULL));
    move_clock(f, RETRY_MS + 1);
    CHECK_NOTHING_TO_CLAIM(f);
    const struct reeve_job *job = read_job(f, "a");
    CHECK_INT(job->state, REEVE_CANCELLED);
    CHECK_INT(job->history_count, 1);
    CHECK_STR(job->error->code, "exit:1");
}

static void an_old_holder_cannot_end_what_was_pushed_anew(struct fixture *f) { /* T19 T43 A146 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    CHECK_OK(finish(f, held, RV_FAILED_ATTEMPT));
    CHECK_OK(cancel(f, "a", NULL));
    CHECK_INT(push(f, "a").status, REEVE_QUEUED);
    CHECK_FAILS(finish(f, held, RV_SUCCEEDED), REEVE_EFENCED);
    CHECK_STATE(f, "a", REEVE_READY);
    (void)claim_as(f, "w2", "a");
    CHECK_FAILS(finish(f, held, RV_SUCCEEDED), REEVE_EFENCED);
    CHECK_STATE(f, "a", REEVE_RUNNING);
}

static const struct store_test tests[] = {
    TEST(a_waiting_job_is_cancelled_at_once),
    TEST(an_unknown_job_cannot_be_cancelled),
    TEST(an_ended_job_cannot_be_cancelled),
    TEST(of_a_cancelled_job_that_keeps_nothing_nothing_stays),
    TEST(a_running_job_is_told_to_stop),
    TEST(marks_of_many_claims_come_in_one_renewal),
    TEST(a_marked_job_is_not_retried),
    TEST(a_marked_job_that_is_handed_back_is_cancelled),
    TEST(a_marked_job_that_lapses_is_cancelled),
    TEST(a_marked_job_that_was_done_is_done),
    TEST(a_marked_job_that_fails_for_good_has_failed),
    TEST(a_mark_does_not_outlive_its_attempt),
    TEST(a_cancelled_retry_is_over),
    TEST(an_old_holder_cannot_end_what_was_pushed_anew),
    {0},
};

const struct topic topic_cancel = {"cancel", tests};
