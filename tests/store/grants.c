/* Leases of names: one holder at a time, under tokens that grow (L1 to L7). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "core/limits.h"
#include "harness/eventually.h"
#include "store/topics.h"

enum { TICKET_MS = 10000, LONG_MS = 20000, SOON_MS = 8000 };

/* Somebody who wants a name, or has it. */
struct asker {
    enum rv_grant_kind kind;
    const char *name;
    uint64_t holder, token;
    int64_t free_in_ms;
    size_t ahead;
};

static struct rv_grant_ask ask_of(const struct asker *asker, int64_t ticket_ms) {
    return (struct rv_grant_ask){.kind = asker->kind,
                                 .name = asker->name,
                                 .holder = asker->holder,
                                 .lease_ms = LEASE_MS,
                                 .ticket_ms = ticket_ms,
                                 .by = "tester"};
}

static bool ask(struct fixture *f, struct asker *asker, int64_t ticket_ms) {
    struct rv_grant_ask wish = ask_of(asker, ticket_ms);
    struct rv_grant_answer answer;
    CHECK_CALL(f, rv_store_grant_take(handle(f), &wish, CALL_MS, &answer, &f->err));
    asker->token = answer.token;
    asker->free_in_ms = answer.free_in_ms;
    asker->ahead = answer.ahead;
    return answer.token != 0;
}

static struct asker stranger(const char *name) {
    return (struct asker){
        .kind = RV_GRANT_LEADER, .name = name, .holder = rv_random_nonzero(&rv_random_system)};
}

static struct asker locker(const char *name) {
    struct asker asker = stranger(name);
    asker.kind = RV_GRANT_LOCK;
    return asker;
}

/* A new stranger who gets the name. */
static struct asker take(struct fixture *f, const char *name) {
    struct asker asker = stranger(name);
    CHECK(ask(f, &asker, 0));
    return asker;
}

static bool can_take(struct fixture *f, const char *name) {
    struct asker asker = stranger(name);
    return ask(f, &asker, 0);
}

static struct rv_grant_renewal renewal_of(const struct asker *asker) {
    return (struct rv_grant_renewal){.kind = asker->kind,
                                     .name = asker->name,
                                     .holder = asker->holder,
                                     .token = asker->token,
                                     .lease_ms = LEASE_MS};
}

static struct rv_grant_renewal renew_it(struct fixture *f, const struct asker *asker) {
    struct rv_grant_renewal renewal = renewal_of(asker);
    CHECK_CALL(f, rv_store_grant_renew(handle(f), &renewal, 1, CALL_MS, &f->err));
    return renewal;
}

static int release(struct fixture *f, const struct asker *asker) {
    return rv_store_grant_release(handle(f), asker->kind, asker->name, asker->holder, CALL_MS,
                                  &f->err);
}

static int check_it(struct fixture *f, const struct asker *asker) {
    return rv_store_grant_check(handle(f), asker->kind, asker->name, asker->token, &f->err);
}

/* Every one of a kind; the block is the fixture's. */
static struct rv_grants list(struct fixture *f, struct rv_grants_query query) {
    struct rv_grants grants;
    if (!query.kind) query.kind = RV_GRANT_LEADER;
    if (!query.limit) query.limit = RV_LIST_MAX;
    CHECK_CALL(f, rv_store_grants(handle(f), &query, &grants, &f->err));
    (void)adopt(f, grants.rows);
    return grants;
}

/* ---- one holder ---- */
static void a_free_name_is_granted(struct fixture *f) { /* A01 L1 */
    struct asker a = stranger("n");
    CHECK(ask(f, &a, 0));
    CHECK_OK(check_it(f, &a));
}

static void a_held_name_is_refused(struct fixture *f) { /* A02 L1 */
    struct asker a = take(f, "n"), b = stranger("n");
    CHECK(!ask(f, &b, 0));
    CHECK_BETWEEN(b.free_in_ms, 1, LEASE_MS);
    CHECK_OK(check_it(f, &a));
    CHECK(!renew_it(f, &a).lost);
}

static void a_lapsed_name_is_granted_to_another(struct fixture *f) { /* A03 A17 */
    struct asker a = take(f, "n");
    move_clock(f, LEASE_MS - 5000);
    CHECK(!can_take(f, "n"));
    move_clock(f, 5001);
    struct asker b = take(f, "n");
    CHECK(b.token > a.token);
}

