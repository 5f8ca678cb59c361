/* core/why: one sentence for each reason why a job is not running. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/why.h"

static const struct reeve_failure failure = {.message = "no route\nmore", .code = "exit:1"};

static void check_sentence(struct reeve_job job, struct rv_why why, const char *part) {
    char text[RV_WHY_SIZE];
    job.queue = "mail";
    job.kind = "send";
    job.attempts_max = 3;
    why.job = &job;
    rv_why_tell(&why, text);
    if (!strstr(text, part)) fail_msg("expected '%s' in '%s'", part, text);
    assert_null(strchr(text, '\n'));
}

static void each_state_has_its_reason(void **state) {
    (void)state;
    struct rv_why idle = {.serving = 1, .knowing = 1, .threads = 4, .busy = 4, .ready = 7};
    check_sentence((struct reeve_job){.state = REEVE_READY}, (struct rv_why){.paused = true},
                   "mail is paused");
    check_sentence((struct reeve_job){.state = REEVE_DELAYED}, (struct rv_why){.paused = true},
                   "mail is paused");
    check_sentence((struct reeve_job){.state = REEVE_READY}, (struct rv_why){0},
                   "no worker serves queue mail");
    check_sentence((struct reeve_job){.state = REEVE_READY}, (struct rv_why){.serving = 2},
                   "none of the 2 workers of queue mail has a handler for kind send");
    check_sentence((struct reeve_job){.state = REEVE_READY}, idle, "waits behind others: 7 jobs");
    check_sentence((struct reeve_job){.state = REEVE_READY}, idle, "4 of 4 threads");
    check_sentence((struct reeve_job){.state = REEVE_DELAYED, .run_at_ms = 1000}, idle,
                   "delayed until 1970-01-01T00:00:01Z");
    check_sentence(
        (struct reeve_job){
            .state = REEVE_DELAYED, .run_at_ms = 1000, .attempt = 2, .error = &failure},
        idle, "in backoff until 1970-01-01T00:00:01Z, attempt 2 of 3 having failed: no route");
    check_sentence((struct reeve_job){.state = REEVE_RUNNING, .worker = "w1", .attempt = 1}, idle,
                   "running since 1970-01-01T00:00:00Z on w1");
    check_sentence((struct reeve_job){.state = REEVE_RUNNING, .cancelling = true}, idle,
                   "told to stop");
    check_sentence((struct reeve_job){.state = REEVE_DONE, .attempt = 1}, idle, "finished: done");
    check_sentence((struct reeve_job){.state = REEVE_FAILED, .attempt = 3, .error = &failure}, idle,
                   "failed at 1970-01-01T00:00:00Z after 3 of 3 attempts: no route");
    check_sentence((struct reeve_job){.state = REEVE_CANCELLED}, idle, "cancelled at");
}

static void words_are_whole_words(void **state) {
    (void)state;
    assert_true(rv_words_hold("a bb c", "bb"));
    assert_false(rv_words_hold("a bb c", "b"));
    assert_true(rv_words_hold("*", "anything"));
    assert_true(rv_words_hold("x *", "anything"));
    assert_false(rv_words_hold("", "x"));
    assert_true(rv_words_hold("last", "last"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_has_its_reason),
        cmocka_unit_test(words_are_whole_words),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("why", tests, NULL, NULL);
}
