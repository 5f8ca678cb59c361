/* J7: every request can be repeated. The repeat changes nothing and tells the first outcome, so
 * that a lost reply costs a round trip, never a job and never a second run. */
#include <string.h>

#include "core/limits.h"
#include "store/topics.h"

/* ---- push, by its nonce ---- */
static struct rv_pushed push_again(struct fixture *f, const struct rv_new_job *job) {
    struct rv_pushed pushed = push_job(f, job);
    if (pushed.status == REEVE_QUEUED) f->expected.pushed--; /* said before, so not new */
    return pushed;
}

static void a_repeated_push_is_queued_again(struct fixture *f) {
    struct rv_new_job job = new_job(f, "a");
    (void)push_job(f, &job);
    struct rv_pushed again = push_again(f, &job);
    CHECK_INT(again.status, REEVE_QUEUED);
    CHECK_INT(again.state, REEVE_READY);
    struct held held = claim_as(f, "w", "a");
    again = push_again(f, &job);
    CHECK_INT(again.status, REEVE_QUEUED);
    CHECK_INT(again.state, REEVE_RUNNING);
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
    again = push_again(f, &job);
    CHECK_INT(again.status, REEVE_QUEUED);
    CHECK_INT(again.state, REEVE_DONE);
    CHECK_INT(push(f, "a").status, REEVE_DUPLICATE_DONE); /* another request */
    CHECK_NOTHING_TO_CLAIM(f);
}

static void a_repeated_push_does_not_undo_a_cancel(struct fixture *f) { /* T19 */
    struct rv_new_job job = new_job(f, "a");
    (void)push_job(f, &job);
    CHECK_OK(cancel(f, "a", NULL));
    struct rv_pushed again = push_again(f, &job);
    CHECK_INT(again.status, REEVE_QUEUED);
    CHECK_INT(again.state, REEVE_CANCELLED);
    CHECK_NOTHING_TO_CLAIM(f);
}

static void the_push_that_came_anew_is_repeated_too(struct fixture *f) {
    struct rv_new_job first = new_job(f, "a"), second = new_job(f, "a");
    (void)push_job(f, &first);
    CHECK_OK(cancel(f, "a", NULL));
    CHECK_INT(push_job(f, &second).status, REEVE_QUEUED);
    CHECK_INT(push_again(f, &second).status, REEVE_QUEUED);
    CHECK_INT(push_again(f, &first).status, REEVE_DUPLICATE); /* its record is no more */
    CHECK_INT(claim_up_to(f, "w", 10).got.count, 1);
}

static void a_repeated_batch_is_answered_as_before(struct fixture *f) {
    (void)push(f, AISLE "c");
    struct rv_new_job jobs[] = {new_job(f, AISLE "a"), new_job(f, AISLE "c"),
                                new_job(f, AISLE "b")};
    struct rv_pushed outs[3];
    for (int i = 0; i < 2; i++) {
        CHECK_CALL(f, rv_store_push(handle(f), f->queue, jobs, 3, outs, &f->err));
        CHECK_INT(outs[0].status, REEVE_QUEUED);
        CHECK_INT(outs[1].status, REEVE_DUPLICATE);
        CHECK_INT(outs[2].status, REEVE_QUEUED);
    }
    f->expected.pushed += 2;
    CHECK_INT(claim_up_to(f, "w", 10).got.count, 3);
}

/* ---- outcomes, by token and holder ---- */
static void a_repeated_outcome_is_accepted_and_changes_nothing(struct fixture *f) { /* A66 */
    static const enum rv_ending endings[] = {RV_SUCCEEDED, RV_GIVEN_UP, RV_FAILED_ATTEMPT,
                                             RV_HANDED_BACK, RV_STOPPED};
    static const enum reeve_state states[] = {REEVE_DONE, REEVE_FAILED, REEVE_DELAYED, REEVE_READY,
                                              REEVE_CANCELLED};
    push_many(f, LINE, 5, NULL);
    struct claimed claimed = claim_up_to(f, "w", 5);
    for (size_t i = 0; i < 5; i++) {
        struct held held = held_of(&claimed, i);
        CHECK_OK(finish(f, held, endings[i]));
        for (int n = 0; n < 3; n++)
            CHECK_OK(repeat_finish(f, held, endings[i]));
        CHECK_STATE(f, held.job->id, states[i]);
        CHECK_INT(read_job(f, held.job->id)->history_count, 1);
    }
}

