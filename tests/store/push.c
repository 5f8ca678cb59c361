/* What a push answers, and what becomes of the job. */
#include <stdlib.h>

#include "store/topics.h"

static void a_new_job_is_queued_and_reads_back_whole(struct fixture *f) { /* A30 A61 */
    static const char body[] = "bytes\0with NUL";
    move_clock(f, 86400000); /* J8: all times are the store's, not the host's */
    struct rv_new_job job = new_job(f, "a");
    job.kind = "mail";
    job.body = (struct rv_bytes){body, sizeof body};
    job.priority = -3;
    job.policy = (struct rv_policy){.attempts_max = 7,
                                    .backoff = REEVE_LINEAR,
                                    .backoff_ms = 111,
                                    .backoff_ms_max = 2222,
                                    .timeout_ms = 3333,
                                    .keep_ms = 44444};
    struct rv_pushed pushed = push_job(f, &job);
    CHECK_INT(pushed.status, REEVE_QUEUED);
    CHECK_INT(pushed.state, REEVE_READY);
    CHECK(!pushed.done);

    const struct reeve_job *read = read_job(f, "a");
    CHECK(read);
    CHECK_STR(read->queue, "jobs");
    CHECK_STR(read->id, "a");
    CHECK_STR(read->kind, "mail");
    CHECK_BYTES(read->body, read->body_size, body, sizeof body);
    CHECK_INT(read->state, REEVE_READY);
    CHECK_INT(read->priority, -3);
    CHECK_INT(read->attempts_max, 7);
    CHECK_INT(read->backoff, REEVE_LINEAR);
    CHECK_INT(read->backoff_ms, 111);
    CHECK_INT(read->backoff_ms_max, 2222);
    CHECK_INT(read->timeout_ms, 3333);
    CHECK_INT(read->keep_ms, 44444);
    int64_t now = rv_clock_wall_ms(&f->clock);
    CHECK_BETWEEN(read->created_at_ms, now - 60000, now);
}

static void a_job_that_never_ran_shows_nothing_of_a_run(struct fixture *f) {
    (void)push(f, "a");
    const struct reeve_job *job = read_job(f, "a");
    CHECK(job);
    CHECK_INT(job->attempt, 0);
    CHECK_INT(job->token, 0);
    CHECK_STR(job->worker, NULL);
    CHECK(!job->cancelling && !job->error && !job->result);
    CHECK_INT(job->started_at_ms, 0);
    CHECK_INT(job->ended_at_ms, 0);
    CHECK_INT(job->lease_until_ms, 0);
    CHECK_INT(job->history_count, 0);
}

/* Pushes "a" again with another body and kind. */
static struct rv_pushed push_other(struct fixture *f) {
    struct rv_new_job other = new_job(f, "a");
    other.body = (struct rv_bytes){"other", 5};
    other.kind = "other";
    return push_job(f, &other);
}

static void check_unchanged(struct fixture *f) {
    const struct reeve_job *job = read_job(f, "a");
    CHECK(job);
    CHECK_STR(job->kind, "default");
    CHECK_BYTES(job->body, job->body_size, "a", 1);
}

static void a_waiting_id_is_a_duplicate(struct fixture *f) { /* J14 A31 A140 */
    (void)push(f, "a");
    struct rv_pushed again = push_other(f);
    CHECK_INT(again.status, REEVE_DUPLICATE);
    CHECK_INT(again.state, REEVE_READY);
    check_unchanged(f);
    CHECK_INT(claim_up_to(f, "w", 10).got.count, 1);
}

static void a_delayed_id_is_a_duplicate(struct fixture *f) { /* J14 A140 */
    (void)push_delayed(f, "a", 60000);
    struct rv_pushed again = push_other(f);
    CHECK_INT(again.status, REEVE_DUPLICATE);
    CHECK_INT(again.state, REEVE_DELAYED);
    check_unchanged(f);
    CHECK_NOTHING_TO_CLAIM(f);
}

static void a_running_id_is_a_duplicate(struct fixture *f) { /* J14 A114 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    struct rv_pushed again = push_other(f);
    CHECK_INT(again.status, REEVE_DUPLICATE);
    CHECK_INT(again.state, REEVE_RUNNING);
    check_unchanged(f);
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
}

static void a_failed_id_is_a_duplicate(struct fixture *f) { /* J14 A114 */
    (void)push(f, "a");
    CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_GIVEN_UP));
    struct rv_pushed again = push_other(f);
    CHECK_INT(again.status, REEVE_DUPLICATE);
    CHECK_INT(again.state, REEVE_FAILED);
    check_unchanged(f);
    CHECK_NOTHING_TO_CLAIM(f);
}

