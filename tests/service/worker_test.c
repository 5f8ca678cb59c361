/* A worker from its start to its end: what runs, what is counted, and the order of shutting down.
 * */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/scene.h"

/* ---- running ---- */
static enum reeve_verdict echo(void *arg, reeve_task *task) {
    const struct reeve_job *job = reeve_task_job(task);
    (void)arg;
    return reeve_task_set_result(task, job->body, job->body_size) ? REEVE_GIVE_UP : REEVE_SUCCEED;
}

static void a_job_is_run_and_its_result_kept(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), echo, NULL);
    push_with(s, (struct reeve_push){.id = "a", .body = "a\0b", .body_size = 3});
    await_state(s, "a", REEVE_DONE);
    struct reeve_job *job = get(s, "a");
    CHECK_BYTES(job->result, job->result_size, "a\0b", 3);
    CHECK_STR(job->worker, "tester");
    CHECK_INT(job->attempt, 1);
    CHECK(job->token > 0);
    reeve_free(job);
}

static void an_empty_result_is_a_result(void **state) { /* T27 */
    struct scene *s = *state;
    push(s, "empty");
    start(s, options_of(s), echo, NULL);
    await_state(s, "empty", REEVE_DONE);
    struct reeve_job *job = get(s, "empty");
    CHECK(job->result);
    CHECK_INT(job->result_size, 0);
    reeve_free(job);
}

static enum reeve_verdict big(void *arg, reeve_task *task) {
    static const size_t size = 1 << 20;
    char *data = malloc(size);
    (void)arg;
    int rc = data ? reeve_task_set_result(task, memset(data, 'x', size), size) : REEVE_ENOMEM;
    free(data);
    return rc ? REEVE_GIVE_UP : REEVE_SUCCEED;
}

static void a_result_of_a_mebibyte_is_kept(void **state) { /* A111 */
    struct scene *s = *state;
    push(s, "a");
    start(s, options_of(s), big, NULL);
    struct reeve_job *job;
    CHECK_OK(reeve_wait(s->r, "q", "a", SOON_MS, &job));
    CHECK_INT(job->result_size, 1 << 20);
    reeve_free(job);
}

static enum reeve_verdict overdo(void *arg, reeve_task *task) {
    char *data = calloc(1, REEVE_BODY_MAX + 1);
    atomic_int *rc = arg;
    if (data) atomic_store(rc, reeve_task_set_result(task, data, REEVE_BODY_MAX + 1));
    free(data);
    return REEVE_SUCCEED;
}

static void a_result_over_the_limit_is_refused(void **state) {
    struct scene *s = *state;
    atomic_int rc = 0;
    push(s, "a");
    start(s, options_of(s), overdo, &rc);
    await_state(s, "a", REEVE_DONE);
    CHECK_INT(atomic_load(&rc), REEVE_ETOOBIG);
}

static void every_job_runs_once_on_many_threads(void **state) { /* A112 A125 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    atomic_int count = 0;
    options.threads = 16;
    push_many(s, 300);
    start(s, options, succeed, &count);
    await_done(s, 300);
    end_worker(s, SOON_MS);
    CHECK_INT(atomic_load(&count), 300);
    CHECK_INT(stats(s).fenced_total, 0);
}

static void as_many_at_once_as_threads(void **state) { /* A110 A126 A133 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.threads = 3;
    start_gate(s, options, ignore);
    push_many(s, 3); /* one after another, into free threads */
    await_entered(s, 3);
    push(s, "more");
    CHECK_INT(atomic_load(&s->gate.inside), 3);
    atomic_store(&s->gate.open, true);
    await_done(s, 4);
    CHECK_INT(atomic_load(&s->gate.most), 3);
}

static void a_slow_job_blocks_no_other(void **state) { /* A122 */
    struct scene *s = *state;
    reeve_worker *other;
    struct reeve_worker_options options = options_of(s);
    CHECK_OK(reeve_worker_open(&other, s->r, &options));
    CHECK_OK(reeve_worker_handle(other, "slow", ignore, &s->gate));
    CHECK_OK(reeve_worker_handle(other, NULL, succeed, NULL));
    s->worker = other;
    push_with(s, (struct reeve_push){.id = "slow", .kind = "slow"});
    CHECK_OK(reeve_worker_start(other));
    await_entered(s, 1);
    push_many(s, 20);
    await_done(s, 20);
    check_state(s, "slow", REEVE_RUNNING);
}

