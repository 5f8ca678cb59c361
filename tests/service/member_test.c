/* Members of a group: what they own, what they are told, and in what order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "core/limits.h"
#include "service/seat.h"

/* ---- owning ---- */
static void streams_are_shared_out(void **state) { /* A160 A164 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS), *b = seat_of(s, LEASE_MS);
    a->options.max = b->options.max = 1;
    join(a);
    join(b);
    offer(s, "s0");
    offer(s, "s1");
    AWAIT_INT(atomic_load(&a->owned), 1);
    AWAIT_INT(atomic_load(&b->owned), 1);
    CHECK(atomic_load(&a->info_is_right) && atomic_load(&b->info_is_right));
    CHECK(atomic_load(&a->token) != atomic_load(&b->token));
    CHECK_INT(figures(s).owned, 2);
    CHECK(!!reeve_member_token(a->member, "s0") != !!reeve_member_token(b->member, "s0"));
    part(a);
    part(b);
    CHECK_INT(figures(s).waiting, 2); /* close yields */
    CHECK_INT(figures(s).yielded_total, 2);
}

static void no_more_than_max(void **state) { /* C68 T67 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    a->options.max = 2;
    offer_many(s, 5);
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 2);
    CHECK_INT(figures(s).waiting, 3);
    CHECK_OK(reeve_member_end(a->member, "s0"));
    AWAIT_INT(atomic_load(&a->owned), 3);
    CHECK_INT(figures(s).owned, 2);
    CHECK_INT(figures(s).waiting, 2);
    part(a);
}

static void what_is_ended_is_gone_and_no_loss(void **state) { /* A167 R40 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    offer_many(s, 3);
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 3);
    CHECK_OK(reeve_member_end(a->member, "s1"));
    CHECK_FAILS(reeve_member_end(a->member, "s1"), REEVE_EFENCED);
    CHECK_FAILS(reeve_member_end(a->member, "unknown"), REEVE_EFENCED);
    CHECK_INT(reeve_member_token(a->member, "s1"), 0);
    CHECK_INT(figures(s).owned, 2);
    CHECK_INT(atomic_load(&a->lost), 0);
    part(a);
}

/* Kept from before the user hears of it: of one, and of those that come with it. */
static void a_slow_user_loses_nothing(void **state) { /* T53 T72 R18 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    a->options.renew_ms = 100;
    atomic_store(&a->slow, true);
    offer_many(s, 3);
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 3);
    CHECK(atomic_load(&a->held));
    CHECK_INT(figures(s).lapsed_total, 0);
    CHECK_INT(atomic_load(&a->lost), 0);
    CHECK_OK(reeve_member_end(a->member, "s2"));
    part(a);
}

static void closing_waits_for_its_callback(void **state) { /* T64 R40 R30 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    a->options.renew_ms = 100;
    atomic_store(&a->slow, true);
    offer(s, "s0");
    join(a);
    AWAIT_INT(atomic_load(&a->inside), 1);
    reeve_member_close(a->member);
    CHECK_INT(atomic_load(&a->inside), 0);
    CHECK_INT(atomic_load(&a->owned), 1);
    CHECK(atomic_load(&a->ended) == 1 && !atomic_load(&a->error) && !atomic_load(&a->lost));
    CHECK_INT(figures(s).waiting, 1);
    free(a);
}

static void owned_may_end_it(void **state) {
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    atomic_store(&a->end_at_once, true);
    offer_many(s, 20);
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 20);
    CHECK_INT(figures(s).ended_total, 20);
    CHECK_INT(stats_of(a).ended_total, 20);
    part(a);
}

static void a_failure_counts_and_a_yield_does_not(void **state) { /* R07 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    a->options.max_retries = 1;
    offer(s, "s");
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 1);
    CHECK_OK(reeve_member_yield(a->member, "s"));
    AWAIT_INT(atomic_load(&a->owned), 2);
    CHECK_INT(atomic_load(&a->retries), 0);
    CHECK_OK(reeve_member_fail(a->member, "s", "exit:1"));
    AWAIT_INT(atomic_load(&a->owned), 3);
    CHECK_INT(atomic_load(&a->retries), 1);
    CHECK_OK(reeve_member_fail(a->member, "s", "exit:1"));
    CHECK_INT(figures(s).failed, 1);
    CHECK_FAILS(reeve_member_fail(a->member, "s", ""), REEVE_EINVAL);
    part(a);
}

static void one_that_drains_takes_no_more(void **state) {
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS), *b = seat_of(s, LEASE_MS);
    a->options.renew_ms = 100; /* and so long it would let others go first */
    offer_many(s, 2);
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 2);
    reeve_member_drain(a->member);
    CHECK_OK(reeve_member_yield(a->member, "s0"));
    uint64_t renewed = stats_of(a).renewed_total;
    AWAIT(stats_of(a).renewed_total >= renewed + 5); /* s1 is kept all the while */
    CHECK_INT(atomic_load(&a->owned), 2);
    CHECK_INT(figures(s).waiting, 1);
    join(b);
    AWAIT_INT(atomic_load(&b->owned), 1);
    part(a);
    AWAIT_INT(atomic_load(&b->owned), 2);
    part(b);
}