static void a_repeated_hand_back_is_in_the_line_once(struct fixture *f) {
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    CHECK_OK(finish(f, held, RV_HANDED_BACK));
    CHECK_OK(repeat_finish(f, held, RV_HANDED_BACK));
    CHECK_INT(claim_up_to(f, "w", 10).got.count, 1);
}

static void a_repeat_after_the_next_claim_is_fenced(struct fixture *f) { /* J3 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w1", "a");
    CHECK_OK(finish(f, held, RV_FAILED_ATTEMPT));
    move_clock(f, RETRY_MS + 1);
    CHECK_INT(tend(f).promoted, 1);
    CHECK_OK(repeat_finish(f, held, RV_FAILED_ATTEMPT)); /* READY remembers, too */
    CHECK_STATE(f, "a", REEVE_READY);
    (void)claim_as(f, "w2", "a");
    CHECK_FAILS(finish(f, held, RV_FAILED_ATTEMPT), REEVE_EFENCED);
    CHECK_STATE(f, "a", REEVE_RUNNING);
}

static void a_repeat_by_a_stranger_is_fenced(struct fixture *f) { /* J5 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a"), stranger = held, old = held;
    stranger.holder++;
    old.token--;
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
    CHECK_FAILS(finish(f, stranger, RV_SUCCEEDED), REEVE_EFENCED);
    CHECK_FAILS(finish(f, old, RV_SUCCEEDED), REEVE_EFENCED);
}

static void a_repeat_after_the_record_has_gone_is_fenced(struct fixture *f) {
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
    move_clock(f, KEEP_MS + 1); /* expired, and nobody has tended it yet */
    CHECK_FAILS(finish(f, held, RV_SUCCEEDED), REEVE_EFENCED);
}

