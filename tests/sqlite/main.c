#include "sqlite/sqlite_tests.h"

#include <stdlib.h>
#include <string.h>

/* One group of all, so that there is one plan in the TAP. */
int main(void) {
    const struct CMUnitTest *const parts[] = {file_tests, lock_tests, crowd_tests};
    const size_t counts[] = {file_test_count, lock_test_count, crowd_test_count};
    struct CMUnitTest *tests = calloc(counts[0] + counts[1] + counts[2], sizeof *tests);
    if (!tests) return 1;
    size_t count = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        memcpy(tests + count, parts[i], counts[i] * sizeof *tests);
        count += counts[i];
    }
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = _cmocka_run_group_tests("sqlite", tests, count, NULL, NULL);
    free(tests);
    return failed ? 1 : 0;
}
