/* Queues and the store as a whole through the public calls: bounds, purges, checks, the doctor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/scene.h"

/* ---- bounds ---- */
static void a_bound_is_told_to_who_pushes(void **state) {
    struct scene *s = *state;
    struct reeve_queue_settings settings = {.size = sizeof settings, .max_length = 2};
    CHECK_OK(reeve_queue_set(s->r, "q", &settings));
    push_many(s, 2);
    struct reeve_push push = {.size = sizeof push, .queue = "q", .id = "more"};
    struct reeve_pushed out = {.size = sizeof out};
    CHECK_FAILS(reeve_push(s->r, &push, &out), REEVE_EFULL);
    CHECK_STR(reeve_errmsg(), "queue q is full");
    struct reeve_push pushes[] = {push, {.size = sizeof push, .queue = "q", .id = "j0"}};
    struct reeve_pushed outs[] = {{.size = sizeof out}, {.size = sizeof out}};
    CHECK_FAILS(reeve_push_many(s->r, pushes, 2, outs), REEVE_EFULL);
    CHECK_INT(outs[0].error, REEVE_EFULL);
    CHECK_INT(outs[1].status, REEVE_DUPLICATE);
    CHECK_INT(stats(s).refused_total, 2);
    settings.on_full = REEVE_DROP_OLDEST;
    CHECK_OK(reeve_queue_set(s->r, "q", &settings));
    CHECK_OK(reeve_push(s->r, &push, &out));
    CHECK_INT(stats(s).dropped_total, 1);
    struct reeve_job *job;
    CHECK_FAILS(reeve_get(s->r, "q", "j0", &job), REEVE_ENOENT);
}

static void settings_are_checked(void **state) {
    struct scene *s = *state;
    struct reeve_queue_settings settings = {.max_length = 2};
    CHECK_FAILS(reeve_queue_set(s->r, "q", &settings), REEVE_EINVAL); /* no size */
    settings = (struct reeve_queue_settings){.size = sizeof settings, .max_length = -2};
    CHECK_FAILS(reeve_queue_set(s->r, "q", &settings), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "max_length") != NULL);
    settings = (struct reeve_queue_settings){.size = sizeof settings, .keep_failed = -2};
    CHECK_FAILS(reeve_queue_set(s->r, "q", &settings), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "keep_failed") != NULL);
    settings = (struct reeve_queue_settings){.size = sizeof settings, .on_full = 3};
    CHECK_FAILS(reeve_queue_set(s->r, "q", &settings), REEVE_EINVAL);
    CHECK(strstr(reeve_errmsg(), "on_full") != NULL);
    settings = (struct reeve_queue_settings){.size = sizeof settings};
    CHECK_FAILS(reeve_queue_set(s->r, "no such name", &settings), REEVE_EINVAL);
    CHECK_OK(reeve_queue_set(s->r, "q", &settings));
}

/* ---- purge ---- */
static void a_purge_removes_all_of_a_state(void **state) {
    struct scene *s = *state;
    uint64_t removed = 99;
    CHECK_FAILS(reeve_queue_purge(s->r, "q", 0, &removed), REEVE_ENOENT);
    push_many(s, 450);
    push_with(s, (struct reeve_push){.id = "delayed", .delay_ms = 60000});
    push_with(s, (struct reeve_push){.id = "cancelled"});
    CHECK_OK(reeve_cancel(s->r, "q", "cancelled", NULL));
    CHECK_OK(reeve_queue_purge(s->r, "q", REEVE_CANCELLED, &removed));
    CHECK_INT(removed, 1);
    CHECK_FAILS(reeve_queue_purge(s->r, "q", REEVE_RUNNING, &removed), REEVE_EINVAL);
    CHECK_OK(reeve_queue_purge(s->r, "q", 0, &removed)); /* all that wait */
    CHECK_INT(removed, 451);
    CHECK_INT(stats(s).ready + stats(s).delayed, 0);
    CHECK_OK(reeve_queue_purge(s->r, "q", 0, NULL));
}

/* ---- check ---- */
static void a_lease_can_be_checked_from_anywhere(void **state) {
    struct scene *s = *state;
    struct rv_exchanged got;
    push(s, "a");
    struct rv_exchange claim = {.queue = "q",
                                .timeout_ms = 5000,
                                .want = 1,
                                .holder = 77,
                                .lease_ms = 30000,
                                .worker = "w"};
    CHECK_OK(rv_store_exchange(s->r->service.store, &claim, &got, NULL));
    CHECK_INT(got.count, 1);
    CHECK_OK(reeve_check(s->r, "q", "a", got.token, 77));
    CHECK_FAILS(reeve_check(s->r, "q", "a", got.token, 78), REEVE_EFENCED);
    CHECK_FAILS(reeve_check(s->r, "q", "a", got.token + 1, 77), REEVE_EFENCED);
    CHECK_FAILS(reeve_check(s->r, "q", "b", got.token, 77), REEVE_ENOENT);
    rv_exchanged_release(&got);
}

