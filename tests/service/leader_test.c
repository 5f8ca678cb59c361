/* Leading: one at a time, told of both ends in order, over before the lease can lapse. Rivals are
 * made of the store's own steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "service/scene.h"

enum {
    LEASE_MS = 30000, /* of those that are not to lapse within a test */
    SHORT_MS = 4000,  /* of those that are: a margin of 400 ms is left to a busy machine */
    NEVER_MS = 3600000,
    PROMPT_MS = 8000, /* less than any renewal or retry of LEASE_MS: it was heard, not looked for */
};

/* What a leader's callbacks saw, and what they are to do. */
struct seat {
    struct scene *s;
    reeve_leader *leader;
    atomic_int gained, lost;
    atomic_int inside; /* callbacks running now */
    atomic_bool overlap;
    _Atomic uint64_t term;
    atomic_int why;             /* of the latest loss */
    atomic_bool rival_got_it;   /* while lost was running */
    _Atomic int64_t left_ms;    /* when lost was called */
    atomic_bool hold_gained;    /* gained waits until this is false */
    atomic_bool resign_at_once; /* gained resigns */
    struct reeve_leader_options options;
};

static bool rival_takes(struct scene *s, uint64_t holder, int64_t lease_ms) {
    struct rv_grant_ask ask = {.kind = RV_GRANT_LEADER,
                               .name = "n",
                               .holder = holder,
                               .lease_ms = lease_ms,
                               .by = "rival"};
    struct rv_grant_answer answer;
    struct rv_error err;
    return !rv_store_grant_take(s->r->service.store, &ask, 5000, &answer, &err) && answer.token;
}

static void rival_releases(struct scene *s, uint64_t holder) {
    struct rv_error err;
    CHECK_OK(rv_store_grant_release(s->r->service.store, RV_GRANT_LEADER, "n", holder, 5000, &err));
}

static void enter(struct seat *seat) {
    if (atomic_fetch_add(&seat->inside, 1)) atomic_store(&seat->overlap, true);
}

