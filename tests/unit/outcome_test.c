/* core/outcome: what becomes of a job, judged from numbers alone (A147 A121 T16). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "core/history.h"
#include "core/job.h"
#include "core/outcome.h"

static uint64_t given(void *arg) {
    return *(uint64_t *)arg;
}

static struct reeve_job running(int attempt, int attempts_max) {
    return (struct reeve_job){.queue = "q",
                              .id = "a",
                              .kind = "k",
                              .state = REEVE_RUNNING,
                              .attempt = attempt,
                              .attempts_max = attempts_max,
                              .token = 77,
                              .worker = "w1",
                              .started_at_ms = 1000,
                              .backoff_ms = 1000,
                              .backoff_ms_max = 60000,
                              .keep_ms = 5000};
}

static struct rv_outcome judge(const struct reeve_job *job, enum rv_ending ending,
                               uint64_t random) {
    static const struct reeve_failure error = {.message = "boom", .code = "exit:1"};
    struct rv_report report = {.ending = ending, .ended_at_ms = 2000};
    if (ending == RV_FAILED_ATTEMPT || ending == RV_GIVEN_UP || ending == RV_LAPSED)
        report.error = &error;
    struct rv_outcome out;
    struct rv_random source = {.next = given, .arg = &random};
    assert_int_equal(rv_outcome_judge(job, 9, &report, &source, &out), 0);
    return out;
}

static enum reeve_attempt_outcome last_in_history(const struct rv_outcome *outcome, size_t count) {
    struct rv_history *history;
    struct rv_bytes bytes = {outcome->history.data, outcome->history.size};
    assert_int_equal(rv_history_read(bytes, &history), 0);
    assert_int_equal(history->count, count);
    enum reeve_attempt_outcome last = history->attempts[count - 1]->outcome;
    free(history);
    return last;
}

static void backoff_grows_as_its_kind_says(void **state) {
    (void)state;
    const int64_t doubled[] = {1000, 2000, 4000, 8000, 16000, 30000, 30000};
    for (int i = 0; i < 7; i++) {
        assert_int_equal(rv_backoff_ms(REEVE_EXPONENTIAL, 1000, 30000, i + 1), doubled[i]);
        int64_t linear = 5000 * (int64_t)(i + 1);
        assert_int_equal(rv_backoff_ms(REEVE_LINEAR, 5000, 12000, i + 1),
                         linear < 12000 ? linear : 12000);
        assert_int_equal(rv_backoff_ms(REEVE_FIXED, 10000, 60000, i + 1), 10000);
    }
}

static void backoff_never_overflows(void **state) {
    (void)state;
    for (int kind = REEVE_EXPONENTIAL; kind <= REEVE_FIXED; kind++) {
        int64_t wait =
            rv_backoff_ms((enum reeve_backoff)kind, INT64_MAX / 3, INT64_MAX / 2, 1000000);
        assert_true(wait > 0 && wait <= INT64_MAX / 2);
        assert_int_equal(rv_backoff_ms((enum reeve_backoff)kind, 0, 1000, 5), 0);
    }
}

static void jitter_is_full(void **state) {
    (void)state;
    uint64_t value = 0;
    struct rv_random source = {.next = given, .arg = &value};
    assert_int_equal(rv_jitter_ms(1000, &source), 0);
    value = 1000;
    assert_int_equal(rv_jitter_ms(1000, &source), 1000);
    value = 1001;
    assert_int_equal(rv_jitter_ms(1000, &source), 0);
    assert_int_equal(rv_jitter_ms(0, &source), 0);
}

static void success_is_done_and_keeps_its_result(void **state) {
    (void)state;
    struct reeve_job job = running(2, 3);
    struct rv_report report = {
        .ending = RV_SUCCEEDED, .has_result = true, .result = "", .ended_at_ms = 5};
    struct rv_outcome out;
    assert_int_equal(rv_outcome_judge(&job, 9, &report, &rv_random_system, &out), 0);
    assert_int_equal(out.state, REEVE_DONE);
    assert_int_equal(out.attempt, 2);
    assert_int_equal(out.keep_ms, 5000);
    assert_true(out.has_result && out.result_size == 0); /* T27 */
    assert_int_equal(out.token, 77);
    assert_int_equal(out.holder, 9);
    assert_false(out.only_if_lapsed);
    rv_outcome_release(&out);
}

