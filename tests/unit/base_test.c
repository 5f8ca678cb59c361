/* base: bytes, buffers, clocks, ids, log lines, signals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/gong.h"
#include "base/id.h"
#include "base/latch.h"
#include "base/list.h"
#include "base/log.h"
#include "base/signal.h"

static void a_buffer_never_grows_past_its_maximum(void **state) {
    (void)state;
    struct rv_buf buf;
    rv_buf_init(&buf, 10);
    assert_int_equal(rv_buf_add(&buf, "12345678", 8), 0);
    assert_int_equal(rv_buf_add(&buf, "abc", 3), REEVE_ETOOBIG);
    assert_int_equal(rv_buf_add(&buf, "a", 1), REEVE_ETOOBIG); /* sticky */
    assert_int_equal(buf.size, 8);
    rv_buf_release(&buf);
}

static void numbers_and_bytes_read_back(void **state) {
    (void)state;
    struct rv_buf buf;
    rv_buf_init(&buf, 1000);
    (void)rv_buf_add_u8(&buf, 200);
    (void)rv_buf_add_u32(&buf, 0xdeadbeef);
    (void)rv_buf_add_u64(&buf, UINT64_MAX - 5);
    (void)rv_buf_add_sized(&buf, "a\0b", 3);
    struct rv_reader reader;
    rv_reader_init(&reader, (struct rv_bytes){buf.data, buf.size});
    assert_int_equal(rv_read_u8(&reader), 200);
    assert_int_equal(rv_read_u32(&reader), 0xdeadbeef);
    assert_true(rv_read_u64(&reader) == UINT64_MAX - 5);
    struct rv_bytes bytes = rv_read_sized(&reader);
    assert_int_equal(bytes.size, 3);
    assert_memory_equal(bytes.data, "a\0b", 3);
    assert_false(reader.failed);
    assert_int_equal(rv_read_u32(&reader), 0);
    assert_true(reader.failed);
    rv_buf_release(&buf);
}

static void a_size_larger_than_the_rest_is_refused(void **state) {
    (void)state;
    struct rv_reader reader;
    rv_reader_init(&reader, (struct rv_bytes){"\xff\xff\xff\xff"
                                              "ab",
                                              6});
    assert_int_equal(rv_read_sized(&reader).size, 0);
    assert_true(reader.failed);
}

static void a_text_is_read_only_where_there_is_room(void **state) {
    (void)state;
    struct rv_reader reader;
    char text[4];
    rv_reader_init(&reader, (struct rv_bytes){"abcdefg", 7});
    rv_read_text(&reader, 3, text, sizeof text);
    assert_string_equal(text, "abc");
    rv_read_text(&reader, 0, text, sizeof text);
    assert_string_equal(text, "");
    assert_false(reader.failed);
    rv_read_text(&reader, 4, text, sizeof text);
    assert_true(reader.failed);
    assert_string_equal(text, "");
}

static void the_clock_moves_by_its_offset_only(void **state) {
    (void)state;
    struct rv_clock clock = {0};
    rv_clock_move(&clock, 3600000);
    assert_in_range(rv_clock_wall_ms(&clock) - rv_clock_wall_ms(&rv_clock_real), 3590000, 3610000);
    assert_in_range(rv_clock_boot_ms(&clock) - rv_clock_boot_ms(&rv_clock_real), 3590000, 3610000);
    assert_true(rv_time_add(INT64_MAX - 1, 5) == INT64_MAX);
    assert_true(rv_time_add(INT64_MIN + 1, -5) == INT64_MIN);
    assert_true(rv_time_add(2, 3) == 5);
}

