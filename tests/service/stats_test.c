/* A worker's own figures: they add up, they are told, and they say whether it is well. */
#include <string.h>

#include "service/scene.h"

static struct reeve_worker_stats stats_of(struct scene *s) {
    struct reeve_worker_stats stats = {.size = sizeof stats};
    CHECK_OK(reeve_worker_stats(s->worker, &stats));
    return stats;
}

static uint64_t settled(const struct reeve_worker_stats *stats) {
    return stats->succeeded + stats->failed + stats->handed_back + stats->cancelled + stats->lost;
}

struct expected {
    struct scene *s;
    uint64_t settled;
};

static bool is_settled(void *arg) {
    struct expected *expected = arg;
    struct reeve_worker_stats stats = stats_of(expected->s);
    return settled(&stats) >= expected->settled;
}

static struct reeve_worker_stats await_settled(struct scene *s, uint64_t count) {
    struct expected expected = {.s = s, .settled = count};
    CHECK(eventually(is_settled, &expected, SOON_MS));
    return stats_of(s);
}

/* The kind says what is to become of it. */
static enum reeve_verdict as_told(void *arg, reeve_task *task) {
    const char *kind = reeve_task_job(task)->kind;
    (void)arg;
    if (!strcmp(kind, "wait"))
        while (!reeve_task_sleep(task, SOON_MS)) {
        }
    if (!strcmp(kind, "retry")) return REEVE_RETRY;
    if (!strcmp(kind, "give_up")) return REEVE_GIVE_UP;
    return !strcmp(kind, "good") ? REEVE_SUCCEED : REEVE_HAND_BACK;
}

static void every_end_is_counted(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.threads = 4;
    for (int i = 0; i < 5; i++)
        push_with(s, (struct reeve_push){.kind = "good"});
    push_with(s, (struct reeve_push){
                     .kind = "retry", .id = "r", .attempts_max = 2, .backoff_ms = REEVE_NONE});
    push_with(s, (struct reeve_push){.kind = "give_up", .id = "g"});
    push_with(s, (struct reeve_push){.kind = "wait", .id = "c"});
    start(s, options, as_told, NULL);
    await_state(s, "c", REEVE_RUNNING);
    CHECK_OK(reeve_cancel(s->r, "q", "c", NULL));
    struct reeve_worker_stats stats = await_settled(s, 9);
    CHECK_INT(stats.succeeded, 5);
    CHECK_INT(stats.failed, 3); /* an attempt that is retried is one, too */
    CHECK_INT(stats.cancelled, 1);
    CHECK_INT(stats.claimed, 9);
    CHECK_INT(stats.lost, 0);
    CHECK_INT(stats.running, 0);
}

/* The store knows of a claim before the worker that made it does. */
static bool has_one_running(void *arg) {
    return stats_of(arg).running == 1;
}

static void what_is_handed_back_is_counted(void **state) {
    struct scene *s = *state;
    push_with(s, (struct reeve_push){.id = "a", .kind = "wait"});
    start(s, options_of(s), as_told, NULL);
    CHECK(eventually(has_one_running, s, SOON_MS));
    struct reeve_worker_stats stats = stats_of(s);
    CHECK_INT(stats.claimed, 1);
    CHECK_INT(stats.running, 1);
    reeve_worker_stop(s->worker, SOON_MS);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    stats = stats_of(s); /* an ended worker still tells */
    CHECK_INT(stats.handed_back, 1);
    CHECK_INT(stats.running, 0);
    CHECK_INT(settled(&stats), stats.claimed);
}

static void what_is_lost_is_counted(void **state) {
    struct scene *s = *state;
    struct reeve_tended tended = {.size = sizeof tended};
    push_with(s, (struct reeve_push){.id = "a", .backoff_ms = 3600000});
    start_gate(s, options_of(s), ignore);
    await_entered(s, 1);
    fail_for_ever(s, RV_OP_RENEW);
    move_clock(s, 30001);
    CHECK_OK(reeve_tend(s->r, &tended));
    CHECK_INT(tended.lapsed, 1);
    atomic_store(&s->gate.open, true);
    struct reeve_worker_stats stats = await_settled(s, 1);
    CHECK_INT(stats.lost, 1); /* it succeeded, and nobody wants to know */
    CHECK_INT(stats.succeeded, 0);
}

/* ---- health ---- */
static bool is_well(void *arg) {
    return stats_of(arg).since_claim_ms < 5000;
}

static void an_idle_worker_is_well(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), succeed, NULL);
    await_calls(s, RV_OP_EXCHANGE, 1);
    for (int i = 0; i < 5; i++) {
        move_clock(s, 11000); /* it looks every ten seconds */
        reeve_worker_quiet(s->worker, false);
        CHECK(eventually(is_well, s, SOON_MS));
    }
}

