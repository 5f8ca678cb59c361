/* Pushes of many threads sharing steps, on a memory store that fails as planned. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "core/limits.h"
#include "harness/check.h"
#include "harness/eventually.h"
#include "service/gather.h"
#include "store/fault.h"

enum { THREADS = 16, ROUNDS = 200, AT_ONCE = 3, BOUND_MS = 20000 };

struct fixture {
    struct rv_fault_plan plan;
    struct rv_store_ops ops; /* of the store, if it is to serve several steps at a time */
    struct rv_store *store;
    struct rv_gather gather;
};

/* One push of one job, by a thread of its own. */
struct pusher {
    struct fixture *f;
    pthread_t thread;
    char id[32];
    const char *queue;
    int64_t patience_ms; /* 0: there is time */
    struct rv_pushed out;
    int rc;
    struct rv_error err;
    atomic_bool told;
};

static int set_up(void **state) {
    static const struct rv_log log = {.level = REEVE_LOG_ERROR};
    struct rv_store_config config = {
        .space = "s", .timeout_ms = 1000, .log = &log, .clock = &rv_clock_real};
    struct fixture *f = calloc(1, sizeof *f);
    struct rv_store *memory;
    CHECK(f);
    rv_fault_plan_init(&f->plan);
    CHECK_OK(rv_store_open(&memory, "memory:", &config, NULL));
    CHECK_OK(rv_fault_open(&f->store, memory, &f->plan, NULL));
    CHECK_OK(rv_gather_init(&f->gather, f->store, 300));
    *state = f;
    return 0;
}

static void serve(struct fixture *f, size_t at_once, size_t jobs_of_step) {
    rv_gather_release(&f->gather);
    f->ops = *f->store->ops;
    f->ops.push_step.at_once = at_once;
    f->ops.push_step.jobs = jobs_of_step;
    f->store->ops = &f->ops;
    CHECK_OK(rv_gather_init(&f->gather, f->store, 300));
    f->gather.ferries.patience_ms = BOUND_MS; /* or it would hide that nobody is called */
}

static int set_up_ferries(void **state) {
    (void)set_up(state);
    serve(*state, AT_ONCE, 0);
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    rv_gather_release(&f->gather);
    rv_store_close(f->store);
    rv_fault_plan_release(&f->plan);
    free(f);
    return 0;
}

static void *push(void *arg) {
    struct pusher *p = arg;
    struct rv_new_job job = {
        .queue = p->queue,
        .kind = "k",
        .id = p->id,
        .nonce = rv_random_nonzero(&rv_random_system),
        .policy = {.attempts_max = 1, .keep_ms = 1000},
    };
    int64_t until_ms = rv_clock_boot_ms(&rv_clock_real) + p->patience_ms;
    if (p->patience_ms)
        p->rc = rv_gather_push_until(&p->f->gather, &job, until_ms, &p->out, &p->err);
    else
        p->rc = rv_gather_push(&p->f->gather, p->queue, &job, 1, &p->out, &p->err);
    atomic_store(&p->told, true);
    return NULL;
}

static struct pusher pusher(struct fixture *f, const char *id) {
    struct pusher p = {.f = f, .queue = "q"};
    (void)snprintf(p.id, sizeof p.id, "%s", id);
    return p;
}

/* Each has an id of its own. */
static void number(struct fixture *f, struct pusher *pushers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        pushers[i] = pusher(f, "");
        (void)snprintf(pushers[i].id, sizeof pushers[i].id, "job%zu", i);
    }
}

static void start(struct pusher *p) {
    CHECK_INT(pthread_create(&p->thread, NULL, push, p), 0);
}

static void join(struct pusher *p) {
    CHECK_INT(pthread_join(p->thread, NULL), 0);
}

static uint64_t pushed_total(struct fixture *f, const char *queue) {
    struct reeve_queue stats;
    CHECK_OK(rv_store_stats(f->store, queue, &stats, NULL));
    return stats.pushed_total;
}