static void ids_sort_as_they_were_made(void **state) {
    (void)state;
    char before[RV_GENERATED_ID_SIZE] = "", id[RV_GENERATED_ID_SIZE];
    for (int64_t us = 1794000000000000; us < 1794000000000000 + 100000000; us += 9999991) {
        rv_id_generate(id, us, &rv_random_system);
        assert_int_equal(strlen(id), 22);
        assert_int_equal(
            strspn(id, "-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), 22);
        assert_true(strcmp(before, id) < 0);
        memcpy(before, id, sizeof id);
    }
}

static void a_block_of_random_numbers_never_repeats_one(void **state) {
    (void)state;
    struct rv_random_block block;
    struct rv_random random = rv_random_block_init(&block, 3);
    uint64_t seen[50];
    for (size_t i = 0; i < 50; i++) {
        seen[i] = rv_random_u64(&random);
        for (size_t j = 0; j < i; j++)
            assert_true(seen[j] != seen[i]);
    }
}

enum { DRAWERS = 4, DRAWS = 50000, DRAWN = 3 };

struct drawer {
    struct rv_random_pool *pool;
    uint64_t seen[DRAWS * DRAWN];
};

static void *draw_often(void *arg) {
    struct drawer *drawer = arg;
    struct rv_random_block block;
    for (size_t i = 0; i < DRAWS * DRAWN; i += DRAWN) {
        struct rv_random random = rv_random_pool_draw(drawer->pool, &block, DRAWN);
        for (size_t j = 0; j < DRAWN; j++)
            drawer->seen[i + j] = rv_random_u64(&random);
    }
    return NULL;
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void a_pool_gives_no_two_threads_the_same_number(void **state) {
    (void)state;
    static struct drawer drawers[DRAWERS];
    static uint64_t all[DRAWERS * DRAWS * DRAWN];
    struct rv_random_pool pool;
    pthread_t threads[DRAWERS];
    assert_int_equal(rv_random_pool_init(&pool), 0);
    for (size_t i = 0; i < DRAWERS; i++) {
        drawers[i].pool = &pool;
        assert_int_equal(pthread_create(&threads[i], NULL, draw_often, &drawers[i]), 0);
    }
    for (size_t i = 0; i < DRAWERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        memcpy(all + i * DRAWS * DRAWN, drawers[i].seen, sizeof drawers[i].seen);
    }
    rv_random_pool_release(&pool);
    qsort(all, DRAWERS * DRAWS * DRAWN, sizeof *all, compare_numbers);
    for (size_t i = 1; i < DRAWERS * DRAWS * DRAWN; i++)
        assert_true(all[i] != all[i - 1]);
}

static void keep_line(void *arg, enum reeve_log_level level, const char *line) {
    (void)level;
    (void)snprintf(arg, 2000, "%s", line);
}

static void a_log_line_is_one_line(void **state) {
    (void)state;
    char line[2000] = "", quoted[RV_QUOTED_SIZE];
    struct rv_log log = {.fn = keep_line, .arg = line, .level = REEVE_LOG_WARN};
    rv_log(&log, REEVE_LOG_INFO, "x.y", "unseen=1");
    assert_string_equal(line, "");
    rv_log(&log, REEVE_LOG_WARN, "x.y", "id=%s n=%d", rv_log_quote(quoted, "a \"b\"\n\x1b[1m"), 3);
    assert_string_equal(line, "x.y id=\"a \\\"b\\\"\\x0a\\x1b[1m\" n=3");
    rv_log(&log, REEVE_LOG_ERROR, "x.y", "raw=%s", "a\nb");
    assert_string_equal(line, "x.y raw=a b");
    char long_text[4000];
    memset(long_text, '"', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    assert_true(strlen(rv_log_quote(quoted, long_text)) < RV_QUOTED_SIZE);
    assert_string_equal(rv_log_quote(quoted, "plain:1"), "plain:1");
    assert_string_equal(rv_log_quote(quoted, ""), "\"\"");
}

static void errors_take_context_in_front(void **state) {
    (void)state;
    struct rv_error err;
    assert_int_equal(rv_fail(&err, REEVE_ENOENT, "no %s", "job"), REEVE_ENOENT);
    assert_int_equal(rv_error_context(&err, "open %s", "x"), REEVE_ENOENT);
    assert_string_equal(err.text, "open x: no job");
    assert_int_equal(rv_fail(NULL, REEVE_EINVAL, "unseen"), REEVE_EINVAL);
}

static void *raise_two(void *arg) {
    rv_signal_raise(arg, 2);
    return NULL;
}

static void signals_add_up_until_taken(void **state) {
    (void)state;
    struct rv_signal signal;
    assert_int_equal(rv_signal_init(&signal), 0);
    assert_int_equal(rv_signal_wait(&signal, 0), 0);
    rv_signal_raise(&signal, 1);
    rv_signal_raise(&signal, 4);
    assert_int_equal(rv_signal_wait(&signal, 0), 5);
    assert_int_equal(rv_signal_wait(&signal, 1), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, raise_two, &signal), 0);
    assert_int_equal(rv_signal_wait(&signal, -1), 2);
    assert_int_equal(pthread_join(thread, NULL), 0);
    rv_signal_release(&signal);
}

static void *set_four(void *arg) {
    (void)rv_latch_set(arg, 4);
    rv_latch_wake(arg);
    return NULL;
}

static void a_latch_is_slept_on_until_its_bits_are_others(void **state) {
    (void)state;
    struct rv_latch latch;
    rv_latch_init(&latch);
    assert_int_equal(rv_latch_set(&latch, 1), 0);
    assert_int_equal(rv_latch_set(&latch, 2), 1);
    rv_latch_clear(&latch, 1);
    assert_int_equal(rv_latch_bits(&latch), 2);
    rv_latch_sleep(&latch, 3, -1); /* they are others already */
    int64_t begun_ms = rv_clock_boot_ms(&rv_clock_real), slept_ms;
    do { /* it may return for no reason */
        rv_latch_sleep(&latch, 2, 20);
        slept_ms = rv_clock_boot_ms(&rv_clock_real) - begun_ms;
    } while (slept_ms < 19);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, set_four, &latch), 0);
    while (rv_latch_bits(&latch) == 2)
        rv_latch_sleep(&latch, 2, -1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(rv_latch_bits(&latch), 6);
}

struct listener {
    struct rv_gong gong;
    atomic_bool struck;
};

static void *listen_for_bits(void *arg) {
    struct listener *listener = arg;
    for (;;) {
        unsigned heard = rv_gong_heard(&listener->gong);
        if (atomic_load(&listener->struck)) return NULL;
        rv_gong_wait_for(&listener->gong, heard, 4, -1);
    }
}

static void a_gong_is_heard_by_whom_it_is_struck_for(void **state) {
    (void)state;
    struct listener listener = {0};
    pthread_t thread;
    rv_gong_init(&listener.gong);
    assert_int_equal(pthread_create(&thread, NULL, listen_for_bits, &listener), 0);
    atomic_store(&listener.struck, true);
    rv_gong_strike_for(&listener.gong, 4 | 8);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void a_gong_is_waited_for_as_long_as_was_said(void **state) {
    (void)state;
    struct rv_gong gong;
    rv_gong_init(&gong);
    unsigned before = rv_gong_heard(&gong);
    rv_gong_strike_for(&gong, 1);
    rv_gong_wait_for(&gong, before, 2, -1); /* it was struck already */
    int64_t begun_ms = rv_clock_boot_ms(&rv_clock_real), slept_ms;
    do { /* it may return for no reason */
        rv_gong_wait_for(&gong, rv_gong_heard(&gong), 2, 20);
        slept_ms = rv_clock_boot_ms(&rv_clock_real) - begun_ms;
    } while (slept_ms < 19);
}

static void lists_give_back_in_order(void **state) {
    (void)state;
    struct rv_list list, a, b, c;
    rv_list_init(&list);
    rv_list_add_tail(&list, &b);
    rv_list_add_tail(&list, &c);
    rv_list_add_head(&list, &a);
    rv_list_remove(&b);
    rv_list_remove(&b);
    assert_ptr_equal(rv_list_pop(&list), &a);
    assert_ptr_equal(rv_list_pop(&list), &c);
    assert_null(rv_list_pop(&list));
}

static void numbers_are_written_as_printf_does(void **state) {
    (void)state;
    static const int64_t numbers[] = {0,      1,         -1,        9,         10,       -10,
                                      999999, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char ours[RV_DECIMAL_SIZE], theirs[32];
        (void)snprintf(theirs, sizeof theirs, "%lld", (long long)numbers[i]);
        assert_int_equal(rv_decimal(ours, numbers[i]), strlen(theirs));
        assert_string_equal(ours, theirs);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_never_grows_past_its_maximum),
        cmocka_unit_test(numbers_and_bytes_read_back),
        cmocka_unit_test(a_size_larger_than_the_rest_is_refused),
        cmocka_unit_test(a_text_is_read_only_where_there_is_room),
        cmocka_unit_test(the_clock_moves_by_its_offset_only),
        cmocka_unit_test(ids_sort_as_they_were_made),
        cmocka_unit_test(a_block_of_random_numbers_never_repeats_one),
        cmocka_unit_test(a_pool_gives_no_two_threads_the_same_number),
        cmocka_unit_test(a_log_line_is_one_line),
        cmocka_unit_test(errors_take_context_in_front),
        cmocka_unit_test(signals_add_up_until_taken),
        cmocka_unit_test(a_latch_is_slept_on_until_its_bits_are_others),
        cmocka_unit_test(a_gong_is_heard_by_whom_it_is_struck_for),
        cmocka_unit_test(a_gong_is_waited_for_as_long_as_was_said),
        cmocka_unit_test(lists_give_back_in_order),
        cmocka_unit_test(numbers_are_written_as_printf_does),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
