/* A push and the wait for its end in one call, on every store: whatever becomes of the job, the
 * caller is told as reeve_wait() would tell him. */
#include <sched.h>
#include <string.h>

#include "service/callers.h"

enum { LEASE_MS = 30000, PLACES = 8 };

/* Nothing was told that is not in the store, and nothing is missing. */
static void check_same(struct scene *s, const struct reeve_job *told) {
    struct reeve_job *read = get(s, told->id);
    CHECK_STR(told->queue, read->queue);
    CHECK_STR(told->kind, read->kind);
    CHECK_STR(told->worker, read->worker);
    CHECK_INT(told->state, read->state);
    CHECK_INT(told->priority, read->priority);
    CHECK_INT(told->attempt, read->attempt);
    CHECK_INT(told->attempts_max, read->attempts_max);
    CHECK_INT(told->token, read->token);
    CHECK_INT(told->created_at_ms, read->created_at_ms);
    CHECK_INT(told->run_at_ms, read->run_at_ms);
    CHECK_INT(told->started_at_ms, read->started_at_ms);
    CHECK_INT(told->ended_at_ms, read->ended_at_ms);
    CHECK_INT(told->keep_ms, read->keep_ms);
    CHECK_INT(told->progress, read->progress);
    CHECK_INT(told->log_count, read->log_count);
    CHECK_INT(told->history_count, read->history_count);
    CHECK_INT(!told->error, !read->error);
    CHECK_INT(!told->result, !read->result);
    CHECK_BYTES(told->body, told->body_size, read->body, read->body_size);
    CHECK_BYTES(told->result, told->result_size, read->result, read->result_size);
    reeve_free(read);
}

/* ---- how it ends ---- */
static void the_result_comes_back(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), answer, NULL);
    struct reeve_job *job = call(s, job_of(NULL, "hello"));
    CHECK_INT(job->state, REEVE_DONE);
    CHECK_BYTES(job->result, job->result_size, "hello", 5);
    CHECK_INT(job->attempt, 1);
    CHECK_INT(job->history_count, 1);
    check_same(s, job);
    reeve_free(job);
}

static void a_result_may_be_empty_none_or_large(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), answer, NULL);
    for (int round = 0; round < 2; round++) { /* the second among records that lie elsewhere */
        struct reeve_job *job = call(s, job_of(NULL, ""));
        CHECK(job->result);
        CHECK_INT(job->result_size, 0);
        check_same(s, job);
        reeve_free(job);
        job = call(s, job_of(NULL, "none"));
        CHECK(!job->result);
        check_same(s, job);
        reeve_free(job);
        job = call(s, job_of(NULL, "large"));
        CHECK_BYTES(job->result, job->result_size, large, sizeof large);
        check_same(s, job);
        reeve_free(job);
    }
}

static void a_large_body_is_told_whole(void **state) {
    struct scene *s = *state;
    struct reeve_push push = job_of("big", "");
    push.body = large;
    push.body_size = sizeof large;
    start(s, options_of(s), answer, NULL);
    struct reeve_job *job = call(s, push);
    CHECK_BYTES(job->body, job->body_size, large, sizeof large);
    CHECK_BYTES(job->result, job->result_size, large, sizeof large);
    check_same(s, job);
    reeve_free(job);
}

static enum reeve_verdict tell_progress(void *arg, reeve_task *task) {
    (void)arg;
    if (reeve_task_progress(task, 50) || reeve_task_log(task, "half")) return REEVE_GIVE_UP;
    return REEVE_SUCCEED;
}

static void what_its_handler_noted_is_told(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), tell_progress, NULL);
    struct reeve_job *job = call(s, job_of("noted", ""));
    CHECK_INT(job->state, REEVE_DONE);
    CHECK_INT(job->progress, 50);
    CHECK_INT(job->log_count, 1);
    check_same(s, job);
    reeve_free(job);
}