static void plan(struct fixture *f, enum rv_fault_kind kind, unsigned nth, bool for_ever,
                 int64_t delay_ms) {
    rv_fault_plan_add(&f->plan, (struct rv_fault){.kind = kind,
                                                  .op = RV_OP_PUSH,
                                                  .nth = nth,
                                                  .for_ever = for_ever,
                                                  .delay_ms = delay_ms});
}

/* ---- waiting until callers have lined up behind the one in the store ---- */
struct line {
    struct fixture *f;
    size_t length;
};

static bool is_sending(void *arg) {
    struct line *line = arg;
    return rv_fault_plan_calls(&line->f->plan, RV_OP_PUSH) >= 1;
}

/* The first one holds the store for delay_ms; the others come meanwhile. */
static void push_together(struct fixture *f, struct pusher *pushers, size_t count,
                          int64_t delay_ms) {
    struct line line = {f, 0};
    plan(f, RV_FAULT_DELAY, 1, false, delay_ms);
    start(&pushers[0]);
    CHECK(eventually(is_sending, &line, BOUND_MS));
    for (size_t i = 1; i < count; i++)
        start(&pushers[i]);
    for (size_t i = 0; i < count; i++)
        join(&pushers[i]);
}

static void a_caller_alone_makes_one_call(void **state) {
    struct fixture *f = *state;
    struct pusher p = pusher(f, "a");
    (void)push(&p);
    CHECK_OK(p.rc);
    CHECK_INT(p.out.status, REEVE_QUEUED);
    CHECK_INT(rv_fault_plan_calls(&f->plan, RV_OP_PUSH), 1);
}

static void those_who_come_meanwhile_share_the_next_step(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[THREADS];
    number(f, pushers, THREADS);
    push_together(f, pushers, THREADS, 500);
    for (size_t i = 0; i < THREADS; i++) {
        CHECK_OK(pushers[i].rc);
        CHECK_INT(pushers[i].out.status, REEVE_QUEUED);
    }
    CHECK_INT(pushed_total(f, "q"), THREADS);
    /* The first alone, the rest in one; a thread that started very late may need one more. */
    CHECK_BETWEEN(rv_fault_plan_calls(&f->plan, RV_OP_PUSH), 2, 3);
}

/* Who has to wait for a second step sleeps by what the first one's followers sleep by. */
static void a_line_longer_than_a_step_is_told_whole(void **state) {
    struct fixture *f = *state;
    enum { LINE = 7 }; /* fewer steps than there are gongs */
    struct pusher pushers[LINE];
    serve(f, 1, 2);
    number(f, pushers, LINE);
    push_together(f, pushers, LINE, 500);
    CHECK_INT(pushed_total(f, "q"), LINE);
}

static void answers_go_to_those_who_asked(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[] = {pusher(f, "same"), pusher(f, "same"), pusher(f, "other")};
    push_together(f, pushers, 3, 300);
    CHECK_INT(pushers[0].out.status, REEVE_QUEUED);
    CHECK_INT(pushers[1].out.status, REEVE_DUPLICATE);
    CHECK_INT(pushers[2].out.status, REEVE_QUEUED);
}

static void a_refusal_sinks_nobody_else(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[] = {pusher(f, "first"), pusher(f, "good"), pusher(f, "bad\n"),
                               pusher(f, "fine")};
    push_together(f, pushers, 4, 300);
    CHECK_OK(pushers[0].rc);
    CHECK_OK(pushers[1].rc);
    CHECK_FAILS(pushers[2].rc, REEVE_EINVAL);
    CHECK(strstr(pushers[2].err.text, "control byte"));
    CHECK_OK(pushers[3].rc);
    CHECK_INT(pushed_total(f, "q"), 3);
}

static void queues_do_not_wait_for_each_other(void **state) {
    struct fixture *f = *state;
    struct pusher slow = pusher(f, "slow"), quick = pusher(f, "quick");
    struct line line = {f, 0};
    quick.queue = "another";
    plan(f, RV_FAULT_DELAY, 1, false, 1000);
    start(&slow);
    CHECK(eventually(is_sending, &line, BOUND_MS));
    int64_t before = elapsed_ms();
    (void)push(&quick);
    CHECK(elapsed_ms() - before < 900);
    join(&slow);
    CHECK_OK(slow.rc);
    CHECK_OK(quick.rc);
}

