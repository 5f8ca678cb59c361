/* Several processes on one store: what one writes the others see and hear of. */
#include <signal.h>

#include "harness/eventually.h"
#include "store/child.h"
#include "store/topics.h"

enum { LONG_MS = 30000, SOON_MS = 15000 }; /* a process has to start, perhaps under a sanitizer */

static struct rv_bell wait_until(struct fixture *f, struct rv_bell bell,
                                 bool (*rang)(struct rv_bell)) {
    int64_t until = elapsed_ms() + LONG_MS;
    while (!rang(bell) && elapsed_ms() < until)
        CHECK_CALL(f, rv_store_wait(handle(f), &bell, 1, LONG_MS, &f->err));
    return bell;
}

static bool is_ready(struct rv_bell bell) {
    return bell.ready;
}

static bool has_ended(struct rv_bell bell) {
    return bell.ended > 0;
}

static void a_push_of_another_process_rings(struct fixture *f) { /* A34 */
    int64_t begun = elapsed_ms();
    pid_t pid = child_start(f, "push", 1);
    struct rv_bell bell = {.queue = "jobs", .want_ready = true};
    CHECK(wait_until(f, bell, is_ready).ready);
    CHECK(elapsed_ms() - begun < SOON_MS);
    CHECK_INT(child_wait(pid), 0);
    f->expected.pushed++;
    CHECK_INT(claim_up_to(f, "w", 5).got.count, 1);
}

static void an_end_in_another_process_rings(struct fixture *f) { /* T49 A56 */
    (void)push(f, "a");
    int64_t begun = elapsed_ms();
    pid_t pid = child_start(f, "work", 1);
    CHECK(wait_until(f, (struct rv_bell){.queue = "jobs"}, has_ended).ended > 0);
    CHECK(elapsed_ms() - begun < SOON_MS);
    CHECK_STATE(f, "a", REEVE_DONE);
    CHECK_INT(child_wait(pid), 0);
    f->expected.finished++;
}

static void a_process_that_dies_loses_no_job(struct fixture *f) { /* A87 A95 T13b */
    (void)push(f, "a");
    CHECK_INT(child_wait(child_start(f, "crash", 1)), -SIGKILL);
    const struct reeve_job *job = read_job(f, "a");
    CHECK_INT(job->state, REEVE_RUNNING);
    CHECK_STR(job->worker, "child");
    CHECK_NOTHING_TO_CLAIM(f);
    CHECK_INT(recover(f), 1);
    CHECK_INT(claim_as(f, "w", "a").job->attempt, 2);
}

static void many_processes_run_each_job_once(struct fixture *f) { /* A112 A39 */
    enum { PUSHERS = 3, WORKERS = 3, EACH = 20 };
    pid_t pids[PUSHERS + WORKERS];
    for (int i = 0; i < PUSHERS; i++)
        pids[i] = child_start(f, "push", EACH);
    for (int i = PUSHERS; i < PUSHERS + WORKERS; i++)
        pids[i] = child_start(f, "work", PUSHERS * EACH);
    for (int i = 0; i < PUSHERS + WORKERS; i++)
        CHECK_INT(child_wait(pids[i]), 0); /* a worker that was fenced has failed */
    f->expected.pushed = f->expected.finished = PUSHERS * EACH;
    CHECK_INT(stats(f).done, PUSHERS * EACH);
}

static const struct store_test tests[] = {
    TEST_NEEDING(RV_CAP_SHARED, a_push_of_another_process_rings),
    TEST_NEEDING(RV_CAP_SHARED, an_end_in_another_process_rings),
    TEST_NEEDING(RV_CAP_SHARED, a_process_that_dies_loses_no_job),
    TEST_NEEDING(RV_CAP_SHARED, many_processes_run_each_job_once),
    {0},
};

const struct topic topic_processes = {"processes", tests};
