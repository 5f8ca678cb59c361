/* Claiming: who gets what, under which token. */
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "store/topics.h"

static void an_empty_queue_gives_nothing(struct fixture *f) { /* A32 A36 */
    struct claimed claimed = claim_up_to(f, "w", 10);
    CHECK_INT(claimed.got.count, 0);
    CHECK(!claimed.got.more && !claimed.got.paused && !claimed.got.replayed);
    CHECK_INT(claimed.got.due_in_ms, -1);
}

static void asking_an_unknown_queue_does_not_make_it(struct fixture *f) {
    CHECK_NOTHING_TO_CLAIM(f);
    struct rv_names names;
    CHECK_CALL(f, rv_store_queues(handle(f), NULL, 10, &names, &f->err));
    free(names.names);
    CHECK_INT(names.count, 0);
}

static void a_claimed_job_is_not_claimed_again(struct fixture *f) { /* A37 T13b */
    (void)push(f, "a");
    (void)claim_as(f, "w1", "a");
    CHECK_STATE(f, "a", REEVE_RUNNING); /* J1: claim and state are one step */
    CHECK_NOTHING_TO_CLAIM(f);
}

static void a_claim_brings_the_job_whole(struct fixture *f) { /* A30 A36 J2 */
    move_clock(f, 86400000);
    static const char body[] = "\xff\xfe\0\x80"; /* T24 */
    struct rv_new_job job = new_job(f, "a");
    job.body = (struct rv_bytes){body, 4};
    job.kind = "mail";
    job.policy.timeout_ms = 777;
    (void)push_job(f, &job);
    const struct reeve_job *got = claim_as(f, "w1", "a").job;
    int64_t now = rv_clock_wall_ms(&f->clock);
    CHECK_BYTES(got->body, got->body_size, body, 4);
    CHECK_STR(got->kind, "mail");
    CHECK_INT(got->attempt, 1);
    CHECK_INT(got->attempts_max, 3);
    CHECK_INT(got->timeout_ms, 777);
    CHECK_INT(got->keep_ms, KEEP_MS);
    CHECK_BETWEEN(got->started_at_ms, now - 60000, now);
    CHECK_BETWEEN(got->lease_until_ms, now - 60000 + LEASE_MS, now + LEASE_MS + 1000);
}

static void a_running_job_shows_its_holder(struct fixture *f) { /* J2 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w1", "a");
    const struct reeve_job *job = read_job(f, "a");
    CHECK_STR(job->worker, "w1");
    CHECK_INT(job->token, held.token);
    CHECK_INT(job->attempt, 1);
    CHECK_BETWEEN(job->lease_until_ms - held.job->lease_until_ms, -1000, 1000);
    CHECK_BETWEEN(job->started_at_ms - held.job->started_at_ms, -1000, 1000);
}

static void jobs_of_one_claim_share_its_token(struct fixture *f) {
    push_many(f, LINE, 5, NULL);
    struct claimed three = claim_up_to(f, "w", 3);
    CHECK_INT(three.got.count, 3);
    CHECK(three.got.more);
    struct claimed two = claim_up_to(f, "w", 3);
    CHECK_INT(two.got.count, 2);
    CHECK(!two.got.more);
}

static void each_claim_has_a_greater_token(struct fixture *f) { /* J4 A82 */
    push_many(f, LINE, 3, NULL);
    uint64_t last = 0;
    for (int i = 0; i < 3; i++) {
        uint64_t token = claim_up_to(f, "w", 1).got.token; /* T35: of one and the same worker */
        CHECK(token > last);
        last = token;
    }
}

static void
a_token_is_not_below_the_wall_time(struct fixture *f) { /* J4: so it survives a restore */
    (void)push(f, "a");
    int64_t before = rv_clock_wall_us(&f->clock);
    uint64_t token = claim_as(f, "w", "a").token;
    CHECK_BETWEEN(token, before, rv_clock_wall_us(&f->clock) + 1000000);
}

