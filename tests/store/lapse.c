/* Recovery: lapsed claims are found by their deadline and finished by proxy, as failed attempts. */
#include <stdlib.h>

#include "core/limits.h"
#include "store/topics.h"

static struct rv_lapsed lapsed_now(struct fixture *f) {
    struct rv_lapsed lapsed;
    CHECK_CALL(f, rv_store_lapsed(handle(f), f->queue, &lapsed, &f->err));
    return lapsed;
}

static size_t count_lapsed(struct fixture *f, int64_t *next_in_ms) {
    struct rv_lapsed lapsed = lapsed_now(f);
    size_t count = lapsed.count;
    if (next_in_ms) *next_in_ms = lapsed.next_in_ms;
    rv_lapsed_release(&lapsed);
    return count;
}

static void a_lease_that_stands_is_not_lapsed(struct fixture *f) { /* A70 A91 */
    int64_t next;
    CHECK_INT(count_lapsed(f, &next), 0);
    CHECK_INT(next, -1);
    (void)push(f, "a");
    (void)claim_as(f, "w", "a");
    CHECK_INT(count_lapsed(f, &next), 0);
    CHECK_BETWEEN(next, 1, LEASE_MS);
    move_clock(f, LEASE_MS / 2);
    CHECK_INT(count_lapsed(f, &next), 0);
    CHECK_BETWEEN(next, 1, LEASE_MS / 2);
    CHECK_STATE(f, "a", REEVE_RUNNING);
}

static void a_lapsed_job_is_told_whole(struct fixture *f) { /* A71 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w1", "a");
    lapse_leases(f);
    struct rv_lapsed lapsed = lapsed_now(f);
    CHECK_INT(lapsed.count, 1);
    const struct reeve_job *job = adopt(f, lapsed.jobs[0].job);
    CHECK_INT(lapsed.jobs[0].holder, held.holder);
    free(lapsed.jobs);
    CHECK_STR(job->id, "a");
    CHECK_INT(job->state, REEVE_RUNNING);
    CHECK_INT(job->token, held.token);
    CHECK_INT(job->attempt, 1);
    CHECK_INT(job->attempts_max, 3);
    CHECK_STR(job->worker, "w1");
    CHECK_BYTES(job->body, job->body_size, "a", 1);
}

static void looking_changes_nothing(struct fixture *f) { /* J6 A74: who looks may die there */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    lapse_leases(f);
    CHECK_INT(count_lapsed(f, NULL), 1);
    CHECK_INT(count_lapsed(f, NULL), 1);
    CHECK_STATE(f, "a", REEVE_RUNNING);
    CHECK_NOTHING_TO_CLAIM(f); /* a lapse alone makes nothing ready: it is finished first */
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
    CHECK_INT(count_lapsed(f, NULL), 0);
}

static void a_lapse_is_a_failed_attempt(struct fixture *f) { /* A71 A90 T32 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w1", "a"); /* of a worker that never registered: T12 */
    lapse_leases(f);
    CHECK_INT(upkeep(f), 1);
    const struct reeve_job *job = read_job(f, "a");
    CHECK_INT(job->state, REEVE_DELAYED);
    CHECK_INT(job->attempt, 1);
    CHECK_STR(job->error->code, "lapsed");
    CHECK_INT(job->history_count, 1);
    CHECK_INT(job->history[0]->outcome, REEVE_ATTEMPT_LAPSED);
    CHECK_INT(job->history[0]->token, held.token);
    CHECK_INT(job->lease_until_ms, 0);
    move_clock(f, RETRY_MS + 1);
    struct held second = claim_as(f, "w2", "a");
    CHECK_INT(second.job->attempt, 2);
    CHECK_BYTES(second.job->body, second.job->body_size, "a", 1); /* A68 */
    struct reeve_queue queue = stats(f);
    CHECK_INT(queue.lapsed_total, 1);
    CHECK_INT(queue.retried_total, 1);
}

static void lapses_use_up_the_attempts(struct fixture *f) { /* T16 T36 A72 A73 A76 A88 D1 */
    (void)push(f, "a");
    for (int attempt = 1; attempt <= 3; attempt++) {
        CHECK_INT(claim_as(f, "w", "a").job->attempt, attempt);
        CHECK_INT(recover(f), 1);
    }
    const struct reeve_job *job = read_job(f, "a");
    CHECK_INT(job->state, REEVE_FAILED);
    CHECK_INT(job->attempt, 3);
    CHECK_INT(job->history_count, 3);
    CHECK_STR(job->error->code, "lapsed");
    CHECK_BYTES(job->body, job->body_size, "a", 1);
    CHECK_NOTHING_TO_CLAIM(f);
    CHECK_INT(stats(f).lapsed_total, 3);
    CHECK_INT(stats(f).retried_total, 2);
}