static void a_failure_comes_back(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), answer, NULL);
    struct reeve_job *job = call(s, job_of(NULL, "fail"));
    CHECK_INT(job->state, REEVE_FAILED);
    CHECK(job->error);
    CHECK_STR(job->error->code, "broken");
    check_same(s, job);
    reeve_free(job);
}

static void retries_are_waited_for(void **state) {
    struct scene *s = *state;
    struct reeve_push push = job_of(NULL, "again");
    push.attempts_max = 3;
    push.backoff_ms = REEVE_NONE;
    start(s, options_of(s), answer, NULL);
    struct reeve_job *job = call(s, push);
    CHECK_INT(job->state, REEVE_DONE);
    CHECK_INT(job->attempt, 3);
    CHECK_INT(job->history_count, 3);
    check_same(s, job);
    reeve_free(job);
}

/* Its holder is gone: whoever tends ends it. */
static void a_lapsed_one_has_failed(void **state) {
    struct scene *s = *state;
    static const char *const queues[] = {"q", NULL};
    struct caller c;
    reeve_task *task;
    begin_call(&c, s, job_of("a", "x"), SOON_MS);
    CHECK_OK(reeve_claim(s->r, queues, LEASE_MS, SOON_MS, &task));
    reeve_task_drop(task);
    move_clock(s, LEASE_MS + 1000);
    CHECK_OK(reeve_tend(s->r, NULL));
    check_end(&c, REEVE_FAILED);
    check_error(s, "a", "lapsed");
}

static void a_cancelled_one_has_ended(void **state) {
    struct scene *s = *state;
    struct caller c;
    begin_known_call(&c, s, job_of("waits", "x"));
    CHECK_OK(reeve_cancel(s->r, "q", "waits", NULL));
    check_end(&c, REEVE_CANCELLED);
    s->gate.verdict = REEVE_RETRY;
    start_gate(s, options_of(s), obey);
    begin_call(&c, s, job_of("runs", "x"), SOON_MS);
    await_entered(s, 1);
    CHECK_OK(reeve_cancel(s->r, "q", "runs", NULL));
    check_end(&c, REEVE_CANCELLED);
}

static void one_that_was_removed_is_not_found(void **state) {
    struct scene *s = *state;
    struct caller c;
    begin_known_call(&c, s, job_of("removed", "x"));
    CHECK_OK(reeve_remove(s->r, "q", "removed"));
    end_call(&c);
    CHECK_FAILS(c.rc, REEVE_ENOENT);
    CHECK(!c.job);
    begin_known_call(&c, s, job_of("purged", "x"));
    CHECK_OK(reeve_queue_purge(s->r, "q", 0, NULL));
    end_call(&c);
    CHECK_FAILS(c.rc, REEVE_ENOENT);
}

static void one_that_made_room_is_not_found(void **state) {
    struct scene *s = *state;
    struct reeve_queue_settings settings = {
        .size = sizeof settings, .max_length = PLACES, .on_full = REEVE_DROP_OLDEST};
    struct caller c;
    CHECK_OK(reeve_queue_set(s->r, "q", &settings));
    begin_known_call(&c, s, job_of("first", "x"));
    for (char id[] = "a"; *id <= 'z'; ++*id) /* enough for each shard */
        push(s, id);
    end_call(&c);
    CHECK_FAILS(c.rc, REEVE_ENOENT);
    CHECK(!c.job);
}

/* ---- what is refused ---- */
static void what_would_not_be_kept_is_refused(void **state) {
    struct scene *s = *state;
    struct reeve_push push = job_of("a", "x");
    struct reeve_job *job = NULL;
    push.keep_ms = REEVE_NONE;
    CHECK_FAILS(reeve_push_wait(s->r, &push, SOON_MS, NULL, &job), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "keep_ms"));
    CHECK(!job);
    push.size = 8; /* less than any version had */
    CHECK_FAILS(reeve_push_wait(s->r, &push, SOON_MS, NULL, &job), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "size"));
    CHECK_FAILS(reeve_get(s->r, "q", "a", &job), REEVE_ENOENT);
}