static void a_lost_answer_is_asked_for_again(void **state) {
    struct fixture *f = *state;
    struct pusher p = pusher(f, "a");
    plan(f, RV_FAULT_LOSE, 1, false, 0);
    (void)push(&p);
    CHECK_OK(p.rc);
    CHECK_INT(p.out.status, REEVE_QUEUED); /* J7: the first outcome, not "duplicate" */
    CHECK_INT(pushed_total(f, "q"), 1);
    CHECK_INT(rv_fault_plan_calls(&f->plan, RV_OP_PUSH), 2);
}

static void what_stays_unknown_is_told_as_unsure(void **state) {
    struct fixture *f = *state;
    struct pusher p = pusher(f, "a");
    plan(f, RV_FAULT_LOSE, 1, true, 0);
    int64_t before = elapsed_ms();
    (void)push(&p);
    CHECK_FAILS(p.rc, REEVE_EUNSURE);
    CHECK_FAILS(p.out.error, REEVE_EUNSURE);
    CHECK_BETWEEN(elapsed_ms() - before, 300, BOUND_MS);
}

static void unsure_stays_unsure_when_the_store_goes_away(void **state) {
    struct fixture *f = *state;
    struct pusher p = pusher(f, "a");
    plan(f, RV_FAULT_LOSE, 1, false, 0);
    plan(f, RV_FAULT_REFUSE, 2, true, 0);
    (void)push(&p);
    CHECK_FAILS(p.rc, REEVE_EUNSURE);
}

static void unreachable_is_told_at_once(void **state) {
    struct fixture *f = *state;
    struct pusher p = pusher(f, "a");
    plan(f, RV_FAULT_REFUSE, 1, true, 0);
    (void)push(&p);
    CHECK_FAILS(p.rc, REEVE_EUNREACHABLE);
    CHECK_INT(rv_fault_plan_calls(&f->plan, RV_OP_PUSH), 1);
    CHECK_FAILS(rv_store_stats(f->store, "q", &(struct reeve_queue){0}, NULL), REEVE_ENOENT);
}

static void *push_often(void *arg) {
    struct pusher *first = arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct pusher p = *first;
        (void)snprintf(p.id, sizeof p.id, "%.16s.%d", first->id, i);
        (void)push(&p);
        if (p.rc || p.out.status != REEVE_QUEUED) first->rc = REEVE_EBUG;
    }
    return NULL;
}

/* ---- a part of the store does not answer ---- */
/* A step of three, of which one goes to that part: it is left to him who pushed it. */
static void start_three(struct fixture *f, struct pusher *pushers, enum rv_fault_kind kind) {
    struct line line = {f, 0};
    const char *ids[] = {"first", "a", RV_FAULT_AWAY "b", "c"};
    f->gather.timeout_ms = BOUND_MS;
    plan(f, RV_FAULT_DELAY, 1, false, 100);
    plan(f, kind, 1, true, 0);
    for (size_t i = 0; i < 4; i++)
        pushers[i] = pusher(f, ids[i]);
    start(&pushers[0]);
    CHECK(eventually(is_sending, &line, BOUND_MS));
    for (size_t i = 1; i < 4; i++)
        start(&pushers[i]);
}

static void check_three(struct fixture *f, struct pusher *pushers) {
    join(&pushers[0]);
    join(&pushers[1]);
    join(&pushers[3]); /* or it would wait for as long as the other */
    rv_fault_plan_clear(&f->plan);
    join(&pushers[2]);
    for (size_t i = 0; i < 4; i++) {
        CHECK_OK(pushers[i].rc);
        CHECK_INT(pushers[i].out.status, REEVE_QUEUED);
        CHECK_INT(pushers[i].out.error, 0);
    }
    CHECK_INT(pushed_total(f, "q"), 4);
}

static void who_a_part_does_not_answer_holds_up_nobody(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[4];
    start_three(f, pushers, RV_FAULT_REFUSE_PART);
    check_three(f, pushers);
}

static void what_a_part_took_in_silence_is_met(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[4];
    start_three(f, pushers, RV_FAULT_LOSE_PART);
    check_three(f, pushers);
}

