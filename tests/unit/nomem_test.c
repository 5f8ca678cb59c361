/* The memory store when memory runs out: every operation is tried with its first, second, third ...
 * allocation failing, until one goes through. A refused one has changed nothing, and the store goes
 * on. Linked so that malloc and its kin pass through here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/history.h"
#include "core/limits.h"
#include "store/ops.h"

/* ---- failing the nth ---- */
static long allocations_left = -1; /* < 0: never fails */

static int fails(void) {
    if (allocations_left < 0) return 0;
    return allocations_left-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
    return fails() ? NULL : __real_realloc(block, size);
}

/* ---- a store with something of everything in it ---- */
enum { LEASE_MS = 1000, HOLDER = 7, LANE = 9 };

struct world {
    struct rv_store *store;
    struct rv_clock clock;
    uint64_t token; /* of the claim that has a and b; b is marked */
};

static int push(struct world *w, const char *id, struct rv_pushed *out) {
    struct rv_new_job job = {.queue = "q",
                             .kind = "k",
                             .id = id,
                             .nonce = rv_random_u64(&rv_random_system),
                             .body = {"body", 4},
                             .policy = {.attempts_max = 3, .keep_ms = 1000}};
    int rc = rv_store_push(w->store, "q", &job, 1, out, NULL);
    return rc ? rc : out->error;
}

static struct rv_exchange claim_two(void) {
    return (struct rv_exchange){.queue = "q",
                                .timeout_ms = 1000,
                                .want = 2,
                                .holder = HOLDER,
                                .lease_ms = LEASE_MS,
                                .worker = "w"};
}

static int set_up(void **state) {
    struct world *w = test_calloc(1, sizeof *w);
    struct rv_store_config config = {.space = "s", .timeout_ms = 1000, .clock = &w->clock};
    assert_int_equal(rv_store_open(&w->store, "memory:", &config, NULL), 0);
    const char *const ids[] = {"a", "b", "c", "d"};
    struct rv_pushed pushed;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(push(w, ids[i], &pushed), 0);
    struct rv_exchange exchange = claim_two();
    struct rv_exchanged got;
    assert_int_equal(rv_store_exchange(w->store, &exchange, &got, NULL), 0);
    assert_int_equal(got.count, 2);
    w->token = got.token;
    rv_exchanged_release(&got);
    enum reeve_state now;
    assert_int_equal(rv_store_cancel(w->store, "q", "b", &now, NULL), 0);
    *state = w;
    return 0;
}

static int tear_down(void **state) {
    struct world *w = *state;
    rv_store_close(w->store);
    test_free(w);
    return 0;
}

static struct reeve_queue stats(struct world *w) {
    struct reeve_queue queue;
    assert_int_equal(rv_store_stats(w->store, "q", &queue, NULL), 0);
    return queue;
}

/* Tries with ever more memory until try() gives 0; each time before, it must be REEVE_ENOMEM and
 * leave all counts as they were. At least `least` allocations were there to fail. */
static void sweep(struct world *w, int (*try)(struct world *w), long least) {
    struct reeve_queue before = stats(w);
    for (long n = 0;; n++) {
        assert_true(n < 1000);
        allocations_left = n;
        int rc = try(w);
        allocations_left = -1;
        if (rc == 0) {
            assert_true(n >= least);
            return;
        }
        assert_int_equal(rc, REEVE_ENOMEM);
        struct reeve_queue after = stats(w);
        assert_memory_equal(&after, &before, offsetof(struct reeve_queue, oldest_ready_ms));
    }
}

/* ---- the operations ---- */
static int try_push(struct world *w) {
    struct rv_pushed out;
    return push(w, "new", &out);
}

static void a_push(void **state) {
    sweep(*state, try_push, 2);
    assert_int_equal(stats(*state).pushed_total, 5);
}

static int try_push_to_a_new_queue(struct world *w) {
    struct rv_new_job job = {
        .queue = "r", .kind = "k", .id = "a", .nonce = 1, .policy = {.attempts_max = 1}};
    struct rv_pushed out;
    int rc = rv_store_push(w->store, "r", &job, 1, &out, NULL);
    return rc ? rc : out.error;
}

static void a_push_to_a_new_queue(void **state) {
    sweep(*state, try_push_to_a_new_queue, 3);
}

static struct rv_outcome done(const struct world *w, const char *id) {
    return (struct rv_outcome){.id = id,
                               .holder = HOLDER,
                               .token = w->token,
                               .ending = RV_SUCCEEDED,
                               .state = REEVE_DONE,
                               .attempt = 1,
                               .keep_ms = 1000,
                               .has_result = true,
                               .result = "r",
                               .result_size = 1};
}