static void tokens_grow_when_the_clock_goes_back(struct fixture *f) { /* J4 */
    push_many(f, LINE, 3, NULL);
    uint64_t first = claim_up_to(f, "w", 1).got.token;
    move_clock(f, -7 * 86400000);
    uint64_t second = claim_up_to(f, "w", 1).got.token;
    uint64_t third = claim_up_to(f, "w", 1).got.token;
    CHECK(first < second && second < third);
}

static void tokens_grow_over_opening_again(struct fixture *f) { /* J4 */
    push_many(f, LINE, 2, NULL);
    uint64_t first = claim_up_to(f, "w", 1).got.token;
    fixture_reopen(f);
    move_clock(f, -7 * 86400000);
    CHECK(claim_up_to(f, "w", 1).got.token > first);
}

static void tokens_grow_when_nothing_of_a_queue_is_left(struct fixture *f) { /* J4 */
    (void)push(f, "a");
    struct held held = claim_as(f, "w", "a");
    CHECK_OK(finish(f, held, RV_SUCCEEDED));
    CHECK_OK(remove_job(f, "a"));
    move_clock(f, -86400000);
    (void)push(f, "a");
    struct held again = claim_as(f, "w", "a");
    CHECK(again.token > held.token);
    CHECK_FAILS(finish(f, held, RV_SUCCEEDED), REEVE_EFENCED);
}

/* With gaps between those that are next in line, and without. */
static void a_claim_takes_what_it_brings_and_no_other(struct fixture *f) { /* J9 */
    static const int priorities[] = {0, 1, 0, 0, 1, 1};
    static const char *const ids[] = {AISLE "a", AISLE "x", AISLE "b",
                                      AISLE "c", AISLE "y", AISLE "z"};
    for (size_t i = 0; i < 6; i++)
        (void)push_urgent(f, ids[i], priorities[i]);
    CHECK_INT(claim_up_to(f, "w", 3).got.count, 3);
    for (size_t i = 0; i < 6; i++)
        CHECK_STATE(f, ids[i], priorities[i] ? REEVE_READY : REEVE_RUNNING);
    (void)claim_as(f, "w", AISLE "x");
    CHECK_INT(claim_up_to(f, "w", 3).got.count, 2); /* y and z, which are neighbours */
    CHECK_STATE(f, AISLE "y", REEVE_RUNNING);
    CHECK_STATE(f, AISLE "z", REEVE_RUNNING);
}

static void an_exchange_makes_due_jobs_ready(struct fixture *f) { /* A41 */
    (void)push_delayed(f, AISLE "a", 60000);
    struct claimed none = claim_up_to(f, "w", 1);
    CHECK_INT(none.got.count, 0);
    CHECK_BETWEEN(none.got.due_in_ms, 1, 60000);
    (void)push_delayed(f, AISLE "b", 20000);
    CHECK_BETWEEN(claim_up_to(f, "w", 1).got.due_in_ms, 1, 20000);
    move_clock(f, 60001);
    struct claimed both = claim_up_to(f, "w", 2);
    CHECK_INT(both.got.count, 2);
    CHECK_INT(both.got.due_in_ms, -1);
}

static void wanting_nothing_claims_nothing(struct fixture *f) {
    (void)push(f, "a");
    struct rv_exchange request = {.queue = f->queue, .timeout_ms = CALL_MS};
    CHECK_INT(exchange(f, &request).got.count, 0);
    CHECK_STATE(f, "a", REEVE_READY);
}

static void ghosts_do_not_block_the_line(struct fixture *f) { /* T42 */
    push_many(f, "ghost", 3, NULL);
    (void)push(f, "real");
    CHECK_OK(cancel(f, "ghost0", NULL));
    CHECK_OK(remove_job(f, "ghost1"));
    CHECK_OK(cancel(f, "ghost2", NULL));
    CHECK_OK(remove_job(f, "ghost2"));
    (void)claim_as(f, "w", "real");
    CHECK_NOTHING_TO_CLAIM(f);
}

