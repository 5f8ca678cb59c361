/* Nonces: what tells who waits from who does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/nonce.h"

#define FIRST_BIT (UINT64_C(1) << 63)

/* Always the same number. */
static uint64_t give(void *arg) {
    return *(uint64_t *)arg;
}

static void one_that_nobody_waits_for_has_no_address(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint64_t nonce = rv_nonce_draw(&rv_random_system);
        assert_true(nonce != 0);
        assert_true((nonce & FIRST_BIT) == 0);
    }
}

static void the_first_bit_alone_is_not_none(void **state) {
    (void)state;
    uint64_t drawn = FIRST_BIT;
    struct rv_random random = {give, &drawn};
    assert_true(rv_nonce_draw(&random) == 1);
}

static void an_address_has_the_first_bit(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_true(rv_nonce_draw_address(&rv_random_system) >> 31 == 1);
    uint64_t drawn = 5;
    struct rv_random random = {give, &drawn};
    assert_int_equal(rv_nonce_draw_address(&random), UINT32_C(0x80000005));
}

static void who_waits_is_told_by_address_and_number(void **state) {
    (void)state;
    assert_true(rv_nonce_awaited(UINT32_C(0x80000001), UINT32_MAX) == UINT64_C(0x80000001ffffffff));
    assert_true(rv_nonce_awaited(UINT32_MAX, 0) == UINT64_C(0xffffffff00000000));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_nobody_waits_for_has_no_address),
        cmocka_unit_test(the_first_bit_alone_is_not_none),
        cmocka_unit_test(an_address_has_the_first_bit),
        cmocka_unit_test(who_waits_is_told_by_address_and_number),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("nonce", tests, NULL, NULL);
}
