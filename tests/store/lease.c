/* Renewing, and who may write: the current token and holder, nobody else (J3, J5, J8). */
#include "core/limits.h"
#include "store/topics.h"

static void renewing_in_time_keeps_the_job(struct fixture *f) { /* A78 A86 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    for (int i = 0; i < 5; i++) {
        move_clock(f, LEASE_MS * 2 / 3);
        CHECK(renew(f, held));
        CHECK_INT(upkeep(f), 0);
    }
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
}

static void a_renewal_counts_from_now(struct fixture *f) {
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    move_clock(f, LEASE_MS / 2);
    CHECK(renew(f, held));
    int64_t now = rv_clock_wall_ms(&f->clock);
    CHECK_BETWEEN(read_job(f, "a")->lease_until_ms, now + LEASE_MS - 10000, now + LEASE_MS + 1000);
}

static void a_renewal_may_shorten_the_lease(struct fixture *f) {
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    struct rv_renewal renewal = {.holder = held.holder, .token = held.token, .lease_ms = 5000};
    struct rv_cancel_marks marks;
    CHECK_CALL(f, rv_store_renew(handle(f), "jobs", &renewal, 1, CALL_MS, &marks, &f->err));
    CHECK(!renewal.lost);
    CHECK_INT(marks.count, 0);
    move_clock(f, 5001);
    CHECK_INT(upkeep(f), 1);
}

static void a_stranger_renews_nothing(struct fixture *f) { /* A81 J5 T34 T57 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a"), stranger = held;
    stranger.holder = held.holder + 1; /* by the right token */
    move_clock(f, LEASE_MS / 2);
    CHECK(!renew(f, stranger));
    move_clock(f, LEASE_MS / 2 + 1);
    CHECK_INT(upkeep(f), 1); /* nobody has prolonged it */
}

static void an_old_token_renews_nothing(struct fixture *f) { /* J3 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a"), old = held;
    old.token--;
    move_clock(f, LEASE_MS / 2);
    CHECK(!renew(f, old));
    move_clock(f, LEASE_MS / 2 + 1);
    CHECK_INT(upkeep(f), 1);
}

static void a_claim_is_renewed_in_its_own_queue_only(struct fixture *f) { /* A80 A40 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a"), elsewhere = held;
    f->queue = "others";
    (void)push(f, "a");
    (void)claim_as(f, "w", "a");
    elsewhere.queue = "others";
    CHECK(!renew(f, elsewhere));
    CHECK_FAILS(finish(f, elsewhere, RV_SUCCEEDED), REEVE_EFENCED);
    CHECK_STATE(f, "a", REEVE_RUNNING);
    f->queue = "jobs";
    CHECK_STATE(f, "a", REEVE_RUNNING);
    CHECK(renew(f, held));
}

static void a_lapsed_lease_that_nobody_took_is_renewed(struct fixture *f) { /* J8 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    lapse_leases(f);
    CHECK(renew(f, held));
    CHECK_INT(upkeep(f), 0);
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
}

static void a_lapsed_lease_that_nobody_took_still_finishes(struct fixture *f) { /* J8 A97 */
    push_many(f, LINE, 2, NULL);
    struct claimed claimed = claim_up_to(f, "w", 2);
    lapse_leases(f);
    CHECK_OK(finish(f, held_of(&claimed, 0), RV_SUCCEEDED));
    CHECK_OK(finish(f, held_of(&claimed, 1), RV_HANDED_BACK));
    CHECK_STATE(f, LINE "0", REEVE_DONE);
    CHECK_STATE(f, LINE "1", REEVE_READY);
    CHECK_INT(stats(f).lapsed_total, 0);
}

static void renewing_after_recovery_is_lost(struct fixture *f) { /* A79 A84 T34 */
    (void)push(f, "a");
    struct held first = claim_as(f, "w1", "a");
    CHECK_INT(recover(f), 1);
    CHECK(!renew(f, first)); /* it waits for the next attempt: nothing is renewed into being */
    struct held second = claim_as(f, "w2", "a");
    CHECK(!renew(f, first));
    CHECK_NOTHING_TO_CLAIM(f);
    move_clock(f, LEASE_MS / 2);
    CHECK(!renew(f, first));
    move_clock(f, LEASE_MS / 2 + 1);
    CHECK_INT(upkeep(f), 1); /* w1's renewals have not kept w2's lease alive */
    CHECK(!renew(f, second));
}

