/* Handing in and claiming on a store that fails: nothing is lost, nothing runs twice, and the
 * store's troubles are never taken for the handlers'. */
#include <stdio.h>
#include <string.h>

#include "service/scene.h"

static void an_outcome_whose_answer_was_lost_counts_once(void **state) { /* T48 W5 J7 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.threads = 1; /* no place is free: the next exchange is the hand-in, and no mere claim */
    push(s, "a");
    start_gate(s, options, ignore);
    await_entered(s, 1);
    fault(s, RV_FAULT_LOSE, RV_OP_EXCHANGE, 1);
    atomic_store(&s->gate.open, true);
    await_log(s, "store.back");
    check_state(s, "a", REEVE_DONE);
    check_attempts(s, "a", 1, 1);
    CHECK_INT(atomic_load(&s->gate.entered), 1);
    end_worker(s, SOON_MS);
    CHECK_INT(stats(s).finished_total, 1);
    CHECK_INT(stats(s).fenced_total, 0);
}

static void a_claim_whose_answer_was_lost_is_told_again(void **state) { /* W2 J7 */
    struct scene *s = *state;
    atomic_int count = 0;
    push_many(s, 2);
    fault(s, RV_FAULT_LOSE, RV_OP_EXCHANGE, 1);
    start(s, options_of(s), succeed, &count);
    await_done(s, 2);
    end_worker(s, SOON_MS);
    CHECK_INT(atomic_load(&count), 2);
    check_attempts(s, "j0", 1, 1);
    check_attempts(s, "j1", 1, 1);
}

static void many_lost_answers_lose_no_job(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    atomic_int count = 0;
    options.threads = 4;
    push_many(s, 200);
    for (unsigned i = 0; i < RV_FAULTS_MAX; i++)
        fault(s, i % 2 ? RV_FAULT_LOSE : RV_FAULT_REFUSE, RV_OP_EXCHANGE, 1 + 3 * i);
    start(s, options, succeed, &count);
    await_done(s, 200);
    end_worker(s, SOON_MS);
    CHECK_INT(atomic_load(&count), 200);
    CHECK_INT(stats(s).retried_total, 0);
    CHECK_INT(stats(s).fenced_total, 0);
}

static void outcomes_wait_for_a_store_that_is_away(void **state) { /* T48, design.md 8 */
    struct scene *s = *state;
    push(s, "a");
    s->gate.verdict = REEVE_SUCCEED;
    start_gate(s, options_of(s), ignore);
    await_entered(s, 1);
    fail_for_ever(s, RV_OP_EXCHANGE);
    uint64_t before = calls(s, RV_OP_EXCHANGE);
    atomic_store(&s->gate.open, true);
    await_calls(s, RV_OP_EXCHANGE, before + 4);
    check_state(s, "a", REEVE_RUNNING);
    CHECK_INT(log_count(s, "store.away"), 1); /* once, however often it is tried */
    heal(s);
    await_state(s, "a", REEVE_DONE);
    await_log(s, "store.back");
    CHECK_INT(log_count(s, "store.back"), 1);
    CHECK_INT(atomic_load(&s->gate.entered), 1);
    check_attempts(s, "a", 1, 1);
}

static void a_store_that_is_away_at_the_start_is_waited_for(void **state) { /* design.md 8 */
    struct scene *s = *state;
    push(s, "a");
    fail_for_ever(s, RV_OP_EXCHANGE);
    fail_for_ever(s, RV_OP_BEAT);
    start(s, options_of(s), succeed, NULL);
    await_log(s, "store.away");
    heal(s);
    await_state(s, "a", REEVE_DONE);
}

static void backing_off_is_interrupted_by_stop(void **state) { /* A129 */
    struct scene *s = *state;
    fail_for_ever(s, RV_OP_EXCHANGE);
    push(s, "a");
    start(s, options_of(s), succeed, NULL);
    await_calls(s, RV_OP_EXCHANGE, 6); /* the next is up to 1.6 s away */
    end_worker(s, 0);
    check_state(s, "a", REEVE_READY);
}

