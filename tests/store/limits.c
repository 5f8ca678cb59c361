/* Bytes are bytes (J10), every step is bounded (J11), and the largest of everything fits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "store/topics.h"

/* ---- bytes ---- */
static unsigned char *make_bytes(struct fixture *f, size_t size) {
    unsigned char *bytes = adopt(f, malloc(size));
    CHECK(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 31 + i / 256);
    return bytes;
}

/* As body and as result, also after an attempt that failed. */
static void check_whole(struct fixture *f, const void *bytes, size_t size) {
    struct rv_new_job job = new_job(f, "a");
    job.body = (struct rv_bytes){bytes, size};
    CHECK_INT(push_job(f, &job).status, REEVE_QUEUED);
    CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_FAILED_ATTEMPT));
    move_clock(f, RETRY_MS + 1);
    struct held held = claim_as(f, "w", "a");
    CHECK_BYTES(held.job->body, held.job->body_size, bytes, size);
    CHECK_OK(finish_with_result(f, held, bytes, size));
    const struct reeve_job *read = read_job(f, "a");
    CHECK_BYTES(read->body, read->body_size, bytes, size);
    CHECK(read->result);
    CHECK_BYTES(read->result, read->result_size, bytes, size);
    CHECK_OK(remove_job(f, "a"));
}

static void check_size(struct fixture *f, size_t size) {
    check_whole(f, size ? make_bytes(f, size) : NULL, size);
}