static int try_exchange(struct world *w) {
    struct rv_outcome outcomes[] = {done(w, "a"), done(w, "b")};
    struct rv_exchange exchange = claim_two();
    exchange.lane = LANE;
    exchange.number = 1;
    exchange.outcomes = outcomes;
    exchange.outcome_count = 2;
    struct rv_exchanged got;
    int rc = rv_store_exchange(w->store, &exchange, &got, NULL);
    if (!rc) assert_int_equal(outcomes[0].status, REEVE_OK);
    rv_exchanged_release(&got);
    return rc;
}

/* Once the outcomes have been taken, want of memory only makes the claim smaller. */
static void an_exchange(void **state) {
    sweep(*state, try_exchange, 5);
    assert_int_equal(stats(*state).finished_total, 2);
    allocations_left = 0;
    assert_int_equal(try_exchange(*state), 0); /* a repeat (J7): nothing is held, nothing to make */
    allocations_left = -1;
    assert_int_equal(stats(*state).finished_total, 2);
}

static int try_renew(struct world *w) {
    struct rv_renewal renewal = {.holder = HOLDER, .token = w->token, .lease_ms = LEASE_MS};
    struct rv_cancel_marks marks;
    int rc = rv_store_renew(w->store, "q", &renewal, 1, 1000, &marks, NULL);
    if (!rc) assert_int_equal(marks.count, 1);
    if (!rc) assert_string_equal(marks.marks[0].id, "b");
    free(marks.marks);
    return rc;
}

static void a_renewal(void **state) {
    sweep(*state, try_renew, 1);
}

static int try_lapsed(struct world *w) {
    struct rv_lapsed lapsed;
    int rc = rv_store_lapsed(w->store, "q", &lapsed, NULL);
    if (!rc) assert_int_equal(lapsed.count, 2);
    rv_lapsed_release(&lapsed);
    return rc;
}

static void a_look_for_lapsed_claims(void **state) {
    struct world *w = *state;
    rv_clock_move(&w->clock, LEASE_MS + 1);
    sweep(w, try_lapsed, 3);
}

static int try_list(struct world *w) {
    struct rv_list_query query = {.queue = "q", .limit = 10};
    struct rv_jobs jobs;
    int rc = rv_store_list(w->store, &query, &jobs, NULL);
    if (!rc) assert_int_equal(jobs.count, 4);
    rv_jobs_release(&jobs);
    return rc;
}

static void a_list(void **state) {
    sweep(*state, try_list, 5);
}

static int try_read(struct world *w) {
    struct reeve_job *job;
    int rc = rv_store_read(w->store, "q", "a", &job, NULL);
    free(job);
    return rc;
}

static void a_read(void **state) {
    sweep(*state, try_read, 1);
}

static int try_queues(struct world *w) {
    struct rv_names names;
    int rc = rv_store_queues(w->store, NULL, 10, &names, NULL);
    free(names.names);
    return rc;
}

static int try_beat(struct world *w) {
    struct rv_worker_row row = {.id = "w"};
    return rv_store_beat(w->store, &row, 1000, NULL);
}

static int try_workers(struct world *w) {
    struct rv_workers workers;
    int rc = rv_store_workers(w->store, &workers, NULL);
    free(workers.rows);
    return rc;
}

static void queues_and_workers(void **state) {
    sweep(*state, try_queues, 1);
    sweep(*state, try_beat, 1);
    sweep(*state, try_workers, 1);
}

static int try_events(struct world *w) {
    struct rv_events events;
    int rc = rv_store_events(w->store, "q", 0, &events, NULL);
    free(events.events);
    return rc;
}

/* An event for which there is no memory is lost; the step that would have written it is not. */
static void events(void **state) {
    struct world *w = *state;
    sweep(w, try_events, 1);
    enum reeve_state now;
    allocations_left = 0;
    assert_int_equal(rv_store_cancel(w->store, "q", "c", &now, NULL), 0);
    allocations_left = -1;
    assert_int_equal(rv_store_cancel(w->store, "q", "d", &now, NULL), 0);
    struct rv_events got;
    assert_int_equal(rv_store_events(w->store, "q", 0, &got, NULL), 0);
    assert_int_equal(got.count, 1);
    assert_string_equal(got.events[0].id, "d");
    free(got.events);
    sweep(w, try_events, 1);
}

static void opening(void **state) {
    struct world *w = *state;
    struct rv_store_config config = {.space = "s", .timeout_ms = 1000, .clock = &w->clock};
    struct rv_store *store;
    allocations_left = 0;
    int rc = rv_store_open(&store, "memory:", &config, NULL);
    allocations_left = -1;
    assert_int_equal(rc, REEVE_ENOMEM);
    assert_null(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_push, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_push_to_a_new_queue, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_exchange, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_renewal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_look_for_lapsed_claims, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(queues_and_workers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(events, set_up, tear_down),
        cmocka_unit_test_setup_teardown(opening, set_up, tear_down),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("nomem", tests, NULL, NULL);
}
