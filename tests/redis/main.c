#include "redis/redis_tests.h"

#include <stdlib.h>
#include <string.h>

/* One group of all, so that there is one plan in the TAP. An argument: only those that match it. */
int main(int argc, char **argv) {
    const struct {
        const struct CMUnitTest *tests;
        size_t count;
    } parts[] = {
        {url_tests, url_test_count},
        {slot_tests, slot_test_count},
        {history_tests, history_test_count},
        {error_tests, error_test_count},
        {reader_tests, reader_test_count},
        {conn_tests, conn_test_count},
        {box_tests, box_test_count},
        {cut_tests, cut_test_count},
        {cut_step_tests, cut_step_test_count},
        {foreign_tests, foreign_test_count},
        {open_tests, open_test_count},
        {pool_tests, pool_test_count},
        {probe_tests, probe_test_count},
        {wait_tests, wait_test_count},
        {vigil_tests, vigil_test_count},
        {end_tests, end_test_count},
        {lone_tests, lone_test_count},
        {doctor_tests, doctor_test_count},
        {list_tests, list_test_count},
        {spread_tests, spread_test_count},
        {set_tests, set_test_count},
        {single_tests, single_test_count},
        {unmarked_tests, unmarked_test_count},
        {shard_tests, shard_test_count},
        {name_tests, name_test_count},
        {planted_tests, planted_test_count},
        {planted_name_tests, planted_name_test_count},
        {planted_stream_tests, planted_stream_test_count},
        {compat_tests, compat_test_count},
        {stream_tests, stream_test_count},
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
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = _cmocka_run_group_tests("redis", tests, count, NULL, NULL);
    free(tests);
    return failed ? 1 : 0;
}