static void only_its_holder_renews(struct fixture *f) { /* A04 L2 J3 */
    struct asker a = take(f, "n"), thief = a;
    thief.holder++;
    CHECK(renew_it(f, &thief).lost);
    thief = a;
    thief.token--;
    CHECK(renew_it(f, &thief).lost);
    CHECK(!renew_it(f, &a).lost);
}

static void a_renewal_counts_from_now(struct fixture *f) { /* A18 */
    struct asker a = take(f, "n");
    for (int i = 0; i < 5; i++) {
        move_clock(f, LEASE_MS - 5000);
        CHECK(!renew_it(f, &a).lost);
        CHECK(!can_take(f, "n"));
    }
    CHECK_OK(check_it(f, &a));
}

static void a_released_name_is_free(struct fixture *f) { /* A05 L3 */
    struct asker a = take(f, "n");
    CHECK_OK(release(f, &a));
    CHECK(renew_it(f, &a).lost);
    CHECK_FAILS(check_it(f, &a), REEVE_EFENCED);
    (void)take(f, "n");
}

static void only_its_holder_releases(struct fixture *f) { /* A06 L3 */
    struct asker a = take(f, "n"), b = stranger("n");
    CHECK_FAILS(release(f, &b), REEVE_EFENCED);
    CHECK_OK(check_it(f, &a));
    CHECK_OK(release(f, &a));
    CHECK_FAILS(release(f, &a), REEVE_EFENCED); /* nothing to let go */
    struct asker c = take(f, "n");
    CHECK_FAILS(release(f, &a), REEVE_EFENCED); /* A22: nor another's */
    CHECK_OK(check_it(f, &c));
}

static void a_lapsed_lease_is_not_renewed(struct fixture *f) { /* A07 L2 T01 P07 */
    struct asker a = take(f, "n");
    move_clock(f, LEASE_MS + 1);
    CHECK(renew_it(f, &a).lost); /* though nobody else has it */
    CHECK_FAILS(check_it(f, &a), REEVE_EFENCED);
    CHECK_FAILS(release(f, &a), REEVE_EFENCED);
    struct asker b = take(f, "n");
    CHECK(renew_it(f, &a).lost);
    CHECK_OK(check_it(f, &b));
}

static void a_late_renewal_cannot_reach_the_next_term(struct fixture *f) { /* T07 L20 */
    struct asker a = take(f, "n");
    CHECK_OK(release(f, &a));
    struct asker b = take(f, "n"); /* the same process, another acquisition */
    CHECK(renew_it(f, &a).lost);
    CHECK_FAILS(release(f, &a), REEVE_EFENCED);
    CHECK(!renew_it(f, &b).lost);
}

static void a_write_under_an_old_term_is_refused(struct fixture *f) { /* A28 L4 T01 */
    struct asker a = take(f, "n");
    move_clock(f, LEASE_MS + 1);
    struct asker b = take(f, "n");
    CHECK_FAILS(check_it(f, &a), REEVE_EFENCED);
    CHECK_OK(check_it(f, &b));
    struct asker unknown = {.kind = RV_GRANT_LEADER, .name = "m", .token = b.token};
    CHECK_FAILS(check_it(f, &unknown), REEVE_EFENCED);
    unknown = (struct asker){.kind = RV_GRANT_LEADER, .name = "n", .token = 0};
    CHECK_OK(release(f, &b));
    CHECK_FAILS(check_it(f, &unknown), REEVE_EFENCED);
}

static void names_and_kinds_are_nothing_to_each_other(struct fixture *f) { /* A23 L01 */
    struct asker a = take(f, "n"), b = take(f, "m"), c = locker("n");
    CHECK(ask(f, &c, 0));
    CHECK_OK(release(f, &a));
    CHECK_OK(check_it(f, &b));
    CHECK_OK(check_it(f, &c));
    CHECK(!can_take(f, "m"));
}

static void spaces_are_nothing_to_each_other(struct fixture *f) { /* L04 */
    struct asker a = take(f, "n"), b = stranger("n");
    if (!shared(f)) return;
    struct rv_store *other = fixture_open_space(f, "elsewhere");
    struct rv_grant_ask wish = ask_of(&b, 0);
    struct rv_grant_answer answer;
    int rc = rv_store_grant_take(other, &wish, CALL_MS, &answer, &f->err);
    int released = rv_store_grant_release(other, b.kind, b.name, b.holder, CALL_MS, &f->err);
    rv_store_close(other);
    CHECK_OK(rc);
    CHECK(answer.token);
    CHECK_OK(released);
    CHECK_OK(check_it(f, &a));
}

