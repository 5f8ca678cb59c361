/* Leases of a worker: kept alive under any load, given up when they are lost, in doubt in between.
 * */
#include <stdio.h>

#include "service/keeper.h"
#include "service/scene.h"

/* Renewed every 100 ms, in doubt after 225. */
static struct reeve_worker_options short_lease(struct scene *s) {
    struct reeve_worker_options options = options_of(s);
    options.lease_ms = 300;
    return options;
}

static bool tends(struct scene *s, uint64_t lapsed) {
    struct reeve_tended tended = {.size = sizeof tended};
    CHECK_OK(reeve_tend(s->r, &tended));
    return tended.lapsed == lapsed;
}

static bool is_in_doubt(void *arg) {
    return atomic_load(&((struct gate *)arg)->doubt);
}

static bool is_sure(void *arg) {
    return !is_in_doubt(arg);
}

static void a_long_job_is_run_once(void **state) { /* A78 A86 A91 */
    struct scene *s = *state;
    push(s, "a");
    start_gate(s, short_lease(s), ignore);
    await_entered(s, 1);
    await_calls(s, RV_OP_RENEW, 15); /* five leases */
    CHECK(tends(s, 0));
    CHECK(!atomic_load(&s->gate.doubt));
    atomic_store(&s->gate.open, true);
    await_state(s, "a", REEVE_DONE);
    check_attempts(s, "a", 1, 1);
    CHECK_INT(stats(s).lapsed_total, 0);
}

static enum reeve_verdict burn(void *arg, reeve_task *task) {
    struct gate *gate = arg;
    volatile unsigned long turns = 0;
    (void)task;
    atomic_fetch_add(&gate->entered, 1);
    while (!atomic_load(&gate->open))
        turns++;
    return REEVE_SUCCEED;
}

static void burning_handlers_do_not_starve_it(void **state) { /* T33 A96 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.lease_ms = 1000;
    options.threads = 8; /* four times the cores that tests can count on */
    push_many(s, 8);
    start_gate(s, options, burn);
    await_entered(s, 8);
    await_calls(s, RV_OP_RENEW, calls(s, RV_OP_RENEW) + 15); /* five leases */
    CHECK(tends(s, 0));
    atomic_store(&s->gate.open, true);
    await_done(s, 8);
    CHECK_INT(stats(s).lapsed_total, 0);
    CHECK_INT(stats(s).fenced_total, 0);
}

static void a_failed_renewal_is_tried_again_early(void **state) { /* T38 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.lease_ms = 6000; /* renewed after 2 s, tried again after 250 to 500 ms */
    push(s, "a");
    fault(s, RV_FAULT_REFUSE, RV_OP_RENEW, 1);
    fault(s, RV_FAULT_LOSE, RV_OP_RENEW, 2);
    start_gate(s, options, ignore);
    await_calls(s, RV_OP_RENEW, 1);
    int64_t from = elapsed_ms();
    await_calls(s, RV_OP_RENEW, 3);
    CHECK_BETWEEN(elapsed_ms() - from, 400, 1900);
    CHECK(!atomic_load(&s->gate.doubt));
}

static void without_renewals_a_task_is_in_doubt_until_one_comes(void **state) { /* J8 */
    struct scene *s = *state;
    push(s, "a");
    fail_for_ever(s, RV_OP_RENEW);
    start_gate(s, short_lease(s), ignore);
    await_entered(s, 1);
    CHECK(eventually(is_in_doubt, &s->gate, SOON_MS));
    CHECK_INT(atomic_load(&s->gate.stop), REEVE_GO_ON); /* nobody took it: it goes on */
    heal(s);
    CHECK(eventually(is_sure, &s->gate, SOON_MS));
    atomic_store(&s->gate.open, true);
    await_state(s, "a", REEVE_DONE);
}

/* Lets the lease of a running job lapse, and upkeep take it. */
static void lose_lease(struct scene *s, int64_t lease_ms) {
    fail_for_ever(s, RV_OP_RENEW);
    move_clock(s, lease_ms + 1);
    CHECK(tends(s, 1));
    heal(s);
}

static void a_lost_lease_is_told_and_nothing_handed_in(void **state) { /* T17 A79 A84 */
    struct scene *s = *state;
    push_with(s, (struct reeve_push){.id = "a", .backoff_ms = 3600000});
    start_gate(s, short_lease(s), ignore);
    await_entered(s, 1);
    lose_lease(s, 300);
    await_stop(s, REEVE_STOP_LOST);
    await_log(s, "lease.lost queue=q id=a attempt=1");
    uint64_t before = calls(s, RV_OP_EXCHANGE);
    atomic_store(&s->gate.open, true);
    end_worker(s, SOON_MS);
    CHECK_INT(calls(s, RV_OP_EXCHANGE), before);
    CHECK_INT(log_count(s, "lease.lost"), 1);
    CHECK_INT(log_count(s, "job.fenced"), 0);
    struct reeve_job *job = get(s, "a");
    CHECK(job->state != REEVE_DONE);
    CHECK_INT(job->history[0]->outcome, REEVE_ATTEMPT_LAPSED);
    reeve_free(job);
}

