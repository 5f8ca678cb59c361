/* trace and fault around a memory store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/fault.h"
#include "store/trace.h"

static struct rv_store *open_memory(void) {
    struct rv_store_config config = {.space = "s", .timeout_ms = 1000, .clock = &rv_clock_real};
    struct rv_store *store;
    assert_int_equal(rv_store_open(&store, "memory:", &config, NULL), 0);
    return store;
}

static int push(struct rv_store *store, const char *id, uint64_t nonce, struct rv_pushed *out,
                struct rv_error *err) {
    struct rv_new_job job = {.queue = "q",
                             .kind = "k",
                             .id = id,
                             .nonce = nonce,
                             .policy = {.attempts_max = 1, .keep_ms = 1000}};
    return rv_store_push(store, "q", &job, 1, out, err);
}

static uint64_t pushed_total(struct rv_store *store) {
    struct reeve_queue queue;
    return rv_store_stats(store, "q", &queue, NULL) ? 0 : queue.pushed_total;
}

/* ---- fault ---- */
struct faulty {
    struct rv_fault_plan plan;
    struct rv_store *store;
};

static int open_faulty(void **state) {
    struct faulty *f = malloc(sizeof *f);
    assert_non_null(f);
    rv_fault_plan_init(&f->plan);
    assert_int_equal(rv_fault_open(&f->store, open_memory(), &f->plan, NULL), 0);
    *state = f;
    return 0;
}

static int close_faulty(void **state) {
    struct faulty *f = *state;
    rv_store_close(f->store);
    rv_fault_plan_release(&f->plan);
    free(f);
    return 0;
}

static void without_a_plan_all_calls_go_through(void **state) {
    struct faulty *f = *state;
    struct rv_pushed out;
    assert_int_equal(push(f->store, "a", 1, &out, NULL), 0);
    assert_int_equal(out.status, REEVE_QUEUED);
    assert_int_equal(pushed_total(f->store), 1);
    assert_int_equal(rv_fault_plan_calls(&f->plan, RV_OP_PUSH), 1);
    assert_int_equal(rv_fault_plan_calls(&f->plan, 0), 2);
}

static void the_nth_call_is_refused_and_not_made(void **state) {
    struct faulty *f = *state;
    struct rv_pushed out;
    struct rv_error err;
    rv_fault_plan_add(&f->plan,
                      (struct rv_fault){.kind = RV_FAULT_REFUSE, .op = RV_OP_PUSH, .nth = 2});
    assert_int_equal(push(f->store, "a", 1, &out, NULL), 0);
    assert_int_equal(push(f->store, "b", 2, &out, &err), REEVE_EUNREACHABLE);
    assert_int_equal(err.code, REEVE_EUNREACHABLE);
    assert_int_equal(out.error, REEVE_EUNREACHABLE);
    assert_int_equal(pushed_total(f->store), 1);
    assert_int_equal(push(f->store, "b", 2, &out, NULL), 0);
    assert_int_equal(pushed_total(f->store), 2);
}

static void a_lost_answer_leaves_the_work_done_and_nothing_to_free(void **state) { /* J7 */
    struct faulty *f = *state;
    struct rv_pushed out;
    rv_fault_plan_add(&f->plan, (struct rv_fault){.kind = RV_FAULT_LOSE, .op = RV_OP_PUSH});
    assert_int_equal(push(f->store, "a", 1, &out, NULL), REEVE_EUNSURE);
    assert_int_equal(out.status, 0);
    assert_int_equal(pushed_total(f->store), 1);
    assert_int_equal(push(f->store, "a", 1, &out, NULL), 0);
    assert_int_equal(out.status, REEVE_QUEUED);
    assert_int_equal(pushed_total(f->store), 1);

    rv_fault_plan_add(&f->plan, (struct rv_fault){.kind = RV_FAULT_LOSE, .op = RV_OP_READ});
    struct reeve_job *job;
    assert_int_equal(rv_store_read(f->store, "q", "a", &job, NULL), REEVE_EUNSURE);
    assert_null(job);
}

static void a_fault_for_ever_lasts_until_the_plan_is_cleared(void **state) {
    struct faulty *f = *state;
    struct rv_pushed out;
    rv_fault_plan_add(&f->plan, (struct rv_fault){.kind = RV_FAULT_REFUSE, .for_ever = true});
    for (int i = 0; i < 3; i++)
        assert_int_equal(push(f->store, "a", 1, &out, NULL), REEVE_EUNREACHABLE);
    assert_int_equal(pushed_total(f->store), 0);
    rv_fault_plan_clear(&f->plan);
    assert_int_equal(push(f->store, "a", 1, &out, NULL), 0);
}

static void a_delayed_call_comes_late_and_is_done(void **state) {
    struct faulty *f = *state;
    struct rv_pushed out;
    rv_fault_plan_add(&f->plan, (struct rv_fault){.kind = RV_FAULT_DELAY, .delay_ms = 30});
    int64_t began_us = rv_around_now_us();
    assert_int_equal(push(f->store, "a", 1, &out, NULL), 0);
    assert_true(rv_around_now_us() - began_us >= 30000);
    assert_int_equal(pushed_total(f->store), 1);
}

/* ---- trace ---- */
struct lines {
    char text[4][300];
    size_t count;
};

static void take_line(void *arg, enum reeve_log_level level, const char *line) {
    struct lines *lines = arg;
    assert_int_equal(level, REEVE_LOG_DEBUG);
    if (lines->count < 4) (void)snprintf(lines->text[lines->count], 300, "%s", line);
    lines->count++;
}

static void every_call_leaves_one_line(void **state) {
    (void)state;
    struct lines lines = {0};
    struct rv_log log = {.fn = take_line, .arg = &lines, .level = REEVE_LOG_ERROR};
    struct rv_store *store;
    struct rv_pushed out;
    struct reeve_job *job;
    struct rv_error err;
    assert_int_equal(rv_trace_open(&store, open_memory(), &log, NULL), 0);
    assert_int_equal(push(store, "a", 1, &out, NULL), 0);
    assert_int_equal(rv_store_read(store, "q", "b", &job, &err), REEVE_ENOENT);
    assert_int_equal(lines.count, 2);
    static const char first[] = "store.push queue=q given=1 got=0 rc=OK us=";
    static const char second[] = "store.read queue=q given=1 got=0 rc=ENOENT us=";
    assert_memory_equal(lines.text[0], first, sizeof first - 1);
    assert_memory_equal(lines.text[1], second, sizeof second - 1);
    assert_non_null(strstr(lines.text[1], " error=\"no job 'b' in queue q\""));
    rv_store_close(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_a_plan_all_calls_go_through, open_faulty,
                                        close_faulty),
        cmocka_unit_test_setup_teardown(the_nth_call_is_refused_and_not_made, open_faulty,
                                        close_faulty),
        cmocka_unit_test_setup_teardown(a_lost_answer_leaves_the_work_done_and_nothing_to_free,
                                        open_faulty, close_faulty),
        cmocka_unit_test_setup_teardown(a_fault_for_ever_lasts_until_the_plan_is_cleared,
                                        open_faulty, close_faulty),
        cmocka_unit_test_setup_teardown(a_delayed_call_comes_late_and_is_done, open_faulty,
                                        close_faulty),
        cmocka_unit_test(every_call_leaves_one_line),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("decorators", tests, NULL, NULL);
}