/* ---- terms ---- */
static void terms_grow(struct fixture *f) { /* J4 */
    uint64_t last = 0;
    for (int i = 0; i < 10; i++) {
        struct asker a = take(f, "n");
        CHECK(a.token > last);
        last = a.token;
        if (i % 2) /* however it ends, and whatever the clock does */
            CHECK_OK(release(f, &a));
        else
            move_clock(f, LEASE_MS + 1);
    }
}

static void terms_grow_though_the_clock_goes_back(struct fixture *f) { /* J4 T14b */
    struct asker a = take(f, "n");
    CHECK_OK(release(f, &a));
    move_clock(f, -3600000);
    CHECK(take(f, "n").token > a.token);
}

static void terms_grow_over_a_restart(struct fixture *f) { /* J4 */
    struct asker a = take(f, "n");
    CHECK_OK(release(f, &a));
    fixture_reopen(f);
    move_clock(f, -3600000);
    struct asker b = take(f, "n");
    CHECK(b.token > a.token);
    fixture_reopen(f);
    CHECK(!can_take(f, "n")); /* who restarts has not resigned */
    CHECK(!renew_it(f, &b).lost);
}

static void terms_grow_after_a_name_is_forgotten(struct fixture *f) { /* J4 */
    struct asker a = take(f, "n"), other = take(f, "m");
    CHECK_OK(release(f, &a));
    move_clock(f, RV_GRANT_KEPT_MS + 1);
    other = take(f, "m");
    CHECK_OK(release(f, &other)); /* forgets what has long been free */
    move_clock(f, -2 * RV_GRANT_KEPT_MS);
    CHECK(take(f, "n").token > a.token);
}

static void asking_again_tells_the_same(struct fixture *f) { /* J7 L1 */
    struct asker a = take(f, "n"), again = a;
    move_clock(f, LEASE_MS - 5000);
    CHECK(ask(f, &again, 0));
    CHECK(again.token == a.token);
    move_clock(f, LEASE_MS - 5000); /* and it counts from then */
    CHECK_OK(check_it(f, &a));
    move_clock(f, 5001);
    CHECK(ask(f, &again, 0)); /* it has lapsed meanwhile: a new term */
    CHECK(again.token > a.token);
}

static void a_lost_answer_costs_a_round_trip(struct fixture *f) { /* J7 T05 */
    struct asker a = stranger("n");
    fixture_make_faulty(f);
    for (int i = 0; i < 2; i++)
        rv_fault_plan_add(&f->faults,
                          (struct rv_fault){.kind = RV_FAULT_LOSE, .op = RV_OP_GRANT_TAKE});
    struct rv_grant_ask wish = ask_of(&a, 0);
    struct rv_grant_answer answer;
    CHECK_FAILS(rv_store_grant_take(handle(f), &wish, CALL_MS, &answer, &f->err), REEVE_EUNSURE);
    CHECK(!can_take(f, "n"));
    CHECK(ask(f, &a, 0));
    CHECK_OK(release(f, &a));
    CHECK(can_take(f, "n"));
}

/* ---- in bulk ---- */
static void many_are_renewed_at_once_each_by_itself(struct fixture *f) { /* J11 */
    struct asker askers[RV_RENEW_MAX];
    char names[RV_RENEW_MAX][16];
    struct rv_grant_renewal renewals[RV_RENEW_MAX];
    for (size_t i = 0; i < RV_RENEW_MAX; i++) {
        (void)snprintf(names[i], sizeof names[i], "n%zu", i);
        askers[i] = take(f, names[i]);
        renewals[i] = renewal_of(&askers[i]);
    }
    CHECK_OK(release(f, &askers[3]));
    renewals[5].token++;
    move_clock(f, LEASE_MS - 5000);
    CHECK_CALL(f, rv_store_grant_renew(handle(f), renewals, RV_RENEW_MAX, CALL_MS, &f->err));
    for (size_t i = 0; i < RV_RENEW_MAX; i++)
        CHECK_INT(renewals[i].lost, i == 3 || i == 5);
    move_clock(f, 5001);
    CHECK_INT(list(f, (struct rv_grants_query){0}).count, RV_RENEW_MAX - 2);
}