static void the_most_urgent_queue_is_served_first(void **state) {
    struct scene *s = *state;
    static const char *const queues[] = {"high", "q", NULL};
    struct reeve_worker_options options = options_of(s);
    options.queues = queues;
    options.threads = 1;
    push(s, "low");
    push_with(s, (struct reeve_push){.id = "urgent", .queue = "high"});
    start_gate(s, options, ignore);
    await_entered(s, 1);
    struct reeve_job *job;
    CHECK_OK(reeve_get(s->r, "high", "urgent", &job));
    CHECK_INT(job->state, REEVE_RUNNING);
    reeve_free(job);
    check_state(s, "low", REEVE_READY);
}

/* ---- verdicts ---- */
static enum reeve_verdict fail_twice(void *arg, reeve_task *task) {
    atomic_int *attempts = arg;
    int attempt = reeve_task_job(task)->attempt;
    atomic_fetch_or(attempts, 1 << attempt);
    if (attempt == 3) return REEVE_SUCCEED;
    return reeve_task_set_error(task, "odd", "not yet", "why", 3) ? REEVE_GIVE_UP : REEVE_RETRY;
}

static void a_job_may_fail_twice_and_then_succeed(void **state) { /* A104 A121 */
    struct scene *s = *state;
    atomic_int attempts = 0;
    push_with(s, (struct reeve_push){.id = "a", .backoff_ms = REEVE_NONE});
    start(s, options_of(s), fail_twice, &attempts);
    await_state(s, "a", REEVE_DONE);
    CHECK_INT(atomic_load(&attempts), 1 << 1 | 1 << 2 | 1 << 3);
    struct reeve_job *job = get(s, "a");
    CHECK_INT(job->history_count, 3);
    CHECK_INT(job->history[0]->outcome, REEVE_ATTEMPT_RETRY);
    CHECK_STR(job->history[1]->error->code, "odd");
    CHECK_INT(job->history[2]->outcome, REEVE_ATTEMPT_DONE);
    reeve_free(job);
}

static void attempts_come_to_an_end(void **state) {
    struct scene *s = *state;
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 2, .backoff_ms = REEVE_NONE});
    s->gate.verdict = REEVE_RETRY;
    atomic_store(&s->gate.open, true);
    start_gate(s, options_of(s), ignore);
    await_state(s, "a", REEVE_FAILED);
    CHECK_INT(atomic_load(&s->gate.entered), 2);
    check_attempts(s, "a", 2, 2);
}

static void giving_up_ends_at_the_first_attempt(void **state) {
    struct scene *s = *state;
    push(s, "a");
    s->gate.verdict = REEVE_GIVE_UP;
    atomic_store(&s->gate.open, true);
    start_gate(s, options_of(s), ignore);
    await_state(s, "a", REEVE_FAILED);
    check_attempts(s, "a", 1, 1);
}

static void a_kind_without_a_handler_fails(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    CHECK_OK(reeve_worker_open(&s->worker, s->r, &options));
    CHECK_OK(reeve_worker_handle(s->worker, "mail", succeed, NULL));
    CHECK_OK(reeve_worker_start(s->worker));
    push_with(s, (struct reeve_push){.id = "a", .kind = "fax", .attempts_max = 1});
    push_with(s, (struct reeve_push){.id = "b", .kind = "mail"});
    await_state(s, "a", REEVE_FAILED);
    await_state(s, "b", REEVE_DONE);
    check_error(s, "a", "no_handler");
}

static void what_is_handed_back_is_not_counted_and_no_hot_loop(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.threads = 1;
    push(s, "a");
    s->gate.verdict = REEVE_HAND_BACK;
    atomic_store(&s->gate.open, true);
    int64_t from = elapsed_ms();
    start_gate(s, options, ignore);
    await_entered(s, 4); /* pauses of 250, 500 and 1000 ms */
    CHECK_BETWEEN(elapsed_ms() - from, 1700, SOON_MS);
    CHECK_INT(stats(s).retried_total, 0);
    end_worker(s, SOON_MS);
    struct reeve_job *job = get(s, "a");
    CHECK_INT(job->state, REEVE_READY);
    CHECK_INT(job->attempt, 0);
    reeve_free(job);
}