static void the_jobs_of_a_claim_in_flight_are_handed_back(void **state) { /* T40 A129 */
    struct scene *s = *state;
    push_many(s, 2);
    rv_fault_plan_add(
        &s->plan, (struct rv_fault){.kind = RV_FAULT_LOSE, .op = RV_OP_EXCHANGE, .for_ever = true});
    start_gate(s, options_of(s), ignore);
    await_state(s, "j1", REEVE_RUNNING); /* claimed, though we were not told */
    reeve_worker_stop(s->worker, SOON_MS);
    heal(s);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    CHECK_INT(atomic_load(&s->gate.entered), 0);
    CHECK_INT(stats(s).ready, 2);
    check_attempts(s, "j0", 0, 1);
}

static void a_worker_ends_though_the_store_is_away(void **state) {
    struct scene *s = *state;
    s->r->service.timeout_ms = 100;
    push(s, "a");
    start_gate(s, options_of(s), ignore);
    await_entered(s, 1);
    fail_for_ever(s, RV_OP_EXCHANGE);
    atomic_store(&s->gate.open, true);
    end_worker(s, 0);
    CHECK_INT(log_count(s, "job.unreported queue=q id=a"), 1);
    check_state(s, "a", REEVE_RUNNING); /* its lease lapses in its time */
}

/* The grace is for what is in hand. */
static void who_has_nothing_in_hand_does_not_wait_for_a_store_that_is_away(void **state) {
    struct scene *s = *state;
    rv_fault_plan_add(
        &s->plan, (struct rv_fault){.kind = RV_FAULT_LOSE, .op = RV_OP_EXCHANGE, .for_ever = true});
    start(s, options_of(s), succeed, NULL);
    await_log(s, "store.away");
    int64_t from = elapsed_ms();
    end_worker(s, SOON_MS);
    CHECK_BETWEEN(elapsed_ms() - from, 0, SOON_MS / 2);
}

static void a_late_claim_is_not_begun_in_doubt(void **state) { /* J8 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    push(s, "a");
    rv_fault_plan_add(
        &s->plan, (struct rv_fault){.kind = RV_FAULT_LOSE, .op = RV_OP_EXCHANGE, .for_ever = true});
    start_gate(s, options, ignore);
    await_state(s, "a", REEVE_RUNNING);
    fail_for_ever(s, RV_OP_RENEW);
    move_clock(s, 30001); /* for all we know another has it */
    heal(s);
    fail_for_ever(s, RV_OP_RENEW);
    await_state(s, "a", REEVE_READY);
    CHECK_INT(atomic_load(&s->gate.entered), 0);
    heal(s);
    await_entered(s, 1);
    check_attempts(s, "a", 1, 2);
}

static void a_bell_wakes_an_idle_worker(void **state) { /* T29 */
    struct scene *s = *state;
    start(s, options_of(s), succeed, NULL);
    await_calls(s, RV_OP_EXCHANGE, 1);
    for (int i = 0; i < 20; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "n%d", i);
        int64_t from = elapsed_ms();
        push(s, id);
        await_state(s, id, REEVE_DONE);
        CHECK_BETWEEN(elapsed_ms() - from, 0, 5000); /* it looks for itself every 10 s only */
    }
}