static void a_part_that_stays_away_is_told_of_as_it_is(void **state) {
    struct fixture *f = *state;
    struct pusher p = pusher(f, RV_FAULT_AWAY "a");
    plan(f, RV_FAULT_LOSE_PART, 1, false, 0);
    plan(f, RV_FAULT_REFUSE_PART, 1, true, 0);
    (void)push(&p);
    CHECK_INT(p.rc, REEVE_EUNSURE);
    CHECK_INT(p.out.error, REEVE_EUNSURE); /* it may be there, whatever was told since */
    CHECK(rv_fault_plan_calls(&f->plan, RV_OP_PUSH) > 2);
    CHECK_INT(pushed_total(f, "q"), 1);
}

static void a_crowd_that_comes_again_and_again_is_served(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[THREADS];
    struct reeve_queue stats;
    for (size_t i = 0; i < THREADS; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "%zu", i);
        pushers[i] = pusher(f, id);
        CHECK_INT(pthread_create(&pushers[i].thread, NULL, push_often, &pushers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        join(&pushers[i]);
        CHECK_OK(pushers[i].rc);
    }
    CHECK_OK(rv_store_stats(f->store, "q", &stats, NULL));
    CHECK_INT(stats.ready, THREADS * ROUNDS);
}

/* ---- those who cannot wait for long ---- */
enum { HURRY_MS = 200, HELD_MS = 3000 };

static void who_has_no_time_leaves_the_line(void **state) {
    struct fixture *f = *state;
    struct pusher slow = pusher(f, "slow"), hasty = pusher(f, "hasty");
    struct line line = {f, 0};
    hasty.patience_ms = HURRY_MS;
    plan(f, RV_FAULT_DELAY, 1, false, HELD_MS);
    start(&slow);
    CHECK(eventually(is_sending, &line, BOUND_MS));
    int64_t began_ms = rv_clock_boot_ms(&rv_clock_real);
    (void)push(&hasty);
    CHECK(rv_clock_boot_ms(&rv_clock_real) - began_ms < HELD_MS / 2);
    CHECK_INT(hasty.rc, REEVE_EUNREACHABLE);
    join(&slow);
    CHECK_OK(slow.rc);
    CHECK_INT(pushed_total(f, "q"), 1);
}

/* Who shares the step goes on by himself. */
static void one_in_a_hurry_sinks_nobody(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[] = {pusher(f, "first"), pusher(f, "hasty"), pusher(f, "patient")};
    struct line line = {f, 0};
    pushers[1].patience_ms = HURRY_MS;
    plan(f, RV_FAULT_DELAY, 1, false, HURRY_MS / 2);
    plan(f, RV_FAULT_LOSE, 1, true, 0);
    start(&pushers[0]);
    CHECK(eventually(is_sending, &line, BOUND_MS));
    start(&pushers[1]);
    start(&pushers[2]);
    join(&pushers[1]);
    rv_fault_plan_clear(&f->plan);
    CHECK_INT(pushers[1].rc, REEVE_EUNSURE);
    join(&pushers[2]);
    CHECK_OK(pushers[2].rc);
    CHECK_INT(pushers[2].out.status, REEVE_QUEUED);
    join(&pushers[0]);
}

/* ---- several steps at a time ---- */
enum { UNDER_WAY_MS = 400, HELD_UP_MS = 3000 };

static bool are_under_way(void *arg) {
    struct line *line = arg;
    return rv_fault_plan_calls(&line->f->plan, RV_OP_PUSH) >= line->length;
}

static bool have_come(void *arg) {
    struct line *line = arg;
    return atomic_load(&line->f->gather.ferries.piers[0].callers) == line->length;
}

/* The first AT_ONCE of them are under way, all others at the pier. */
static void come_together(struct fixture *f, struct pusher *pushers, size_t count) {
    for (unsigned i = 1; i <= AT_ONCE; i++)
        plan(f, RV_FAULT_DELAY, i, false, UNDER_WAY_MS);
    for (size_t i = 0; i < count; i++) {
        struct line line = {f, i + 1};
        pushers[i] = pusher(f, "");
        (void)snprintf(pushers[i].id, sizeof pushers[i].id, "job%zu", i);
        start(&pushers[i]);
        CHECK(eventually(i < AT_ONCE ? are_under_way : have_come, &line, BOUND_MS));
    }
    CHECK_INT(rv_fault_plan_calls(&f->plan, RV_OP_PUSH), AT_ONCE);
}

static void join_queued(struct fixture *f, struct pusher *pushers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        join(&pushers[i]);
        CHECK_OK(pushers[i].rc);
        CHECK_INT(pushers[i].out.status, REEVE_QUEUED);
    }
    CHECK_INT(pushed_total(f, "q"), count);
}