/* ---- time-outs ---- */
static void a_timed_out_function_keeps_its_thread(void **state) { /* T39 A124 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.threads = 1;
    push_with(s, (struct reeve_push){.id = "a", .timeout_ms = 20, .attempts_max = 1});
    push(s, "b");
    s->gate.verdict = REEVE_RETRY;
    start_gate(s, options, ignore);
    await_stop(s, REEVE_STOP_TIMEOUT);
    check_state(s, "b", REEVE_READY);
    reeve_worker_stop(s->worker, 0); /* waits for it all the same */
    CHECK_FAILS(reeve_worker_wait(s->worker, 50), REEVE_ETIMEDOUT);
    atomic_store(&s->gate.open, true);
    end_worker(s, 0);
    check_state(s, "a", REEVE_FAILED);
    check_error(s, "a", "timeout");
    CHECK_INT(atomic_load(&s->gate.most), 1);
}

static void the_worker_has_a_timeout_for_jobs_without(void **state) { /* A123 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.timeout_ms = 20;
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 1});
    s->gate.verdict = REEVE_HAND_BACK; /* cannot have its attempt uncounted */
    start_gate(s, options, obey);
    await_state(s, "a", REEVE_FAILED);
    check_error(s, "a", "timeout");
}

static void success_stands_though_it_was_late(void **state) {
    struct scene *s = *state;
    push_with(s, (struct reeve_push){.id = "a", .timeout_ms = 20, .attempts_max = 1});
    s->gate.verdict = REEVE_SUCCEED;
    start_gate(s, options_of(s), obey);
    await_state(s, "a", REEVE_DONE);
    CHECK_INT(atomic_load(&s->gate.stop), REEVE_STOP_TIMEOUT);
}

/* ---- the end ---- */
static void stopping_waits_for_the_running_job(void **state) { /* A113 T11 */
    struct scene *s = *state;
    push(s, "a");
    start_gate(s, options_of(s), ignore);
    await_entered(s, 1);
    reeve_worker_stop(s->worker, SOON_MS);
    await_stop(s, REEVE_STOP_DRAINING);
    CHECK_FAILS(reeve_worker_wait(s->worker, 20), REEVE_ETIMEDOUT);
    check_state(s, "a", REEVE_RUNNING);
    atomic_store(&s->gate.open, true);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    check_state(s, "a", REEVE_DONE);
}

static void nothing_is_claimed_after_stop(void **state) {
    struct scene *s = *state;
    push(s, "a");
    start_gate(s, options_of(s), ignore);
    await_entered(s, 1);
    reeve_worker_stop(s->worker, SOON_MS);
    await_stop(s, REEVE_STOP_DRAINING);
    push(s, "b");
    atomic_store(&s->gate.open, true);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    check_state(s, "b", REEVE_READY);
    CHECK_INT(atomic_load(&s->gate.entered), 1);
}

static void what_was_not_begun_is_handed_back(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.threads = 1;
    options.prefetch = 3;
    push_many(s, 4);
    start_gate(s, options, ignore);
    await_entered(s, 1);
    await_state(s, "j3", REEVE_RUNNING);
    reeve_worker_stop(s->worker, SOON_MS);
    await_state(s, "j3", REEVE_READY); /* at once, while the other still runs */
    check_attempts(s, "j3", 0, 1);
    check_state(s, "j0", REEVE_RUNNING);
    atomic_store(&s->gate.open, true);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    CHECK_INT(stats(s).ready, 3);
    CHECK_INT(stats(s).done, 1);
}

static void a_told_function_can_hand_back(void **state) {
    struct scene *s = *state;
    push(s, "a");
    s->gate.verdict = REEVE_HAND_BACK;
    start_gate(s, options_of(s), obey);
    await_entered(s, 1);
    end_worker(s, 0);
    CHECK_INT(atomic_load(&s->gate.stop), REEVE_STOP_DRAINING);
    check_state(s, "a", REEVE_READY);
    check_attempts(s, "a", 0, 1);
}

