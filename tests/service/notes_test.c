/* What a running job tells of itself under its token, and what a worker tells of itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "service/scene.h"

/* A handler that tells something, then waits at its gate, then tells more. */
struct teller {
    struct gate gate;
    int before, after; /* what the calls returned */
    atomic_int told;
};

static enum reeve_verdict tell(void *arg, reeve_task *task) {
    struct teller *teller = arg;
    teller->before = reeve_task_progress(task, 40);
    if (!teller->before) teller->before = reeve_task_log(task, "fetched");
    atomic_fetch_add(&teller->told, 1);
    (void)ignore(&teller->gate, task);
    teller->after = reeve_task_progress(task, 90);
    atomic_store(&teller->gate.stop, reeve_task_stopping(task));
    atomic_fetch_add(&teller->told, 1);
    return REEVE_SUCCEED;
}

struct expected {
    struct teller *teller;
    int told;
};

static bool has_told(void *arg) {
    struct expected *e = arg;
    return atomic_load(&e->teller->told) >= e->told;
}

static void await_told(struct teller *teller, int count) {
    struct expected e = {teller, count};
    CHECK(eventually(has_told, &e, SOON_MS));
}

static void it_is_seen_while_the_job_runs(void **state) {
    struct scene *s = *state;
    struct teller teller = {.told = 0};
    push(s, "a");
    start(s, options_of(s), tell, &teller);
    await_told(&teller, 1);
    CHECK_OK(teller.before);
    struct reeve_job *job = get(s, "a");
    CHECK_INT(job->state, REEVE_RUNNING);
    CHECK_INT(job->progress, 40);
    CHECK_INT(job->log_count, 1);
    CHECK_STR(job->log[0], "fetched");
    reeve_free(job);
    atomic_store(&teller.gate.open, true);
    await_state(s, "a", REEVE_DONE);
    job = get(s, "a"); /* and afterwards */
    CHECK_INT(job->progress, 90);
    CHECK_INT(job->log_count, 1);
    reeve_free(job);
}

static void who_lost_the_lease_tells_nothing_and_hears_it(void **state) { /* J3 I3 */
    struct scene *s = *state;
    struct teller teller = {.told = 0};
    struct reeve_tended tended = {.size = sizeof tended};
    push_with(s, (struct reeve_push){.id = "a", .backoff_ms = 3600000});
    start(s, options_of(s), tell, &teller);
    await_told(&teller, 1);
    fail_for_ever(s, RV_OP_RENEW); /* the keeper does not hear of it */
    move_clock(s, 30001);
    CHECK_OK(reeve_tend(s->r, &tended));
    CHECK_INT(tended.lapsed, 1);
    atomic_store(&teller.gate.open, true);
    await_told(&teller, 2);
    CHECK_INT(teller.after, REEVE_EFENCED);
    CHECK_INT(atomic_load(&teller.gate.stop), REEVE_STOP_LOST);
    await_log(s, "lease.lost queue=q id=a");
    struct reeve_job *job = get(s, "a");
    CHECK_INT(job->progress, 40);
    reeve_free(job);
    end_worker(s, 0);
    CHECK_INT(log_count(s, "job.fenced"), 0); /* nothing was handed in */
}

static void a_store_that_is_away_is_told_as_such(void **state) {
    struct scene *s = *state;
    struct teller teller = {.told = 0};
    push(s, "a");
    start(s, options_of(s), tell, &teller);
    await_told(&teller, 1);
    fail_for_ever(s, RV_OP_NOTE);
    atomic_store(&teller.gate.open, true);
    await_state(s, "a", REEVE_DONE); /* that it could not tell is its own business */
    CHECK_INT(teller.after, REEVE_EUNREACHABLE);
}

static reeve_task *claim(struct scene *s) {
    const char *const queues[] = {"q", NULL};
    reeve_task *task;
    push(s, "a");
    CHECK_OK(reeve_claim(s->r, queues, 0, SOON_MS, &task));
    return task;
}

