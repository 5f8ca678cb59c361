/* How long whoever pushes first waits for those who pushed with him before. */
#include "harness/check.h"
#include "service/crowd.h"

static void a_crowd_is_expected_as_long_as_its_step_took(void **state) {
    (void)state;
    struct rv_crowd crowd = {0};
    size_t jobs;
    CHECK_INT(rv_crowd_expect(&crowd, "q", &jobs), 0);
    rv_crowd_note(&crowd, "q", 1, 1000, 300);
    CHECK_INT(rv_crowd_expect(&crowd, "q", &jobs), 0); /* who is alone waits for nobody */
    rv_crowd_note(&crowd, "q", 7, 1000, 300);
    CHECK_INT(rv_crowd_expect(&crowd, "q", &jobs), 1300);
    CHECK_INT(jobs, 7);
    CHECK_INT(rv_crowd_expect(&crowd, "other", &jobs), 0);
}

static void a_crowd_that_does_not_come_is_waited_for_less_and_less(void **state) {
    (void)state;
    struct rv_crowd crowd = {0};
    size_t jobs, waits = 0;
    rv_crowd_note(&crowd, "q", 7, 1000, 300);
    for (int i = 0; i < 320; i++) {
        if (!rv_crowd_expect(&crowd, "q", &jobs)) continue;
        rv_crowd_waited(&crowd, false);
        waits++;
    }
    CHECK(waits < 320 / 16);
    while (!rv_crowd_expect(&crowd, "q", &jobs))
        continue;
    rv_crowd_waited(&crowd, true);
    CHECK_INT(rv_crowd_expect(&crowd, "q", &jobs), 1300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crowd_is_expected_as_long_as_its_step_took),
        cmocka_unit_test(a_crowd_that_does_not_come_is_waited_for_less_and_less),
    };
    return cmocka_run_group_tests_name("crowd", tests, NULL, NULL);
}