/* ---- losing ---- */
static void what_is_ended_for_him_is_lost(void **state) { /* R31 A169 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    offer(s, "s");
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 1);
    CHECK_OK(reeve_stream_end(s->r, "g", 0, "s"));
    AWAIT_INT(atomic_load(&a->lost), 1);
    await_log(s, "member.lost");
    CHECK_INT(atomic_load(&a->why), REEVE_LOST_FENCED);
    CHECK(!atomic_load(&a->token_in_lost));
    CHECK_FAILS(reeve_member_end(a->member, "s"), REEVE_EFENCED);
    part(a);
}

static void an_end_of_what_is_anothers_is_refused(void **state) { /* A179 T71 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    struct rv_stream_ref any = {.name = "s"};
    struct rv_error err;
    a->options.renew_ms = LEASE_MS / 2;
    offer(s, "s");
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 1);
    fail_for_ever(s, RV_OP_STREAM_RENEW); /* so that nobody tells it but the store, at the end */
    fail_for_ever(s, RV_OP_STREAM_TAKE);
    CHECK_OK(rv_store_stream_end(s->r->service.store, &group, &any, 5000, &err));
    offer(s, "s");
    CHECK_FAILS(reeve_member_end(a->member, "s"), REEVE_EFENCED);
    AWAIT_INT(atomic_load(&a->lost), 1);
    CHECK_INT(atomic_load(&a->why), REEVE_LOST_FENCED);
    heal(s);
    part(a);
}

static void over_before_the_lease_can_lapse(void **state) { /* J8 T55 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, SHORT_MS);
    offer(s, "s");
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 1);
    fail_for_ever(s, RV_OP_STREAM_RENEW);
    AWAIT_INT(atomic_load(&a->lost), 1);
    CHECK_INT(atomic_load(&a->why), REEVE_LOST_EXPIRED);
    CHECK(!atomic_load(&a->token_in_lost));
    CHECK(!atomic_load(&a->rival_got_it)); /* the lease still stood */
    CHECK(stats_of(a).renewals_failed_total > 1);
    heal(s);
    AWAIT_INT(atomic_load(&a->owned), 2); /* and it comes back, as any that lapsed */
    CHECK_INT(atomic_load(&a->retries), 1);
    part(a);
}