static void a_worker_whose_store_is_away_is_not_well(void **state) {
    struct scene *s = *state;
    start(s, options_of(s), succeed, NULL);
    await_calls(s, RV_OP_EXCHANGE, 1);
    fail_for_ever(s, 0);
    uint64_t claims = calls(s, RV_OP_EXCHANGE);
    move_clock(s, 60000);
    reeve_worker_quiet(s->worker, false);
    await_calls(s, RV_OP_EXCHANGE, claims + 2); /* one that was on its way may go well */
    move_clock(s, 60000);
    CHECK_BETWEEN(stats_of(s).since_claim_ms, 60000, 120000 + SOON_MS);
    heal(s);
    CHECK(eventually(is_well, s, SOON_MS));
}

/* It does not claim, for it could not take more; that is no sign of illness. */
static void a_full_worker_is_well(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.lease_ms = 24 * 3600 * 1000;
    options.threads = 1;
    push(s, "a");
    start_gate(s, options, ignore);
    await_entered(s, 1);
    for (int i = 0; i < 3; i++) {
        move_clock(s, 60000);
        CHECK_BETWEEN(stats_of(s).since_claim_ms, 60000, 60000 + SOON_MS);
        reeve_worker_quiet(s->worker, false); /* it wakes up for a beat */
        CHECK(eventually(is_well, s, SOON_MS));
    }
    fail_for_ever(s, RV_OP_BEAT); /* now it cannot know, but for a beat that was on its way */
    for (int i = 0; i < 2; i++) {
        move_clock(s, 60000);
        uint64_t beats = calls(s, RV_OP_BEAT);
        reeve_worker_quiet(s->worker, false);
        await_calls(s, RV_OP_BEAT, beats + 1);
    }
    CHECK(!is_well(s));
}

/* ---- the callback ---- */
struct told {
    atomic_int calls;
    atomic_int claimed;
    atomic_bool wrong;
};

static void hear(void *arg, const struct reeve_worker_stats *stats) {
    struct told *told = arg;
    if (stats->size != sizeof *stats || settled(stats) > stats->claimed)
        atomic_store(&told->wrong, true);
    atomic_store(&told->claimed, (int)stats->claimed);
    atomic_fetch_add(&told->calls, 1);
}

static bool was_called_twice(void *arg) {
    struct told *told = arg;
    return atomic_load(&told->calls) >= 2;
}

static void somebody_is_told_every_so_often(void **state) {
    struct scene *s = *state;
    struct told told = {.calls = 0};
    struct reeve_worker_options options = options_of(s);
    options.stats = hear;
    options.stats_arg = &told;
    options.stats_ms = 10;
    push_many(s, 50);
    start(s, options, succeed, NULL);
    await_done(s, 50);
    CHECK(eventually(was_called_twice, &told, SOON_MS));
    end_worker(s, 0);
    CHECK(!atomic_load(&told.wrong));
}

static void the_last_figures_are_told_at_the_end(void **state) {
    struct scene *s = *state;
    struct told told = {.calls = 0};
    struct reeve_worker_options options = options_of(s);
    options.stats = hear;
    options.stats_arg = &told; /* every ten seconds */
    options.until_empty = true;
    push_many(s, 7);
    start(s, options, succeed, NULL);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    CHECK_BETWEEN(atomic_load(&told.calls), 1, 3);
    CHECK_INT(atomic_load(&told.claimed), 7);
}

static void what_cannot_be_told_is_refused(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    struct reeve_worker_stats stats = {.size = sizeof stats};
    options.stats_ms = -1;
    CHECK_FAILS(reeve_worker_open(&s->worker, s->r, &options), REEVE_EINVAL);
    options.stats_ms = 0;
    CHECK_OK(reeve_worker_open(&s->worker, s->r, &options));
    CHECK_FAILS(reeve_worker_stats(s->worker, &stats), REEVE_ESTATE);
    stats.size = sizeof stats - 1;
    CHECK_FAILS(reeve_worker_stats(s->worker, &stats), REEVE_EINVAL);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(every_end_is_counted),
        SCENE_TEST(what_is_handed_back_is_counted),
        SCENE_TEST(what_is_lost_is_counted),
        SCENE_TEST(an_idle_worker_is_well),
        SCENE_TEST(a_worker_whose_store_is_away_is_not_well),
        SCENE_TEST(a_full_worker_is_well),
        SCENE_TEST(somebody_is_told_every_so_often),
        SCENE_TEST(the_last_figures_are_told_at_the_end),
        SCENE_TEST(what_cannot_be_told_is_refused),
    };
    return SCENE_MAIN(argc, argv, tests);
}