static void a_full_queue_says_so(void **state) {
    struct scene *s = *state;
    struct reeve_queue_settings settings = {
        .size = sizeof settings, .max_length = PLACES, .on_full = REEVE_REFUSE};
    struct reeve_push push = job_of(NULL, "x");
    struct reeve_job *job = NULL;
    int rc = 0;
    CHECK_OK(reeve_queue_set(s->r, "q", &settings));
    for (int i = 0; i <= PLACES && rc != REEVE_EFULL; i++) {
        rc = reeve_push_wait(s->r, &push, 0, NULL, &job);
        CHECK(rc == REEVE_EFULL || rc == REEVE_ETIMEDOUT);
        CHECK_INT(job != NULL, rc == REEVE_ETIMEDOUT);
        reeve_free(job);
    }
    CHECK_FAILS(rc, REEVE_EFULL);
}

/* ---- time ---- */
static void when_time_is_over_the_record_is_as_it_is(void **state) {
    struct scene *s = *state;
    static const int64_t timeouts_ms[] = {0, 1, 150};
    for (size_t i = 0; i < sizeof timeouts_ms / sizeof *timeouts_ms; i++) {
        struct reeve_push push = job_of(NULL, "late");
        struct reeve_pushed out = {.size = sizeof out};
        struct reeve_job *job = NULL;
        int64_t begun_ms = elapsed_ms();
        CHECK_FAILS(reeve_push_wait(s->r, &push, timeouts_ms[i], &out, &job), REEVE_ETIMEDOUT);
        CHECK(elapsed_ms() - begun_ms >= timeouts_ms[i]);
        CHECK(job);
        CHECK_STR(job->id, out.id);
        CHECK_INT(job->state, REEVE_READY);
        reeve_free(job);
    }
    struct reeve_pushed last = {.size = sizeof last};
    struct reeve_push push = job_of(NULL, "late");
    struct reeve_job *job = NULL;
    CHECK_FAILS(reeve_push_wait(s->r, &push, 10, &last, &job), REEVE_ETIMEDOUT);
    reeve_free(job);
    start(s, options_of(s), answer, NULL);
    CHECK_OK(reeve_wait(s->r, "q", last.id, SOON_MS, &job));
    CHECK_BYTES(job->result, job->result_size, "late", 4);
    reeve_free(job);
    await_done(s, 4);
}

static void without_a_bound_it_waits_on(void **state) {
    struct scene *s = *state;
    struct caller c;
    begin_call(&c, s, job_of("a", "x"), REEVE_NONE);
    if (rv_store_caps(s->r->service.store) & RV_CAP_TELLS) await_calls(s, RV_OP_READ, 2);
    start(s, options_of(s), answer, NULL);
    check_end(&c, REEVE_DONE);
}

/* Its part of the store did not take it at first: it is waited for as ever once that does, not by
 * asking again and again. */
static void one_that_was_taken_late_is_waited_for(void **state) {
    struct scene *s = *state;
    struct caller c;
    fault(s, RV_FAULT_REFUSE_PART, RV_OP_PUSH, 1);
    begin_call(&c, s, job_of(RV_FAULT_AWAY "a", "x"), REEVE_NONE);
    await_calls(s, RV_OP_PUSH, 2);
    await_state(s, RV_FAULT_AWAY "a", REEVE_READY);
    uint64_t before = calls(s, RV_OP_READ);
    int64_t from_ms = elapsed_ms();
    while (elapsed_ms() - from_ms < 300)
        (void)sched_yield();
    CHECK_BETWEEN(calls(s, RV_OP_READ) - before, 0, 100);
    start(s, options_of(s), answer, NULL);
    check_end(&c, REEVE_DONE);
}