static void a_task_by_hand_tells_too(void **state) {
    struct scene *s = *state;
    reeve_task *task = claim(s);
    CHECK_OK(reeve_task_progress(task, 0));
    CHECK_OK(reeve_task_progress(task, 100));
    CHECK_FAILS(reeve_task_progress(task, 101), REEVE_EINVAL);
    CHECK_FAILS(reeve_task_progress(task, -1), REEVE_EINVAL);
    CHECK_FAILS(reeve_task_log(task, NULL), REEVE_EINVAL);
    CHECK_OK(reeve_finish(task, REEVE_SUCCEED));
    struct reeve_job *job = get(s, "a");
    CHECK_INT(job->progress, 100);
    CHECK_INT(job->log_count, 0);
    reeve_free(job);
}

static void a_long_line_is_cut_between_characters(void **state) {
    struct scene *s = *state;
    char line[RV_LOG_LINE_MAX + 100];
    reeve_task *task = claim(s);
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    CHECK_OK(reeve_task_log(task, line));
    memcpy(line + RV_LOG_LINE_MAX - 1, "\xc3\xa4", 2); /* one character across the bound */
    CHECK_OK(reeve_task_log(task, line));
    CHECK_OK(reeve_task_log(task, ""));
    CHECK_OK(reeve_finish(task, REEVE_SUCCEED));
    struct reeve_job *job = get(s, "a");
    CHECK_INT(job->log_count, 3);
    CHECK_INT(strlen(job->log[0]), RV_LOG_LINE_MAX);
    CHECK_INT(strlen(job->log[1]), RV_LOG_LINE_MAX - 1);
    CHECK_STR(job->log[2], "");
    reeve_free(job);
}

static void the_last_lines_are_kept(void **state) {
    struct scene *s = *state;
    char line[32];
    reeve_task *task = claim(s);
    for (int i = 0; i < RV_LOG_LINES_MAX + 3; i++) {
        (void)snprintf(line, sizeof line, "line %d", i);
        CHECK_OK(reeve_task_log(task, line));
    }
    CHECK_OK(reeve_finish(task, REEVE_SUCCEED));
    struct reeve_job *job = get(s, "a");
    CHECK_INT(job->log_count, RV_LOG_LINES_MAX);
    CHECK_STR(job->log[0], "line 3");
    reeve_free(job);
}

/* ---- the worker itself ---- */
struct seen {
    char kinds[256];
    int workers;
};

static int see_kinds(void *arg, const struct reeve_worker_info *worker) {
    struct seen *seen = arg;
    (void)snprintf(seen->kinds, sizeof seen->kinds, "%s", worker->kinds);
    seen->workers++;
    return 0;
}

static void check_kinds(struct scene *s, const char *expected) {
    struct seen seen = {.workers = 0};
    CHECK_OK(reeve_worker_start(s->worker));
    await_calls(s, RV_OP_BEAT, 1);
    await_calls(s, RV_OP_ANNOUNCE, 1); /* after the beat has been answered */
    CHECK_OK(reeve_worker_list(s->r, see_kinds, &seen));
    CHECK_INT(seen.workers, 1);
    CHECK_STR(seen.kinds, expected);
}

static void a_worker_says_which_kinds_it_knows(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    CHECK_OK(reeve_worker_open(&s->worker, s->r, &options));
    CHECK_OK(reeve_worker_handle(s->worker, "mail", succeed, NULL));
    CHECK_OK(reeve_worker_handle(s->worker, "sms", succeed, NULL));
    check_kinds(s, "mail sms");
}

static void a_worker_says_that_it_takes_any_kind(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    CHECK_OK(reeve_worker_open(&s->worker, s->r, &options));
    CHECK_OK(reeve_worker_handle(s->worker, "mail", succeed, NULL));
    CHECK_OK(reeve_worker_handle(s->worker, NULL, succeed, NULL));
    check_kinds(s, "mail *");
}