static void a_stopped_worker_is_followed_by_another(void **state) { /* A100 A127 */
    struct scene *s = *state;
    for (int i = 0; i < 3; i++) {
        char id[] = {'a', (char)('0' + i), '\0'};
        start(s, options_of(s), succeed, NULL);
        push(s, id);
        await_state(s, id, REEVE_DONE);
        end_worker(s, SOON_MS);
    }
}

static void a_worker_is_started_once(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), succeed, NULL);
    CHECK_FAILS(reeve_worker_start(s->worker), REEVE_ESTATE);
    CHECK_FAILS(reeve_worker_handle(s->worker, "k", succeed, NULL), REEVE_ESTATE);
    end_worker(s, 0);
    struct reeve_worker_options options = options_of(s);
    CHECK_OK(reeve_worker_open(&s->worker, s->r, &options));
    CHECK_FAILS(reeve_worker_wait(s->worker, 0), REEVE_ESTATE);
    CHECK_OK(reeve_worker_handle(s->worker, "k", succeed, NULL));
    CHECK_FAILS(reeve_worker_handle(s->worker, "k", succeed, NULL), REEVE_EINVAL);
    CHECK_FAILS(reeve_worker_handle(s->worker, "bad kind", succeed, NULL), REEVE_EINVAL);
    reeve_worker_stop(s->worker, 0); /* nothing to stop */
}

static void it_ends_after_so_many_jobs(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    atomic_int count = 0;
    options.jobs_max = 3;
    push_many(s, 10);
    start(s, options, succeed, &count);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    CHECK_INT(atomic_load(&count), 3);
    CHECK_INT(stats(s).done, 3);
    CHECK_INT(stats(s).ready, 7);
}

static void it_ends_when_all_is_done(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.until_empty = true;
    push_many(s, 5);
    push_with(s, (struct reeve_push){.id = "later", .delay_ms = 300});
    start(s, options, succeed, NULL);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    CHECK_INT(stats(s).done, 6);
}

static void it_waits_for_what_others_have_in_hand(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    static const char *const queues[] = {"q", NULL};
    reeve_task *task;
    push(s, "a");
    CHECK_OK(reeve_claim(s->r, queues, 30000, 0, &task));
    options.until_empty = true;
    start(s, options, succeed, NULL);
    await_calls(s, RV_OP_STATS, 2);
    CHECK_FAILS(reeve_worker_wait(s->worker, 0), REEVE_ETIMEDOUT);
    CHECK_OK(reeve_finish(task, REEVE_HAND_BACK));
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    check_state(s, "a", REEVE_DONE);
}

/* ---- in between ---- */
static void quiet_takes_no_new_jobs(void **state) {
    struct scene *s = *state;
    push(s, "a");
    start_gate(s, options_of(s), ignore);
    await_entered(s, 1);
    reeve_worker_quiet(s->worker, true);
    push(s, "b");
    atomic_store(&s->gate.open, true);
    await_state(s, "a", REEVE_DONE);
    check_state(s, "b", REEVE_READY);
    reeve_worker_quiet(s->worker, false);
    await_state(s, "b", REEVE_DONE);
}

static void a_paused_queue_waits(void **state) {
    struct scene *s = *state;
    CHECK_OK(reeve_pause(s->r, "q", true));
    push(s, "a");
    start(s, options_of(s), succeed, NULL);
    await_calls(s, RV_OP_EXCHANGE, 1);
    check_state(s, "a", REEVE_READY);
    CHECK_OK(reeve_pause(s->r, "q", false));
    await_state(s, "a", REEVE_DONE);
}

static void a_delayed_job_runs_when_it_is_due(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), succeed, NULL);
    int64_t from = elapsed_ms();
    push_with(s, (struct reeve_push){.id = "a", .delay_ms = 200});
    await_state(s, "a", REEVE_DONE);
    CHECK_BETWEEN(elapsed_ms() - from, 150, 5000);
}

static int count_workers(void *arg, const struct reeve_worker_info *worker) {
    CHECK_STR(worker->name, "tester");
    CHECK_STR(worker->queues, "q");
    CHECK_INT(worker->threads, 2);
    ++*(int *)arg;
    return 0;
}

static bool one_worker_is_listed(void *arg) {
    int count = 0;
    CHECK_OK(reeve_worker_list(arg, count_workers, &count));
    return count == 1;
}

