/* Sharing out: whoever follows the rule ends up within one of the others, whatever their bounds. */
#include "base/random.h"
#include "core/share.h"
#include "harness/check.h"

enum { MEMBERS_MAX = 8, ROUNDS = 300, STEPS_MAX = 2000 };

static uint64_t small(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static void one_alone_has_all(void **state) {
    (void)state;
    struct rv_sharer all[] = {{.owned = 3, .max = 100}};
    struct rv_share share = rv_share_out(all, 1, 0, 4);
    CHECK_INT(share.cap, 7);
    CHECK_INT(share.yield, 0);
}

static void a_newcomer_gets_half(void **state) {
    (void)state;
    struct rv_sharer all[] = {{.owned = 10, .max = 100}, {.owned = 0, .max = 100}};
    CHECK_INT(rv_share_out(all, 2, 0, 0).yield, 5);
    CHECK_INT(rv_share_out(all, 2, 1, 5).cap, 8);
}

static void nobody_yields_to_one_that_is_full(void **state) {
    (void)state;
    struct rv_sharer all[] = {{.owned = 9, .max = 100}, {.owned = 1, .max = 1}};
    struct rv_share share = rv_share_out(all, 2, 0, 0);
    CHECK_INT(share.cap, 9);
    CHECK_INT(share.yield, 0);
}

/* One after the other yields and takes as it is told. True: something has moved. */
static bool go_round(struct rv_sharer *all, size_t count, uint64_t *waiting) {
    bool moved = false;
    for (size_t i = 0; i < count; i++) {
        struct rv_share share = rv_share_out(all, count, i, *waiting);
        all[i].owned -= share.yield;
        *waiting += share.yield;
        uint64_t room = share.cap > all[i].owned ? share.cap - all[i].owned : 0;
        uint64_t taken = share.yield ? 0 : small(room, *waiting);
        all[i].owned += taken;
        *waiting -= taken;
        moved = moved || share.yield || taken;
    }
    return moved;
}

static bool is_full(const struct rv_sharer *all, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (all[i].owned < all[i].max) return false;
    return true;
}

static void check_fair(const struct rv_sharer *all, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (all[j].owned < all[j].max) CHECK(all[i].owned <= all[j].owned + 1);
}

static void all_end_up_within_one(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct rv_sharer all[MEMBERS_MAX] = {{0}};
        size_t count = 1 + (size_t)rv_random_below(&rv_random_system, MEMBERS_MAX);
        uint64_t waiting = (uint64_t)rv_random_below(&rv_random_system, 50);
        for (size_t i = 0; i < count; i++) {
            all[i].max = 1 + (uint64_t)rv_random_below(&rv_random_system, 60);
            all[i].owned = (uint64_t)rv_random_below(&rv_random_system, (int64_t)all[i].max + 1);
        }
        int steps = 0;
        while (go_round(all, count, &waiting))
            CHECK(++steps < STEPS_MAX);
        CHECK(!waiting || is_full(all, count));
        check_fair(all, count);
    }
}

/* ---- jitter ---- */
static uint64_t tell(void *arg) {
    return *(const uint64_t *)arg;
}

static void times_are_jittered_by_a_fifth(void **state) { /* R03 A176 */
    (void)state;
    int64_t least = INT64_MAX, most = 0;
    for (int i = 0; i < 1000; i++) {
        int64_t ms = rv_random_sooner(&rv_random_system, 1000);
        if (ms < least) least = ms;
        if (ms > most) most = ms;
    }
    CHECK_BETWEEN(least, 800, 850); /* all of the range is used */
    CHECK_BETWEEN(most, 950, 1000);
    uint64_t zero = 0;
    const struct rv_random none = {tell, &zero};
    CHECK_INT(rv_random_sooner(&none, 1000), 1000);
    CHECK_INT(rv_random_sooner(&rv_random_system, 1), 1);
    CHECK_INT(rv_random_sooner(&rv_random_system, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_alone_has_all),
        cmocka_unit_test(a_newcomer_gets_half),
        cmocka_unit_test(nobody_yields_to_one_that_is_full),
        cmocka_unit_test(all_end_up_within_one),
        cmocka_unit_test(times_are_jittered_by_a_fifth),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