static void what_looks_like_data_is_left_as_it_is(struct fixture *f) { /* J10 T45 D3 */
    static const char *const texts[] = {
        "[]", "{}", "[1.0,1e400,9007199254740993]", "{\"b\":1,\"a\":2,\"a\":3}", " \"\\u0041\"\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_whole(f, texts[i], strlen(texts[i]));
}

static void bodies_and_results_of_any_size_come_back(struct fixture *f) { /* A30 A111 T24 T27 */
    static const size_t sizes[] = {0, 1, 255, 256, 4096, 65535, 65536, 100000, 1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_size(f, sizes[i]);
}

static void the_largest_body_and_result_come_back(struct fixture *f) {
    check_size(f, RV_BODY_MAX);
}

static void one_byte_more_is_refused(struct fixture *f) { /* D2 */
    struct rv_new_job job = new_job(f, "a");
    struct rv_pushed pushed;
    const size_t size = RV_BODY_MAX + RV_PARCEL_MAX + 1; /* a spool keeps a push whole: a parcel */
    job.body = (struct rv_bytes){make_bytes(f, size), size};
    CHECK(rv_store_push(handle(f), f->queue, &job, 1, &pushed, &f->err) != 0);
    CHECK(pushed.error != 0);
    CHECK_GONE(f, "a");
}

static void the_largest_push_in_bytes_is_taken(struct fixture *f) {
    const unsigned char *bytes = make_bytes(f, RV_BODY_MAX);
    struct rv_new_job jobs[] = {new_job(f, "a"), new_job(f, "b")};
    struct rv_pushed outs[2];
    jobs[0].body = jobs[1].body = (struct rv_bytes){bytes, RV_BODY_MAX};
    CHECK_CALL(f, rv_store_push(handle(f), f->queue, jobs, 2, outs, &f->err));
    f->expected.pushed += 2;
    CHECK_INT(outs[1].status, REEVE_QUEUED);
    for (size_t taken = 0, count; taken < 2; taken += count) {
        struct rv_exchanged got = claim_up_to(f, "w", 2).got;
        count = got.count;
        CHECK_BETWEEN(count, 1, 2 - taken);
        CHECK_INT(got.jobs[count - 1]->body_size, RV_BODY_MAX);
    }
}

static void a_claim_and_a_page_are_bounded_in_bytes(struct fixture *f) { /* J11 */
    enum { COUNT = RV_TAKE_BYTES_MAX / RV_BODY_MAX + 2 };
    const unsigned char *bytes = make_bytes(f, RV_BODY_MAX);
    for (int i = 0; i < COUNT; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "n%d", i);
        struct rv_new_job job = new_job(f, id);
        job.body = (struct rv_bytes){bytes, RV_BODY_MAX};
        (void)push_job(f, &job);
    }
    struct rv_list_query query = {.queue = f->queue, .limit = COUNT};
    struct rv_jobs page;
    CHECK_CALL(f, rv_store_list(handle(f), &query, &page, &f->err));
    CHECK_BETWEEN(page.count, 1, COUNT - 1);
    CHECK(*page.cursor);
    rv_jobs_release(&page);
    size_t taken = claim_up_to(f, "w", COUNT).got.count;
    CHECK_BETWEEN(taken, 1, COUNT - 1);
    for (size_t count; taken < COUNT; taken += count) {
        count = claim_up_to(f, "w", COUNT).got.count;
        CHECK_BETWEEN(count, 1, COUNT - taken);
    }
}

/* ---- names ---- */
static const char *const odd_ids[] = {
    " ",
    "a:b",
    "a:exp",
    "{a}",
    "a/b",
    "../../etc",
    "%s%n",
    "'; DROP TABLE jobs; --",
    "\"quoted\"",
    "a\\b",
    "*",
    "?",
    "[a]",
    "a b",
    "a ",
    " a",
    "A",
    "a",
    "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
    "\xff\xfe",
    "-1",
    "0",
    "NULL",
    "a,b;c|d",
    "tenant:42:processing",
    "a\xcc\x81",
};
enum { ODD_COUNT = sizeof odd_ids / sizeof *odd_ids };

static void an_id_is_any_text(struct fixture *f) { /* J10 T22 T23 */
    for (size_t i = 0; i < ODD_COUNT; i++)
        CHECK_INT(push(f, odd_ids[i]).status, REEVE_QUEUED); /* no two are taken for one */
    for (size_t i = 0; i < ODD_COUNT; i++) {
        CHECK_INT(push(f, odd_ids[i]).status, REEVE_DUPLICATE);
        struct held held = claim_as(f, "w", odd_ids[i]);
        CHECK_BYTES(held.job->body, held.job->body_size, odd_ids[i], strlen(odd_ids[i]));
        CHECK(renew(f, held));
        CHECK_OK(finish(f, held, RV_GIVEN_UP));
    }
    for (size_t i = 0; i < ODD_COUNT; i++) {
        CHECK_STR(read_job(f, odd_ids[i])->id, odd_ids[i]);
        CHECK_OK(revive(f, odd_ids[i]));
        CHECK_OK(cancel(f, odd_ids[i], NULL));
        CHECK_OK(keep(f, odd_ids[i], 1000));
        CHECK_OK(remove_job(f, odd_ids[i]));
    }
    CHECK_INT(stats(f).failed + stats(f).cancelled + stats(f).ready, 0);
}

static void queue_and_id_are_not_run_together(struct fixture *f) { /* T22 T23 */
    static const char *const pairs[][2] = {{"a", "b:c"}, {"a:b", "c"}, {"a", "b"},
                                           {"a:b", "b"}, {"a.b", "c"}, {"a", ":b:c"}};
    for (size_t i = 0; i < 6; i++) {
        f->queue = pairs[i][0];
        CHECK_INT(push(f, pairs[i][1]).status, REEVE_QUEUED);
    }
    static const char *const queues[] = {"a", "a:b", "a.b"};
    static const uint64_t ready[] = {3, 2, 1};
    for (size_t i = 0; i < 3; i++) {
        f->queue = queues[i];
        CHECK_INT(stats(f).ready, ready[i]);
    }
}

static void the_longest_names_fit(struct fixture *f) {
    static char id[RV_ID_MAX + 1], queue[RV_NAME_MAX + 1], kind[RV_NAME_MAX + 1],
        worker[RV_WORKER_NAME_MAX + 1];
    memset(id, 'i', RV_ID_MAX);
    memset(queue, 'q', RV_NAME_MAX);
    memset(kind, 'k', RV_NAME_MAX);
    memset(worker, 'w', RV_WORKER_NAME_MAX);
    f->queue = queue;
    struct rv_new_job job = new_job(f, id);
    job.kind = kind;
    (void)push_job(f, &job);
    struct held held = claim_as(f, worker, id);
    CHECK_STR(held.job->queue, queue);
    CHECK_STR(held.job->kind, kind);
    CHECK_OK(cancel(f, id, NULL));
    struct rv_renewal renewal = {.holder = held.holder, .token = held.token, .lease_ms = LEASE_MS};
    struct rv_cancel_marks marks;
    CHECK_CALL(f, rv_store_renew(handle(f), queue, &renewal, 1, CALL_MS, &marks, &f->err));
    (void)adopt(f, marks.marks);
    CHECK_INT(marks.count, 1);
    CHECK_STR(marks.marks[0].id, id);
    CHECK_OK(finish(f, held, RV_STOPPED));
    CHECK_STR(read_job(f, id)->worker, worker);
    CHECK_STR(read_job(f, id)->history[0]->worker, worker);
}

/* ---- bounds of one step ---- */
static void the_largest_steps_are_taken(struct fixture *f) { /* J11 */
    push_many(f, "n", RV_PUSH_MAX, NULL);
    struct claimed claimed = claim_up_to(f, "w", RV_CLAIM_MAX);
    CHECK_INT(claimed.got.count, RV_CLAIM_MAX);
    static struct rv_outcome outcomes[RV_CLAIM_MAX];
    for (size_t i = 0; i < RV_CLAIM_MAX; i++)
        outcomes[i] = judge(f, held_of(&claimed, i), &(struct rv_report){.ending = RV_SUCCEEDED});
    struct rv_exchange request = claim_request(f, "w", RV_CLAIM_MAX);
    request.outcomes = outcomes;
    request.outcome_count = RV_CLAIM_MAX;
    CHECK_INT(exchange(f, &request).got.count, RV_CLAIM_MAX);
    for (size_t i = 0; i < RV_CLAIM_MAX; i++) {
        CHECK_OK(outcomes[i].status);
        count_outcome(f, &outcomes[i]);
        rv_outcome_release(&outcomes[i]);
    }
    CHECK_INT(stats(f).done, RV_CLAIM_MAX);
    CHECK_INT(stats(f).running, RV_CLAIM_MAX);
}

static void larger_steps_are_refused(struct fixture *f) { /* J11 */
    struct rv_new_job *jobs = adopt(f, calloc(RV_PUSH_MAX + 1, sizeof *jobs));
    struct rv_pushed *outs = adopt(f, calloc(RV_PUSH_MAX + 1, sizeof *outs));
    CHECK(jobs && outs);
    for (size_t i = 0; i <= RV_PUSH_MAX; i++)
        jobs[i] = new_job(f, "a");
    CHECK_FAILS(rv_store_push(handle(f), f->queue, jobs, RV_PUSH_MAX + 1, outs, &f->err),
                REEVE_EINVAL);
    CHECK_FAILS(rv_store_push(handle(f), f->queue, jobs, 0, outs, &f->err), REEVE_EINVAL);
    struct rv_exchange request = claim_request(f, "w", RV_CLAIM_MAX + 1);
    struct rv_exchanged got;
    CHECK_FAILS(rv_store_exchange(handle(f), &request, &got, &f->err), REEVE_EINVAL);
    static struct rv_renewal renewals[RV_RENEW_MAX + 1];
    struct rv_cancel_marks marks;
    for (size_t i = 0; i <= RV_RENEW_MAX; i++)
        renewals[i] = (struct rv_renewal){.holder = 1, .token = 1, .lease_ms = LEASE_MS};
    CHECK_FAILS(
        rv_store_renew(handle(f), f->queue, renewals, RV_RENEW_MAX + 1, CALL_MS, &marks, &f->err),
        REEVE_EINVAL);
    struct rv_list_query query = {.queue = f->queue, .limit = RV_LIST_MAX + 1};
    struct rv_jobs page;
    CHECK_FAILS(rv_store_list(handle(f), &query, &page, &f->err), REEVE_EINVAL);
    CHECK_GONE(f, "a");
}

static void many_claims_are_renewed_in_one_step(struct fixture *f) {
    push_many(f, "n", RV_RENEW_MAX, NULL);
    static struct rv_renewal renewals[RV_RENEW_MAX];
    for (size_t i = 0; i < RV_RENEW_MAX; i++) {
        struct claimed claimed = claim_up_to(f, "w", 1);
        renewals[i] = (struct rv_renewal){
            .holder = claimed.holder, .token = claimed.got.token, .lease_ms = LEASE_MS};
    }
    move_clock(f, LEASE_MS / 2);
    struct rv_cancel_marks marks;
    CHECK_CALL(
        f, rv_store_renew(handle(f), f->queue, renewals, RV_RENEW_MAX, CALL_MS, &marks, &f->err));
    for (size_t i = 0; i < RV_RENEW_MAX; i++)
        CHECK(!renewals[i].lost);
    move_clock(f, LEASE_MS / 2 + 1);
    CHECK_INT(upkeep(f), 0);
    CHECK_INT(stats(f).running, RV_RENEW_MAX);
}

static void make_delayed(struct rv_new_job *job) {
    job->delay_ms = 10000;
}

static void due_jobs_are_promoted_in_bounded_steps(struct fixture *f) { /* J11 T41 */
    enum { COUNT = 2 * RV_PROMOTE_MAX + 50 };
    push_many(f, "n", COUNT, make_delayed);
    move_clock(f, 10001);
    struct rv_tended tended = tend(f);
    CHECK_INT(tended.promoted, RV_PROMOTE_MAX);
    CHECK(tended.more);
    CHECK_INT(stats(f).ready, RV_PROMOTE_MAX);
    CHECK_INT(tend(f).promoted, RV_PROMOTE_MAX);
    tended = tend(f);
    CHECK_INT(tended.promoted, COUNT - 2 * RV_PROMOTE_MAX);
    CHECK(!tended.more);
    CHECK_INT(tend(f).promoted, 0);
    CHECK_INT(stats(f).ready, COUNT);
}

static void an_exchange_promotes_a_bounded_number(struct fixture *f) { /* J11 T41 */
    enum { COUNT = RV_PROMOTE_MAX + 30 };
    push_many(f, "n", COUNT, make_delayed);
    move_clock(f, 10001);
    struct claimed claimed = claim_up_to(f, "w", RV_CLAIM_MAX);
    CHECK_INT(claimed.got.count, RV_PROMOTE_MAX);
    CHECK(claimed.got.more || claimed.got.due_in_ms == 0); /* so the caller comes again at once */
    CHECK_INT(claim_up_to(f, "w", RV_CLAIM_MAX).got.count, COUNT - RV_PROMOTE_MAX);
}

static void make_brief(struct rv_new_job *job) {
    job->policy.keep_ms = 1000;
}

static void records_expire_in_bounded_steps(struct fixture *f) { /* J11 J12 T41 */
    enum { COUNT = RV_TEND_MAX + 56 };
    push_many(f, "n", COUNT, make_brief);
    struct claimed claimed = claim_up_to(f, "w", RV_CLAIM_MAX);
    CHECK_INT(claimed.got.count, COUNT);
    static struct rv_outcome outcomes[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        outcomes[i] = judge(f, held_of(&claimed, i), &(struct rv_report){.ending = RV_SUCCEEDED});
    struct rv_exchange request = {
        .queue = f->queue, .timeout_ms = CALL_MS, .outcomes = outcomes, .outcome_count = COUNT};
    (void)exchange(f, &request);
    for (size_t i = 0; i < COUNT; i++) {
        count_outcome(f, &outcomes[i]);
        rv_outcome_release(&outcomes[i]);
    }
    move_clock(f, 1001);
    struct rv_tended tended = tend(f);
    CHECK_INT(tended.expired, RV_TEND_MAX);
    CHECK(tended.more);
    CHECK_INT(stats(f).done, COUNT - RV_TEND_MAX);
    tended = tend(f);
    CHECK_INT(tended.expired, COUNT - RV_TEND_MAX);
    CHECK(!tended.more);
    CHECK_INT(stats(f).done, 0);
}

/* ---- times ---- */
static void the_farthest_times_do_not_overflow(struct fixture *f) { /* D10 */
    struct rv_new_job job = new_job(f, "a");
    job.run_at_ms = RV_RUN_AT_MS_MAX;
    job.policy.keep_ms = RV_KEEP_MS_MAX;
    CHECK_INT(push_job(f, &job).state, REEVE_DELAYED);
    CHECK_INT(read_job(f, "a")->run_at_ms, RV_RUN_AT_MS_MAX);
    struct rv_new_job late = new_job(f, "b");
    late.delay_ms = RV_DELAY_MS_MAX;
    late.policy.keep_ms = RV_KEEP_MS_MAX;
    CHECK_INT(push_job(f, &late).state, REEVE_DELAYED);
    CHECK_NOTHING_TO_CLAIM(f);
    move_clock(f, RV_DELAY_MS_MAX + 1);
    struct rv_exchange request = claim_request(f, "w", 5);
    request.lease_ms = RV_LEASE_MS_MAX;
    struct claimed claimed = exchange(f, &request);
    CHECK_INT(claimed.got.count, 1);
    CHECK_OK(finish(f, held_of(&claimed, 0), RV_SUCCEEDED));
    move_clock(f, RV_KEEP_MS_MAX - 60000);
    CHECK_STATE(f, "b", REEVE_DONE);
    move_clock(f, 60001);
    CHECK_GONE(f, "b");
}

static void the_shortest_lease_is_a_lease(struct fixture *f) {
    (void)push(f, "a");
    struct rv_exchange request = claim_request(f, "w", 1);
    request.lease_ms = RV_LEASE_MS_MIN;
    CHECK_INT(exchange(f, &request).got.count, 1);
    move_clock(f, RV_LEASE_MS_MIN + 1);
    CHECK_INT(upkeep(f), 1);
}

static const struct store_test tests[] = {
    TEST(what_looks_like_data_is_left_as_it_is),
    TEST(bodies_and_results_of_any_size_come_back),
    TEST(the_largest_body_and_result_come_back),
    TEST(one_byte_more_is_refused),
    TEST(the_largest_push_in_bytes_is_taken),
    TEST(a_claim_and_a_page_are_bounded_in_bytes),
    TEST(an_id_is_any_text),
    TEST(queue_and_id_are_not_run_together),
    TEST(the_longest_names_fit),
    TEST_NEEDING(ONE_SHARD, the_largest_steps_are_taken),
    TEST(larger_steps_are_refused),
    TEST(many_claims_are_renewed_in_one_step),
    TEST_NEEDING(ONE_SHARD, due_jobs_are_promoted_in_bounded_steps),
    TEST_NEEDING(ONE_SHARD, an_exchange_promotes_a_bounded_number),
    TEST_NEEDING(ONE_SHARD, records_expire_in_bounded_steps),
    TEST(the_farthest_times_do_not_overflow),
    TEST(the_shortest_lease_is_a_lease),
    {0},
};

const struct topic topic_limits = {"limits", tests};
