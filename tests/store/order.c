/* J9: priority, then the order in which jobs became ready. Never time, never the id. */
#include <stdio.h>
#include <stdlib.h>

#include "core/limits.h"
#include "store/topics.h"

/* All that is ready comes out as ids say: one letter a job. */
static void check_line(struct fixture *f, const char *ids) {
    for (; *ids; ids++) {
        char id[sizeof AISLE + 1];
        (void)snprintf(id, sizeof id, AISLE "%c", *ids);
        (void)claim_as(f, "w", id);
    }
    CHECK_NOTHING_TO_CLAIM(f);
}

/* One batch, in one moment: ids must not decide (T30). */
static void push_batch(struct fixture *f, const char *ids, int64_t delay_ms) {
    struct rv_new_job jobs[8];
    struct rv_pushed outs[8];
    char names[8][sizeof AISLE + 1];
    size_t count = 0;
    for (; ids[count]; count++) {
        (void)snprintf(names[count], sizeof names[count], AISLE "%c", ids[count]);
        jobs[count] = new_job(f, names[count]);
        jobs[count].delay_ms = delay_ms;
    }
    CHECK_CALL(f, rv_store_push(handle(f), f->queue, jobs, count, outs, &f->err));
    f->expected.pushed += count;
}

static void first_in_first_out(struct fixture *f) { /* A33 */
    (void)push(f, AISLE "c");
    (void)push(f, AISLE "a");
    (void)push(f, AISLE "b");
    check_line(f, "cab");
}

static void smaller_priority_first(struct fixture *f) { /* A38 */
    (void)push_urgent(f, AISLE "a", REEVE_PRIORITY_MAX);
    (void)push_urgent(f, AISLE "b", REEVE_PRIORITY_MIN);
    (void)push_urgent(f, AISLE "c", 0);
    (void)push_urgent(f, AISLE "d", -1);
    (void)push_urgent(f, AISLE "e", 1);
    check_line(f, "bdcea");
}

static void equal_priority_keeps_the_order_of_pushing(struct fixture *f) {
    (void)push_urgent(f, AISLE "d", 2);
    (void)push_urgent(f, AISLE "c", -2);
    (void)push_urgent(f, AISLE "b", 2);
    (void)push_urgent(f, AISLE "a", -2);
    check_line(f, "cadb");
}

static void a_batch_of_one_moment_keeps_its_order(struct fixture *f) { /* T30 A42 */
    push_batch(f, "zmaqb", 0);
    check_line(f, "zmaqb");
}

static void a_clock_that_goes_back_changes_no_order(struct fixture *f) {
    (void)push(f, AISLE "b");
    move_clock(f, -86400000);
    (void)push(f, AISLE "a");
    move_clock(f, -86400000);
    (void)push(f, AISLE "c");
    check_line(f, "bac");
}

static void due_jobs_become_ready_by_time_then_by_push(struct fixture *f) { /* T30 */
    (void)push_delayed(f, AISLE "c", 30000);
    (void)push_delayed(f, AISLE "b", 10000);
    (void)push_delayed(f, AISLE "a", 20000);
    push_batch(f, "zxy", 40000);
    move_clock(f, 40001);
    check_line(f, "baczxy");
}

static void only_what_is_due_becomes_ready(struct fixture *f) { /* J8 */
    (void)push_delayed(f, AISLE "a", 10000);
    (void)push_delayed(f, AISLE "b", 30000);
    (void)push_delayed(f, AISLE "c", 30000);
    move_clock(f, 10001);
    CHECK_INT(tend(f).promoted, 1);
    CHECK_STATE(f, AISLE "b", REEVE_DELAYED);
    check_line(f, "a");
    move_clock(f, 20000);
    check_line(f, "bc");
}

static void a_due_job_stands_behind_what_was_ready_before(struct fixture *f) {
    (void)push_delayed(f, AISLE "a", 10000);
    (void)push(f, AISLE "b");
    move_clock(f, 10001);
    CHECK_INT(tend(f).promoted, 1);
    (void)push(f, AISLE "c");
    check_line(f, "bac");
}

static void an_urgent_job_that_comes_due_goes_first(struct fixture *f) {
    struct rv_new_job job = new_job(f, AISLE "a");
    job.priority = -1;
    job.delay_ms = 10000;
    (void)push_job(f, &job);
    (void)push(f, AISLE "b");
    move_clock(f, 10001);
    check_line(f, "ab");
}