static void an_idle_worker_leaves_the_store_alone(void **state) { /* A128 */
    struct scene *s = *state;
    static const char *const queues[] = {"q", "r", "t", NULL};
    struct reeve_worker_options options = options_of(s);
    options.queues = queues;
    options.threads = 50;
    start(s, options, succeed, NULL);
    await_calls(s, RV_OP_EXCHANGE, 3); /* each queue is looked at once */
    await_calls(s, RV_OP_BEAT, 1);
    reeve_worker_quiet(s->worker, false); /* woken, it finds nothing to do */
    push_with(s, (struct reeve_push){.id = "a", .queue = "t"});
    struct reeve_job *job;
    CHECK_OK(reeve_wait(s->r, "t", "a", SOON_MS, &job));
    reeve_free(job);
    CHECK_INT(calls(s, RV_OP_BEAT), 1);
    CHECK_BETWEEN(calls(s, RV_OP_EXCHANGE), 5, 6); /* a claim, a hand-in, a look after it */
}

static void outcomes_go_in_together(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.threads = 32;
    push_many(s, 32);
    start_gate(s, options, ignore);
    await_entered(s, 32);
    uint64_t before = calls(s, RV_OP_EXCHANGE);
    rv_fault_plan_add(&s->plan, (struct rv_fault){.kind = RV_FAULT_DELAY,
                                                  .op = RV_OP_EXCHANGE,
                                                  .for_ever = true,
                                                  .delay_ms = 100});
    atomic_store(&s->gate.open, true);
    await_done(s, 32);
    CHECK_BETWEEN(calls(s, RV_OP_EXCHANGE) - before, 1, 8);
}

/* However they are asked, no more comes than there is room for, and the first queue comes first. */
static void queues_asked_at_once_fill_the_places_once(void **state) {
    struct scene *s = *state;
    static const char *const queues[] = {"q", "r", "t", NULL};
    struct reeve_worker_options options = options_of(s);
    struct reeve_queue others;
    options.queues = queues;
    push_many(s, 8);
    for (int i = 0; i < 8; i++)
        push_with(s, (struct reeve_push){.queue = i % 2 ? "r" : "t"});
    start_gate(s, options, ignore);
    await_entered(s, 2);
    await_calls(s, RV_OP_BEAT, 1); /* behind the first round */
    CHECK_INT(stats(s).running, 2);
    for (int i = 1; i < 3; i++) {
        CHECK_OK(rv_store_stats(s->r->service.store, queues[i], &others, NULL));
        CHECK_INT(others.running, 0);
    }
    atomic_store(&s->gate.open, true);
    await_done(s, 8);
}

/* ---- a part of the store does not answer ---- */
static void fault_always(struct scene *s, enum rv_fault_kind kind) {
    rv_fault_plan_add(&s->plan,
                      (struct rv_fault){.kind = kind, .op = RV_OP_EXCHANGE, .for_ever = true});
}

static void what_a_part_does_not_take_holds_up_nothing_else(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    atomic_int count = 0;
    options.threads = 1;
    fault_always(s, RV_FAULT_REFUSE_PART);
    push(s, RV_FAULT_AWAY "a");
    push(s, RV_FAULT_AWAY "b");
    push_many(s, 20);
    start(s, options, succeed, &count);
    await_done(s, 20);
    check_state(s, RV_FAULT_AWAY "a", REEVE_RUNNING);
    heal(s);
    await_done(s, 22);
    await_log(s, "store.partly_back queue=q");
    end_worker(s, SOON_MS);
    CHECK_INT(atomic_load(&count), 22);
    check_attempts(s, RV_FAULT_AWAY "a", 1, 1);
    CHECK_INT(stats(s).fenced_total, 0);
    CHECK_INT(log_count(s, "store.partly_away"), 1); /* once, however often it is tried */
    CHECK_INT(log_count(s, "store.partly_back"), 1);
    CHECK_INT(log_count(s, "store.away"), 0);
}

/* No record tells that it was handed in: the request has to be the same (J7). */
static void an_outcome_that_a_part_took_in_silence_is_not_fenced(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.threads = 1;
    push_with(s, (struct reeve_push){.id = "a", .keep_ms = REEVE_NONE});
    start_gate(s, options, ignore);
    await_entered(s, 1);
    fault(s, RV_FAULT_LOSE_PART, RV_OP_EXCHANGE, 1);
    atomic_store(&s->gate.open, true);
    await_log(s, "store.partly_back");
    end_worker(s, SOON_MS);
    CHECK_INT(stats(s).finished_total, 1);
    CHECK_INT(stats(s).fenced_total, 0);
    CHECK_INT(log_count(s, "job.fenced"), 0);
}

