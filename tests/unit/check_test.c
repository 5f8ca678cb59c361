/* core/check: every name, id, size and option, at and past its bounds (P56 B38 C48). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/check.h"
#include "core/limits.h"

static struct rv_error err;

static void names_are_checked_byte_by_byte(void **state) { /* D4 */
    (void)state;
    char name[RV_NAME_MAX + 2];
    memset(name, 'a', sizeof name);
    name[RV_NAME_MAX] = '\0';
    assert_int_equal(rv_check_name("queue", name, &err), 0);
    name[RV_NAME_MAX] = 'a';
    name[RV_NAME_MAX + 1] = '\0';
    assert_int_equal(rv_check_name("queue", name, &err), REEVE_EINVAL);
    assert_int_equal(rv_check_name("queue", "", &err), REEVE_EINVAL);
    assert_int_equal(rv_check_name("queue", NULL, &err), REEVE_EINVAL);
    const char allowed[] = "ABCXYZabcxyz0189._-:";
    assert_int_equal(rv_check_name("queue", allowed, &err), 0);
    for (int c = 1; c < 256; c++) {
        char one[] = {'q', (char)c, '\0'};
        int good = c < 128 && (strchr("._-:", c) || (c >= '0' && c <= '9') ||
                               (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
        assert_int_equal(rv_check_name("queue", one, &err), good ? 0 : REEVE_EINVAL);
    }
}

static void the_error_names_the_value_and_what_was_expected(void **state) {
    (void)state;
    assert_int_equal(rv_check_name("queue", "a b", &err), REEVE_EINVAL);
    assert_non_null(strstr(err.text, "queue name 'a b'"));
    assert_non_null(strstr(err.text, "A-Z a-z 0-9"));
    assert_int_equal(rv_check_name("queue", "\x1b[31m", &err), REEVE_EINVAL);
    assert_null(strchr(err.text, '\x1b'));
}

static void ids_are_text_without_control_bytes(void **state) {
    (void)state;
    char id[RV_ID_MAX + 2];
    memset(id, 'x', sizeof id);
    id[RV_ID_MAX] = '\0';
    assert_int_equal(rv_check_id(id, &err), 0);
    id[RV_ID_MAX] = 'x';
    id[RV_ID_MAX + 1] = '\0';
    assert_int_equal(rv_check_id(id, &err), REEVE_EINVAL);
    assert_int_equal(rv_check_id("", &err), REEVE_EINVAL);
    assert_int_equal(rv_check_id("a/b {c}:d \xc3\xa9 'e' %s", &err), 0); /* T22 */
    assert_int_equal(rv_check_id("a\nb", &err), REEVE_EINVAL);
    assert_int_equal(rv_check_id("a\x7f", &err), REEVE_EINVAL);
}

static struct rv_new_job job;

static int check(struct reeve_push push) {
    push.size = sizeof push;
    return rv_check_push(&push, &job, &err);
}

static void an_empty_push_gets_every_default(void **state) {
    (void)state;
    assert_int_equal(check((struct reeve_push){0}), 0);
    assert_string_equal(job.queue, "default");
    assert_string_equal(job.kind, "default");
    assert_null(job.id);
    assert_int_equal(job.priority, 0);
    assert_int_equal(job.policy.attempts_max, 3);
    assert_int_equal(job.policy.backoff, REEVE_EXPONENTIAL);
    assert_int_equal(job.policy.backoff_ms, 1000);
    assert_int_equal(job.policy.backoff_ms_max, 3600000);
    assert_int_equal(job.policy.timeout_ms, 0);
    assert_int_equal(job.policy.keep_ms, 3600000);
}

static void none_is_not_the_default(void **state) {
    (void)state;
    assert_int_equal(check((struct reeve_push){.backoff_ms = REEVE_NONE, .keep_ms = REEVE_NONE}),
                     0);
    assert_int_equal(job.policy.backoff_ms, 0);
    assert_int_equal(job.policy.keep_ms, 0);
}

static void every_number_of_a_push_is_bounded(void **state) { /* D10 */
    (void)state;
    assert_int_equal(check((struct reeve_push){.priority = -8}), 0);
    assert_int_equal(check((struct reeve_push){.priority = 7}), 0);
    assert_int_equal(check((struct reeve_push){.priority = -9}), REEVE_EINVAL);
    assert_int_equal(check((struct reeve_push){.priority = 8}), REEVE_EINVAL);
    assert_non_null(strstr(err.text, "priority is 8: expected -8 to 7"));
    assert_int_equal(check((struct reeve_push){.delay_ms = -1}), REEVE_EINVAL);
    assert_int_equal(check((struct reeve_push){.delay_ms = INT64_MAX}), REEVE_EINVAL);
    assert_int_equal(check((struct reeve_push){.run_at_ms = -5}), REEVE_EINVAL);
    assert_int_equal(check((struct reeve_push){.run_at_ms = 1, .delay_ms = 1}), REEVE_EINVAL);
    assert_int_equal(check((struct reeve_push){.attempts_max = -1}), REEVE_EINVAL);
    assert_int_equal(check((struct reeve_push){.attempts_max = RV_ATTEMPTS_MAX + 1}), REEVE_EINVAL);
    assert_int_equal(check((struct reeve_push){.backoff_ms = -2}), REEVE_EINVAL);
    assert_int_equal(check((struct reeve_push){.backoff = (enum reeve_backoff)9}), REEVE_EINVAL);
    assert_int_equal(check((struct reeve_push){.timeout_ms = -2}), REEVE_EINVAL);
    assert_int_equal(check((struct reeve_push){.keep_ms = -2}), REEVE_EINVAL);
    assert_int_equal(check((struct reeve_push){.keep_ms = RV_KEEP_MS_MAX + 1}), REEVE_EINVAL);
    assert_int_equal(check((struct reeve_push){.body = "x", .body_size = REEVE_BODY_MAX + 1}),
                     REEVE_ETOOBIG);
    assert_int_equal(check((struct reeve_push){.body_size = 1}), REEVE_EINVAL);
}

static void contradicting_backoffs_name_both_values(void **state) {
    (void)state;
    assert_int_equal(check((struct reeve_push){.backoff_ms = 5000, .backoff_ms_max = 10}),
                     REEVE_EINVAL);
    assert_non_null(strstr(err.text, "5000"));
    assert_non_null(strstr(err.text, "10"));
    /* a long first wait alone is no contradiction: only values that the user set are held against
     * him */
    assert_int_equal(check((struct reeve_push){.backoff_ms = 7200000}), 0);
    assert_int_equal(job.policy.backoff_ms_max, 7200000);
}

static void structs_grow_without_breaking_callers(void **state) {
    (void)state;
    struct reeve_push push = {.size = 0};
    assert_int_equal(rv_check_push(&push, &job, &err), REEVE_EINVAL);
    assert_non_null(strstr(err.text, "sizeof(struct reeve_push)"));
    struct {
        struct reeve_push push;
        uint64_t later;
    } newer = {.push = {.size = sizeof newer}};
    assert_int_equal(rv_check_push(&newer.push, &job, &err), 0);
    newer.later = 1;
    assert_int_equal(rv_check_push(&newer.push, &job, &err), REEVE_ENOTSUP);
}

static void worker_timing_names_both_values(void **state) {
    (void)state;
    struct reeve_worker_options out, in = {.size = sizeof in, .lease_ms = 1000, .renew_ms = 600};
    assert_int_equal(rv_check_worker_options(&in, &out, &err), REEVE_EINVAL);
    assert_non_null(strstr(err.text, "600"));
    assert_non_null(strstr(err.text, "1000"));
    in.renew_ms = 0;
    assert_int_equal(rv_check_worker_options(&in, &out, &err), 0);
    assert_int_equal(out.renew_ms, 333);
    in.lease_ms = 99;
    assert_int_equal(rv_check_worker_options(&in, &out, &err), REEVE_EINVAL);
    const char *const twice[] = {"a", "b", "a", NULL};
    in = (struct reeve_worker_options){.size = sizeof in, .queues = twice};
    assert_int_equal(rv_check_worker_options(&in, &out, &err), REEVE_EINVAL);
    assert_non_null(strstr(err.text, "'a' is named twice"));
    const char *const none[] = {NULL};
    in.queues = none;
    assert_int_equal(rv_check_worker_options(&in, &out, &err), REEVE_EINVAL);
    assert_int_equal(rv_check_worker_options(NULL, &out, &err), 0);
    assert_int_equal(out.lease_ms, 30000);
    assert_int_equal(out.grace_ms, 25000);
    assert_string_equal(out.queues[0], "default");
}

static void margins_follow_the_lease(void **state) {
    (void)state;
    assert_int_equal(rv_lease_margin_ms(30000), 3000);
    assert_int_equal(rv_lease_margin_ms(2000), 250);
    assert_int_equal(rv_lease_margin_ms(100), 25);
    assert_int_equal(rv_lease_call_ms(5000, 30000), 5000);
    assert_int_equal(rv_lease_call_ms(5000, 2000), 333);
    assert_int_equal(rv_lease_call_ms(5000, 100), 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_checked_byte_by_byte),
        cmocka_unit_test(the_error_names_the_value_and_what_was_expected),
        cmocka_unit_test(ids_are_text_without_control_bytes),
        cmocka_unit_test(an_empty_push_gets_every_default),
        cmocka_unit_test(none_is_not_the_default),
        cmocka_unit_test(every_number_of_a_push_is_bounded),
        cmocka_unit_test(contradicting_backoffs_name_both_values),
        cmocka_unit_test(structs_grow_without_breaking_callers),
        cmocka_unit_test(worker_timing_names_both_values),
        cmocka_unit_test(margins_follow_the_lease),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