static void few_go_each_at_once(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[AT_ONCE];
    come_together(f, pushers, AT_ONCE);
    join_queued(f, pushers, AT_ONCE);
    CHECK_INT(rv_fault_plan_calls(&f->plan, RV_OP_PUSH), AT_ONCE);
}

static void who_waits_at_the_pier_goes_with_the_others(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[THREADS];
    come_together(f, pushers, THREADS);
    join_queued(f, pushers, THREADS);
    CHECK_INT(rv_fault_plan_calls(&f->plan, RV_OP_PUSH), AT_ONCE + 1);
}

/* One step with most of the callers is held up: who comes then is not. */
static void a_step_that_takes_long_holds_up_nobody_else(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[THREADS], late = pusher(f, "late");
    struct line line = {f, AT_ONCE + 1};
    f->gather.ferries.patience_ms = 20;
    plan(f, RV_FAULT_DELAY, AT_ONCE + 1, false, HELD_UP_MS);
    come_together(f, pushers, THREADS);
    CHECK(eventually(are_under_way, &line, BOUND_MS));
    for (size_t i = 0; i < AT_ONCE; i++)
        join(&pushers[i]);
    int64_t before = elapsed_ms();
    (void)push(&late);
    CHECK(elapsed_ms() - before < HELD_UP_MS / 2);
    CHECK_OK(late.rc);
    for (size_t i = AT_ONCE; i < THREADS; i++)
        join(&pushers[i]);
    CHECK_INT(pushed_total(f, "q"), THREADS + 1);
}

static void as_many_steps_as_it_takes(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[AT_ONCE + 5];
    serve(f, AT_ONCE, 2);
    come_together(f, pushers, AT_ONCE + 5);
    join_queued(f, pushers, AT_ONCE + 5);
    CHECK_INT(rv_fault_plan_calls(&f->plan, RV_OP_PUSH), AT_ONCE + 3);
}