static void a_proxy_is_refused_while_the_lease_stands(struct fixture *f) { /* J8 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    CHECK_FAILS(finish(f, held, RV_LAPSED), REEVE_ESTATE);
    lapse_leases(f);
    CHECK(renew(f, held)); /* between upkeep's look and its proxy */
    CHECK_FAILS(finish(f, held, RV_LAPSED), REEVE_ESTATE);
    CHECK_STATE(f, "a", REEVE_RUNNING);
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
}

static void a_proxy_does_not_undo_what_the_owner_did(struct fixture *f) { /* T14 T69 */
    static const enum rv_ending endings[] = {RV_SUCCEEDED, RV_GIVEN_UP, RV_FAILED_ATTEMPT,
                                             RV_HANDED_BACK};
    static const enum reeve_state states[] = {REEVE_DONE, REEVE_FAILED, REEVE_DELAYED, REEVE_READY};
    push_many(f, LINE, 4, NULL);
    struct claimed claimed = claim_up_to(f, "w", 4);
    lapse_leases(f);
    for (size_t i = 0; i < 4; i++) {
        struct held held = held_of(&claimed, i);
        CHECK_OK(finish(f, held, endings[i]));
        CHECK_FAILS(finish(f, held, RV_LAPSED), REEVE_ESTATE);
        CHECK_STATE(f, held.job->id, states[i]);
        CHECK_INT(read_job(f, held.job->id)->history_count, 1);
    }
    CHECK_INT(stats(f).lapsed_total, 0);
    CHECK_INT(stats(f).fenced_total, 0);
}

static void the_owner_who_comes_after_a_proxy_is_fenced(struct fixture *f) { /* T15 T17 A97 J3 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    lapse_leases(f);
    CHECK_INT(upkeep(f), 1);
    CHECK_FAILS(finish(f, held, RV_SUCCEEDED), REEVE_EFENCED); /* DELAYED */
    CHECK_STATE(f, "a", REEVE_DELAYED);
    move_clock(f, RETRY_MS + 1);
    CHECK_INT(tend(f).promoted, 1);
    CHECK_FAILS(finish(f, held, RV_SUCCEEDED), REEVE_EFENCED); /* READY */
    CHECK_STATE(f, "a", REEVE_READY);
    CHECK_FAILS(finish(f, held, RV_HANDED_BACK), REEVE_EFENCED);
    CHECK_INT(claim_up_to(f, "w2", 10).got.count, 1); /* one copy, not two */
}

static void the_owner_is_fenced_after_the_last_lapse_too(struct fixture *f) { /* T36 */
    struct rv_new_job job = new_job(f, "a");
    job.policy.attempts_max = 1;
    (void)push_job(f, &job);
    struct held held = claim_as(f, "w", "a");
    lapse_leases(f);
    CHECK_INT(upkeep(f), 1);
    CHECK_STATE(f, "a", REEVE_FAILED);
    CHECK_FAILS(finish_with_result(f, held, "late", 4), REEVE_EFENCED);
    CHECK_STATE(f, "a", REEVE_FAILED);
    CHECK(!read_job(f, "a")->result);
}

static void a_second_proxy_changes_nothing(struct fixture *f) { /* J6 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    lapse_leases(f);
    CHECK_OK(finish(f, held, RV_LAPSED));
    CHECK_FAILS(finish(f, held, RV_LAPSED), REEVE_ESTATE);
    CHECK_INT(read_job(f, "a")->attempt, 1);
    move_clock(f, RETRY_MS + 1);
    struct held second = claim_as(f, "w2", "a");
    CHECK_FAILS(finish(f, held, RV_LAPSED), REEVE_ESTATE); /* T15: not over the next owner */
    CHECK_STATE(f, "a", REEVE_RUNNING);
    lapse_leases(f);
    CHECK_FAILS(finish(f, held, RV_LAPSED), REEVE_ESTATE); /* nor when his lease is over, too */
    CHECK_STATE(f, "a", REEVE_RUNNING);
    CHECK_OK(finish(f, second, RV_SUCCEEDED));
    CHECK_INT(stats(f).lapsed_total, 1);
    CHECK_INT(stats(f).fenced_total, 0);
}

static void only_what_is_left_of_a_claim_lapses(struct fixture *f) {
    push_many(f, LINE, 3, NULL);
    struct claimed claimed = claim_up_to(f, "w", 3);
    CHECK_OK(finish(f, held_of(&claimed, 1), RV_SUCCEEDED));
    lapse_leases(f);
    CHECK_INT(upkeep(f), 2);
    CHECK_STATE(f, LINE "0", REEVE_DELAYED);
    CHECK_STATE(f, LINE "1", REEVE_DONE);
    CHECK_STATE(f, LINE "2", REEVE_DELAYED);
}