static void what_is_handed_back_keeps_its_place(struct fixture *f) {
    push_batch(f, "abc", 0);
    struct claimed claimed = claim_up_to(f, "w", 3);
    (void)push(f, AISLE "d");
    CHECK_OK(finish(f, held_of(&claimed, 2), RV_HANDED_BACK));
    CHECK_OK(finish(f, held_of(&claimed, 0), RV_HANDED_BACK));
    CHECK_OK(finish(f, held_of(&claimed, 1), RV_HANDED_BACK));
    check_line(f, "abcd");
}

static void what_is_handed_back_keeps_its_priority(struct fixture *f) {
    (void)push_urgent(f, AISLE "a", 3);
    struct held held = claim_as(f, "w", AISLE "a");
    (void)push_urgent(f, AISLE "b", 2);
    (void)push_urgent(f, AISLE "c", 3);
    CHECK_OK(finish(f, held, RV_HANDED_BACK));
    check_line(f, "bac");
}

static void what_is_revived_goes_to_the_end_of_the_line(struct fixture *f) {
    push_batch(f, "ab", 0);
    CHECK_OK(cancel(f, AISLE "a", NULL));
    (void)push(f, AISLE "c");
    CHECK_OK(revive(f, AISLE "a"));
    (void)push(f, AISLE "d");
    check_line(f, "bcad");
}

static void what_is_pushed_anew_goes_to_the_end_of_the_line(struct fixture *f) {
    push_batch(f, "ab", 0);
    CHECK_OK(cancel(f, AISLE "a", NULL));
    (void)push(f, AISLE "a");
    check_line(f, "ba");
}

static void a_retry_stands_behind_what_came_meanwhile(struct fixture *f) {
    (void)push(f, AISLE "a");
    CHECK_OK(finish(f, claim_as(f, "w", AISLE "a"), RV_FAILED_ATTEMPT));
    (void)push(f, AISLE "b");
    move_clock(f, RETRY_MS + 1);
    check_line(f, "ba");
}

static void a_retry_at_once_goes_to_the_end_of_the_line(struct fixture *f) {
    push_batch(f, "ab", 0);
    struct held held = claim_as(f, "w", AISLE "a");
    struct rv_outcome outcome = judge(f, held, &(struct rv_report){.ending = RV_FAILED_ATTEMPT});
    outcome.state = REEVE_READY;
    outcome.delay_ms = 0;
    struct rv_exchange request = {
        .queue = f->queue, .timeout_ms = CALL_MS, .outcomes = &outcome, .outcome_count = 1};
    (void)exchange(f, &request);
    count_outcome(f, &outcome);
    rv_outcome_release(&outcome);
    check_line(f, "ba");
}

/* Of each shard: as those of all of them come to COUNT, none was left out. */
static void many_jobs_come_in_order_through_many_claims(struct fixture *f) {
    enum { COUNT = 700 };
    long last[REEVE_SHARDS_MAX];
    for (size_t i = 0; i < REEVE_SHARDS_MAX; i++)
        last[i] = -1;
    push_many(f, "n", COUNT, NULL);
    for (size_t got = 0; got < COUNT;) {
        struct claimed claimed = claim_up_to(f, "w", RV_CLAIM_MAX);
        long *before = &last[shard_of(f, &claimed)];
        CHECK(claimed.got.count);
        for (size_t i = 0; i < claimed.got.count; i++, got++) {
            long number = strtol(claimed.got.jobs[i]->id + 1, NULL, 10);
            CHECK(f->shards > 1 ? number > *before : number == *before + 1);
            *before = number;
        }
    }
}

static const struct store_test tests[] = {
    TEST(first_in_first_out),
    TEST(smaller_priority_first),
    TEST(equal_priority_keeps_the_order_of_pushing),
    TEST(a_batch_of_one_moment_keeps_its_order),
    TEST(a_clock_that_goes_back_changes_no_order),
    TEST(due_jobs_become_ready_by_time_then_by_push),
    TEST(only_what_is_due_becomes_ready),
    TEST(a_due_job_stands_behind_what_was_ready_before),
    TEST(an_urgent_job_that_comes_due_goes_first),
    TEST(what_is_handed_back_keeps_its_place),
    TEST(what_is_handed_back_keeps_its_priority),
    TEST(what_is_revived_goes_to_the_end_of_the_line),
    TEST(what_is_pushed_anew_goes_to_the_end_of_the_line),
    TEST(a_retry_stands_behind_what_came_meanwhile),
    TEST(a_retry_at_once_goes_to_the_end_of_the_line),
    TEST(many_jobs_come_in_order_through_many_claims),
    {0},
};

const struct topic topic_order = {"order", tests};