/* ---- ids that are known ---- */
static void a_duplicate_waits_for_the_first(void **state) {
    struct scene *s = *state;
    struct caller first, second;
    struct reeve_push same = job_of("same", "x");
    struct reeve_pushed out = {.size = sizeof out};
    struct reeve_job *job = NULL;
    start_gate(s, options_of(s), ignore);
    begin_call(&first, s, same, SOON_MS);
    await_entered(s, 1);
    CHECK_FAILS(reeve_push_wait(s->r, &same, 0, &out, &job), REEVE_ETIMEDOUT);
    CHECK_INT(out.status, REEVE_DUPLICATE);
    CHECK_INT(job->state, REEVE_RUNNING);
    reeve_free(job);
    begin_call(&second, s, same, SOON_MS);
    atomic_store(&s->gate.open, true);
    check_end(&first, REEVE_DONE);
    check_end(&second, REEVE_DONE);
    CHECK_INT(first.out.status, REEVE_QUEUED);
    CHECK(second.out.status == REEVE_DUPLICATE || second.out.status == REEVE_DUPLICATE_DONE);
    CHECK_INT(atomic_load(&s->gate.entered), 1);
}

static void one_that_is_known_is_told_as_it_ended(void **state) {
    struct scene *s = *state;
    struct reeve_push done = job_of("done", "x"), failed = job_of("failed", "fail");
    struct reeve_pushed out = {.size = sizeof out};
    struct reeve_job *job = NULL;
    atomic_int runs = 0;
    start(s, options_of(s), answer, &runs);
    reeve_free(call(s, done));
    reeve_free(call(s, failed));
    CHECK_OK(reeve_push_wait(s->r, &done, SOON_MS, &out, &job));
    CHECK_INT(out.status, REEVE_DUPLICATE_DONE);
    CHECK(!out.done);
    CHECK_BYTES(job->result, job->result_size, "x", 1);
    reeve_free(job);
    CHECK_OK(reeve_push_wait(s->r, &done, 0, NULL, &job)); /* no out to be freed */
    reeve_free(job);
    CHECK_OK(reeve_push_wait(s->r, &failed, SOON_MS, &out, &job));
    CHECK_INT(out.status, REEVE_DUPLICATE);
    CHECK_INT(job->state, REEVE_FAILED);
    reeve_free(job);
    CHECK_INT(atomic_load(&runs), 2);
}

static void a_cancelled_one_is_queued_anew(void **state) {
    struct scene *s = *state;
    push(s, "a");
    CHECK_OK(reeve_cancel(s->r, "q", "a", NULL));
    start(s, options_of(s), answer, NULL);
    struct reeve_job *job = call(s, job_of("a", "anew"));
    CHECK_INT(job->state, REEVE_DONE);
    CHECK_BYTES(job->result, job->result_size, "anew", 4);
    reeve_free(job);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        CALLERS_TEST(the_result_comes_back),
        CALLERS_TEST(a_result_may_be_empty_none_or_large),
        CALLERS_TEST(a_large_body_is_told_whole),
        CALLERS_TEST(what_its_handler_noted_is_told),
        CALLERS_TEST(a_failure_comes_back),
        CALLERS_TEST(retries_are_waited_for),
        CALLERS_TEST(a_lapsed_one_has_failed),
        CALLERS_TEST(a_cancelled_one_has_ended),
        CALLERS_TEST(one_that_was_removed_is_not_found),
        CALLERS_TEST(one_that_made_room_is_not_found),
        CALLERS_TEST(what_would_not_be_kept_is_refused),
        CALLERS_TEST(a_full_queue_says_so),
        CALLERS_TEST(when_time_is_over_the_record_is_as_it_is),
        CALLERS_TEST(without_a_bound_it_waits_on),
        CALLERS_TEST(one_that_was_taken_late_is_waited_for),
        CALLERS_TEST(a_duplicate_waits_for_the_first),
        CALLERS_TEST(one_that_is_known_is_told_as_it_ended),
        CALLERS_TEST(a_cancelled_one_is_queued_anew),
    };
    return SCENE_MAIN(argc, argv, tests);
}