static void a_claim_half_finished_by_proxy_can_be_renewed(struct fixture *f) { /* J8 */
    push_many(f, LINE, 2, NULL);
    struct claimed claimed = claim_up_to(f, "w", 2);
    lapse_leases(f);
    CHECK_OK(finish(f, held_of(&claimed, 0), RV_LAPSED));
    CHECK(renew(f, held_of(&claimed, 1)));
    CHECK_FAILS(finish(f, held_of(&claimed, 1), RV_LAPSED), REEVE_ESTATE);
    CHECK_FAILS(finish(f, held_of(&claimed, 0), RV_SUCCEEDED), REEVE_EFENCED);
    CHECK_OK(finish(f, held_of(&claimed, 1), RV_SUCCEEDED));
}

static void lapses_are_found_in_their_queue_only(struct fixture *f) { /* A77 A40 */
    push_many(f, LINE, 2, NULL);
    (void)claim_up_to(f, "w1", 1);
    (void)claim_up_to(f, "w2", 1);
    f->queue = "others";
    (void)push(f, "a");
    (void)claim_as(f, "w", "a");
    lapse_leases(f);
    f->queue = "jobs";
    CHECK_INT(upkeep(f), 2);
    f->queue = "others";
    CHECK_STATE(f, "a", REEVE_RUNNING);
    CHECK_INT(upkeep(f), 1);
}

static void the_next_deadline_is_that_of_a_lease_that_stands(struct fixture *f) {
    push_many(f, LINE, 2, NULL);
    (void)claim_up_to(f, "w1", 1);
    lapse_leases(f);
    int64_t next;
    CHECK_INT(count_lapsed(f, &next), 1);
    CHECK_INT(next, -1);
    (void)claim_up_to(f, "w2", 1);
    CHECK_INT(count_lapsed(f, &next), 1);
    CHECK_BETWEEN(next, 1, LEASE_MS);
}

static void many_lapses_are_told_in_bounded_steps(struct fixture *f) { /* J11 T41 A75 */
    enum { CLAIM = 100, CLAIMS = 4 };
    push_many(f, "n", CLAIM * CLAIMS, NULL);
    for (int i = 0; i < CLAIMS; i++)
        CHECK_INT(claim_up_to(f, "w", CLAIM).got.count, CLAIM);
    lapse_leases(f);
    size_t told = count_lapsed(f, NULL);
    CHECK_BETWEEN(told, CLAIM, RV_CLAIM_MAX);
    CHECK_INT(told % CLAIM, 0); /* whole claims */
    CHECK_INT(upkeep(f), CLAIM * CLAIMS);
    CHECK_INT(stats(f).delayed, CLAIM * CLAIMS);
}

static void a_claim_of_the_largest_size_is_told_whole(struct fixture *f) { /* J11 */
    push_many(f, "n", RV_CLAIM_MAX + 1, NULL);
    CHECK_INT(claim_up_to(f, "w", RV_CLAIM_MAX).got.count, RV_CLAIM_MAX);
    CHECK_INT(claim_up_to(f, "w", 1).got.count, 1);
    lapse_leases(f);
    CHECK_BETWEEN(count_lapsed(f, NULL), 1, RV_CLAIM_MAX);
    CHECK_INT(upkeep(f), RV_CLAIM_MAX + 1);
}

static const struct store_test tests[] = {
    TEST(a_lease_that_stands_is_not_lapsed),
    TEST(a_lapsed_job_is_told_whole),
    TEST(looking_changes_nothing),
    TEST(a_lapse_is_a_failed_attempt),
    TEST(lapses_use_up_the_attempts),
    TEST(a_proxy_is_refused_while_the_lease_stands),
    TEST(a_proxy_does_not_undo_what_the_owner_did),
    TEST(the_owner_who_comes_after_a_proxy_is_fenced),
    TEST(the_owner_is_fenced_after_the_last_lapse_too),
    TEST(a_second_proxy_changes_nothing),
    TEST(only_what_is_left_of_a_claim_lapses),
    TEST(a_claim_half_finished_by_proxy_can_be_renewed),
    TEST(lapses_are_found_in_their_queue_only),
    TEST(the_next_deadline_is_that_of_a_lease_that_stands),
    TEST_NEEDING(ONE_SHARD, many_lapses_are_told_in_bounded_steps),
    TEST_NEEDING(ONE_SHARD, a_claim_of_the_largest_size_is_told_whole),
    {0},
};

const struct topic topic_lapse = {"lapse", tests};