static void an_outcome_that_comes_too_late_is_fenced(void **state) { /* J3 */
    struct scene *s = *state;
    push_with(s, (struct reeve_push){.id = "a", .backoff_ms = 3600000});
    fail_for_ever(s, RV_OP_RENEW);
    start_gate(s, short_lease(s), ignore);
    await_entered(s, 1);
    move_clock(s, 301);
    CHECK(tends(s, 1));
    atomic_store(&s->gate.open, true);
    await_log(s, "job.fenced queue=q id=a attempt=1");
    end_worker(s, SOON_MS);
    CHECK_INT(stats(s).fenced_total, 1);
    CHECK_INT(stats(s).done, 0);
}

static void a_finish_in_flight_is_no_loss(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.lease_ms = 100; /* renewed every 33 ms, so that renewals and finishes meet */
    options.threads = 16;
    push_many(s, 1000);
    rv_fault_plan_add(
        &s->plan, (struct rv_fault){
                      .kind = RV_FAULT_DELAY, .op = RV_OP_RENEW, .for_ever = true, .delay_ms = 5});
    start(s, options, succeed, NULL);
    await_done(s, 1000);
    CHECK_INT(log_count(s, "lease.lost"), 0);
}

static void a_cancelled_job_is_told_at_once(void **state) {
    struct scene *s = *state;
    enum reeve_state now;
    push(s, "a");
    push(s, "b");
    s->gate.verdict = REEVE_RETRY;
    start_gate(s, options_of(s), obey); /* its renewals are 10 s apart */
    await_entered(s, 2);
    int64_t from = elapsed_ms();
    CHECK_OK(reeve_cancel(s->r, "q", "a", &now));
    CHECK_INT(now, REEVE_RUNNING);
    await_state(s, "a", REEVE_CANCELLED);
    CHECK_BETWEEN(elapsed_ms() - from, 0, 8000);
    CHECK_INT(atomic_load(&s->gate.stop), REEVE_STOP_CANCELLED);
    check_state(s, "b", REEVE_RUNNING); /* of the same claim, and none of its business */
    CHECK_INT(atomic_load(&s->gate.inside), 1);
}

static void a_cancelled_job_that_succeeds_is_done(void **state) {
    struct scene *s = *state;
    push(s, "a");
    start_gate(s, options_of(s), obey);
    await_entered(s, 1);
    CHECK_OK(reeve_cancel(s->r, "q", "a", NULL));
    await_state(s, "a", REEVE_DONE);
    CHECK_INT(atomic_load(&s->gate.stop), REEVE_STOP_CANCELLED);
}

static void renewing_goes_on_while_handlers_finish(void **state) { /* T40 A129 */
    struct scene *s = *state;
    push(s, "a");
    start_gate(s, short_lease(s), ignore);
    await_entered(s, 1);
    reeve_worker_stop(s->worker, SOON_MS);
    await_stop(s, REEVE_STOP_DRAINING);
    await_calls(s, RV_OP_RENEW, calls(s, RV_OP_RENEW) + 9); /* three leases */
    CHECK(tends(s, 0));
    atomic_store(&s->gate.open, true);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    check_state(s, "a", REEVE_DONE);
}

/* ---- the keeper by itself ---- */

static void claim_one(struct scene *s, uint64_t holder, struct rv_exchanged *out) {
    struct rv_exchange exchange = {.queue = "q",
                                   .timeout_ms = 5000,
                                   .want = 1,
                                   .holder = holder,
                                   .lease_ms = 300,
                                   .worker = "tester"};
    CHECK_OK(rv_store_exchange(s->r->service.store, &exchange, out, NULL));
    CHECK_INT(out->count, 1);
}

enum { MANY = 2 * 200 + 7 };

struct kept_claims {
    struct rv_kept kept;
    struct rv_keeper *keeper;
    struct rv_signal signal;
    struct rv_exchanged jobs[MANY];
    struct rv_hold holds[MANY];
};