/* ---- resign ---- */
static void a_holder_is_asked_to_resign(struct fixture *f) { /* L6 T04 */
    struct asker a = take(f, "n");
    CHECK(!renew_it(f, &a).resign);
    CHECK_CALL(f, rv_store_grant_resign(handle(f), RV_GRANT_LEADER, "n", &f->err));
    CHECK(!can_take(f, "n")); /* nothing is taken from him */
    CHECK_OK(check_it(f, &a));
    CHECK(list(f, (struct rv_grants_query){0}).rows[0].resign);
    for (int i = 0; i < 2; i++) {
        struct rv_grant_renewal renewal = renew_it(f, &a);
        CHECK(renewal.resign && !renewal.lost);
    }
    CHECK_OK(release(f, &a));
    struct asker b = take(f, "n");
    CHECK(!renew_it(f, &b).resign); /* it was not meant for him */
}

static void nobody_can_be_asked_to_resign_what_nobody_has(struct fixture *f) { /* L6 */
    CHECK_FAILS(rv_store_grant_resign(handle(f), RV_GRANT_LEADER, "n", &f->err), REEVE_ENOENT);
    struct asker a = take(f, "n");
    CHECK_FAILS(rv_store_grant_resign(handle(f), RV_GRANT_LOCK, "n", &f->err), REEVE_ENOENT);
    CHECK_OK(release(f, &a));
    CHECK_FAILS(rv_store_grant_resign(handle(f), RV_GRANT_LEADER, "n", &f->err), REEVE_ENOENT);
    a = take(f, "n");
    move_clock(f, LEASE_MS + 1);
    CHECK_FAILS(rv_store_grant_resign(handle(f), RV_GRANT_LEADER, "n", &f->err), REEVE_ENOENT);
}

/* ---- showing ---- */
static void those_that_stand_are_listed(struct fixture *f) {
    struct asker b = take(f, "b"), a = take(f, "a"), c = take(f, "c"), lock = locker("a");
    int64_t now = rv_clock_wall_ms(&f->clock);
    CHECK(ask(f, &lock, 0));
    CHECK_OK(release(f, &c));
    struct rv_grants grants = list(f, (struct rv_grants_query){0});
    CHECK_INT(grants.count, 2);
    CHECK_STR(grants.rows[0].name, "a");
    CHECK_STR(grants.rows[1].name, "b");
    CHECK(grants.rows[0].token == a.token && grants.rows[0].holder == a.holder);
    CHECK_STR(grants.rows[0].by, "tester");
    CHECK_BETWEEN(grants.rows[0].since_ms, now - 60000, now + 60000);
    CHECK_BETWEEN(grants.rows[0].until_ms, now, now + LEASE_MS + 60000);
    CHECK_INT(list(f, (struct rv_grants_query){.limit = 1}).count, 1);
    grants = list(f, (struct rv_grants_query){.after = "a"});
    CHECK_INT(grants.count, 1);
    CHECK(grants.rows[0].token == b.token);
    grants = list(f, (struct rv_grants_query){.name = "a", .kind = RV_GRANT_LOCK});
    CHECK_INT(grants.count, 1);
    CHECK(grants.rows[0].token == lock.token);
    CHECK_INT(list(f, (struct rv_grants_query){.name = "c"}).count, 0);
    move_clock(f, LEASE_MS + 1);
    CHECK_INT(list(f, (struct rv_grants_query){0}).count, 0);
}

/* ---- lines ---- */
static void the_line_is_in_the_order_of_arrival(struct fixture *f) { /* L5 A190 */
    struct asker a = locker("n"), b = locker("n"), c = locker("n");
    CHECK(ask(f, &a, 0));
    CHECK(!ask(f, &b, TICKET_MS));
    CHECK_INT(b.ahead, 0);
    CHECK(!ask(f, &c, TICKET_MS));
    CHECK_INT(c.ahead, 1);
    CHECK_INT(list(f, (struct rv_grants_query){.kind = RV_GRANT_LOCK}).rows[0].waiting, 2);
    CHECK_OK(release(f, &a));
    CHECK(!ask(f, &c, TICKET_MS)); /* it is free, but not his yet */
    CHECK_BETWEEN(c.free_in_ms, 1, TICKET_MS);
    struct asker d = locker("n");
    CHECK(!ask(f, &d, 0)); /* nor one's who did not wait at all */
    CHECK(ask(f, &b, TICKET_MS));
    CHECK_OK(release(f, &b));
    CHECK(ask(f, &c, TICKET_MS));
    CHECK_OK(release(f, &c));
    CHECK(ask(f, &d, 0)); /* used tickets are gone */
}