static void an_unknown_kind_is_said_once(void **state) { /* A130 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    CHECK_OK(reeve_worker_open(&s->worker, s->r, &options));
    CHECK_OK(reeve_worker_handle(s->worker, "mail", succeed, NULL));
    push_with(s, (struct reeve_push){
                     .id = "a", .kind = "sms", .attempts_max = 3, .backoff_ms = REEVE_NONE});
    push_with(s, (struct reeve_push){.id = "b", .kind = "sms", .attempts_max = 1});
    push_with(s, (struct reeve_push){.id = "c", .kind = "fax", .attempts_max = 1});
    CHECK_OK(reeve_worker_start(s->worker));
    await_state(s, "a", REEVE_FAILED);
    await_state(s, "b", REEVE_FAILED);
    await_state(s, "c", REEVE_FAILED);
    check_error(s, "a", "no_handler");
    check_attempts(s, "a", 3, 3); /* each counts, as any that fails */
    CHECK_INT(log_count(s, "kind.unknown queue=q kind=sms"), 1);
    CHECK_INT(log_count(s, "kind.unknown queue=q kind=fax"), 1);
}

struct heard {
    atomic_int started, stopped;
    atomic_bool wrong;
};

static void hear(void *arg, const struct reeve_event *event) {
    struct heard *heard = arg;
    bool worker = event->type == REEVE_WORKER_STARTED || event->type == REEVE_WORKER_STOPPED;
    if (event->type == REEVE_WORKER_STARTED) atomic_fetch_add(&heard->started, 1);
    if (event->type == REEVE_WORKER_STOPPED) atomic_fetch_add(&heard->stopped, 1);
    if (worker && (strcmp(event->worker, "tester") != 0 || event->id[0]))
        atomic_store(&heard->wrong, true);
}

static bool has_heard_the_start(void *arg) {
    struct heard *heard = arg;
    return atomic_load(&heard->started) == 2;
}

static bool has_heard_the_stop(void *arg) {
    struct heard *heard = arg;
    return atomic_load(&heard->stopped) == 2;
}

static void its_start_and_stop_are_told_on_each_queue(void **state) { /* P30-P34 */
    struct scene *s = *state;
    static const char *const queues[] = {"q", "r", NULL};
    struct reeve_worker_options options = options_of(s);
    struct heard heard = {.started = 0};
    reeve_watch *first, *second;
    options.queues = queues;
    CHECK_OK(reeve_watch_open(&first, s->r, "q", hear, &heard));
    CHECK_OK(reeve_watch_open(&second, s->r, "r", hear, &heard));
    await_calls(s, RV_OP_EVENTS, 2);
    start(s, options, succeed, NULL);
    CHECK(eventually(has_heard_the_start, &heard, SOON_MS));
    CHECK_INT(atomic_load(&heard.stopped), 0);
    end_worker(s, 0);
    CHECK(eventually(has_heard_the_stop, &heard, SOON_MS));
    reeve_watch_close(first);
    reeve_watch_close(second);
    CHECK(!atomic_load(&heard.wrong));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(it_is_seen_while_the_job_runs),
        SCENE_TEST(who_lost_the_lease_tells_nothing_and_hears_it),
        SCENE_TEST(a_store_that_is_away_is_told_as_such),
        SCENE_TEST(a_task_by_hand_tells_too),
        SCENE_TEST(a_long_line_is_cut_between_characters),
        SCENE_TEST(the_last_lines_are_kept),
        SCENE_TEST(a_worker_says_which_kinds_it_knows),
        SCENE_TEST(a_worker_says_that_it_takes_any_kind),
        SCENE_TEST(an_unknown_kind_is_said_once),
        SCENE_TEST(its_start_and_stop_are_told_on_each_queue),
    };
    return SCENE_MAIN(argc, argv, tests);
}