static void the_same_worker_is_a_stranger_to_its_old_claim(struct fixture *f) { /* T35 T57 J5 */
    (void)push(f, "a");
    struct held first = claim_as(f, "w", "a");
    CHECK_INT(recover(f), 1);
    struct held second = claim_as(f, "w", "a");
    CHECK(!renew(f, first));
    CHECK_FAILS(finish(f, first, RV_SUCCEEDED), REEVE_EFENCED);
    CHECK(renew(f, second));
    CHECK_OK(finish(f, second, RV_SUCCEEDED));
}

static void finish_under_an_old_token_is_fenced(struct fixture *f) { /* J3 A83 A84 T17 */
    static const enum rv_ending endings[] = {RV_SUCCEEDED, RV_FAILED_ATTEMPT, RV_GIVEN_UP,
                                             RV_HANDED_BACK, RV_STOPPED};
    (void)push(f, "a");
    struct held first = claim_as(f, "w1", "a");
    CHECK_INT(recover(f), 1);
    struct held second = claim_as(f, "w2", "a");
    CHECK(second.token > first.token); /* J4 */
    for (size_t i = 0; i < 5; i++) {
        CHECK_FAILS(finish(f, first, endings[i]), REEVE_EFENCED); /* T46 */
        CHECK_STATE(f, "a", REEVE_RUNNING);
    }
    CHECK_STR(read_job(f, "a")->worker, "w2");
    CHECK_INT(read_job(f, "a")->attempt, 2);
    CHECK_OK(finish_with_result(f, second, "second", 6));
    const struct reeve_job *job = read_job(f, "a");
    CHECK_BYTES(job->result, job->result_size, "second", 6);
}

static void token_and_holder_must_both_be_right(struct fixture *f) { /* J3 J5 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a"), stranger = held, old = held, ahead = held;
    stranger.holder ^= 1;
    old.token--;
    ahead.token++;
    CHECK_FAILS(finish(f, stranger, RV_SUCCEEDED), REEVE_EFENCED);
    CHECK_FAILS(finish(f, old, RV_SUCCEEDED), REEVE_EFENCED);
    CHECK_FAILS(finish(f, ahead, RV_SUCCEEDED), REEVE_EFENCED);
    CHECK_STATE(f, "a", REEVE_RUNNING);
    CHECK_INT(stats(f).fenced_total, 3);
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
}

static void a_holder_uses_all_its_64_bits(struct fixture *f) { /* J5 */
    static const uint64_t holders[] = {1, UINT64_MAX, (uint64_t)INT64_MAX + 1, INT64_MAX};
    push_many(f, LINE, 4, NULL);
    for (size_t i = 0; i < 4; i++) {
        struct rv_exchange request = claim_request(f, "w", 1);
        request.holder = holders[i];
        struct claimed claimed = exchange(f, &request);
        struct held held = held_of(&claimed, 0);
        CHECK(renew(f, held));
        CHECK_OK(finish(f, held, RV_SUCCEEDED));
    }
}

static void one_renewal_keeps_all_jobs_of_a_claim(struct fixture *f) {
    push_many(f, LINE, 5, NULL);
    struct claimed claimed = claim_up_to(f, "w", 5);
    move_clock(f, LEASE_MS / 2);
    CHECK(renew(f, held_of(&claimed, 0)));
    move_clock(f, LEASE_MS / 2 + 1);
    CHECK_INT(upkeep(f), 0);
    lapse_leases(f);
    CHECK_INT(upkeep(f), 5);
}

static void a_claim_with_nothing_left_is_lost(struct fixture *f) {
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
    CHECK(!renew(f, held));
}