static void a_dead_waiter_holds_up_nobody_for_long(struct fixture *f) { /* L5 */
    struct asker a = locker("n"), dead = locker("n"), c = locker("n");
    CHECK(ask(f, &a, 0));
    CHECK(!ask(f, &dead, TICKET_MS));
    move_clock(f, TICKET_MS / 2 + 1000);
    CHECK(!ask(f, &c, TICKET_MS));
    CHECK_OK(release(f, &a));
    CHECK(!ask(f, &c, TICKET_MS));
    move_clock(f, TICKET_MS / 2);
    CHECK(ask(f, &c, TICKET_MS));
    CHECK(!ask(f, &dead, TICKET_MS)); /* who comes back stands at the end */
}

static void asking_again_keeps_the_place(struct fixture *f) { /* L5 */
    struct asker a = locker("n"), b = locker("n"), c = locker("n");
    CHECK(ask(f, &a, 0));
    CHECK(!ask(f, &b, TICKET_MS));
    CHECK(!ask(f, &c, TICKET_MS));
    for (int i = 0; i < 6; i++) {
        move_clock(f, TICKET_MS / 2 + 1000);
        CHECK(!ask(f, &c, TICKET_MS));
        CHECK(!ask(f, &b, TICKET_MS));
        CHECK_INT(b.ahead, 0);
        CHECK_INT(c.ahead, 1);
        CHECK(!renew_it(f, &a).lost);
    }
    CHECK_OK(release(f, &a));
    CHECK(ask(f, &b, TICKET_MS));
}

static void who_leaves_the_line_lets_the_others_pass(struct fixture *f) { /* L3 L5 */
    struct asker a = locker("n"), b = locker("n"), c = locker("n");
    CHECK(ask(f, &a, 0));
    CHECK(!ask(f, &b, TICKET_MS));
    CHECK(!ask(f, &c, TICKET_MS));
    CHECK_OK(release(f, &b));
    CHECK_FAILS(release(f, &b), REEVE_EFENCED);
    CHECK_OK(check_it(f, &a));
    CHECK_OK(release(f, &a));
    CHECK(ask(f, &c, TICKET_MS));
}

static void a_lapse_lets_the_first_in_line_pass(struct fixture *f) { /* L5 */
    struct asker a = locker("n"), b = locker("n");
    CHECK(ask(f, &a, 0));
    move_clock(f, LEASE_MS - 1000);
    CHECK(!ask(f, &b, TICKET_MS));
    CHECK_BETWEEN(b.free_in_ms, 1, 1000);
    move_clock(f, 1001);
    CHECK(ask(f, &b, TICKET_MS));
    CHECK(b.token > a.token);
}

/* ---- bells ---- */
static struct rv_bell look(struct fixture *f, struct rv_bell bell, int64_t timeout_ms) {
    CHECK_CALL(f, rv_store_wait(handle(f), &bell, 1, timeout_ms, &f->err));
    return bell;
}

static void a_release_rings(struct fixture *f) { /* L7 L17 */
    struct asker a = take(f, "n"), other = take(f, "m");
    struct rv_bell bell = {.queue = "n", .grant = RV_GRANT_LEADER};
    bell = look(f, bell, 0);
    CHECK_OK(release(f, &other));
    int64_t begun = elapsed_ms();
    struct rv_bell heard = look(f, bell, 200);
    CHECK(elapsed_ms() - begun >= 150); /* another's is not heard */
    CHECK(heard.ended == bell.ended);
    CHECK_OK(release(f, &a));
    begun = elapsed_ms();
    heard = look(f, bell, LONG_MS);
    CHECK(elapsed_ms() - begun < SOON_MS);
    CHECK(heard.ended != bell.ended);
    CHECK(heard.cancelled == bell.cancelled);
}

static void being_asked_to_resign_rings(struct fixture *f) { /* L7 */
    (void)take(f, "n");
    struct rv_bell bell = look(f, (struct rv_bell){.queue = "n", .grant = RV_GRANT_LEADER}, 0);
    CHECK_CALL(f, rv_store_grant_resign(handle(f), RV_GRANT_LEADER, "n", &f->err));
    struct rv_bell heard = look(f, bell, LONG_MS);
    CHECK(heard.cancelled != bell.cancelled);
    CHECK(heard.ended == bell.ended);
}