static void a_crowd_is_shared_out(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[THREADS];
    number(f, pushers, THREADS);
    plan(f, RV_FAULT_DELAY, 1, true, 1); /* a step takes its time, as it does with a server */
    for (size_t i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&pushers[i].thread, NULL, push_often, &pushers[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        join(&pushers[i]);
        CHECK_OK(pushers[i].rc);
    }
    CHECK_INT(pushed_total(f, "q"), THREADS * ROUNDS);
    CHECK(rv_fault_plan_calls(&f->plan, RV_OP_PUSH) < THREADS * ROUNDS / 2);
    CHECK_INT(atomic_load(&f->gather.ferries.piers[0].callers), 0);
    CHECK_INT(f->gather.ferries.piers[0].under_way, 0);
}

static void who_finds_no_pier_goes_by_the_door(void **state) {
    struct fixture *f = *state;
    enum { QUEUES = RV_PIERS + 3 };
    struct pusher pushers[QUEUES];
    char queues[QUEUES][16];
    plan(f, RV_FAULT_DELAY, 1, true, UNDER_WAY_MS);
    for (size_t i = 0; i < QUEUES; i++) {
        struct line line = {f, i + 1};
        (void)snprintf(queues[i], sizeof queues[i], "q%zu", i);
        pushers[i] = pusher(f, "a");
        pushers[i].queue = queues[i];
        start(&pushers[i]);
        CHECK(eventually(are_under_way, &line, BOUND_MS));
    }
    for (size_t i = 0; i < QUEUES; i++) {
        join(&pushers[i]);
        CHECK_OK(pushers[i].rc);
        CHECK_INT(pushed_total(f, queues[i]), 1);
    }
    rv_fault_plan_clear(&f->plan); /* the piers are free again, for any queue */
    struct pusher late = pusher(f, "late");
    (void)push(&late);
    CHECK_OK(late.rc);
    CHECK_INT(pushed_total(f, "q"), 1);
}

/* Giving way is for those who are answered soon. */
static void who_falls_asleep_all_the_same_gives_way_no_more(void **state) {
    struct fixture *f = *state;
    struct pusher pushers[THREADS];
    come_together(f, pushers, THREADS);
    join_queued(f, pushers, THREADS);
    int before = RV_LUCK_MAX;
    CHECK_INT(atomic_load(&f->gather.ferries.piers[0].luck), before - 2 * (THREADS - AT_ONCE));
}

/* ---- the crowd ---- */
/* Else his next push, of fewer, would wait for nobody. */
static void one_who_brings_many_is_no_crowd(void **state) {
    struct fixture *f = *state;
    struct rv_new_job jobs[3];
    struct rv_pushed outs[3];
    struct rv_error err = {0};
    char ids[3][2] = {"a", "b", "c"};
    size_t expected;
    for (size_t i = 0; i < 3; i++)
        jobs[i] = (struct rv_new_job){.queue = "q",
                                      .kind = "k",
                                      .id = ids[i],
                                      .nonce = rv_random_nonzero(&rv_random_system),
                                      .policy = {.attempts_max = 1, .keep_ms = 1000}};
    CHECK_OK(rv_gather_push(&f->gather, "q", jobs, 3, outs, &err));
    CHECK_INT(rv_crowd_expect(&f->gather.crowd, "q", &expected), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define BY_FERRY(name) \
    { "by ferry: " #name, name, set_up_ferries, tear_down, NULL }

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_caller_alone_makes_one_call),
        TEST(those_who_come_meanwhile_share_the_next_step),
        TEST(a_line_longer_than_a_step_is_told_whole),
        TEST(answers_go_to_those_who_asked),
        TEST(a_refusal_sinks_nobody_else),
        TEST(queues_do_not_wait_for_each_other),
        TEST(a_lost_answer_is_asked_for_again),
        TEST(what_stays_unknown_is_told_as_unsure),
        TEST(unsure_stays_unsure_when_the_store_goes_away),
        TEST(unreachable_is_told_at_once),
        TEST(who_a_part_does_not_answer_holds_up_nobody),
        TEST(what_a_part_took_in_silence_is_met),
        TEST(a_part_that_stays_away_is_told_of_as_it_is),
        TEST(a_crowd_that_comes_again_and_again_is_served),
        TEST(who_has_no_time_leaves_the_line),
        TEST(one_in_a_hurry_sinks_nobody),
        TEST(one_who_brings_many_is_no_crowd),
        BY_FERRY(a_caller_alone_makes_one_call),
        BY_FERRY(a_refusal_sinks_nobody_else),
        BY_FERRY(queues_do_not_wait_for_each_other),
        BY_FERRY(a_lost_answer_is_asked_for_again),
        BY_FERRY(what_stays_unknown_is_told_as_unsure),
        BY_FERRY(unsure_stays_unsure_when_the_store_goes_away),
        BY_FERRY(unreachable_is_told_at_once),
        BY_FERRY(who_a_part_does_not_answer_holds_up_nobody),
        BY_FERRY(what_a_part_took_in_silence_is_met),
        BY_FERRY(a_part_that_stays_away_is_told_of_as_it_is),
        BY_FERRY(a_crowd_that_comes_again_and_again_is_served),
        BY_FERRY(few_go_each_at_once),
        BY_FERRY(who_waits_at_the_pier_goes_with_the_others),
        BY_FERRY(a_step_that_takes_long_holds_up_nobody_else),
        BY_FERRY(as_many_steps_as_it_takes),
        BY_FERRY(a_crowd_is_shared_out),
        BY_FERRY(who_finds_no_pier_goes_by_the_door),
        BY_FERRY(who_falls_asleep_all_the_same_gives_way_no_more),
    };
    return cmocka_run_group_tests_name("gather", tests, NULL, NULL);
}