static void failed_renewals_are_tried_again(void **state) { /* T55 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    a->options.renew_ms = 200;
    offer(s, "s");
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 1);
    for (unsigned i = 1; i <= 3; i++)
        fault(s, i == 2 ? RV_FAULT_LOSE : RV_FAULT_REFUSE, RV_OP_STREAM_RENEW, i);
    AWAIT(stats_of(a).renewals_failed_total >= 3);
    uint64_t renewed = stats_of(a).renewed_total;
    AWAIT(stats_of(a).renewed_total > renewed);
    CHECK_INT(atomic_load(&a->lost), 0);
    CHECK_OK(reeve_member_end(a->member, "s"));
    part(a);
}

static void asked_for_it_is_given_on_after_lost(void **state) { /* S8 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS), *b = seat_of(s, LEASE_MS);
    b->options.max = 1;
    offer(s, "s");
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 1);
    CHECK_FAILS(reeve_stream_recall(s->r, "g", 0, "none"), REEVE_ENOENT);
    CHECK_OK(reeve_stream_recall(s->r, "g", 0, "s"));
    AWAIT_INT(atomic_load(&a->lost), 1);
    CHECK_INT(atomic_load(&a->why), REEVE_LOST_RESIGNED);
    CHECK(!atomic_load(&a->rival_got_it));
    AWAIT_INT(figures(s).yielded_total, 1);
    join(b);
    AWAIT_INT(atomic_load(&a->owned) + atomic_load(&b->owned), 2);
    part(a);
    part(b);
}

/* ---- answers that are lost ---- */
static void a_lost_answer_is_no_lost_stream(void **state) { /* J7 T65 R18 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    fault(s, RV_FAULT_LOSE, RV_OP_STREAM_TAKE, 1);
    offer_many(s, 3);
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 3);
    CHECK_INT(figures(s).taken_total, 3); /* it was told the same again */
    fault(s, RV_FAULT_LOSE, RV_OP_STREAM_END, 1);
    CHECK_OK(reeve_member_end(a->member, "s0"));
    fault(s, RV_FAULT_LOSE, RV_OP_STREAM_YIELD, 1);
    CHECK_OK(reeve_member_yield(a->member, "s1"));
    fault(s, RV_FAULT_REFUSE, RV_OP_STREAM_END, 1);
    CHECK_FAILS(reeve_member_end(a->member, "s2"), REEVE_EUNREACHABLE);
    CHECK(reeve_member_token(a->member, "s2") != 0); /* still in hand */
    CHECK_OK(reeve_member_end(a->member, "s2"));
    CHECK_INT(figures(s).ended_total, 2);
    CHECK_INT(atomic_load(&a->lost), 0);
    part(a);
}

static void a_store_that_is_away_is_waited_for(void **state) {
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    fail_for_ever(s, 0);
    join(a);
    AWAIT(stats_of(a).degraded_since_ms != 0);
    heal(s);
    offer(s, "s");
    AWAIT_INT(atomic_load(&a->owned), 1);
    CHECK_INT(stats_of(a).degraded_since_ms, 0);
    part(a);
}

static void it_gives_up_when_told_to(void **state) { /* R36 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    a->options.give_up_ms = 300;
    offer(s, "s");
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 1);
    fail_for_ever(s, 0);
    AWAIT_INT(atomic_load(&a->ended), 1);
    CHECK_INT(atomic_load(&a->error), REEVE_EUNREACHABLE);
    CHECK_INT(atomic_load(&a->lost), 1);
    heal(s);
    part(a);
}

/* ---- recovering ---- */
static void a_dead_owners_stream_comes_over(void **state) { /* A161 A168 R01 R17 R23 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, SHORT_MS);
    offer_many(s, 2);
    CHECK_INT(rival_takes(s, 5, SHORT_MS), 2);
    join(a);
    AWAIT_INT(atomic_load(&a->owned), 2);
    CHECK_INT(atomic_load(&a->lapsed), 2);
    CHECK_INT(atomic_load(&a->retries), 1);
    CHECK_INT(stats_of(a).requeued_total, 2);
    CHECK(stats_of(a).scans_total > 0 && stats_of(a).takes_total > 0);
    part(a);
}

static void claim_hands_out_again_what_is_dead(void **state) { /* A163 */
    struct scene *s = *state;
    offer(s, "s");
    CHECK_INT(rival_takes(s, 5, 100), 1);
    AWAIT(reeve_stream_claim(s->r, "g", 0, "s") == 0);
    CHECK_FAILS(reeve_stream_claim(s->r, "g", 0, "s"), REEVE_ESTATE);
    CHECK_INT(figures(s).waiting, 1);
}

/* ---- keeping and sharing ---- */
static void many_are_renewed_by_few_calls(void **state) { /* T55 R21 R41 */
    enum { COUNT = 250 };
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    a->options.max = COUNT;
    a->options.renew_ms = 1000;
    offer_many(s, COUNT);
    join(a);
    AWAIT_INT(atomic_load(&a->owned), COUNT);
    uint64_t before = calls(s, RV_OP_STREAM_RENEW);
    uint64_t renewed = stats_of(a).renewed_total;
    AWAIT(stats_of(a).renewed_total >= renewed + COUNT);
    uint64_t after = calls(s, RV_OP_STREAM_RENEW);
    CHECK(after - before <= 2 * ((stats_of(a).renewed_total - renewed) / RV_RENEW_MAX + 2));
    CHECK_INT(atomic_load(&a->lost), 0);
    part(a);
}

static bool are_fair(struct seat *const *seats, uint64_t count) {
    for (int i = 0; i < SEATS; i++) {
        uint64_t owned = stats_of(seats[i]).owned;
        if (owned < count / SEATS || owned > count / SEATS + 1) return false;
    }
    return true;
}

static void a_new_member_gets_its_share(void **state) {
    enum { COUNT = 10 };
    struct scene *s = *state;
    struct seat *seats[SEATS];
    offer_many(s, COUNT);
    for (int i = 0; i < SEATS; i++) {
        seats[i] = seat_of(s, LEASE_MS);
        seats[i]->options.renew_ms = 200;
        seats[i]->options.rebalance = true;
        join(seats[i]);
        if (i == 0) AWAIT_INT(stats_of(seats[0]).owned, COUNT);
    }
    AWAIT(figures(s).owned == COUNT && are_fair(seats, COUNT));
    CHECK_INT(figures(s).requeued_total, 0); /* nothing was counted for it */
    for (int i = 0; i < SEATS; i++)
        part(seats[i]);
}

/* ---- figures ---- */
static int copy_stats(void *arg, const struct reeve_member_info *member) {
    struct reeve_member_stats *out = arg;
    if (!member->stats->yielded_total) return 0;
    *out = *member->stats;
    return 1;
}

/* As its row in the store tells them to others: once it has said so. */
static struct reeve_member_stats told_stats(struct scene *s) {
    struct reeve_member_stats out = {0};
    CHECK_OK(reeve_member_list(s->r, "g", 0, copy_stats, &out));
    return out;
}

static void all_that_a_member_does_is_counted(void **state) { /* R20 R22 R39 T66 */
    struct scene *s = *state;
    struct seat *a = seat_of(s, LEASE_MS);
    a->options.max = 3;
    a->options.renew_ms = 200;
    fail_for_ever(s, RV_OP_STREAM_TAKE);
    offer_many(s, 4);
    join(a);
    AWAIT(stats_of(a).takes_failed_total >= 2);
    CHECK_INT(stats_of(a).takes_total, 0); /* nothing is counted as done before it is */
    heal(s);
    AWAIT_INT(atomic_load(&a->owned), 3);
    fault(s, RV_FAULT_REFUSE, RV_OP_STREAM_END, 1);
    CHECK_FAILS(reeve_member_end(a->member, "s0"), REEVE_EUNREACHABLE);
    CHECK_INT(stats_of(a).settles_failed_total, 1);
    CHECK_INT(stats_of(a).ended_total, 0);
    CHECK_OK(reeve_member_end(a->member, "s0"));
    CHECK_OK(reeve_member_yield(a->member, "s1"));
    fault(s, RV_FAULT_REFUSE, RV_OP_STREAM_RECOVER, 1);
    AWAIT(stats_of(a).scans_failed_total == 1);
    AWAIT(told_stats(s).renewed_total >= 3);
    struct reeve_member_stats told = told_stats(s);
    CHECK(told.owned_total >= 3 && told.ended_total == 1 && told.takes_failed_total >= 2);
    CHECK(told.take_us_max > 0 && told.take_us_total >= told.take_us_max);
    CHECK(told.renew_us_max > 0 && told.scan_us_max > 0 && told.settle_us_max > 0);
    CHECK(told.start_us > 0 && told.held_ms_total >= told.held_ms_max);
    part(a);
}

/* ---- refusals ---- */
static void check_refused(struct scene *s, struct reeve_member_options options, const char *text) {
    reeve_member *member;
    options.size = sizeof options;
    CHECK_FAILS(reeve_member_open(&member, s->r, "g", &options), REEVE_EINVAL);
    CHECK(!member);
    CHECK(strstr(reeve_errmsg(), text) != NULL);
}

static void options_are_checked(void **state) { /* R12 R35 R36 R38 A176 */
    struct scene *s = *state;
    reeve_member *member;
    check_refused(s, (struct reeve_member_options){.max = 10001}, "10001");
    check_refused(s, (struct reeve_member_options){.max = -5}, "-5");
    check_refused(s, (struct reeve_member_options){.lease_ms = 99}, "99");
    check_refused(s, (struct reeve_member_options){.lease_ms = 1000, .renew_ms = 501}, "501");
    check_refused(s, (struct reeve_member_options){.lease_ms = 1000, .min_idle_ms = 999}, "999");
    check_refused(s, (struct reeve_member_options){.scan_ms = 9}, "9");
    check_refused(s, (struct reeve_member_options){.max_retries = -2}, "-2");
    check_refused(s, (struct reeve_member_options){.dead_max = -2}, "-2");
    check_refused(s, (struct reeve_member_options){.give_up_ms = -1}, "give_up_ms");
    check_refused(s, (struct reeve_member_options){.flags = 8}, "0x8");
    CHECK_FAILS(reeve_member_open(&member, s->r, "no such", NULL), REEVE_EINVAL);
    CHECK_FAILS(reeve_stream_end(s->r, "g", 0, "none"), REEVE_ENOENT);
    reeve_member_close(NULL);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(streams_are_shared_out),
        SCENE_TEST(no_more_than_max),
        SCENE_TEST(what_is_ended_is_gone_and_no_loss),
        SCENE_TEST(owned_may_end_it),
        SCENE_TEST(a_slow_user_loses_nothing),
        SCENE_TEST(closing_waits_for_its_callback),
        SCENE_TEST(a_failure_counts_and_a_yield_does_not),
        SCENE_TEST(one_that_drains_takes_no_more),
        SCENE_TEST(what_is_ended_for_him_is_lost),
        SCENE_TEST(an_end_of_what_is_anothers_is_refused),
        SCENE_TEST(over_before_the_lease_can_lapse),
        SCENE_TEST(failed_renewals_are_tried_again),
        SCENE_TEST(asked_for_it_is_given_on_after_lost),
        SCENE_TEST(a_lost_answer_is_no_lost_stream),
        SCENE_TEST(a_store_that_is_away_is_waited_for),
        SCENE_TEST(it_gives_up_when_told_to),
        SCENE_TEST(a_dead_owners_stream_comes_over),
        SCENE_TEST(claim_hands_out_again_what_is_dead),
        SCENE_TEST(many_are_renewed_by_few_calls),
        SCENE_TEST(a_new_member_gets_its_share),
        SCENE_TEST(all_that_a_member_does_is_counted),
        SCENE_TEST(options_are_checked),
    };
    return SCENE_MAIN(argc, argv, tests);
}