/* ---- doctor ---- */
struct visit {
    int count, bad, stop_after; /* stop_after 0: never */
    enum reeve_health leases, workers, reachable;
    char text[512]; /* of the last that was not fine */
};

static int hear(void *arg, const struct reeve_finding *finding) {
    struct visit *visit = arg;
    visit->count++;
    visit->bad += finding->health == REEVE_BAD;
    if (finding->health != REEVE_FINE)
        (void)snprintf(visit->text, sizeof visit->text, "%s", finding->text);
    if (strcmp(finding->check, "leases") == 0) visit->leases = finding->health;
    if (strcmp(finding->check, "workers") == 0) visit->workers = finding->health;
    if (strcmp(finding->check, "reachable") == 0) visit->reachable = finding->health;
    return visit->stop_after && visit->count == visit->stop_after;
}

static struct visit visit(struct scene *s, bool repair) {
    struct visit visit = {0};
    CHECK_OK(reeve_doctor(s->r, repair, hear, &visit));
    return visit;
}

static void a_store_at_work_is_well(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), succeed, NULL);
    push_many(s, 20);
    await_done(s, 20);
    await_calls(s, RV_OP_BEAT, 1);
    struct visit found = visit(s, false);
    CHECK_INT(found.bad, 0);
    CHECK_INT(found.reachable, REEVE_FINE);
    CHECK_INT(found.leases, REEVE_FINE);
    CHECK_INT(found.workers, REEVE_FINE);
    struct visit brief = {.stop_after = 2};
    CHECK_OK(reeve_doctor(s->r, false, hear, &brief));
    CHECK_INT(brief.count, 2);
    CHECK(found.count > 2);
    end_worker(s, 0);
}

static void leases_that_nobody_tends_are_found_and_tended(void **state) {
    struct scene *s = *state;
    static const char *const queues[] = {"q", NULL};
    reeve_task *task;
    push(s, "a");
    CHECK_OK(reeve_claim(s->r, queues, 1000, 0, &task));
    reeve_task_drop(task);
    move_clock(s, 20000);
    CHECK_INT(visit(s, false).leases, REEVE_FINE); /* over, but not for long */
    move_clock(s, 20000);
    struct visit found = visit(s, false);
    CHECK_INT(found.leases, REEVE_BAD);
    CHECK(strstr(found.text, "1 running job") != NULL);
    check_state(s, "a", REEVE_RUNNING); /* looking changes nothing */
    CHECK_INT(visit(s, true).leases, REEVE_REPAIRED);
    check_state(s, "a", REEVE_DELAYED);
    CHECK_INT(visit(s, false).leases, REEVE_FINE);
}

static void jobs_without_workers_are_doubtful(void **state) {
    struct scene *s = *state;
    CHECK_INT(visit(s, false).workers, REEVE_FINE); /* nothing waits */
    push(s, "a");
    CHECK_INT(visit(s, false).workers, REEVE_DOUBTFUL);
    CHECK_OK(reeve_pause(s->r, "q", true));
    CHECK_INT(visit(s, false).workers, REEVE_FINE); /* and is not meant to run */
    struct rv_worker_row row = {.id = "w", .name = "w", .queues = "q"};
    CHECK_OK(rv_store_beat(s->r->service.store, &row, 60000, NULL));
    CHECK_OK(reeve_pause(s->r, "q", false));
    CHECK_INT(visit(s, false).workers, REEVE_FINE);
    row.degraded_since_ms = 1;
    CHECK_OK(rv_store_beat(s->r->service.store, &row, 60000, NULL));
    CHECK_INT(visit(s, false).workers, REEVE_DOUBTFUL);
}

static void a_store_that_is_away_is_the_finding(void **state) {
    struct scene *s = *state;
    fail_for_ever(s, 0);
    struct visit found = visit(s, true);
    CHECK_INT(found.count, 1);
    CHECK_INT(found.reachable, REEVE_BAD);
    heal(s);
    fail_for_ever(s, RV_OP_EXAMINE);
    found = visit(s, false);
    CHECK_INT(found.bad, 1);
    CHECK(strstr(found.text, "examine") != NULL);
    heal(s);
    CHECK_INT(visit(s, false).bad, 0);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        SCENE_TEST(a_bound_is_told_to_who_pushes),
        SCENE_TEST(settings_are_checked),
        SCENE_TEST(a_purge_removes_all_of_a_state),
        SCENE_TEST(a_lease_can_be_checked_from_anywhere),
        SCENE_TEST(a_store_at_work_is_well),
        SCENE_TEST(leases_that_nobody_tends_are_found_and_tended),
        SCENE_TEST(jobs_without_workers_are_doubtful),
        SCENE_TEST(a_store_that_is_away_is_the_finding),
    };
    return SCENE_MAIN(argc, argv, tests);
}
