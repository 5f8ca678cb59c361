/* A worker of one thread that has nothing to do: where the store can, its thread waits there for
 * the next job. Elsewhere it behaves no differently. */
#include <stdio.h>

#include "service/scene.h"
#include "work/worker.h"

enum {
    FIRST = 20,
    JOBS = 50,
    STOPPED_MS = 4000, /* a vigil of its own accord lasts 5 s */
};

static struct reeve_worker_options one_thread(struct scene *s) {
    struct reeve_worker_options options = options_of(s);
    options.threads = 1;
    return options;
}

static bool is_patient(struct scene *s) {
    return rv_store_is_patient(s->r->service.store);
}

static bool keeps_no_vigil(void *scene) {
    const struct scene *s = scene;
    return !atomic_load(&s->worker->exchanger.vigil.lane);
}

static bool keeps_vigil(void *scene) {
    return !keeps_no_vigil(scene);
}

/* It is one of the pool's threads that waits, after a job that was listened for; the first ones may
 * be found without. */
static void start_idle(struct scene *s) {
    bool idle = false;
    start(s, one_thread(s), succeed, NULL);
    for (int i = 0; i < FIRST && !idle; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "first%d", i);
        push(s, id);
        await_state(s, id, REEVE_DONE);
        idle = is_patient(s) ? eventually(keeps_vigil, s, 500) : i == 1;
    }
    CHECK(idle);
}

static void jobs_that_come_one_by_one_are_not_listened_for(void **state) {
    struct scene *s = *state;
    start_idle(s);
    uint64_t before = stats(s).finished_total;
    uint64_t waits = calls(s, RV_OP_WAIT), exchanges = calls(s, RV_OP_EXCHANGE);
    for (int i = 0; i < JOBS; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "j%d", i);
        push(s, id);
        await_state(s, id, REEVE_DONE);
    }
    if (is_patient(s)) CHECK_BETWEEN(calls(s, RV_OP_WAIT) - waits, 0, JOBS / 2);
    CHECK_BETWEEN(calls(s, RV_OP_EXCHANGE) - exchanges, JOBS, 3 * JOBS);
    end_worker(s, SOON_MS);
    CHECK_INT(stats(s).finished_total, before + JOBS);
}

static void a_worker_that_waits_for_a_job_stops_at_once(void **state) {
    struct scene *s = *state;
    start_idle(s);
    int64_t begun_ms = rv_clock_boot_ms(&rv_clock_real);
    end_worker(s, SOON_MS);
    CHECK_BETWEEN(rv_clock_boot_ms(&rv_clock_real) - begun_ms, 0, STOPPED_MS);
}

static void one_that_is_quiet_takes_no_job_until_it_may(void **state) {
    struct scene *s = *state;
    start_idle(s);
    reeve_worker_quiet(s->worker, true);
    CHECK(eventually(keeps_no_vigil, s, SOON_MS));
    push(s, "third");
    check_state(s, "third", REEVE_READY);
    reeve_worker_quiet(s->worker, false);
    await_state(s, "third", REEVE_DONE);
    end_worker(s, SOON_MS);
}

static void a_job_that_falls_due_meanwhile_runs(void **state) {
    struct scene *s = *state;
    start_idle(s);
    push_with(s, (struct reeve_push){.id = "due", .delay_ms = 700});
    await_state(s, "due", REEVE_DONE);
    end_worker(s, SOON_MS);
}

/* The claim may have been made: it is met by the repeat. */
static void a_vigil_whose_answer_is_lost_loses_no_job(void **state) { /* J7 W2 */
    struct scene *s = *state;
    start_idle(s);
    uint64_t before = stats(s).finished_total;
    fault(s, RV_FAULT_LOSE, RV_OP_EXCHANGE, 1);
    push_many(s, 3);
    await_done(s, before + 3);
    end_worker(s, SOON_MS);
    check_attempts(s, "j0", 1, 1);
    check_attempts(s, "j1", 1, 1);
    CHECK_INT(stats(s).lapsed_total, 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(jobs_that_come_one_by_one_are_not_listened_for),
        SCENE_TEST(a_worker_that_waits_for_a_job_stops_at_once),
        SCENE_TEST(one_that_is_quiet_takes_no_job_until_it_may),
        SCENE_TEST(a_job_that_falls_due_meanwhile_runs),
        SCENE_TEST(a_vigil_whose_answer_is_lost_loses_no_job),
    };
    return SCENE_MAIN(argc, argv, tests);
}