static void claims_have_leases_of_their_own(struct fixture *f) {
    push_many(f, LINE, 2, NULL);
    struct rv_exchange brief = claim_request(f, "w1", 1);
    brief.lease_ms = 1000;
    (void)exchange(f, &brief);
    (void)claim_up_to(f, "w2", 1);
    move_clock(f, 1001);
    CHECK_INT(upkeep(f), 1);
    CHECK_STATE(f, LINE "0", REEVE_DELAYED);
    CHECK_STATE(f, LINE "1", REEVE_RUNNING);
}

static void one_lost_claim_does_not_sink_the_others(struct fixture *f) {
    push_many(f, LINE, 3, NULL);
    struct rv_renewal renewals[3];
    for (int i = 0; i < 3; i++) {
        struct claimed claimed = claim_up_to(f, "w", 1);
        renewals[i] = (struct rv_renewal){
            .holder = claimed.holder, .token = claimed.got.token, .lease_ms = LEASE_MS};
    }
    renewals[1].holder++;
    move_clock(f, LEASE_MS / 2);
    struct rv_cancel_marks marks;
    CHECK_CALL(f, rv_store_renew(handle(f), "jobs", renewals, 3, CALL_MS, &marks, &f->err));
    CHECK_INT(marks.count, 0);
    CHECK(!renewals[0].lost && renewals[1].lost && !renewals[2].lost);
    f->expected.fenced++;
    move_clock(f, LEASE_MS / 2 + 1);
    CHECK_INT(upkeep(f), 1);
    CHECK_STATE(f, LINE "1", REEVE_DELAYED);
}

static void claims_of_several_queues_are_renewed_at_once(struct fixture *f) {
    (void)push(f, "a");
    f->queue = "others";
    (void)push(f, "b");
    struct held other = claim_as(f, "w", "b");
    f->queue = "jobs";
    struct held held = claim_as(f, "w", "a");
    struct rv_renewal claims[] = {
        {.holder = held.holder, .token = held.token, .lease_ms = LEASE_MS},
        {.holder = other.holder, .token = other.token, .lease_ms = LEASE_MS},
    };
    struct rv_renewing all[] = {
        {.queue = "jobs", .claims = claims, .count = 1, .timeout_ms = CALL_MS},
        {.queue = "others", .claims = claims + 1, .count = 1, .timeout_ms = CALL_MS},
    };
    CHECK_OK(cancel(f, "a", NULL));
    move_clock(f, LEASE_MS - 1000);
    rv_store_renew_all(handle(f), all, 2);
    CHECK_OK(all[0].rc);
    CHECK_OK(all[1].rc);
    CHECK(!claims[0].lost && !claims[1].lost);
    CHECK_INT(all[0].marks.count, 1);
    CHECK_STR(all[0].marks.marks[0].id, "a");
    CHECK_INT(all[1].marks.count, 0);
    (void)adopt(f, all[0].marks.marks);
    (void)adopt(f, all[1].marks.marks);
    move_clock(f, LEASE_MS - 1000); /* both stand: each was renewed where it lies */
    CHECK_INT(upkeep(f), 0);
    f->queue = "others";
    CHECK_INT(upkeep(f), 0);
}

static const struct store_test tests[] = {
    TEST(renewing_in_time_keeps_the_job),
    TEST(a_renewal_counts_from_now),
    TEST(a_renewal_may_shorten_the_lease),
    TEST(a_stranger_renews_nothing),
    TEST(an_old_token_renews_nothing),
    TEST(a_claim_is_renewed_in_its_own_queue_only),
    TEST(a_lapsed_lease_that_nobody_took_is_renewed),
    TEST(a_lapsed_lease_that_nobody_took_still_finishes),
    TEST(renewing_after_recovery_is_lost),
    TEST(the_same_worker_is_a_stranger_to_its_old_claim),
    TEST(finish_under_an_old_token_is_fenced),
    TEST(token_and_holder_must_both_be_right),
    TEST(a_holder_uses_all_its_64_bits),
    TEST(one_renewal_keeps_all_jobs_of_a_claim),
    TEST(a_claim_with_nothing_left_is_lost),
    TEST(claims_have_leases_of_their_own),
    TEST(one_lost_claim_does_not_sink_the_others),
    TEST(claims_of_several_queues_are_renewed_at_once),
    {0},
};

const struct topic topic_lease = {"lease", tests};