static void a_worker_is_listed_while_it_lives(void **state) { /* T12 */
    struct scene *s = *state;
    int count = 0;
    start(s, options_of(s), succeed, NULL);
    CHECK(eventually(one_worker_is_listed, s->r, SOON_MS));
    end_worker(s, 0);
    CHECK_OK(reeve_worker_list(s->r, count_workers, &count));
    CHECK_INT(count, 0);
}

struct ids {
    char ids[2][REEVE_NAME_SIZE];
    size_t count;
};

static int note_id(void *arg, const struct reeve_worker_info *worker) {
    struct ids *ids = arg;
    CHECK(ids->count < 2);
    (void)snprintf(ids->ids[ids->count++], REEVE_NAME_SIZE, "%s", worker->id);
    return 0;
}

static bool two_are_listed(void *arg) {
    struct ids ids = {.count = 0};
    CHECK_OK(reeve_worker_list(arg, note_id, &ids));
    return ids.count == 2;
}

static void workers_of_one_name_have_ids_of_their_own(void **state) { /* A120 J5 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    struct ids ids = {.count = 0};
    reeve_worker *other;
    start(s, options, succeed, NULL);
    CHECK_OK(reeve_worker_open(&other, s->r, &options));
    CHECK_OK(reeve_worker_handle(other, NULL, succeed, NULL));
    CHECK_OK(reeve_worker_start(other));
    CHECK(eventually(two_are_listed, s->r, SOON_MS));
    CHECK_OK(reeve_worker_list(s->r, note_id, &ids));
    CHECK(strcmp(ids.ids[0], ids.ids[1]) != 0);
    reeve_worker_close(other);
}

static void a_dump_tells_what_each_thread_does(void **state) {
    struct scene *s = *state;
    push(s, "a b");
    start_gate(s, options_of(s), ignore);
    await_entered(s, 1);
    reeve_worker_dump(s->worker);
    CHECK_INT(log_count(s, "worker.thread"), 2);
    CHECK_INT(log_count(s, "state=idle"), 1);
    CHECK_INT(log_count(s, "state=busy queue=q id=\"a b\" kind=default attempt=1 seconds="), 1);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(a_job_is_run_and_its_result_kept),
        SCENE_TEST(an_empty_result_is_a_result),
        SCENE_TEST(a_result_of_a_mebibyte_is_kept),
        SCENE_TEST(a_result_over_the_limit_is_refused),
        SCENE_TEST(every_job_runs_once_on_many_threads),
        SCENE_TEST(as_many_at_once_as_threads),
        SCENE_TEST(a_slow_job_blocks_no_other),
        SCENE_TEST(the_most_urgent_queue_is_served_first),
        SCENE_TEST(a_job_may_fail_twice_and_then_succeed),
        SCENE_TEST(attempts_come_to_an_end),
        SCENE_TEST(giving_up_ends_at_the_first_attempt),
        SCENE_TEST(a_kind_without_a_handler_fails),
        SCENE_TEST(what_is_handed_back_is_not_counted_and_no_hot_loop),
        SCENE_TEST(a_timed_out_function_keeps_its_thread),
        SCENE_TEST(the_worker_has_a_timeout_for_jobs_without),
        SCENE_TEST(success_stands_though_it_was_late),
        SCENE_TEST(stopping_waits_for_the_running_job),
        SCENE_TEST(nothing_is_claimed_after_stop),
        SCENE_TEST(what_was_not_begun_is_handed_back),
        SCENE_TEST(a_told_function_can_hand_back),
        SCENE_TEST(a_stopped_worker_is_followed_by_another),
        SCENE_TEST(a_worker_is_started_once),
        SCENE_TEST(it_ends_after_so_many_jobs),
        SCENE_TEST(it_ends_when_all_is_done),
        SCENE_TEST(it_waits_for_what_others_have_in_hand),
        SCENE_TEST(quiet_takes_no_new_jobs),
        SCENE_TEST(a_paused_queue_waits),
        SCENE_TEST(a_delayed_job_runs_when_it_is_due),
        SCENE_TEST(a_worker_is_listed_while_it_lives),
        SCENE_TEST(workers_of_one_name_have_ids_of_their_own),
        SCENE_TEST(a_dump_tells_what_each_thread_does),
    };
    return SCENE_MAIN(argc, argv, tests);
}