struct listener {
    struct fixture *f;
    struct rv_bell bell;
    _Atomic int64_t heard_ms;
    int rc;
};

static void *listen_for(void *arg) {
    struct listener *l = arg;
    struct rv_error err;
    uint64_t before = l->bell.ended;
    int64_t until = elapsed_ms() + LONG_MS;
    while (!l->rc && l->bell.ended == before && elapsed_ms() < until)
        l->rc = rv_store_wait(l->f->second, &l->bell, 1, LONG_MS, &err);
    l->heard_ms = elapsed_ms();
    return NULL;
}

static void whoever_sleeps_is_woken_by_a_release(struct fixture *f) { /* L7 T29 */
    struct asker a = take(f, "n");
    struct listener l = {.f = f, .bell = {.queue = "n", .grant = RV_GRANT_LEADER}};
    pthread_t thread;
    l.bell = look(f, l.bell, 0);
    CHECK_INT(pthread_create(&thread, NULL, listen_for, &l), 0);
    int rc = rv_store_grant_release(f->first, a.kind, a.name, a.holder, CALL_MS, &f->err);
    int64_t released_ms = elapsed_ms();
    (void)pthread_join(thread, NULL);
    CHECK_OK(rc);
    CHECK_OK(l.rc);
    CHECK(l.heard_ms - released_ms < SOON_MS);
}

/* ---- what is refused ---- */
static void bad_asks_are_refused(struct fixture *f) {
    struct asker a = stranger("n");
    struct rv_grant_answer answer;
    struct rv_grant_ask bad[] = {ask_of(&a, 0), ask_of(&a, 0), ask_of(&a, 0), ask_of(&a, 0)};
    bad[0].name = "no spaces";
    bad[1].holder = 0;
    bad[2].lease_ms = 1;
    bad[3].kind = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(rv_store_grant_take(handle(f), &bad[i], CALL_MS, &answer, &f->err),
                    REEVE_EINVAL);
    CHECK_INT(list(f, (struct rv_grants_query){0}).count, 0);
}

#define GRANT_TEST(function) TEST_NEEDING(RV_CAP_GRANTS, function)

static const struct store_test tests[] = {
    GRANT_TEST(a_free_name_is_granted),
    GRANT_TEST(a_held_name_is_refused),
    GRANT_TEST(a_lapsed_name_is_granted_to_another),
    GRANT_TEST(only_its_holder_renews),
    GRANT_TEST(a_renewal_counts_from_now),
    GRANT_TEST(a_released_name_is_free),
    GRANT_TEST(only_its_holder_releases),
    GRANT_TEST(a_lapsed_lease_is_not_renewed),
    GRANT_TEST(a_late_renewal_cannot_reach_the_next_term),
    GRANT_TEST(a_write_under_an_old_term_is_refused),
    GRANT_TEST(names_and_kinds_are_nothing_to_each_other),
    GRANT_TEST(spaces_are_nothing_to_each_other),
    GRANT_TEST(terms_grow),
    GRANT_TEST(terms_grow_though_the_clock_goes_back),
    TEST_NEEDING(RV_CAP_GRANTS | RV_CAP_DURABLE, terms_grow_over_a_restart),
    GRANT_TEST(terms_grow_after_a_name_is_forgotten),
    GRANT_TEST(asking_again_tells_the_same),
    GRANT_TEST(a_lost_answer_costs_a_round_trip),
    GRANT_TEST(many_are_renewed_at_once_each_by_itself),
    GRANT_TEST(a_holder_is_asked_to_resign),
    GRANT_TEST(nobody_can_be_asked_to_resign_what_nobody_has),
    GRANT_TEST(those_that_stand_are_listed),
    GRANT_TEST(the_line_is_in_the_order_of_arrival),
    GRANT_TEST(a_dead_waiter_holds_up_nobody_for_long),
    GRANT_TEST(asking_again_keeps_the_place),
    GRANT_TEST(who_leaves_the_line_lets_the_others_pass),
    GRANT_TEST(a_lapse_lets_the_first_in_line_pass),
    GRANT_TEST(a_release_rings),
    GRANT_TEST(being_asked_to_resign_rings),
    GRANT_TEST(whoever_sleeps_is_woken_by_a_release),
    GRANT_TEST(bad_asks_are_refused),
    {0},
};

const struct topic topic_grants = {"grants", tests};