static void a_done_id_answers_with_its_record(struct fixture *f) { /* J14 A101 A114 */
    (void)push(f, "a");
    CHECK_OK(finish_with_result(f, claim_as(f, "w", "a"), "r\0s", 3));
    struct rv_pushed again = push_other(f);
    CHECK_INT(again.status, REEVE_DUPLICATE_DONE);
    CHECK_INT(again.state, REEVE_DONE);
    CHECK(again.done);
    CHECK_STR(again.done->id, "a");
    CHECK_INT(again.done->state, REEVE_DONE);
    CHECK_BYTES(again.done->result, again.done->result_size, "r\0s", 3);
    check_unchanged(f);
    CHECK_NOTHING_TO_CLAIM(f);
}

static void a_cancelled_id_is_queued_as_a_new_job(struct fixture *f) { /* J14 A114 */
    (void)push(f, "a");
    CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_FAILED_ATTEMPT));
    CHECK_OK(cancel(f, "a", NULL));
    struct rv_pushed again = push_other(f);
    CHECK_INT(again.status, REEVE_QUEUED);
    CHECK_INT(again.state, REEVE_READY);
    const struct reeve_job *job = read_job(f, "a");
    CHECK_BYTES(job->body, job->body_size, "other", 5);
    CHECK_STR(job->kind, "other");
    CHECK_INT(job->attempt, 0);
    CHECK_INT(job->history_count, 0);
    CHECK_INT(job->ended_at_ms, 0);
    CHECK(!job->error && !job->cancelling);
}

static void cancelled_and_pushed_again_runs_once(struct fixture *f) { /* T19 */
    (void)push(f, "a");
    CHECK_OK(cancel(f, "a", NULL));
    CHECK_INT(push_other(f).status, REEVE_QUEUED);
    struct claimed claimed = claim_up_to(f, "w", 10);
    CHECK_INT(claimed.got.count, 1);
    CHECK_BYTES(claimed.got.jobs[0]->body, claimed.got.jobs[0]->body_size, "other", 5);
}

static void a_batch_is_answered_job_by_job(struct fixture *f) { /* A42 */
    (void)push(f, "waiting");
    (void)push_urgent(f, "done", -1);
    CHECK_OK(finish_with_result(f, claim_as(f, "w", "done"), "r", 1));
    struct rv_new_job jobs[] = {new_job(f, "new1"), new_job(f, "waiting"), new_job(f, "done"),
                                new_job(f, "new2")};
    struct rv_pushed outs[4];
    CHECK_CALL(f, rv_store_push(handle(f), f->queue, jobs, 4, outs, &f->err));
    (void)adopt(f, outs[2].done);
    f->expected.pushed += 2;
    CHECK_INT(outs[0].status, REEVE_QUEUED);
    CHECK_INT(outs[1].status, REEVE_DUPLICATE);
    CHECK_INT(outs[2].status, REEVE_DUPLICATE_DONE);
    CHECK(outs[2].done);
    CHECK_INT(outs[3].status, REEVE_QUEUED);
    (void)claim_as(f, "w", "waiting");
    (void)claim_as(f, "w", "new1");
    (void)claim_as(f, "w", "new2");
}

static void of_one_id_twice_in_a_batch_the_first_wins(struct fixture *f) { /* J14 */
    struct rv_new_job jobs[] = {new_job(f, "a"), new_job(f, "b"), new_job(f, "a")};
    jobs[2].body = (struct rv_bytes){"other", 5};
    struct rv_pushed outs[3];
    CHECK_CALL(f, rv_store_push(handle(f), f->queue, jobs, 3, outs, &f->err));
    f->expected.pushed += 2;
    CHECK_INT(outs[0].status, REEVE_QUEUED);
    CHECK_INT(outs[1].status, REEVE_QUEUED);
    CHECK_INT(outs[2].status, REEVE_DUPLICATE);
    CHECK_INT(outs[2].state, REEVE_READY);
    check_unchanged(f);
    (void)claim_as(f, "w", "a");
    (void)claim_as(f, "w", "b");
    CHECK_NOTHING_TO_CLAIM(f);
}

static void a_delayed_job_waits_for_its_time(struct fixture *f) { /* A41 J8 */
    struct rv_pushed pushed = push_delayed(f, "a", 60000);
    CHECK_INT(pushed.status, REEVE_QUEUED);
    CHECK_INT(pushed.state, REEVE_DELAYED);
    const struct reeve_job *job = read_job(f, "a");
    CHECK_INT(job->state, REEVE_DELAYED);
    CHECK_INT(job->run_at_ms, job->created_at_ms + 60000);
    move_clock(f, 30000);
    CHECK_INT(tend(f).promoted, 0);
    CHECK_NOTHING_TO_CLAIM(f);
    move_clock(f, 30001);
    (void)claim_as(f, "w", "a");
}