static void another_outcome_under_the_same_token_changes_nothing(struct fixture *f) { /* A66 T48 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    CHECK_OK(finish_with_result(f, held, "r", 1));
    (void)repeat_finish(f, held, RV_FAILED_ATTEMPT);
    const struct reeve_job *job = read_job(f, "a");
    CHECK_INT(job->state, REEVE_DONE);
    CHECK_BYTES(job->result, job->result_size, "r", 1);
    CHECK(!job->error);
    CHECK_INT(job->history_count, 1);
}

static void a_repeat_after_a_revival_does_not_end_the_job(struct fixture *f) {
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    CHECK_OK(finish(f, held, RV_GIVEN_UP));
    CHECK_OK(revive(f, "a"));
    CHECK_OK(repeat_finish(f, held, RV_GIVEN_UP));
    CHECK_STATE(f, "a", REEVE_READY);
    CHECK_INT(read_job(f, "a")->attempt, 0);
}

/* ---- exchanges, by lane and number ---- */
static struct rv_exchange lane_request(struct fixture *f, uint64_t lane, uint64_t number,
                                       size_t want) {
    struct rv_exchange request = claim_request(f, "w", want);
    request.lane = lane;
    request.number = number;
    return request;
}

static void a_repeated_claim_brings_the_same_jobs(struct fixture *f) {
    push_many(f, LINE, 5, NULL);
    struct rv_exchange request = lane_request(f, 7, 1, 3);
    struct claimed first = exchange(f, &request);
    CHECK(!first.got.replayed);
    for (int n = 0; n < 3; n++) {
        struct claimed again = exchange(f, &request);
        CHECK(again.got.replayed);
        CHECK_INT(again.got.count, 3);
        CHECK_INT(again.got.token, first.got.token);
        for (size_t i = 0; i < 3; i++) {
            CHECK_STR(again.got.jobs[i]->id, first.got.jobs[i]->id);
            CHECK_INT(again.got.jobs[i]->attempt, 1);
            CHECK_BYTES(again.got.jobs[i]->body, again.got.jobs[i]->body_size,
                        first.got.jobs[i]->body, first.got.jobs[i]->body_size);
        }
    }
    CHECK_INT(stats(f).running, 3);
    CHECK_OK(finish(f, held_of(&first, 1), RV_SUCCEEDED));
    struct claimed rest = exchange(f, &request); /* those still held */
    CHECK_INT(rest.got.count, 2);
    CHECK_STR(rest.got.jobs[0]->id, LINE "0");
    CHECK_STR(rest.got.jobs[1]->id, LINE "2");
}

/* Hands in the jobs of claimed (done; the second under a wrong holder) and wants more. */
static struct claimed hand_in(struct fixture *f, const struct claimed *claimed,
                              struct rv_exchange *request, int *statuses) {
    struct rv_outcome outcomes[2];
    for (size_t i = 0; i < 2; i++)
        outcomes[i] = judge(f, held_of(claimed, i), &(struct rv_report){.ending = RV_SUCCEEDED});
    outcomes[1].holder++;
    request->outcomes = outcomes;
    request->outcome_count = 2;
    struct claimed got = exchange(f, request);
    for (size_t i = 0; i < 2; i++) {
        statuses[i] = outcomes[i].status;
        if (!got.got.replayed) count_outcome(f, &outcomes[i]);
        rv_outcome_release(&outcomes[i]);
    }
    return got;
}

static void a_repeated_hand_in_tells_the_same_statuses(struct fixture *f) {
    int statuses[2];
    push_many(f, LINE, 4, NULL);
    struct rv_exchange claim = lane_request(f, 7, 1, 2), request = lane_request(f, 7, 2, 1);
    struct claimed claimed = exchange(f, &claim);
    for (int n = 0; n < 3; n++) {
        struct claimed got = hand_in(f, &claimed, &request, statuses);
        CHECK_INT(got.got.replayed, n > 0);
        CHECK_OK(statuses[0]);
        CHECK_FAILS(statuses[1], REEVE_EFENCED);       /* told again, counted once */
        if (f->shards > 1 && !got.got.count) continue; /* of another shard, which had none */
        CHECK_INT(got.got.count, 1);
        CHECK_STR(got.got.jobs[0]->id, LINE "2");
    }
    CHECK_STATE(f, LINE "0", REEVE_DONE);
    CHECK_STATE(f, LINE "1", REEVE_RUNNING);
    CHECK_STATE(f, LINE "3", REEVE_READY);
}

/* Where every part of the store answers, it makes no difference. */
static void what_may_be_answered_in_part_is_answered_whole(struct fixture *f) {
    int statuses[2];
    push_many(f, LINE, 4, NULL);
    struct rv_exchange claim = lane_request(f, 7, 1, 2), request = lane_request(f, 7, 2, 0);
    claim.in_part = request.in_part = true;
    struct claimed claimed = exchange(f, &claim), again = exchange(f, &claim);
    CHECK_INT(claimed.got.count, 2);
    CHECK_INT(claimed.got.doubt, 0);
    CHECK(again.got.replayed);
    CHECK_INT(again.got.token, claimed.got.token);
    for (int n = 0; n < 2; n++) {
        CHECK_INT(hand_in(f, &claimed, &request, statuses).got.doubt, 0);
        CHECK_OK(statuses[0]);
        CHECK_FAILS(statuses[1], REEVE_EFENCED);
    }
    CHECK_STATE(f, LINE "0", REEVE_DONE);
}

static void a_lane_remembers_what_the_record_does_not(struct fixture *f) {
    struct rv_new_job job = new_job(f, "a");
    job.policy.keep_ms = 0;
    (void)push_job(f, &job);
    struct rv_exchange claim = lane_request(f, 7, 1, 1), request = lane_request(f, 7, 2, 0);
    struct claimed claimed = exchange(f, &claim);
    struct rv_outcome outcome =
        judge(f, held_of(&claimed, 0), &(struct rv_report){.ending = RV_SUCCEEDED});
    request.outcomes = &outcome;
    request.outcome_count = 1;
    for (int n = 0; n < 2; n++) {
        struct claimed got = exchange(f, &request);
        CHECK_INT(got.got.replayed, n);
        CHECK_OK(outcome.status);
        if (!n) count_outcome(f, &outcome);
    }
    CHECK_GONE(f, "a");
    request.lane = 8; /* who has no lane finds nothing */
    (void)exchange(f, &request);
    CHECK_FAILS(outcome.status, REEVE_EFENCED);
    count_outcome(f, &outcome);
    rv_outcome_release(&outcome);
}

static void a_lower_number_is_refused_whole(struct fixture *f) {
    push_many(f, LINE, 3, NULL);
    struct rv_exchange second = lane_request(f, 7, 2, 1), late = lane_request(f, 7, 1, 1);
    struct claimed claimed = exchange(f, &second);
    struct rv_outcome outcome =
        judge(f, held_of(&claimed, 0), &(struct rv_report){.ending = RV_SUCCEEDED});
    late.outcomes = &outcome;
    late.outcome_count = 1;
    struct rv_exchanged got;
    CHECK_FAILS(rv_store_exchange(handle(f), &late, &got, &f->err), REEVE_ESTATE);
    CHECK_INT(got.count, 0);
    rv_outcome_release(&outcome);
    CHECK_STATE(f, LINE "0", REEVE_RUNNING);
    CHECK_STATE(f, LINE "1", REEVE_READY);
    struct rv_exchange third = lane_request(f, 7, 3, 1);
    CHECK_INT(exchange(f, &third).got.count, 1);
}

static void lanes_do_not_meet(struct fixture *f) {
    push_many(f, LINE, 3, NULL);
    struct rv_exchange request = lane_request(f, 7, 5, 1), other = lane_request(f, 8, 5, 1);
    CHECK_INT(exchange(f, &request).got.count, 1);
    struct claimed claimed = exchange(f, &other);
    CHECK(!claimed.got.replayed);
    CHECK_INT(claimed.got.count, 1);
    f->queue = "others"; /* the numbers of a lane count per queue: one step, one queue */
    (void)push(f, "a");
    struct rv_exchange elsewhere = lane_request(f, 7, 1, 1);
    claimed = exchange(f, &elsewhere);
    CHECK(!claimed.got.replayed);
    CHECK_INT(claimed.got.count, 1);
}

static void a_lane_uses_all_its_64_bits(struct fixture *f) {
    push_many(f, LINE, 3, NULL);
    struct rv_exchange request = lane_request(f, UINT64_MAX, UINT64_MAX - 1, 1);
    struct claimed first = exchange(f, &request), again = exchange(f, &request);
    CHECK(!first.got.replayed && again.got.replayed);
    struct rv_exchange next = lane_request(f, UINT64_MAX, UINT64_MAX, 1);
    CHECK(!exchange(f, &next).got.replayed);
    struct rv_exchange low = lane_request(f, UINT64_MAX, 1, 1);
    struct rv_exchanged got;
    CHECK_FAILS(rv_store_exchange(handle(f), &low, &got, &f->err), REEVE_ESTATE);
}

static void without_a_lane_nothing_is_remembered(struct fixture *f) {
    push_many(f, LINE, 2, NULL);
    struct rv_exchange one = lane_request(f, 0, 1, 1), two = lane_request(f, 0, 1, 1);
    CHECK(!exchange(f, &one).got.replayed);
    struct claimed claimed = exchange(f, &two);
    CHECK(!claimed.got.replayed);
    CHECK_INT(claimed.got.count, 1);
}

static void a_repeat_does_not_bring_back_what_was_lost(struct fixture *f) { /* J3 */
    (void)push(f, "a");
    struct rv_exchange request = lane_request(f, 7, 1, 1);
    struct claimed first = exchange(f, &request);
    CHECK_INT(recover(f), 1);
    (void)claim_as(f, "other", "a");
    struct claimed again = exchange(f, &request);
    CHECK(again.got.replayed);
    CHECK_INT(again.got.count, 0);
    CHECK_FAILS(finish(f, held_of(&first, 0), RV_SUCCEEDED), REEVE_EFENCED);
}

static void a_silent_lane_is_forgotten(struct fixture *f) { /* J11: or they would pile up */
    push_many(f, LINE, 3, NULL);
    struct rv_exchange five = lane_request(f, 7, 5, 1), six = lane_request(f, 7, 6, 1);
    (void)exchange(f, &five);
    move_clock(f, RV_LANE_KEPT_MS / 2);
    (void)tend(f);
    CHECK(exchange(f, &five).got.replayed);
    (void)exchange(f, &six);
    move_clock(f, RV_LANE_KEPT_MS + 1);
    (void)tend(f);
    struct rv_exchange one = lane_request(f, 7, 1, 1);
    struct claimed claimed = exchange(f, &one);
    CHECK(!claimed.got.replayed);
    CHECK_INT(claimed.got.count, 1);
}

static void a_silent_lane_is_forgotten_when_it_is_met(struct fixture *f) {
    push_many(f, LINE, 2, NULL);
    struct rv_exchange five = lane_request(f, 7, 5, 1), one = lane_request(f, 7, 1, 1);
    (void)exchange(f, &five);
    move_clock(f, RV_LANE_KEPT_MS + 1); /* and nobody tends */
    CHECK_INT(exchange(f, &one).got.count, 1);
}

static void a_lane_survives_opening_again(struct fixture *f) {
    push_many(f, LINE, 2, NULL);
    struct rv_exchange request = lane_request(f, 7, 1, 1);
    struct claimed first = exchange(f, &request);
    fixture_reopen(f);
    struct claimed again = exchange(f, &request);
    CHECK(again.got.replayed);
    CHECK_INT(again.got.count, 1);
    CHECK_INT(again.got.token, first.got.token);
}

/* ---- replies that are really lost ---- */
/* The next call of op is done, but its answer does not arrive. */
static void lose_next(struct fixture *f, enum rv_op op) {
    rv_fault_plan_add(&f->faults, (struct rv_fault){.kind = RV_FAULT_LOSE, .op = op});
}

static void push_losing(struct fixture *f, const char *id) {
    struct rv_new_job job = new_job(f, id);
    struct rv_pushed pushed;
    lose_next(f, RV_OP_PUSH);
    CHECK_FAILS(rv_store_push(handle(f), f->queue, &job, 1, &pushed, &f->err), REEVE_EUNSURE);
    CHECK_INT(push_job(f, &job).status, REEVE_QUEUED);
}

static struct claimed exchange_losing(struct fixture *f, struct rv_exchange *request) {
    struct rv_exchanged got;
    lose_next(f, RV_OP_EXCHANGE);
    CHECK_FAILS(rv_store_exchange(handle(f), request, &got, &f->err), REEVE_EUNSURE);
    CHECK_INT(got.count, 0);
    return exchange(f, request);
}

static void a_life_in_which_every_reply_is_lost_once(struct fixture *f) { /* T13b */
    fixture_make_faulty(f);
    struct rv_store *second = f->second;
    if (f->shards > 1) f->second = f->first; /* a lane goes by one handle at a time */
    push_losing(f, "a");
    uint64_t number = 0;
    static const enum rv_ending endings[] = {RV_FAILED_ATTEMPT, RV_HANDED_BACK, RV_SUCCEEDED};
    for (int i = 0; i < 3; i++) {
        struct rv_exchange claim = lane_request(f, 7, ++number, 1);
        struct claimed claimed = exchange_losing(f, &claim);
        struct held held = held_of(&claimed, 0);
        lose_next(f, RV_OP_RENEW);
        struct rv_renewal renewal = {
            .holder = held.holder, .token = held.token, .lease_ms = LEASE_MS};
        struct rv_cancel_marks marks;
        CHECK_FAILS(rv_store_renew(handle(f), "jobs", &renewal, 1, CALL_MS, &marks, &f->err),
                    REEVE_EUNSURE);
        CHECK(renew(f, held));
        struct rv_outcome outcome = judge(f, held, &(struct rv_report){.ending = endings[i]});
        struct rv_exchange hand = lane_request(f, 7, ++number, 0);
        hand.outcomes = &outcome;
        hand.outcome_count = 1;
        CHECK(exchange_losing(f, &hand).got.replayed);
        CHECK_OK(outcome.status);
        count_outcome(f, &outcome);
        rv_outcome_release(&outcome);
        move_clock(f, 10 * RETRY_MS); /* a server's clock is known here only about */
    }
    f->second = second;
    const struct reeve_job *job = read_job(f, "a");
    CHECK_INT(job->state, REEVE_DONE);
    CHECK_INT(job->attempt, 2);
    CHECK_INT(job->history_count, 3);
    CHECK_INT(stats(f).fenced_total, 0);
}

static void lost_replies_of_one_step_operations_leave_one_effect(struct fixture *f) {
    enum reeve_state now;
    fixture_make_faulty(f);
    push_losing(f, "a");
    lose_next(f, RV_OP_CANCEL);
    CHECK_FAILS(rv_store_cancel(handle(f), "jobs", "a", &now, &f->err), REEVE_EUNSURE);
    f->expected.finished++;
    CHECK_STATE(f, "a", REEVE_CANCELLED);
    lose_next(f, RV_OP_REVIVE);
    CHECK_FAILS(rv_store_revive(handle(f), "jobs", "a", &f->err), REEVE_EUNSURE);
    f->expected.revived++;
    CHECK_STATE(f, "a", REEVE_READY);
    CHECK_FAILS(revive(f, "a"), REEVE_ESTATE);
    lose_next(f, RV_OP_PAUSE);
    CHECK_FAILS(rv_store_pause(handle(f), "jobs", true, &f->err), REEVE_EUNSURE);
    CHECK_CALL(f, rv_store_pause(handle(f), "jobs", true, &f->err));
    CHECK_NOTHING_TO_CLAIM(f);
    lose_next(f, RV_OP_REMOVE);
    CHECK_FAILS(rv_store_remove(handle(f), "jobs", "a", &f->err), REEVE_EUNSURE);
    f->expected.removed++;
    CHECK_FAILS(remove_job(f, "a"), REEVE_ENOENT);
}

static void a_proxy_whose_reply_was_lost_counts_once(struct fixture *f) { /* J6 */
    fixture_make_faulty(f);
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    lapse_leases(f);
    struct rv_outcome outcome = judge(f, held, &(struct rv_report){.ending = RV_LAPSED});
    struct rv_exchange request = lane_request(f, 9, 1, 0);
    request.outcomes = &outcome;
    request.outcome_count = 1;
    (void)exchange_losing(f, &request);
    CHECK_OK(outcome.status);
    count_outcome(f, &outcome);
    rv_outcome_release(&outcome);
    CHECK_INT(upkeep(f), 0);
    CHECK_INT(stats(f).lapsed_total, 1);
}

static const struct store_test tests[] = {
    TEST(a_repeated_push_is_queued_again),
    TEST(a_repeated_push_does_not_undo_a_cancel),
    TEST(the_push_that_came_anew_is_repeated_too),
    TEST(a_repeated_batch_is_answered_as_before),
    TEST(a_repeated_outcome_is_accepted_and_changes_nothing),
    TEST(a_repeated_hand_back_is_in_the_line_once),
    TEST(a_repeat_after_the_next_claim_is_fenced),
    TEST(a_repeat_by_a_stranger_is_fenced),
    TEST(a_repeat_after_the_record_has_gone_is_fenced),
    TEST(another_outcome_under_the_same_token_changes_nothing),
    TEST(a_repeat_after_a_revival_does_not_end_the_job),
    TEST(a_repeated_claim_brings_the_same_jobs),
    TEST(a_repeated_hand_in_tells_the_same_statuses),
    TEST(what_may_be_answered_in_part_is_answered_whole),
    TEST(a_lane_remembers_what_the_record_does_not),
    TEST(a_lower_number_is_refused_whole),
    TEST(lanes_do_not_meet),
    TEST(a_lane_uses_all_its_64_bits),
    TEST(without_a_lane_nothing_is_remembered),
    TEST(a_repeat_does_not_bring_back_what_was_lost),
    TEST(a_silent_lane_is_forgotten),
    TEST(a_silent_lane_is_forgotten_when_it_is_met),
    TEST_NEEDING(RV_CAP_DURABLE, a_lane_survives_opening_again),
    TEST(a_life_in_which_every_reply_is_lost_once),
    TEST(lost_replies_of_one_step_operations_leave_one_effect),
    TEST(a_proxy_whose_reply_was_lost_counts_once),
    {0},
};

const struct topic topic_replay = {"replay", tests};