/* The whole answer was lost before: that it could not be asked again leaves it as unsure. */
static void an_outcome_that_was_sent_once_stays_unsure(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.threads = 1;
    push_with(s, (struct reeve_push){.id = RV_FAULT_AWAY "a", .keep_ms = REEVE_NONE});
    start_gate(s, options, ignore);
    await_entered(s, 1);
    fault(s, RV_FAULT_LOSE, RV_OP_EXCHANGE, 1);
    fault(s, RV_FAULT_REFUSE_PART, RV_OP_EXCHANGE, 2);
    atomic_store(&s->gate.open, true);
    await_log(s, "store.partly_back");
    end_worker(s, SOON_MS);
    CHECK_INT(stats(s).finished_total, 1);
    CHECK_INT(stats(s).fenced_total, 0);
}

static void a_claim_that_a_part_made_in_silence_is_met(void **state) {
    struct scene *s = *state;
    atomic_int count = 0;
    push_many(s, 2);
    fault(s, RV_FAULT_LOSE_PART, RV_OP_EXCHANGE, 1);
    start(s, options_of(s), succeed, &count);
    await_done(s, 2);
    end_worker(s, SOON_MS);
    CHECK_INT(atomic_load(&count), 2);
    check_attempts(s, "j0", 1, 1);
    CHECK_INT(stats(s).lapsed_total, 0);
}

/* Its places are taken by what was claimed meanwhile. */
static void jobs_of_a_claim_that_comes_late_go_back(void **state) {
    struct scene *s = *state;
    push_many(s, 4);
    fault(s, RV_FAULT_LOSE_PART, RV_OP_EXCHANGE, 1);
    rv_fault_plan_add(&s->plan, (struct rv_fault){.kind = RV_FAULT_REFUSE,
                                                  .op = RV_OP_EXCHANGE,
                                                  .again = true,
                                                  .for_ever = true}); /* or it comes in time */
    start_gate(s, options_of(s), ignore);
    await_entered(s, 2);
    heal(s);
    await_log(s, "store.partly_back");
    await_state(s, "j0", REEVE_READY);
    CHECK_INT(atomic_load(&s->gate.most), 2);
    atomic_store(&s->gate.open, true);
    await_done(s, 4);
    end_worker(s, SOON_MS);
    CHECK_INT(atomic_load(&s->gate.entered), 4);
    check_attempts(s, "j0", 1, 2); /* handed back, then done */
}

static void many_parts_of_answers_lost_lose_no_job(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    atomic_int count = 0;
    options.threads = 4;
    push_many(s, 200);
    for (unsigned i = 0; i < RV_FAULTS_MAX; i++)
        fault(s, i % 4 ? RV_FAULT_LOSE_PART : RV_FAULT_LOSE, RV_OP_EXCHANGE, 1 + 2 * i);
    start(s, options, succeed, &count);
    await_done(s, 200);
    end_worker(s, SOON_MS);
    CHECK_INT(atomic_load(&count), 200);
    CHECK_INT(stats(s).retried_total, 0);
    CHECK_INT(stats(s).fenced_total, 0);
}

static void a_worker_ends_though_a_part_does_not_answer(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.lease_ms = 1000; /* calls take a sixth of it at most */
    fault_always(s, RV_FAULT_LOSE_PART);
    push_many(s, 2);
    start(s, options, succeed, NULL);
    await_log(s, "store.partly_away");
    end_worker(s, 0);
}