static void keep_claims(struct scene *s, struct kept_claims *k, size_t count) {
    CHECK_OK(rv_signal_init(&k->signal));
    CHECK_OK(rv_service_keeper(&s->r->service, &k->keeper, NULL));
    k->kept = (struct rv_kept){
        .queue = "q", .lease_ms = 300, .renew_ms = 100, .signal = &k->signal, .raise = 1};
    rv_keeper_add(k->keeper, &k->kept);
    for (size_t i = 0; i < count; i++) {
        int64_t sent_ms = rv_clock_boot_ms(&s->r->service.clock);
        uint64_t holder = rv_random_nonzero(&rv_random_system);
        claim_one(s, holder, &k->jobs[i]);
        struct rv_claim *claim = rv_claim_create(holder, k->jobs[i].token, 300);
        CHECK(claim);
        rv_hold_init(&k->holds[i], claim, k->jobs[i].jobs[0]->id);
        rv_keeper_take(k->keeper, &k->kept, claim, sent_ms);
    }
}

static void release_claims(struct kept_claims *k, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rv_keeper_release(k->keeper, &k->holds[i]);
        rv_exchanged_release(&k->jobs[i]);
    }
    rv_keeper_remove(k->keeper, &k->kept);
    rv_signal_release(&k->signal);
}

static void more_claims_than_one_call_takes_are_all_renewed(void **state) {
    struct scene *s = *state;
    static struct kept_claims k;
    push_many(s, MANY);
    keep_claims(s, &k, MANY);
    await_calls(s, RV_OP_RENEW,
                calls(s, RV_OP_RENEW) + 5 * 3 * 3); /* five leases, three calls each */
    CHECK(tends(s, 0));
    for (size_t i = 0; i < MANY; i++)
        CHECK(!rv_hold_marked(&k.holds[i], RV_MARK_LOST));
    release_claims(&k, MANY);
    CHECK_INT(stats(s).lapsed_total, 0);
}

static void the_lost_of_many_are_told_apart(void **state) {
    struct scene *s = *state;
    static struct kept_claims k;
    push_many(s, 3);
    keep_claims(s, &k, 3);
    fail_for_ever(s, RV_OP_RENEW);
    struct rv_exchange take = {.queue = "q", .timeout_ms = 5000, .outcome_count = 1};
    struct rv_report report = {.ending = RV_LAPSED};
    struct rv_outcome outcome;
    struct rv_exchanged none;
    CHECK_OK(rv_outcome_judge(k.jobs[1].jobs[0], k.holds[1].claim->holder, &report,
                              &rv_random_system, &outcome));
    outcome.only_if_lapsed = false;
    take.outcomes = &outcome;
    CHECK_OK(rv_store_exchange(s->r->service.store, &take, &none, NULL));
    CHECK_OK(outcome.status);
    rv_outcome_release(&outcome);
    rv_exchanged_release(&none);
    heal(s);
    CHECK_INT(rv_signal_wait(&k.signal, SOON_MS), 1);
    CHECK(!rv_hold_marked(&k.holds[0], RV_MARK_LOST));
    CHECK(rv_hold_marked(&k.holds[1], RV_MARK_LOST));
    CHECK(!rv_hold_marked(&k.holds[2], RV_MARK_LOST));
    release_claims(&k, 3);
}

static void removing_waits_for_a_renewal_in_flight(void **state) { /* A85 */
    struct scene *s = *state;
    static struct kept_claims k;
    push_many(s, 1);
    rv_fault_plan_add(
        &s->plan, (struct rv_fault){.kind = RV_FAULT_DELAY, .op = RV_OP_RENEW, .delay_ms = 200});
    keep_claims(s, &k, 1);
    await_calls(s, RV_OP_RENEW, 1);
    int64_t from = elapsed_ms();
    release_claims(&k, 1);
    CHECK_BETWEEN(elapsed_ms() - from, 100, SOON_MS);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(a_long_job_is_run_once),
        SCENE_TEST(burning_handlers_do_not_starve_it),
        SCENE_TEST(a_failed_renewal_is_tried_again_early),
        SCENE_TEST(without_renewals_a_task_is_in_doubt_until_one_comes),
        SCENE_TEST(a_lost_lease_is_told_and_nothing_handed_in),
        SCENE_TEST(an_outcome_that_comes_too_late_is_fenced),
        SCENE_TEST(a_finish_in_flight_is_no_loss),
        SCENE_TEST(a_cancelled_job_is_told_at_once),
        SCENE_TEST(a_cancelled_job_that_succeeds_is_done),
        SCENE_TEST(renewing_goes_on_while_handlers_finish),
        SCENE_TEST(more_claims_than_one_call_takes_are_all_renewed),
        SCENE_TEST(the_lost_of_many_are_told_apart),
        SCENE_TEST(removing_waits_for_a_renewal_in_flight),
    };
    return SCENE_MAIN(argc, argv, tests);
}
