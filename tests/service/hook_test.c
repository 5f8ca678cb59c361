/* The hook after an execution (P61 A108): what it sees, what it may change. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "service/programs.h"

/* What the hook is to do, and what it saw. */
struct hook {
    const char *result; /* NULL: leave it */
    const char *error;  /* likewise; its code is "hooked" */
    bool changes_verdict;
    int verdict;
    int64_t keep_ms; /* 0: leave it */

    atomic_int calls;
    int saw_verdict, saw_attempt, saw_stop;
    int64_t saw_keep_ms, saw_duration_ms;
    bool elsewhere; /* not on the handler's thread */
    pthread_t handler;
};

static void after(void *arg, reeve_task *task, struct reeve_execution *execution) {
    struct hook *hook = arg;
    hook->saw_verdict = (int)execution->verdict;
    hook->saw_attempt = reeve_task_job(task)->attempt;
    hook->saw_stop = (int)reeve_task_stopping(task);
    hook->saw_keep_ms = execution->keep_ms;
    hook->saw_duration_ms = execution->duration_ms;
    hook->elsewhere = !pthread_equal(hook->handler, pthread_self());
    if (hook->result) (void)reeve_task_set_result(task, hook->result, strlen(hook->result));
    if (hook->error) (void)reeve_task_set_error(task, "hooked", hook->error, NULL, 0);
    if (hook->changes_verdict) execution->verdict = (enum reeve_verdict)hook->verdict;
    if (hook->keep_ms) execution->keep_ms = hook->keep_ms;
    atomic_fetch_add(&hook->calls, 1);
}

static struct reeve_worker_options hooked(struct scene *s, struct hook *hook) {
    struct reeve_worker_options options = options_of(s);
    options.threads = 1;
    options.after = after;
    options.after_arg = hook;
    return options;
}

struct plan {
    struct hook *hook;
    enum reeve_verdict verdict;
    const char *result;
    int64_t ms;
    atomic_bool begun;
};

static enum reeve_verdict handle(void *arg, reeve_task *task) {
    struct plan *plan = arg;
    plan->hook->handler = pthread_self();
    atomic_store(&plan->begun, true);
    if (plan->ms) (void)reeve_task_sleep(task, plan->ms);
    if (plan->result) (void)reeve_task_set_result(task, plan->result, strlen(plan->result));
    return plan->verdict;
}

/* Runs the one job "a" with one attempt, until it has ended. */
static void run(struct scene *s, struct plan *plan, enum reeve_state expected) {
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1, .keep_ms = 60000});
    start(s, hooked(s, plan->hook), handle, plan);
    await_state(s, "a", expected);
}

static void it_sees_the_execution(void **state) {
    struct scene *s = *state;
    struct hook hook = {.calls = 0};
    struct plan plan = {.hook = &hook, .verdict = REEVE_SUCCEED, .result = "fine", .ms = 20};
    run(s, &plan, REEVE_DONE);
    CHECK_INT(atomic_load(&hook.calls), 1);
    CHECK_INT(hook.saw_verdict, REEVE_SUCCEED);
    CHECK_INT(hook.saw_attempt, 1);
    CHECK_INT(hook.saw_keep_ms, 60000);
    CHECK_BETWEEN(hook.saw_duration_ms, 20, SOON_MS);
    CHECK(!hook.elsewhere);
    check_result(s, "fine"); /* it left everything as it was */
}

static void it_comes_after_every_attempt(void **state) {
    struct scene *s = *state;
    struct hook hook = {.calls = 0};
    struct plan plan = {.hook = &hook, .verdict = REEVE_RETRY};
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 3, .backoff_ms = REEVE_NONE});
    start(s, hooked(s, &hook), handle, &plan);
    await_state(s, "a", REEVE_FAILED);
    CHECK_INT(atomic_load(&hook.calls), 3); /* the last of them included */
    CHECK_INT(hook.saw_attempt, 3);
    CHECK_INT(hook.saw_verdict, REEVE_RETRY);
}

static void it_may_change_the_result(void **state) {
    struct scene *s = *state;
    struct hook hook = {.result = "better"};
    struct plan plan = {.hook = &hook, .verdict = REEVE_SUCCEED, .result = "good"};
    run(s, &plan, REEVE_DONE);
    check_result(s, "better");
}

