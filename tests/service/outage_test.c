/* A store that goes away and comes back (design.md 8): handlers go on, what they did is handed in
 * later, and whoever looks is told. */
#include <stdio.h>
#include <string.h>

#include "service/scene.h"

/* From now on nothing reaches the store, the test itself included. */
static void go_away(struct scene *s) {
    fail_for_ever(s, 0);
}

static struct reeve_worker_stats figures(struct scene *s) {
    struct reeve_worker_stats stats = {.size = sizeof stats};
    CHECK_OK(reeve_worker_stats(s->worker, &stats));
    return stats;
}

static bool is_in_doubt(void *arg) {
    return atomic_load(&((struct scene *)arg)->gate.doubt);
}

static bool is_idle(void *arg) {
    return figures(arg).running == 0;
}

static void handlers_go_on_and_are_handed_in_later(void **state) {
    struct scene *s = *state;
    push_many(s, 5);
    start_gate(s, options_of(s), ignore);
    await_entered(s, 2);
    go_away(s);
    CHECK(!is_in_doubt(s));
    move_clock(s, 28000); /* of a lease of 30 s */
    CHECK(eventually(is_in_doubt, s, SOON_MS));
    CHECK_INT(atomic_load(&s->gate.stop), REEVE_GO_ON); /* doubt is no order to stop */
    atomic_store(&s->gate.open, true);
    CHECK(eventually(is_idle, s, SOON_MS));
    await_log(s, "store.away");
    struct reeve_worker_stats held = figures(s);
    CHECK_INT(held.claimed, 2);
    CHECK_INT(held.succeeded, 0); /* nobody knows yet */
    heal(s);
    await_done(s, 5);
    for (int i = 0; i < 5; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "j%d", i);
        check_attempts(s, id, 1, 1);
    }
    CHECK_INT(atomic_load(&s->gate.entered), 5);
    CHECK_INT(stats(s).fenced_total, 0);
    CHECK_INT(log_count(s, "store.away"), 1);
    CHECK_INT(log_count(s, "store.back"), 1);
}

static void it_is_said_once_whatever_the_queues(void **state) {
    struct scene *s = *state;
    static const char *const queues[] = {"q", "r", "t", NULL};
    struct reeve_worker_options options = options_of(s);
    options.queues = queues;
    options.no_upkeep = false;
    go_away(s);
    start(s, options, succeed, NULL); /* before its store is there */
    await_calls(s, RV_OP_EXCHANGE, 12);
    heal(s);
    push_with(s, (struct reeve_push){.id = "a", .queue = "t"});
    struct reeve_job *job;
    CHECK_OK(reeve_wait(s->r, "t", "a", SOON_MS, &job));
    CHECK_INT(job->state, REEVE_DONE);
    reeve_free(job);
    await_log(s, "store.back");
    CHECK_INT(log_count(s, "store.away"), 1);
    CHECK_INT(log_count(s, "store.back"), 1);
}

static void each_outage_is_said(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), succeed, NULL);
    await_calls(s, RV_OP_EXCHANGE, 1);
    for (int i = 1; i <= 3; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "j%d", i);
        fail_for_ever(s, RV_OP_EXCHANGE);
        push(s, id);
        await_calls(s, RV_OP_EXCHANGE, calls(s, RV_OP_EXCHANGE) + 3);
        heal(s);
        await_state(s, id, REEVE_DONE); /* which others may know before the worker does */
        await_log_count(s, "store.back", i);
        CHECK_INT(log_count(s, "store.away"), i);
        CHECK_INT(log_count(s, "store.back"), i);
    }
}

/* ---- told to others ---- */
struct seen {
    struct scene *s;
    int64_t degraded_since_ms, claimed_at_ms, seen_at_ms;
};

static int see(void *arg, const struct reeve_worker_info *worker) {
    struct seen *seen = arg;
    seen->degraded_since_ms = worker->degraded_since_ms;
    seen->claimed_at_ms = worker->claimed_at_ms;
    seen->seen_at_ms = worker->seen_at_ms;
    return 0;
}

static bool is_degraded(void *arg) {
    struct seen *seen = arg;
    seen->degraded_since_ms = -1;
    CHECK_OK(reeve_worker_list(seen->s->r, see, seen));
    return seen->degraded_since_ms > 0;
}

static bool is_sound(void *arg) {
    struct seen *seen = arg;
    (void)is_degraded(arg);
    return seen->degraded_since_ms == 0;
}

/* Of two queues one cannot be reached: the worker serves the other and says what ails it. */
static void a_degraded_worker_says_so(void **state) {
    struct scene *s = *state;
    static const char *const queues[] = {"broken", "q", NULL};
    struct reeve_worker_options options = options_of(s);
    struct seen seen = {.s = s};
    options.queues = queues;
    start(s, options, succeed, NULL);
    CHECK(eventually(is_sound, &seen, SOON_MS));
    rv_fault_plan_add(
        &s->plan, (struct rv_fault){.kind = RV_FAULT_REFUSE, .queue = "broken", .for_ever = true});
    move_clock(s, 31000); /* a look, and a beat */
    reeve_worker_quiet(s->worker, false);
    await_log(s, "store.away queue=broken degraded_since_ms=");
    CHECK(eventually(is_degraded, &seen, SOON_MS)); /* without a beat that was due */
    CHECK(seen.claimed_at_ms > 0 && seen.claimed_at_ms <= seen.seen_at_ms + 1000);
    push(s, "a");
    await_state(s, "a", REEVE_DONE);
    heal(s);
    await_log(s, "store.back queue=broken");
    CHECK(eventually(is_sound, &seen, SOON_MS));
}

/* ---- what is lost on the way ---- */
static enum reeve_verdict count_runs(void *arg, reeve_task *task) {
    atomic_int *runs = arg;
    int number = 0;
    (void)sscanf(reeve_task_job(task)->id, "j%d", &number);
    atomic_fetch_add(&runs[number], 1);
    return REEVE_SUCCEED;
}

static void a_store_that_comes_and_goes_runs_each_job_once(void **state) { /* I4 I8 */
    struct scene *s = *state;
    enum { JOBS = 60 };
    atomic_int runs[JOBS] = {0};
    struct reeve_worker_options options = options_of(s);
    options.threads = 4;
    push_many(s, JOBS);
    for (unsigned i = 0; i < RV_FAULTS_MAX; i++)
        fault(s, i % 2 ? RV_FAULT_LOSE : RV_FAULT_REFUSE, RV_OP_EXCHANGE, 1 + i);
    start(s, options, count_runs, runs);
    await_done(s, JOBS);
    for (int i = 0; i < JOBS; i++)
        CHECK_INT(atomic_load(&runs[i]), 1);
    CHECK_INT(stats(s).retried_total, 0);
    CHECK_INT(stats(s).fenced_total, 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(handlers_go_on_and_are_handed_in_later),
        SCENE_TEST(it_is_said_once_whatever_the_queues),
        SCENE_TEST(each_outage_is_said),
        SCENE_TEST(a_degraded_worker_says_so),
        SCENE_TEST(a_store_that_comes_and_goes_runs_each_job_once),
    };
    return SCENE_MAIN(argc, argv, tests);
}
