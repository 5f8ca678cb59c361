/* core/job, core/history, core/state: what is written is what is read, and nonsense is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/history.h"
#include "core/job.h"
#include "core/limits.h"
#include "core/state.h"

static const struct reeve_failure failure = {
    .message = "it broke", .code = "exit:3", .detail = "\0\xff", .detail_size = 2};
static const struct reeve_attempt first = {.attempt = 1,
                                           .outcome = REEVE_ATTEMPT_RETRY,
                                           .worker = "host:1",
                                           .token = UINT64_MAX - 1,
                                           .started_at_ms = 10,
                                           .ended_at_ms = 20,
                                           .error = &failure};
static const struct reeve_attempt second = {.attempt = 2,
                                            .outcome = REEVE_ATTEMPT_DONE,
                                            .worker = "host:2",
                                            .token = 7,
                                            .started_at_ms = 30,
                                            .ended_at_ms = 40};

static void a_packed_record_needs_nothing_else(void **state) {
    (void)state;
    char id[] = "id", body[] = {'a', '\0', 'b'}, line[] = "half";
    const char *const log[] = {line, ""};
    const struct reeve_attempt *history[] = {&first, &second};
    struct reeve_job job = {.queue = "q",
                            .id = id,
                            .kind = "k",
                            .state = REEVE_FAILED,
                            .body = body,
                            .body_size = 3,
                            .result = "",
                            .error = &failure,
                            .history = history,
                            .history_count = 2,
                            .token = 7,
                            .progress = 40,
                            .log = log,
                            .log_count = 2};
    struct reeve_job *packed = rv_job_pack(&job);
    memset(id, 'X', 2);
    memset(body, 'X', 3);
    memset(line, 'X', 4);
    assert_string_equal(packed->id, "id");
    assert_memory_equal(packed->body, "a\0b", 3);
    assert_non_null(packed->result); /* an empty result is a result */
    assert_int_equal(packed->result_size, 0);
    assert_null(packed->worker);
    assert_memory_equal(packed->error->detail, "\0\xff", 2);
    assert_int_equal(packed->history_count, 2);
    assert_string_equal(packed->history[0]->error->message, "it broke");
    assert_null(packed->history[1]->error);
    assert_int_equal(packed->progress, 40);
    assert_int_equal(packed->log_count, 2);
    assert_string_equal(packed->log[0], "half");
    assert_string_equal(packed->log[1], "");
    free(packed);
    job.result = NULL;
    job.state = REEVE_DONE;
    packed = rv_job_pack(&job);
    assert_null(packed->result);
    assert_null(packed->error); /* done in the end: what failed before is in the history */
    free(packed);
}

static void history_reads_back(void **state) {
    (void)state;
    struct rv_buf buf;
    rv_buf_init(&buf, RV_HISTORY_BYTES_MAX);
    const struct reeve_attempt *one[] = {&first};
    assert_int_equal(rv_history_write(&buf, one, 1, &second), 0);
    struct rv_history *history;
    assert_int_equal(rv_history_read((struct rv_bytes){buf.data, buf.size}, &history), 0);
    assert_int_equal(history->count, 2);
    assert_int_equal(history->attempts[0]->token, UINT64_MAX - 1);
    assert_string_equal(history->attempts[0]->error->code, "exit:3");
    assert_string_equal(history->attempts[1]->worker, "host:2");
    assert_int_equal(history->attempts[1]->ended_at_ms, 40);
    free(history);
    rv_buf_release(&buf);
}

static void a_damaged_history_is_refused_wherever_it_is_cut(void **state) {
    (void)state;
    struct rv_buf buf;
    rv_buf_init(&buf, RV_HISTORY_BYTES_MAX);
    const struct reeve_attempt *one[] = {&first};
    assert_int_equal(rv_history_write(&buf, one, 1, NULL), 0);
    struct rv_history *history;
    for (size_t cut = 2; cut < buf.size; cut++) {
        unsigned char *copy = malloc(cut); /* so that ASan sees a read past the end */
        memcpy(copy, buf.data, cut);
        assert_int_equal(rv_history_read((struct rv_bytes){copy, cut}, &history), REEVE_ECORRUPT);
        free(copy);
    }
    buf.data[0] = 9; /* a version of the future */
    assert_int_equal(rv_history_read((struct rv_bytes){buf.data, buf.size}, &history),
                     REEVE_ECORRUPT);
    assert_int_equal(rv_history_read((struct rv_bytes){NULL, 0}, &history), 0);
    assert_null(history);
    rv_buf_release(&buf);
}

static void only_the_arrows_of_the_picture_exist(void **state) {
    (void)state; /* J1 */
    static const enum reeve_state arrows[][2] = {
        {REEVE_DELAYED, REEVE_READY},     {REEVE_DELAYED, REEVE_CANCELLED},
        {REEVE_READY, REEVE_RUNNING},     {REEVE_READY, REEVE_CANCELLED},
        {REEVE_RUNNING, REEVE_DELAYED},   {REEVE_RUNNING, REEVE_READY},
        {REEVE_RUNNING, REEVE_DONE},      {REEVE_RUNNING, REEVE_FAILED},
        {REEVE_RUNNING, REEVE_CANCELLED}, {REEVE_FAILED, REEVE_READY},
        {REEVE_CANCELLED, REEVE_READY},
    };
    int found = 0;
    for (int from = REEVE_DELAYED; from <= REEVE_CANCELLED; from++) {
        for (int to = REEVE_DELAYED; to <= REEVE_CANCELLED; to++)
            found += rv_state_may((enum reeve_state)from, (enum reeve_state)to);
    }
    assert_int_equal(found, sizeof arrows / sizeof *arrows);
    for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
        assert_true(rv_state_may(arrows[i][0], arrows[i][1]));
}

static void state_names_read_back(void **state) {
    (void)state;
    for (int s = REEVE_DELAYED; s <= REEVE_CANCELLED; s++) {
        enum reeve_state parsed;
        assert_int_equal(reeve_state_parse(reeve_state_name((enum reeve_state)s), &parsed), 0);
        assert_int_equal(parsed, s);
    }
    enum reeve_state parsed;
    assert_int_equal(reeve_state_parse("waiting", &parsed), REEVE_EINVAL);
    assert_int_equal(reeve_state_parse(NULL, &parsed), REEVE_EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packed_record_needs_nothing_else),
        cmocka_unit_test(history_reads_back),
        cmocka_unit_test(a_damaged_history_is_refused_wherever_it_is_cut),
        cmocka_unit_test(only_the_arrows_of_the_picture_exist),
        cmocka_unit_test(state_names_read_back),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
