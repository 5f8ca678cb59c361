/* How places are dealt among queues that have weights. */
#include "work/shares.h"

#include <reeve.h>

#include "harness/check.h"

enum { COUNT = 3 };

static void set_up(struct rv_shares *shares, const int weights[COUNT]) {
    CHECK_OK(rv_shares_init(shares, weights, COUNT));
}

static void ask(struct rv_shares *shares, bool first, bool second, bool third) {
    shares->items[0].asks = first;
    shares->items[1].asks = second;
    shares->items[2].asks = third;
}

/* Deals one place and has it taken: whose it was, or -1. */
static int serve_one(struct rv_shares *shares) {
    rv_shares_deal(shares, 1);
    for (size_t i = 0; i < shares->count; i++) {
        if (!shares->items[i].dealt) continue;
        CHECK_INT(shares->items[i].dealt, 1);
        rv_shares_took(shares, i, 1);
        return (int)i;
    }
    return -1;
}

static void one_at_a_time_comes_to_the_weights(void **state) {
    (void)state;
    struct rv_shares shares;
    int had[COUNT] = {0};
    set_up(&shares, (const int[]){5, 2, 1});
    ask(&shares, true, true, true);
    for (int i = 0; i < 800; i++)
        had[serve_one(&shares)]++;
    CHECK_BETWEEN(had[0], 499, 501);
    CHECK_BETWEEN(had[1], 199, 201);
    CHECK_BETWEEN(had[2], 99, 101);
    rv_shares_release(&shares);
}

static void turns_are_interleaved(void **state) {
    (void)state;
    struct rv_shares shares;
    set_up(&shares, (const int[]){4, 1, 1});
    ask(&shares, true, true, true);
    int last[COUNT] = {0};
    for (int i = 0; i < 600; i++) {
        int who = serve_one(&shares);
        CHECK_BETWEEN(i - last[who], 0, who ? 7 : 3); /* never long without a turn */
        last[who] = i;
    }
    rv_shares_release(&shares);
}

static void many_places_are_split(void **state) {
    (void)state;
    struct rv_shares shares;
    set_up(&shares, (const int[]){6, 3, 1});
    ask(&shares, true, true, true);
    rv_shares_deal(&shares, 100);
    CHECK_INT(shares.items[0].dealt, 60);
    CHECK_INT(shares.items[1].dealt, 30);
    CHECK_INT(shares.items[2].dealt, 10);
    rv_shares_release(&shares);
}

static void who_has_no_work_leaves_his_places(void **state) {
    (void)state;
    struct rv_shares shares;
    set_up(&shares, (const int[]){100, 1, 1});
    ask(&shares, false, true, true);
    rv_shares_deal(&shares, 10);
    CHECK_INT(shares.items[0].dealt, 0);
    CHECK_INT(shares.items[1].dealt, 5);
    CHECK_INT(shares.items[2].dealt, 5);
    ask(&shares, false, false, false);
    CHECK_INT(serve_one(&shares), -1);
    rv_shares_release(&shares);
}

static void what_was_not_taken_is_not_charged(void **state) {
    (void)state;
    struct rv_shares shares;
    set_up(&shares, (const int[]){1, 1, 1});
    ask(&shares, true, true, false);
    for (int i = 0; i < 50; i++) {
        rv_shares_deal(&shares, 10); /* five each; the first finds nothing */
        rv_shares_took(&shares, 1, 5);
    }
    CHECK_INT(serve_one(&shares), 0);
    rv_shares_release(&shares);
}

static void nothing_is_owed_for_an_idle_time(void **state) {
    (void)state;
    struct rv_shares shares;
    int had = 0;
    set_up(&shares, (const int[]){1, 1, 1});
    ask(&shares, true, true, false);
    (void)serve_one(&shares);
    ask(&shares, false, true, false);
    for (int i = 0; i < 1000; i++)
        CHECK_INT(serve_one(&shares), 1);
    ask(&shares, true, true, false); /* it is back: half of what comes, not the thousand */
    for (int i = 0; i < 100; i++)
        had += serve_one(&shares) == 0;
    CHECK_BETWEEN(had, 49, 52);
    rv_shares_release(&shares);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_at_a_time_comes_to_the_weights),
        cmocka_unit_test(turns_are_interleaved),
        cmocka_unit_test(many_places_are_split),
        cmocka_unit_test(who_has_no_work_leaves_his_places),
        cmocka_unit_test(what_was_not_taken_is_not_charged),
        cmocka_unit_test(nothing_is_owed_for_an_idle_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
