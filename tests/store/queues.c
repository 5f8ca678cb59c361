/* Queues: names, counts, counters, pausing. */
#include <stdlib.h>

#include "harness/eventually.h"
#include "store/topics.h"

static struct rv_names names_after(struct fixture *f, const char *after, size_t limit) {
    struct rv_names names;
    CHECK_CALL(f, rv_store_queues(handle(f), after, limit, &names, &f->err));
    (void)adopt(f, names.names);
    return names;
}

static void a_queue_exists_once_it_was_pushed_to_or_paused(struct fixture *f) {
    struct reeve_job *job;
    struct reeve_queue unknown;
    CHECK_FAILS(rv_store_stats(handle(f), "jobs", &unknown, &f->err), REEVE_ENOENT);
    CHECK_INT(names_after(f, NULL, 10).count, 0);
    CHECK_FAILS(rv_store_read(handle(f), "read", "a", &job, &f->err), REEVE_ENOENT);
    CHECK_INT(names_after(f, NULL, 10).count, 0);
    (void)push(f, "a");
    CHECK_CALL(f, rv_store_pause(handle(f), "paused", true, &f->err));
    struct rv_names names = names_after(f, NULL, 10);
    CHECK_INT(names.count, 2);
    CHECK_STR(names.names[0], "jobs");
    CHECK_STR(names.names[1], "paused");
}

static void names_come_in_byte_order_and_by_pages(struct fixture *f) {
    static const char *const queues[] = {"b", "a:b", "B", "a", "a.b", "a-b", "a_b", "0"};
    static const char *const sorted[] = {"0", "B", "a", "a-b", "a.b", "a:b", "a_b", "b"};
    for (int i = 0; i < 8; i++) {
        f->queue = queues[i];
        (void)push(f, "a");
    }
    struct rv_names names = names_after(f, NULL, 100);
    CHECK_INT(names.count, 8);
    for (int i = 0; i < 8; i++)
        CHECK_STR(names.names[i], sorted[i]);
    names = names_after(f, NULL, 3);
    CHECK_INT(names.count, 3);
    CHECK_STR(names.names[2], "a");
    names = names_after(f, "a", 3);
    CHECK_INT(names.count, 3);
    CHECK_STR(names.names[0], "a-b");
    CHECK_STR(names.names[2], "a:b");
    CHECK_INT(names_after(f, "b", 3).count, 0);
}

static void an_emptied_queue_still_exists(struct fixture *f) { /* its counters do */
    (void)push(f, "a");
    CHECK_OK(remove_job(f, "a"));
    CHECK_INT(names_after(f, NULL, 10).count, 1);
    CHECK_INT(stats(f).pushed_total, 1);
    CHECK_INT(stats(f).ready, 0);
}

static void counters_tell_what_happened(struct fixture *f) {
    push_many(f, LINE, 6, NULL);
    (void)push(f, LINE "0"); /* a duplicate counts nowhere */
    struct claimed claimed = claim_up_to(f, "w", 4);
    CHECK_OK(finish(f, held_of(&claimed, 0), RV_SUCCEEDED));
    CHECK_OK(finish(f, held_of(&claimed, 1), RV_FAILED_ATTEMPT));
    CHECK_OK(finish(f, held_of(&claimed, 2), RV_GIVEN_UP));
    CHECK_OK(finish(f, held_of(&claimed, 3), RV_HANDED_BACK));
    CHECK_OK(cancel(f, LINE "5", NULL));
    struct held lapsing = claim_as(f, "w", LINE "3");
    lapse_leases(f);
    CHECK_INT(upkeep(f), 1);
    CHECK_FAILS(finish(f, lapsing, RV_SUCCEEDED), REEVE_EFENCED);
    CHECK(!renew(f, lapsing));
    struct reeve_queue queue = stats(f);
    CHECK_STR(queue.name, "jobs");
    CHECK_INT(queue.pushed_total, 6);
    CHECK_INT(queue.finished_total, 3); /* done, failed, cancelled */
    CHECK_INT(queue.retried_total, 2);
    CHECK_INT(queue.lapsed_total, 1);
    CHECK_INT(queue.fenced_total, 2);
    CHECK_INT(queue.delayed, 2);
    CHECK_INT(queue.ready, 1);
    CHECK_INT(queue.running, 0);
}

static void counters_survive_opening_again(struct fixture *f) {
    push_many(f, LINE, 3, NULL);
    struct claimed claimed = claim_up_to(f, "w", 2);
    CHECK_OK(finish(f, held_of(&claimed, 0), RV_SUCCEEDED));
    struct reeve_queue before = stats(f);
    fixture_reopen(f);
    struct reeve_queue after = stats(f);
    CHECK_INT(after.pushed_total, before.pushed_total);
    CHECK_INT(after.finished_total, before.finished_total);
    CHECK_INT(after.running, 1);
    CHECK_INT(after.ready, 1);
    CHECK_INT(after.done, 1);
}