static void failure_is_retried_while_attempts_remain(void **state) {
    (void)state;
    struct reeve_job job = running(2, 3);
    struct rv_outcome out = judge(&job, RV_FAILED_ATTEMPT, 1500);
    assert_int_equal(out.state, REEVE_DELAYED);
    assert_int_equal(out.delay_ms, 1500); /* of up to 2000: the second wait */
    assert_int_equal(out.attempt, 2);
    assert_int_equal(last_in_history(&out, 1), REEVE_ATTEMPT_RETRY);
    rv_outcome_release(&out);
    out = judge(&job, RV_FAILED_ATTEMPT, 0);
    assert_int_equal(out.state, REEVE_READY); /* no wait at all: ready at once */
    rv_outcome_release(&out);
}

static void last_attempt_fails_for_good(void **state) {
    (void)state;
    struct reeve_job job = running(3, 3);
    struct rv_outcome out = judge(&job, RV_FAILED_ATTEMPT, 1);
    assert_int_equal(out.state, REEVE_FAILED);
    assert_string_equal(out.error->code, "exit:1");
    assert_int_equal(last_in_history(&out, 1), REEVE_ATTEMPT_FAILED);
    rv_outcome_release(&out);
}

static void giving_up_does_not_wait_for_the_last(void **state) {
    (void)state;
    struct reeve_job job = running(1, 9);
    struct rv_outcome out = judge(&job, RV_GIVEN_UP, 1);
    assert_int_equal(out.state, REEVE_FAILED);
    rv_outcome_release(&out);
}

static void handing_back_does_not_count(void **state) {
    (void)state;
    struct reeve_job job = running(3, 3);
    struct rv_outcome out = judge(&job, RV_HANDED_BACK, 1);
    assert_int_equal(out.state, REEVE_READY);
    assert_int_equal(out.attempt, 2);
    assert_int_equal(last_in_history(&out, 1), REEVE_ATTEMPT_HANDED_BACK);
    rv_outcome_release(&out);
}

static void a_lapse_counts_and_is_by_proxy(void **state) {
    (void)state;
    struct reeve_job job = running(1, 2); /* T16: recovery counts */
    struct rv_outcome out = judge(&job, RV_LAPSED, 700);
    assert_true(out.only_if_lapsed);
    assert_int_equal(out.state, REEVE_DELAYED);
    assert_int_equal(out.attempt, 1);
    assert_int_equal(last_in_history(&out, 1), REEVE_ATTEMPT_LAPSED);
    rv_outcome_release(&out);
    job = running(2, 2); /* T36: over the limit is failed, never gone */
    out = judge(&job, RV_LAPSED, 700);
    assert_int_equal(out.state, REEVE_FAILED);
    rv_outcome_release(&out);
}

static void history_is_the_last_32_and_the_one_under_way_is_replaced(void **state) {
    (void)state;
    struct reeve_job job = running(1, 100);
    struct reeve_job *packed = rv_job_pack(&job);
    for (int i = 2; i <= 40; i++) {
        struct rv_outcome out = judge(packed, RV_FAILED_ATTEMPT, 1);
        size_t count = i - 1 < 32 ? (size_t)(i - 1) : 32;
        assert_int_equal(last_in_history(&out, count), REEVE_ATTEMPT_RETRY);
        struct rv_history *history;
        struct rv_bytes bytes = {out.history.data, out.history.size};
        assert_int_equal(rv_history_read(bytes, &history), 0);
        job = running(i, 100);
        job.history = history->attempts;
        job.history_count = history->count;
        free(packed);
        packed = rv_job_pack(&job);
        assert_int_equal(packed->history_count, count + 1);
        assert_int_equal(packed->history[count]->outcome, REEVE_ATTEMPT_RUNNING);
        assert_int_equal(packed->history[count]->attempt, i);
        free(history);
        rv_outcome_release(&out);
    }
    assert_int_equal(packed->history[0]->attempt, 8); /* 39 ended, 32 kept */
    free(packed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backoff_grows_as_its_kind_says),
        cmocka_unit_test(backoff_never_overflows),
        cmocka_unit_test(jitter_is_full),
        cmocka_unit_test(success_is_done_and_keeps_its_result),
        cmocka_unit_test(failure_is_retried_while_attempts_remain),
        cmocka_unit_test(last_attempt_fails_for_good),
        cmocka_unit_test(giving_up_does_not_wait_for_the_last),
        cmocka_unit_test(handing_back_does_not_count),
        cmocka_unit_test(a_lapse_counts_and_is_by_proxy),
        cmocka_unit_test(history_is_the_last_32_and_the_one_under_way_is_replaced),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("outcome", tests, NULL, NULL);
}
