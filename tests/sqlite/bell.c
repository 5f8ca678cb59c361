/* The bell's two sounds: who waits for jobs to claim is not woken by those that end. */
#include <sys/ioctl.h>

#include "core/outcome.h"
#include "sqlite/sqlite_tests.h"
#include "store/sqlite/bell.h"

enum { CALL_MS = 10000 };

static struct rv_sq_bell listen_to(struct place *p, bool for_ends) {
    struct rv_sq_bell bell;
    CHECK_OK(rv_sq_bell_init(&bell, p->path, &p->err));
    rv_sq_bell_listen(&bell, for_ends);
    if (bell.watch < 0) skip(); /* the system has no watch left */
    return bell;
}

/* Whether it has rung: the kernel tells at once. */
static bool has_rung(const struct rv_sq_bell *bell) {
    int bytes = 0;
    CHECK_OK(ioctl(bell->watch_fd, FIONREAD, &bytes));
    return bytes > 0;
}

/* Whether the bell rings for a listener like this while fn works on the store. */
static bool is_heard(struct place *p, bool for_ends, void (*fn)(struct place *p)) {
    struct rv_sq_bell bell = listen_to(p, for_ends);
    fn(p);
    bool heard = has_rung(&bell);
    rv_sq_bell_release(&bell);
    return heard;
}

static void push_one(struct place *p) {
    CHECK_OK(push_job(p, "one"));
}

static void hand_in(struct place *p, enum rv_ending ending, enum reeve_state state) {
    enum { HOLDER = 7 };
    struct rv_exchanged claimed = {0}, answer = {0};
    struct rv_exchange claim = {.queue = "jobs",
                                .timeout_ms = CALL_MS,
                                .want = 1,
                                .holder = HOLDER,
                                .lease_ms = 30000,
                                .worker = "tests"};
    CHECK_OK(rv_store_exchange(p->store, &claim, &claimed, &p->err));
    CHECK_INT(claimed.count, 1);
    struct rv_outcome outcome = {.id = claimed.jobs[0]->id,
                                 .holder = HOLDER,
                                 .token = claimed.token,
                                 .ending = ending,
                                 .state = state};
    struct rv_exchange exchange = {
        .queue = "jobs", .timeout_ms = CALL_MS, .outcomes = &outcome, .outcome_count = 1};
    CHECK_OK(rv_store_exchange(p->store, &exchange, &answer, &p->err));
    CHECK_OK(outcome.status);
    rv_exchanged_release(&answer);
    rv_exchanged_release(&claimed);
}

static void succeed(struct place *p) {
    hand_in(p, RV_SUCCEEDED, REEVE_DONE);
}

static void hand_back(struct place *p) {
    hand_in(p, RV_HANDED_BACK, REEVE_READY);
}

static void a_push_is_heard_by_all(void **state) {
    struct place *p = *state;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "first")); /* there is a log to watch now */
    CHECK(is_heard(p, false, push_one));
}

static void an_end_is_heard_by_those_who_wait_for_ends(void **state) {
    struct place *p = *state;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "one"));
    CHECK_OK(push_job(p, "two"));
    CHECK(!is_heard(p, false, succeed));
    CHECK(is_heard(p, true, succeed));
}

static void what_waits_again_is_heard_by_all(void **state) {
    struct place *p = *state;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "one"));
    CHECK(is_heard(p, false, hand_back));
}

/* The same watch, wanted for more and for less. */
static void a_listener_may_change_its_mind(void **state) {
    struct place *p = *state;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "one"));
    CHECK_OK(push_job(p, "two"));
    struct rv_sq_bell bell = listen_to(p, false);
    rv_sq_bell_listen(&bell, true);
    succeed(p);
    CHECK(has_rung(&bell));
    (void)rv_sq_bell_wait(&bell, 0); /* takes what has rung */
    rv_sq_bell_listen(&bell, false);
    succeed(p);
    CHECK(!has_rung(&bell));
    rv_sq_bell_release(&bell);
}

const struct CMUnitTest bell_tests[] = {
    SQLITE_TEST(a_push_is_heard_by_all),
    SQLITE_TEST(an_end_is_heard_by_those_who_wait_for_ends),
    SQLITE_TEST(what_waits_again_is_heard_by_all),
    SQLITE_TEST(a_listener_may_change_its_mind),
};
const size_t bell_test_count = sizeof bell_tests / sizeof *bell_tests;