static void the_first_in_line_tells_how_long_it_waits(struct fixture *f) {
    CHECK_CALL(f, rv_store_pause(handle(f), "jobs", false, &f->err));
    CHECK_INT(stats(f).oldest_ready_ms, 0);
    (void)push(f, "a");
    move_clock(f, 50000);
    (void)push(f, "b");
    CHECK_BETWEEN(stats(f).oldest_ready_ms, 50000, 80000);
    (void)claim_as(f, "w", "a");
    CHECK_BETWEEN(stats(f).oldest_ready_ms, 0, 30000);
    (void)claim_as(f, "w", "b");
    CHECK_INT(stats(f).oldest_ready_ms, 0);
    (void)push_delayed(f, "c", 20000); /* waits from the moment it is ready */
    move_clock(f, 20001);
    CHECK_INT(tend(f).promoted, 1);
    CHECK_BETWEEN(stats(f).oldest_ready_ms, 0, 15000);
    (void)claim_as(f, "w", "c");
    struct rv_new_job late = new_job(f, "late"); /* waits from its push, not from before */
    late.run_at_ms = 1000;
    (void)push_job(f, &late);
    CHECK_BETWEEN(stats(f).oldest_ready_ms, 0, 15000);
}

/* One step of a queue of one shard is enough. Of several each has its turn, and another one if its
 * node was slow to answer: the others go on meanwhile. */
static bool may_be_due_later(struct fixture *f, unsigned asked, int64_t until_ms) {
    if (asked < f->shards) return true;
    return f->shards > 1 && elapsed_ms() < until_ms && read_job(f, "a")->state == REEVE_DELAYED;
}

static void due_jobs_of_a_paused_queue_become_ready(struct fixture *f) {
    (void)push_delayed(f, "a", 1000);
    CHECK_CALL(f, rv_store_pause(handle(f), "jobs", true, &f->err));
    move_clock(f, 1001);
    int64_t until_ms = elapsed_ms() + CALL_MS;
    for (unsigned asked = 0; may_be_due_later(f, asked, until_ms); asked++) {
        struct claimed claimed = claim_up_to(f, "w", 1);
        CHECK_INT(claimed.got.count, 0);
        CHECK(claimed.got.paused && claimed.got.more);
    }
    CHECK_STATE(f, "a", REEVE_READY);
}

static void nothing_is_claimed_from_a_paused_queue(struct fixture *f) {
    push_many(f, LINE, 2, NULL);
    struct claimed before = claim_up_to(f, "w", 1);
    CHECK_CALL(f, rv_store_pause(handle(f), "jobs", true, &f->err));
    CHECK(stats(f).paused);
    struct claimed claimed = claim_up_to(f, "w", 5);
    CHECK_INT(claimed.got.count, 0);
    CHECK(claimed.got.paused);
    CHECK(renew(f, held_of(&before, 0))); /* what runs goes on */
    CHECK_OK(finish(f, held_of(&before, 0), RV_SUCCEEDED));
    CHECK_INT(push(f, LINE "2").status, REEVE_QUEUED); /* what comes is taken */
    CHECK_NOTHING_TO_CLAIM(f);
    CHECK_CALL(f, rv_store_pause(handle(f), "jobs", true, &f->err)); /* again: no error */
    CHECK_CALL(f, rv_store_pause(handle(f), "jobs", false, &f->err));
    CHECK(!stats(f).paused);
    claimed = claim_up_to(f, "w", 5);
    CHECK_INT(claimed.got.count, 2);
    CHECK(!claimed.got.paused);
}

static void a_pause_concerns_one_queue(struct fixture *f) {
    (void)push(f, "a");
    f->queue = "others";
    (void)push(f, "a");
    CHECK_CALL(f, rv_store_pause(handle(f), "jobs", true, &f->err));
    (void)claim_as(f, "w", "a");
    f->queue = "jobs";
    CHECK_NOTHING_TO_CLAIM(f);
}

static void lapses_are_recovered_while_paused(struct fixture *f) {
    (void)push(f, "a");
    (void)claim_as(f, "w", "a");
    CHECK_CALL(f, rv_store_pause(handle(f), "jobs", true, &f->err));
    CHECK_INT(recover(f), 1);
    CHECK_NOTHING_TO_CLAIM(f);
    CHECK_CALL(f, rv_store_pause(handle(f), "jobs", false, &f->err));
    CHECK_INT(claim_as(f, "w", "a").job->attempt, 2);
}

static const struct store_test tests[] = {
    TEST(a_queue_exists_once_it_was_pushed_to_or_paused),
    TEST(names_come_in_byte_order_and_by_pages),
    TEST(an_emptied_queue_still_exists),
    TEST(counters_tell_what_happened),
    TEST_NEEDING(RV_CAP_DURABLE, counters_survive_opening_again),
    TEST(due_jobs_of_a_paused_queue_become_ready),
    TEST(the_first_in_line_tells_how_long_it_waits),
    TEST(nothing_is_claimed_from_a_paused_queue),
    TEST(a_pause_concerns_one_queue),
    TEST(lapses_are_recovered_while_paused),
    {0},
};

const struct topic topic_queues = {"queues", tests};