static void it_may_change_the_error(void **state) {
    struct scene *s = *state;
    struct hook hook = {.error = "in other words"};
    struct plan plan = {.hook = &hook, .verdict = REEVE_GIVE_UP};
    run(s, &plan, REEVE_FAILED);
    check_error(s, "a", "hooked");
    check_message(s, "in other words");
}

static void it_may_turn_success_into_failure(void **state) {
    struct scene *s = *state;
    struct hook hook = {.changes_verdict = true, .verdict = REEVE_RETRY};
    struct plan plan = {.hook = &hook, .verdict = REEVE_SUCCEED, .result = "bad"};
    run(s, &plan, REEVE_FAILED);
    check_message(s, "the hook after it did not let it pass");
    struct reeve_job *job = get(s, "a");
    CHECK(!job->result); /* of what failed there is none */
    reeve_free(job);
}

static void it_may_turn_failure_into_success(void **state) {
    struct scene *s = *state;
    struct hook hook = {.changes_verdict = true, .verdict = REEVE_SUCCEED, .result = "so be it"};
    struct plan plan = {.hook = &hook, .verdict = REEVE_GIVE_UP};
    run(s, &plan, REEVE_DONE);
    check_result(s, "so be it");
    struct reeve_job *job = get(s, "a");
    CHECK(!job->error);
    reeve_free(job);
}

static void it_may_hand_back(void **state) {
    struct scene *s = *state;
    struct hook hook = {.changes_verdict = true, .verdict = REEVE_HAND_BACK};
    struct plan plan = {.hook = &hook, .verdict = REEVE_RETRY};
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    start(s, hooked(s, &hook), handle, &plan);
    await_calls(s, RV_OP_EXCHANGE, 4);
    end_worker(s, 0);
    check_state(s, "a", REEVE_READY);
    struct reeve_job *job = get(s, "a");
    CHECK_INT(job->attempt, 0);
    reeve_free(job);
}

static bool is_forgotten(struct scene *s) {
    struct reeve_job *job = NULL;
    int rc = reeve_get(s->r, "q", "a", &job);
    reeve_free(job);
    CHECK(!rc || rc == REEVE_ENOENT);
    return rc != 0;
}

static void it_may_change_how_long_the_record_stays(void **state) {
    struct scene *s = *state;
    struct hook hook = {.keep_ms = 5000};
    struct plan plan = {.hook = &hook, .verdict = REEVE_SUCCEED};
    run(s, &plan, REEVE_DONE); /* pushed with a minute */
    move_clock(s, 4000);
    CHECK(!is_forgotten(s));
    move_clock(s, 1100);
    CHECK(is_forgotten(s));
}

static void it_may_keep_nothing(void **state) {
    struct scene *s = *state;
    struct hook hook = {.keep_ms = REEVE_NONE};
    struct plan plan = {.hook = &hook, .verdict = REEVE_SUCCEED};
    push_with(s, (struct reeve_push){.id = "a", .keep_ms = 60000});
    struct reeve_worker_options options = hooked(s, &hook);
    options.jobs_max = 1;
    start(s, options, handle, &plan);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    CHECK(is_forgotten(s));
}

static void a_time_that_makes_no_sense_is_ignored_and_logged(void **state) { /* A108 */
    struct scene *s = *state;
    struct hook hook = {.keep_ms = -7};
    struct plan plan = {.hook = &hook, .verdict = REEVE_SUCCEED};
    run(s, &plan, REEVE_DONE);
    await_log(s, "hook.ignored queue=q id=a field=keep_ms value=-7");
    move_clock(s, 59000);
    CHECK(!is_forgotten(s)); /* as it was pushed */
    move_clock(s, 1100);
    CHECK(is_forgotten(s));
}

static void a_verdict_that_is_none_is_ignored_and_logged(void **state) {
    struct scene *s = *state;
    struct hook hook = {.changes_verdict = true, .verdict = 99};
    struct plan plan = {.hook = &hook, .verdict = REEVE_SUCCEED};
    run(s, &plan, REEVE_DONE);
    await_log(s, "hook.ignored queue=q id=a field=verdict value=99");
}

static bool has_begun(void *arg) {
    struct plan *plan = arg;
    return atomic_load(&plan->begun);
}