/* ---- a queue does not answer, and another does ---- */
/* A worker of two threads on r, whose answers are lost from now on, and q. */
static struct reeve_worker_options options_with_r(struct scene *s) {
    static const char *const queues[] = {"r", "q", NULL};
    struct reeve_worker_options options = options_of(s);
    options.queues = queues;
    rv_fault_plan_add(
        &s->plan, (struct rv_fault){
                      .kind = RV_FAULT_LOSE, .op = RV_OP_EXCHANGE, .queue = "r", .for_ever = true});
    return options;
}

/* What it perhaps claimed there takes no place from the other, and is met in the end. */
static void a_queue_whose_answers_are_lost_holds_up_no_other(void **state) {
    struct scene *s = *state;
    atomic_int count = 0;
    struct reeve_job *job;
    for (int i = 0; i < 2; i++)
        push_with(s, (struct reeve_push){.id = i ? "r1" : "r0", .queue = "r"});
    push_many(s, 20);
    start(s, options_with_r(s), succeed, &count);
    await_done(s, 20);
    CHECK_INT(atomic_load(&count), 20);
    heal(s);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(reeve_wait(s->r, "r", i ? "r1" : "r0", SOON_MS, &job));
        CHECK_INT(job->state, REEVE_DONE);
        CHECK_INT(job->attempt, 1);
        reeve_free(job);
    }
    await_log(s, "store.back");
    end_worker(s, SOON_MS);
    CHECK_INT(atomic_load(&count), 22);
    CHECK_INT(log_count(s, "job.fenced"), 0);
}

/* Not for the grace: what is left there lapses. */
static void a_worker_ends_soon_though_a_queue_does_not_answer(void **state) {
    struct scene *s = *state;
    push_with(s, (struct reeve_push){.id = "r0", .queue = "r"});
    push_many(s, 1);
    start(s, options_with_r(s), succeed, NULL);
    await_done(s, 1);
    await_log(s, "store.away");
    int64_t from = elapsed_ms();
    end_worker(s, SOON_MS);
    CHECK_BETWEEN(elapsed_ms() - from, 0, SOON_MS / 2);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(an_outcome_whose_answer_was_lost_counts_once),
        SCENE_TEST(a_claim_whose_answer_was_lost_is_told_again),
        SCENE_TEST(many_lost_answers_lose_no_job),
        SCENE_TEST(outcomes_wait_for_a_store_that_is_away),
        SCENE_TEST(a_store_that_is_away_at_the_start_is_waited_for),
        SCENE_TEST(backing_off_is_interrupted_by_stop),
        SCENE_TEST(the_jobs_of_a_claim_in_flight_are_handed_back),
        SCENE_TEST(a_worker_ends_though_the_store_is_away),
        SCENE_TEST(who_has_nothing_in_hand_does_not_wait_for_a_store_that_is_away),
        SCENE_TEST(a_late_claim_is_not_begun_in_doubt),
        SCENE_TEST(a_bell_wakes_an_idle_worker),
        SCENE_TEST(an_idle_worker_leaves_the_store_alone),
        SCENE_TEST(outcomes_go_in_together),
        SCENE_TEST(queues_asked_at_once_fill_the_places_once),
        SCENE_TEST(what_a_part_does_not_take_holds_up_nothing_else),
        SCENE_TEST(an_outcome_that_a_part_took_in_silence_is_not_fenced),
        SCENE_TEST(an_outcome_that_was_sent_once_stays_unsure),
        SCENE_TEST(a_claim_that_a_part_made_in_silence_is_met),
        SCENE_TEST(jobs_of_a_claim_that_comes_late_go_back),
        SCENE_TEST(many_parts_of_answers_lost_lose_no_job),
        SCENE_TEST(a_worker_ends_though_a_part_does_not_answer),
        SCENE_TEST(a_queue_whose_answers_are_lost_holds_up_no_other),
        SCENE_TEST(a_worker_ends_soon_though_a_queue_does_not_answer),
    };
    return SCENE_MAIN(argc, argv, tests);
}
