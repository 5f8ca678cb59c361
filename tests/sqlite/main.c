#include "sqlite/sqlite_tests.h"

#include <stdlib.h>
#include <string.h>

/* One group of all, so that there is one plan in the TAP. */
int main(void) {
    const struct {
        const struct CMUnitTest *tests;
        size_t count;
    } parts[] = {
        {file_tests, file_test_count},     {lock_tests, lock_test_count},
        {crowd_tests, crowd_test_count},   {version_tests, version_test_count},
        {doctor_tests, doctor_test_count}, {replaced_tests, replaced_test_count},
        {log_tests, log_test_count},       {bell_tests, bell_test_count},
    };
    size_t count = 0, most = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        most += parts[i].count;
    struct CMUnitTest *tests = calloc(most, sizeof *tests);
    if (!tests) return 1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memcpy(tests + count, parts[i].tests, parts[i].count * sizeof *tests);
        count += parts[i].count;
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = _cmocka_run_group_tests("sqlite", tests, count, NULL, NULL);
    free(tests);
    return failed ? 1 : 0;
}