static void delayed_ghosts_are_not_promoted(struct fixture *f) { /* T42 */
    (void)push_delayed(f, "removed", 10000);
    (void)push_delayed(f, "cancelled", 10000);
    CHECK_OK(remove_job(f, "removed"));
    CHECK_OK(cancel(f, "cancelled", NULL));
    move_clock(f, 10001);
    struct rv_tended tended = tend(f);
    CHECK_INT(tended.promoted, 0);
    CHECK(!tended.more);
    CHECK_NOTHING_TO_CLAIM(f);
    CHECK_STATE(f, "cancelled", REEVE_CANCELLED);
}

static void attempts_are_counted(struct fixture *f) { /* A67 A121 */
    (void)push(f, "a");
    for (int attempt = 1; attempt <= 3; attempt++) {
        struct held held = claim_as(f, "w", "a");
        CHECK_INT(held.job->attempt, attempt);
        CHECK_INT(read_job(f, "a")->attempt, attempt);
        CHECK_OK(finish(f, held, RV_FAILED_ATTEMPT));
        CHECK_INT(read_job(f, "a")->attempt, attempt);
        move_clock(f, RETRY_MS + 1);
    }
    CHECK_STATE(f, "a", REEVE_FAILED);
    CHECK_NOTHING_TO_CLAIM(f);
}

static struct rv_trade trade_with(struct rv_exchange *request, const char *queue) {
    request->queue = queue;
    return (struct rv_trade){.exchange = request};
}

static void check_trade(struct fixture *f, struct rv_trade *trade, const char *id) {
    CHECK_OK(trade->rc);
    CHECK_INT(trade->got.count, id ? 1 : 0);
    if (id) CHECK_STR(trade->got.jobs[0]->id, id);
    if (id) CHECK_STR(trade->got.jobs[0]->queue, trade->exchange->queue);
    for (size_t i = 0; i < trade->got.count; i++)
        (void)adopt(f, trade->got.jobs[i]);
    (void)adopt(f, trade->got.jobs);
}

/* What becomes of one is nothing to the others. */
static void several_queues_are_asked_at_once(struct fixture *f) {
    (void)push(f, "a");
    f->queue = "others";
    (void)push(f, "b");
    f->queue = "jobs";
    struct rv_exchange requests[3];
    struct rv_trade trades[3];
    for (int i = 0; i < 3; i++)
        requests[i] = claim_request(f, "w", 1);
    requests[0].lane = 7;
    requests[0].number = 2;
    trades[0] = trade_with(&requests[0], "jobs");
    trades[1] = trade_with(&requests[1], "others");
    trades[2] = trade_with(&requests[2], "none");
    rv_store_exchange_all(handle(f), trades, 3);
    check_trade(f, &trades[0], "a");
    check_trade(f, &trades[1], "b");
    check_trade(f, &trades[2], NULL);
    requests[0].number = 1; /* late: refused */
    trades[0] = trade_with(&requests[0], "jobs");
    trades[1] = trade_with(&requests[1], "others");
    rv_store_exchange_all(handle(f), trades, 2);
    CHECK_FAILS(trades[0].rc, REEVE_ESTATE);
    check_trade(f, &trades[1], NULL);
}

static const struct store_test tests[] = {
    TEST(an_empty_queue_gives_nothing),
    TEST(asking_an_unknown_queue_does_not_make_it),
    TEST(a_claimed_job_is_not_claimed_again),
    TEST(a_claim_brings_the_job_whole),
    TEST(a_running_job_shows_its_holder),
    TEST(jobs_of_one_claim_share_its_token),
    TEST(each_claim_has_a_greater_token),
    TEST(a_token_is_not_below_the_wall_time),
    TEST(tokens_grow_when_the_clock_goes_back),
    TEST_NEEDING(RV_CAP_DURABLE, tokens_grow_over_opening_again),
    TEST(tokens_grow_when_nothing_of_a_queue_is_left),
    TEST(a_claim_takes_what_it_brings_and_no_other),
    TEST(an_exchange_makes_due_jobs_ready),
    TEST(wanting_nothing_claims_nothing),
    TEST(ghosts_do_not_block_the_line),
    TEST(delayed_ghosts_are_not_promoted),
    TEST(attempts_are_counted),
    TEST(several_queues_are_asked_at_once),
    {0},
};

const struct topic topic_claim = {"claim", tests};