static void it_sees_what_was_cancelled_and_cannot_undo_it(void **state) {
    struct scene *s = *state;
    struct hook hook = {.changes_verdict = true, .verdict = REEVE_RETRY};
    struct plan plan = {.hook = &hook, .verdict = REEVE_RETRY, .ms = SOON_MS};
    push(s, "a");
    start(s, hooked(s, &hook), handle, &plan);
    CHECK(eventually(has_begun, &plan, SOON_MS)); /* RUNNING alone may still be cancelled unrun */
    CHECK_OK(reeve_cancel(s->r, "q", "a", NULL));
    await_state(s, "a", REEVE_CANCELLED);
    CHECK_INT(hook.saw_stop, REEVE_STOP_CANCELLED);
}

static void it_comes_after_programs_too(void **state) {
    struct scene *s = *state;
    struct hook hook = {.changes_verdict = true, .verdict = REEVE_SUCCEED, .result = "enough"};
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    start_script(s, hooked(s, &hook), "echo much; exit 3");
    await_state(s, "a", REEVE_DONE);
    CHECK_INT(hook.saw_verdict, REEVE_RETRY);
    check_result(s, "enough");
}

/* ---- one that takes long ---- */
struct slow {
    atomic_bool entered, open;
};

static void wait_inside(void *arg, reeve_task *task, struct reeve_execution *execution) {
    struct slow *slow = arg;
    (void)execution;
    if (strcmp(reeve_task_job(task)->id, "a") != 0) return;
    atomic_store(&slow->entered, true);
    while (!atomic_load(&slow->open))
        (void)sched_yield();
}

static bool has_entered(void *arg) {
    struct slow *slow = arg;
    return atomic_load(&slow->entered);
}

static void one_that_hangs_keeps_its_lease_and_holds_up_no_other(void **state) { /* A89 */
    struct scene *s = *state;
    struct slow slow = {.open = false};
    struct reeve_worker_options options = options_of(s);
    options.threads = 2;
    options.after = wait_inside;
    options.after_arg = &slow;
    push(s, "a");
    start(s, options, succeed, NULL);
    CHECK(eventually(has_entered, &slow, SOON_MS));
    uint64_t renewals = calls(s, RV_OP_RENEW);
    push(s, "b");
    await_state(s, "b", REEVE_DONE);
    move_clock(s, 15000);
    await_calls(s, RV_OP_RENEW, renewals + 1);
    check_state(s, "a", REEVE_RUNNING);
    atomic_store(&slow.open, true);
    await_state(s, "a", REEVE_DONE);
    check_attempts(s, "a", 1, 1);
}

static void what_was_not_executed_has_no_hook(void **state) {
    struct scene *s = *state;
    struct hook hook = {.calls = 0};
    struct plan plan = {.hook = &hook, .verdict = REEVE_SUCCEED};
    struct reeve_worker_options options = hooked(s, &hook);
    CHECK_OK(reeve_worker_open(&s->worker, s->r, &options));
    CHECK_OK(reeve_worker_handle(s->worker, "known", handle, &plan));
    CHECK_OK(reeve_worker_start(s->worker));
    push_with(s, (struct reeve_push){.id = "a", .kind = "unknown", .attempts_max = 1});
    await_state(s, "a", REEVE_FAILED);
    push_with(s, (struct reeve_push){.id = "b", .kind = "known"});
    await_state(s, "b", REEVE_DONE);
    CHECK_INT(atomic_load(&hook.calls), 1);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(it_sees_the_execution),
        SCENE_TEST(it_comes_after_every_attempt),
        SCENE_TEST(it_may_change_the_result),
        SCENE_TEST(it_may_change_the_error),
        SCENE_TEST(it_may_turn_success_into_failure),
        SCENE_TEST(it_may_turn_failure_into_success),
        SCENE_TEST(it_may_hand_back),
        SCENE_TEST(it_may_change_how_long_the_record_stays),
        SCENE_TEST(it_may_keep_nothing),
        SCENE_TEST(a_time_that_makes_no_sense_is_ignored_and_logged),
        SCENE_TEST(a_verdict_that_is_none_is_ignored_and_logged),
        SCENE_TEST(it_sees_what_was_cancelled_and_cannot_undo_it),
        SCENE_TEST(it_comes_after_programs_too),
        SCENE_TEST(one_that_hangs_keeps_its_lease_and_holds_up_no_other),
        SCENE_TEST(what_was_not_executed_has_no_hook),
    };
    return SCENE_MAIN(argc, argv, tests);
}