static void a_start_time_is_a_time_of_the_store(struct fixture *f) { /* T37 */
    move_clock(f, 86400000);
    struct rv_new_job later = new_job(f, "later"), past = new_job(f, "past");
    later.run_at_ms = rv_store_now_ms(f->first) + 60000;
    past.run_at_ms = rv_store_now_ms(f->first) - 60000;
    CHECK_INT(push_job(f, &later).state, REEVE_DELAYED);
    CHECK_INT(push_job(f, &past).state, REEVE_READY);
    CHECK_INT(read_job(f, "later")->run_at_ms, later.run_at_ms);
    (void)claim_as(f, "w", "past");
    CHECK_NOTHING_TO_CLAIM(f);
    move_clock(f, 75000); /* a server's clock is known here only about */
    (void)claim_as(f, "w", "later");
}

static void two_queues_hold_one_id_apart(struct fixture *f) { /* A40 A43 A115 */
    (void)push(f, "a");
    f->queue = "others";
    CHECK_NOTHING_TO_CLAIM(f);
    CHECK_GONE(f, "a");
    CHECK_INT(push(f, "a").status, REEVE_QUEUED);
    CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_SUCCEEDED));
    CHECK_STATE(f, "a", REEVE_DONE);
    f->queue = "jobs";
    CHECK_STATE(f, "a", REEVE_READY);
    (void)claim_as(f, "w", "a");
}

static void two_spaces_hold_one_queue_apart(struct fixture *f) { /* A43 T25 */
    (void)push(f, "a");
    struct rv_store *elsewhere = fixture_open_space(f, "elsewhere");
    struct reeve_job *job;
    struct rv_names names;
    CHECK_FAILS(rv_store_read(elsewhere, "jobs", "a", &job, &f->err), REEVE_ENOENT);
    CHECK_OK(rv_store_queues(elsewhere, NULL, 10, &names, &f->err));
    CHECK_INT(names.count, 0);
    free(names.names);
    rv_store_close(elsewhere);
}

static void an_id_that_is_no_longer_kept_is_new(struct fixture *f) { /* A114 J7 */
    (void)push(f, "a");
    CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_SUCCEEDED));
    move_clock(f, KEEP_MS - 60000);
    CHECK_INT(push(f, "a").status, REEVE_DUPLICATE_DONE);
    move_clock(f, 60001); /* no upkeep has seen it: it is gone all the same */
    CHECK_INT(push(f, "a").status, REEVE_QUEUED);
    CHECK_INT(read_job(f, "a")->attempt, 0);
    CHECK_INT(tend(f).expired, 0); /* T43: the old record's time is not the new one's */
    (void)claim_as(f, "w", "a");
}

static void an_id_of_which_nothing_is_kept_is_new_at_once(struct fixture *f) { /* A63 A144 */
    for (int i = 0; i < 2; i++) {
        struct rv_new_job job = new_job(f, "a");
        job.policy.keep_ms = 0;
        CHECK_INT(push_job(f, &job).status, REEVE_QUEUED);
        CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_SUCCEEDED));
        CHECK_GONE(f, "a");
    }
}

static void what_was_acknowledged_is_there_after_opening_again(struct fixture *f) {
    (void)push(f, "a");
    (void)push_delayed(f, "b", 60000);
    struct held held = claim_as(f, "w", "a");
    fixture_reopen(f);
    CHECK_STATE(f, "a", REEVE_RUNNING);
    CHECK_STATE(f, "b", REEVE_DELAYED);
    CHECK(renew(f, held));
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
    fixture_reopen(f); /* A45: opening is repeatable */
    CHECK_STATE(f, "a", REEVE_DONE);
}

static const struct store_test tests[] = {
    TEST(a_new_job_is_queued_and_reads_back_whole),
    TEST(a_job_that_never_ran_shows_nothing_of_a_run),
    TEST(a_waiting_id_is_a_duplicate),
    TEST(a_delayed_id_is_a_duplicate),
    TEST(a_running_id_is_a_duplicate),
    TEST(a_failed_id_is_a_duplicate),
    TEST(a_done_id_answers_with_its_record),
    TEST(a_cancelled_id_is_queued_as_a_new_job),
    TEST(cancelled_and_pushed_again_runs_once),
    TEST(a_batch_is_answered_job_by_job),
    TEST(of_one_id_twice_in_a_batch_the_first_wins),
    TEST(a_delayed_job_waits_for_its_time),
    TEST(a_start_time_is_a_time_of_the_store),
    TEST(two_queues_hold_one_id_apart),
    TEST_NEEDING(RV_CAP_SHARED, two_spaces_hold_one_queue_apart),
    TEST(an_id_that_is_no_longer_kept_is_new),
    TEST(an_id_of_which_nothing_is_kept_is_new_at_once),
    TEST_NEEDING(RV_CAP_DURABLE, what_was_acknowledged_is_there_after_opening_again),
    {0},
};

const struct topic topic_push = {"push", tests};