static void gain(void *arg, uint64_t term) {
    struct seat *seat = arg;
    enter(seat);
    atomic_store(&seat->term, term);
    atomic_fetch_add(&seat->gained, 1);
    while (atomic_load(&seat->hold_gained))
        (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    if (atomic_load(&seat->resign_at_once)) (void)reeve_leader_resign(seat->leader);
    atomic_fetch_sub(&seat->inside, 1);
}

static void lose(void *arg, enum reeve_lost why) {
    struct seat *seat = arg;
    enter(seat);
    atomic_store(&seat->left_ms, reeve_leader_left_ms(seat->leader));
    if (reeve_leader_term(seat->leader)) atomic_store(&seat->overlap, true);
    if (rival_takes(seat->s, 1, 100)) atomic_store(&seat->rival_got_it, true);
    atomic_store(&seat->why, why);
    atomic_fetch_add(&seat->lost, 1);
    atomic_fetch_sub(&seat->inside, 1);
}

static struct seat *seat_of(struct scene *s, int64_t lease_ms) {
    struct seat *seat = calloc(1, sizeof *seat);
    CHECK(seat);
    seat->s = s;
    seat->options = (struct reeve_leader_options){.size = sizeof seat->options,
                                                  .lease_ms = lease_ms,
                                                  .retry_ms = NEVER_MS,
                                                  .gained = gain,
                                                  .lost = lose,
                                                  .arg = seat};
    return seat;
}

static void contend(struct seat *seat) {
    CHECK_OK(reeve_leader_open(&seat->leader, seat->s->r, "n", &seat->options));
}

static void leave(struct seat *seat) {
    atomic_store(&seat->hold_gained, false);
    reeve_leader_close(seat->leader);
    CHECK(!atomic_load(&seat->overlap));
    free(seat);
}

static bool has_gained_once(void *arg) {
    return atomic_load(&((struct seat *)arg)->gained) >= 1;
}

static bool has_gained_twice(void *arg) {
    return atomic_load(&((struct seat *)arg)->gained) >= 2;
}

static bool has_lost(void *arg) {
    return atomic_load(&((struct seat *)arg)->lost) >= 1;
}

static bool has_no_term(void *arg) {
    return reeve_leader_term(((struct seat *)arg)->leader) == 0;
}

static struct seat *lead(struct scene *s, int64_t lease_ms) {
    struct seat *seat = seat_of(s, lease_ms);
    contend(seat);
    CHECK(eventually(has_gained_once, seat, SOON_MS));
    return seat;
}

/* The holder of the grant, as the store has it. */
static struct rv_grant_row row_of(struct scene *s) {
    struct rv_grants grants;
    struct rv_error err;
    struct rv_grants_query query = {.kind = RV_GRANT_LEADER, .name = "n", .limit = 1};
    CHECK_OK(rv_store_grants(s->r->service.store, &query, &grants, &err));
    CHECK_INT(grants.count, 1);
    struct rv_grant_row row = grants.rows[0];
    free(grants.rows);
    return row;
}

/* ---- gaining ---- */
static void a_single_one_leads_at_once(void **state) { /* A12 L08 P15 */
    struct scene *s = *state;
    struct seat *seat = lead(s, LEASE_MS);
    uint64_t term = reeve_leader_term(seat->leader);
    CHECK(term != 0 && term == atomic_load(&seat->term));
    CHECK_OK(reeve_leader_check(s->r, "n", term));
    CHECK_FAILS(reeve_leader_check(s->r, "n", term - 1), REEVE_EFENCED);
    CHECK_BETWEEN(reeve_leader_left_ms(seat->leader), 1, LEASE_MS);
    CHECK_INT(atomic_load(&seat->gained), 1);
    CHECK_INT(atomic_load(&seat->lost), 0);
    await_log(s, "leader.gained name=n");
    leave(seat);
}

static void a_name_is_contended_for_once_per_handle(void **state) { /* A21 A23 L11 */
    struct scene *s = *state;
    struct seat *seat = lead(s, LEASE_MS);
    reeve_leader *again, *other;
    CHECK_FAILS(reeve_leader_open(&again, s->r, "n", NULL), REEVE_ESTATE);
    CHECK(!again);
    CHECK_OK(reeve_leader_open(&other, s->r, "m", NULL));
    reeve_leader_close(other);
    leave(seat);
    CHECK_OK(reeve_leader_open(&again, s->r, "n", NULL));
    reeve_leader_close(again);
    reeve_leader_close(NULL);
}

static void a_held_name_is_waited_for(void **state) { /* A15 A02 */
    struct scene *s = *state;
    struct seat *seat = seat_of(s, LEASE_MS);
    seat->options.retry_ms = 20;
    CHECK(rival_takes(s, 7, LEASE_MS));
    contend(seat);
    await_calls(s, RV_OP_GRANT_TAKE, 10);
    CHECK_INT(atomic_load(&seat->gained), 0);
    CHECK(!reeve_leader_term(seat->leader));
    CHECK_FAILS(reeve_leader_resign(seat->leader), REEVE_ESTATE);
    leave(seat);
    CHECK_STR(row_of(s).by, "rival");
}

static void a_release_is_heard_at_once(void **state) { /* A16 L17 P12 */
    struct scene *s = *state;
    struct seat *seat = seat_of(s, LEASE_MS);
    CHECK(rival_takes(s, 7, LEASE_MS));
    contend(seat);
    await_calls(s, RV_OP_GRANT_TAKE, 2);
    int64_t begun = elapsed_ms();
    rival_releases(s, 7);
    CHECK(eventually(has_gained_once, seat, SOON_MS));
    CHECK(elapsed_ms() - begun < PROMPT_MS);
    leave(seat);
}

static void a_dead_leader_is_followed_when_its_lease_ends(void **state) { /* A17 L18 P11 */
    struct scene *s = *state;
    struct seat *seat = seat_of(s, LEASE_MS);
    CHECK(rival_takes(s, 7, 500));
    contend(seat);
    CHECK(eventually(has_gained_once, seat, SOON_MS)); /* no retry, no word: by the deadline */
    leave(seat);
}

static void a_store_that_is_away_is_waited_for(void **state) { /* T09 A20 */
    struct scene *s = *state;
    struct seat *seat = seat_of(s, LEASE_MS);
    for (unsigned i = 1; i <= 3; i++)
        fault(s, RV_FAULT_REFUSE, RV_OP_GRANT_TAKE, 1);
    seat->options.retry_ms = 20;
    contend(seat);
    CHECK(eventually(has_gained_once, seat, SOON_MS));
    await_log(s, "leader.back");
    CHECK_INT(log_count(s, "leader.away"), 1);
    leave(seat);
}

static void a_lost_answer_is_asked_for_again(void **state) { /* J7 */
    struct scene *s = *state;
    struct seat *seat = seat_of(s, LEASE_MS);
    fault(s, RV_FAULT_LOSE, RV_OP_GRANT_TAKE, 1);
    contend(seat);
    CHECK(eventually(has_gained_once, seat, SOON_MS));
    CHECK_OK(reeve_leader_check(s->r, "n", atomic_load(&seat->term)));
    leave(seat);
}

/* ---- keeping ---- */
static void a_leader_goes_on_while_it_renews(void **state) { /* A18 */
    struct scene *s = *state;
    struct seat *seat = seat_of(s, SHORT_MS);
    seat->options.renew_ms = 200;
    contend(seat);
    await_calls(s, RV_OP_GRANT_RENEW, 30); /* one and a half leases */
    CHECK_INT(atomic_load(&seat->gained), 1);
    CHECK_INT(atomic_load(&seat->lost), 0);
    CHECK(reeve_leader_term(seat->leader));
    leave(seat);
}

static void a_failed_renewal_is_tried_again_in_time(void **state) { /* T10a L21 */
    struct scene *s = *state;
    struct seat *seat = seat_of(s, SHORT_MS);
    fault(s, RV_FAULT_REFUSE, RV_OP_GRANT_RENEW, 1);
    fault(s, RV_FAULT_LOSE, RV_OP_GRANT_RENEW, 2);
    contend(seat);
    await_calls(s, RV_OP_GRANT_RENEW, 6);
    CHECK_INT(atomic_load(&seat->gained), 1);
    CHECK_INT(atomic_load(&seat->lost), 0);
    leave(seat);
}

static void many_names_are_renewed_together(void **state) { /* J11 */
    enum { NAMES = 60 };
    struct scene *s = *state;
    reeve_leader *leaders[NAMES];
    struct reeve_leader_options options = {.size = sizeof options, .lease_ms = 10000};
    for (int i = 0; i < NAMES; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%d", i);
        CHECK_OK(reeve_leader_open(&leaders[i], s->r, name, &options));
    }
    await_calls(s, RV_OP_GRANT_TAKE, NAMES);
    await_calls(s, RV_OP_GRANT_RENEW, 2);
    CHECK(calls(s, RV_OP_GRANT_RENEW) < NAMES);
    for (int i = 0; i < NAMES; i++) {
        CHECK(reeve_leader_term(leaders[i]));
        reeve_leader_close(leaders[i]);
    }
}

/* ---- losing ---- */
static void failing_renewals_end_it_before_it_lapses(void **state) { /* T02 A28 P17 */
    struct scene *s = *state;
    struct seat *seat = lead(s, SHORT_MS);
    uint64_t term = atomic_load(&seat->term);
    fail_for_ever(s, RV_OP_GRANT_RENEW);
    CHECK(eventually(has_lost, seat, SOON_MS));
    CHECK_INT(atomic_load(&seat->why), REEVE_LOST_EXPIRED);
    CHECK(atomic_load(&seat->left_ms) > 0);
    CHECK(!atomic_load(&seat->rival_got_it));
    await_calls(s, RV_OP_GRANT_RELEASE, 1);
    heal(s);
    CHECK(eventually(has_gained_twice, seat, SOON_MS)); /* T10a: its own lease is not in the way */
    CHECK(atomic_load(&seat->term) > term);
    CHECK_FAILS(reeve_leader_check(s->r, "n", term), REEVE_EFENCED);
    leave(seat);
}

static void a_hanging_renewal_ends_it_before_it_lapses(void **state) { /* T03 A28 */
    struct scene *s = *state;
    struct seat *seat = lead(s, SHORT_MS);
    int64_t begun = elapsed_ms();
    rv_fault_plan_add(
        &s->plan,
        (struct rv_fault){.kind = RV_FAULT_DELAY, .op = RV_OP_GRANT_RENEW, .delay_ms = 9000});
    CHECK(eventually(has_lost, seat, SOON_MS));
    CHECK(elapsed_ms() - begun < 8500); /* it hangs yet */
    CHECK_INT(atomic_load(&seat->why), REEVE_LOST_EXPIRED);
    CHECK(atomic_load(&seat->left_ms) > 0);
    CHECK(!atomic_load(&seat->rival_got_it));
    leave(seat);
}

static void a_stopped_process_sees_the_end_without_asking(void **state) { /* T01 */
    struct scene *s = *state;
    struct seat *seat = lead(s, LEASE_MS);
    uint64_t term = reeve_leader_term(seat->leader), before = calls(s, 0);
    move_clock(s, LEASE_MS); /* as if nothing of it had run meanwhile */
    CHECK(!reeve_leader_term(seat->leader));
    CHECK_INT(reeve_leader_left_ms(seat->leader), 0);
    CHECK(calls(s, 0) - before <= 1); /* but for a renewal that happens to be due */
    CHECK_FAILS(reeve_leader_check(s->r, "n", term), REEVE_EFENCED);
    CHECK(rival_takes(s, 7, LEASE_MS));
    leave(seat);
    CHECK_STR(row_of(s).by, "rival"); /* what has lapsed is not released */
}

static void a_late_answer_brings_nothing_back(void **state) { /* J8 T03 */
    struct scene *s = *state;
    struct seat *seat = lead(s, SHORT_MS);
    rv_fault_plan_add(&s->plan, (struct rv_fault){.kind = RV_FAULT_DELAY,
                                                  .op = RV_OP_GRANT_RENEW,
                                                  .delay_ms = SHORT_MS,
                                                  .for_ever = true});
    uint64_t term = reeve_leader_term(seat->leader);
    CHECK(eventually(has_no_term, seat, SOON_MS));
    CHECK(eventually(has_gained_twice, seat, SOON_MS));
    CHECK(atomic_load(&seat->term) > term);
    heal(s);
    leave(seat);
}

static void a_tampered_lease_is_lost_once(void **state) { /* A22 L14 */
    struct scene *s = *state;
    struct seat *seat = seat_of(s, SHORT_MS);
    contend(seat);
    CHECK(eventually(has_gained_once, seat, SOON_MS));
    uint64_t term = atomic_load(&seat->term);
    rival_releases(s, row_of(s).holder); /* somebody who had no right to */
    CHECK(eventually(has_gained_twice, seat, SOON_MS));
    CHECK_INT(atomic_load(&seat->lost), 1);
    CHECK_INT(atomic_load(&seat->why), REEVE_LOST_FENCED);
    CHECK(atomic_load(&seat->term) > term);
    leave(seat);
}

static void lost_waits_for_gained(void **state) { /* T10 T06 */
    struct scene *s = *state;
    struct seat *seat = seat_of(s, SHORT_MS);
    atomic_store(&seat->hold_gained, true);
    contend(seat);
    CHECK(eventually(has_gained_once, seat, SOON_MS));
    fail_for_ever(s, RV_OP_GRANT_RENEW);
    CHECK(eventually(has_no_term, seat, SOON_MS)); /* though gained is at it yet */
    CHECK_INT(atomic_load(&seat->lost), 0);
    CHECK_INT(atomic_load(&seat->inside), 1);
    atomic_store(&seat->hold_gained, false);
    CHECK(eventually(has_lost, seat, SOON_MS));
    heal(s);
    leave(seat);
}

/* ---- giving it up ---- */
static bool rival_can(void *arg) {
    return rival_takes(arg, 7, LEASE_MS);
}

static void work_ends_before_the_name_is_free(void **state) { /* T04 A13 A26 P12 */
    struct scene *s = *state;
    struct seat *seat = lead(s, LEASE_MS);
    reeve_leader_close(seat->leader);
    CHECK_INT(atomic_load(&seat->lost), 1);
    CHECK_INT(atomic_load(&seat->why), REEVE_LOST_CLOSED);
    CHECK(!atomic_load(&seat->rival_got_it)); /* while lost was running */
    CHECK(!atomic_load(&seat->overlap));
    CHECK(rival_takes(s, 7, LEASE_MS)); /* and at once when it was over */
    free(seat);
}

static void who_resigns_lets_others_go_first(void **state) { /* T04 */
    struct scene *s = *state;
    struct seat *seat = lead(s, LEASE_MS);
    CHECK_OK(reeve_leader_resign(seat->leader));
    CHECK(eventually(has_lost, seat, SOON_MS));
    CHECK_INT(atomic_load(&seat->why), REEVE_LOST_RESIGNED);
    CHECK(!atomic_load(&seat->rival_got_it));
    CHECK(eventually(rival_can, s, SOON_MS)); /* retry_ms is an hour */
    CHECK_INT(atomic_load(&seat->gained), 1);
    leave(seat);
}

static void gained_may_resign(void **state) { /* T08 A25: it cannot fail otherwise */
    struct scene *s = *state;
    struct seat *seat = seat_of(s, LEASE_MS);
    atomic_store(&seat->resign_at_once, true);
    contend(seat);
    CHECK(eventually(has_lost, seat, SOON_MS));
    CHECK_INT(atomic_load(&seat->why), REEVE_LOST_RESIGNED);
    CHECK(eventually(rival_can, s, SOON_MS));
    leave(seat);
}

static void an_operator_may_ask_for_it(void **state) { /* L6 */
    struct scene *s = *state;
    CHECK_FAILS(reeve_leader_recall(s->r, "n"), REEVE_ENOENT);
    struct seat *seat = lead(s, LEASE_MS);
    int64_t begun = elapsed_ms();
    CHECK_OK(reeve_leader_recall(s->r, "n"));
    CHECK(eventually(has_lost, seat, SOON_MS));
    CHECK(elapsed_ms() - begun < PROMPT_MS); /* heard, not found at the next renewal */
    CHECK_INT(atomic_load(&seat->why), REEVE_LOST_RESIGNED);
    CHECK(!atomic_load(&seat->rival_got_it));
    leave(seat);
}

/* ---- closing ---- */
static void closing_with_an_acquire_in_flight_leaves_it_free(void **state) { /* T05 L22 A24 */
    struct scene *s = *state;
    struct seat *seat = seat_of(s, LEASE_MS);
    rv_fault_plan_add(
        &s->plan,
        (struct rv_fault){.kind = RV_FAULT_DELAY, .op = RV_OP_GRANT_TAKE, .delay_ms = 300});
    contend(seat);
    await_calls(s, RV_OP_GRANT_TAKE, 1);
    reeve_leader_close(seat->leader);
    CHECK_INT(atomic_load(&seat->gained), 0);
    CHECK_INT(atomic_load(&seat->lost), 0);
    CHECK(rival_takes(s, 7, LEASE_MS));
    free(seat);
}

static void closing_with_an_unsure_acquire_leaves_it_free(void **state) { /* T05 J7 */
    struct scene *s = *state;
    struct seat *seat = seat_of(s, LEASE_MS);
    rv_fault_plan_add(
        &s->plan,
        (struct rv_fault){.kind = RV_FAULT_LOSE, .op = RV_OP_GRANT_TAKE, .for_ever = true});
    contend(seat);
    await_calls(s, RV_OP_GRANT_TAKE, 1);
    await_log(s, "leader.away");
    reeve_leader_close(seat->leader);
    heal(s);
    CHECK_INT(atomic_load(&seat->gained), 0);
    CHECK(rival_takes(s, 7, LEASE_MS));
    free(seat);
}

static void a_release_that_fails_is_left_to_the_lease(void **state) { /* L24 */
    struct scene *s = *state;
    struct seat *seat = lead(s, LEASE_MS);
    fault(s, RV_FAULT_REFUSE, RV_OP_GRANT_RELEASE, 1);
    leave(seat);
    await_log(s, "leader.unreleased");
    CHECK(!rival_takes(s, 7, LEASE_MS));
    move_clock(s, LEASE_MS);
    CHECK(rival_takes(s, 7, LEASE_MS));
}

static void a_release_whose_answer_is_lost_is_repeated(void **state) { /* L3 */
    struct scene *s = *state;
    struct seat *seat = lead(s, LEASE_MS);
    fault(s, RV_FAULT_LOSE, RV_OP_GRANT_RELEASE, 1);
    leave(seat);
    CHECK_INT(log_count(s, "leader.unreleased"), 0);
    CHECK(rival_takes(s, 7, LEASE_MS));
}

/* ---- for people ---- */
static int count_leaders(void *arg, const struct reeve_leader_info *leader) {
    int *count = arg;
    CHECK(strlen(leader->name) > 0);
    return ++*count == 2;
}

static void leaders_are_shown(void **state) {
    struct scene *s = *state;
    struct reeve_leader_info *info;
    CHECK_FAILS(reeve_leader_read(s->r, "n", &info), REEVE_ENOENT);
    struct seat *seat = lead(s, LEASE_MS);
    CHECK_OK(reeve_leader_read(s->r, "n", &info));
    CHECK_STR(info->name, "n");
    CHECK_STR(info->by, "tester");
    CHECK(info->term == atomic_load(&seat->term));
    CHECK(info->until_at_ms > info->since_at_ms);
    CHECK(!info->resigning && !info->upkeep);
    reeve_free(info);
    int count = 0;
    CHECK_OK(reeve_leader_list(s->r, count_leaders, &count));
    CHECK_INT(count, 1);
    leave(seat);
}

static void times_are_held_against_each_other(void **state) { /* P04 L06 */
    struct scene *s = *state;
    reeve_leader *leader;
    struct reeve_leader_options options = {
        .size = sizeof options, .lease_ms = 1000, .renew_ms = 600};
    CHECK_FAILS(reeve_leader_open(&leader, s->r, "n", &options), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "600") && strstr(reeve_errmsg(), "1000"));
    options.renew_ms = 500;
    options.retry_ms = -5;
    CHECK_FAILS(reeve_leader_open(&leader, s->r, "n", &options), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "-5") && strstr(reeve_errmsg(), "1000"));
    options.retry_ms = 0;
    options.lease_ms = 10;
    CHECK_FAILS(reeve_leader_open(&leader, s->r, "n", &options), REEVE_EINVAL);
    CHECK_FAILS(reeve_leader_open(&leader, s->r, "no spaces", NULL), REEVE_EINVAL);
    CHECK(!leader);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        SCENE_TEST(a_single_one_leads_at_once),
        SCENE_TEST(a_name_is_contended_for_once_per_handle),
        SCENE_TEST(a_held_name_is_waited_for),
        SCENE_TEST(a_release_is_heard_at_once),
        SCENE_TEST(a_dead_leader_is_followed_when_its_lease_ends),
        SCENE_TEST(a_store_that_is_away_is_waited_for),
        SCENE_TEST(a_lost_answer_is_asked_for_again),
        SCENE_TEST(a_leader_goes_on_while_it_renews),
        SCENE_TEST(a_failed_renewal_is_tried_again_in_time),
        SCENE_TEST(many_names_are_renewed_together),
        SCENE_TEST(failing_renewals_end_it_before_it_lapses),
        SCENE_TEST(a_hanging_renewal_ends_it_before_it_lapses),
        SCENE_TEST(a_stopped_process_sees_the_end_without_asking),
        SCENE_TEST(a_late_answer_brings_nothing_back),
        SCENE_TEST(a_tampered_lease_is_lost_once),
        SCENE_TEST(lost_waits_for_gained),
        SCENE_TEST(work_ends_before_the_name_is_free),
        SCENE_TEST(who_resigns_lets_others_go_first),
        SCENE_TEST(gained_may_resign),
        SCENE_TEST(an_operator_may_ask_for_it),
        SCENE_TEST(closing_with_an_acquire_in_flight_leaves_it_free),
        SCENE_TEST(closing_with_an_unsure_acquire_leaves_it_free),
        SCENE_TEST(a_release_that_fails_is_left_to_the_lease),
        SCENE_TEST(a_release_whose_answer_is_lost_is_repeated),
        SCENE_TEST(leaders_are_shown),
        SCENE_TEST(times_are_held_against_each_other),
    };
    return SCENE_MAIN(argc, argv, tests);
}
