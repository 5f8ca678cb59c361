/* Recovery: what a silent worker leaves is found by looking, by whoever looks. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "core/limits.h"
#include "service/agenda.h"
#include "service/scene.h"
#include "service/upkeep.h"

static const char *const q[] = {"q", NULL};

/* Claims a job as somebody who will never be heard of again. */
static void claim_and_vanish(struct scene *s, int64_t lease_ms) {
    reeve_task *task;
    CHECK_OK(reeve_claim(s->r, q, lease_ms, 0, &task));
    reeve_task_drop(task);
}

static struct reeve_tended tend(struct scene *s) {
    struct reeve_tended tended = {.size = sizeof tended};
    CHECK_OK(reeve_tend(s->r, &tended));
    return tended;
}

static void a_lease_that_stands_is_left_alone(void **state) { /* A70 */
    struct scene *s = *state;
    CHECK_INT(tend(s).lapsed, 0);
    push(s, "a");
    claim_and_vanish(s, 30000);
    struct reeve_tended tended = tend(s);
    CHECK_INT(tended.lapsed, 0);
    CHECK_BETWEEN(tended.next_ms, 1, 30000);
    check_state(s, "a", REEVE_RUNNING);
}

static void a_lapsed_attempt_counts(void **state) { /* T16 A71 A72 */
    struct scene *s = *state;
    push_with(s, (struct reeve_push){.id = "a", .attempts_max = 2, .backoff_ms = REEVE_NONE});
    for (int attempt = 1; attempt <= 2; attempt++) {
        claim_and_vanish(s, 30000);
        move_clock(s, 30001);
        CHECK_INT(tend(s).lapsed, 1);
        check_attempts(s, "a", attempt, (size_t)attempt);
    }
    check_state(s, "a", REEVE_FAILED); /* A88 */
    check_error(s, "a", "lapsed");
    struct reeve_job *job = get(s, "a");
    CHECK(strstr(job->error->message, "tester"));
    CHECK_INT(job->history[0]->outcome, REEVE_ATTEMPT_LAPSED);
    reeve_free(job);
    CHECK_INT(log_count(s, "job.lapsed queue=q id=a attempt=1 of=2 worker=tester"), 1);
    CHECK_INT(stats(s).lapsed_total, 2);
}

static void all_lapsed_jobs_of_all_queues_are_found(void **state) { /* A77 A92 */
    struct scene *s = *state;
    char queue[16];
    for (int i = 0; i < 250; i++) { /* more than a page of queues */
        (void)snprintf(queue, sizeof queue, "q%d", i);
        const char *const one[] = {queue, NULL};
        reeve_task *task;
        push_with(s, (struct reeve_push){.id = "a", .queue = queue});
        CHECK_OK(reeve_claim(s->r, one, 30000, 0, &task));
        reeve_task_drop(task);
    }
    move_clock(s, 30001);
    CHECK_INT(tend(s).lapsed, 250);
    CHECK_INT(tend(s).lapsed, 0);
}

static void more_lapsed_jobs_than_one_step_takes_are_found(void **state) { /* J11 */
    struct scene *s = *state;
    enum { JOBS = RV_CLAIM_MAX + 44 };
    push_many(s, JOBS);
    for (int i = 0; i < JOBS; i++)
        claim_and_vanish(s, 30000);
    move_clock(s, 30001);
    CHECK_INT(tend(s).lapsed, JOBS);
}

static void due_jobs_are_promoted_and_old_records_go(void **state) {
    struct scene *s = *state;
    char id[16];
    for (int i = 0; i < 250; i++) { /* more than one step takes of either */
        (void)snprintf(id, sizeof id, "d%d", i);
        push_with(s, (struct reeve_push){.id = id, .delay_ms = 1000});
        (void)snprintf(id, sizeof id, "c%d", i);
        push_with(s, (struct reeve_push){.id = id, .keep_ms = 1000});
        CHECK_OK(reeve_cancel(s->r, "q", id, NULL));
    }
    move_clock(s, 2000);
    struct reeve_tended tended = tend(s);
    CHECK_INT(tended.promoted, 250);
    CHECK_INT(tended.expired, 250);
    CHECK_INT(stats(s).ready, 250);
    CHECK_INT(stats(s).cancelled, 0);
}

static void a_tender_recovers_in_the_background(void **state) { /* T32 A90 A94 */
    struct scene *s = *state;
    reeve_tender *tender;
    push_with(s, (struct reeve_push){.id = "a", .backoff_ms = REEVE_NONE});
    claim_and_vanish(s, 300); /* before the tender: it begins with a look */
    CHECK_OK(reeve_tender_open(&tender, s->r, NULL));
    await_state(s, "a", REEVE_READY);
    reeve_tender_close(tender);
    check_attempts(s, "a", 1, 1);
}

static void an_agenda_knows_when_the_rest_is_due(void **state) {
    struct rv_agenda agenda;
    char queue[REEVE_NAME_SIZE];
    (void)state;
    rv_agenda_init(&agenda);
    CHECK_INT(rv_agenda_next_ms(&agenda), INT64_MAX);
    rv_agenda_add(&agenda, "soon", 10);
    rv_agenda_add(&agenda, "later", 20);
    CHECK_INT(rv_agenda_next_ms(&agenda), 10);
    CHECK(rv_agenda_take(&agenda, 19, queue));
    CHECK_STR(queue, "soon");
    CHECK(!rv_agenda_take(&agenda, 19, queue));
    CHECK_INT(rv_agenda_next_ms(&agenda), 20);
    while (agenda.count < RV_AGENDA_MAX)
        rv_agenda_add(&agenda, "more", 30);
    CHECK_INT(agenda.rest_ms, INT64_MAX);
    rv_agenda_add(&agenda, "no room", 15);
    rv_agenda_add(&agenda, "no room", 25);
    CHECK_INT(agenda.rest_ms, 15);
    CHECK_INT(rv_agenda_next_ms(&agenda), 20);
    rv_agenda_clear(&agenda);
    CHECK(agenda.count == 0 && agenda.rest_ms == INT64_MAX);
    rv_agenda_release(&agenda);
}

static bool all_are_ready(void *scene) {
    return stats(scene).delayed == 0;
}

static void a_deadline_makes_nobody_look_at_all_queues(void **state) {
    enum { JOBS = 20, APART_MS = 20, PASS_MS = 2000 /* at least, between two over all */ };
    struct scene *s = *state;
    reeve_tender *tender;
    for (int i = 0; i < JOBS; i++)
        push_with(s, (struct reeve_push){.delay_ms = (i + 1) * APART_MS});
    CHECK_OK(reeve_tender_open(&tender, s->r, NULL));
    int64_t begun = elapsed_ms();
    CHECK(eventually(all_are_ready, s, SOON_MS));
    uint64_t passes = calls(s, RV_OP_QUEUES), looks = calls(s, RV_OP_TEND);
    reeve_tender_close(tender);
    CHECK_BETWEEN(passes, 1, 3 + (elapsed_ms() - begun) / PASS_MS); /* and one when elected */
    CHECK(looks > passes);
}

static void a_worker_recovers_what_another_left(void **state) { /* A87 A92 A94 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.no_upkeep = false;
    options.lease_ms = 400;
    push_many(s, 5);
    for (int i = 0; i < 5; i++)
        claim_and_vanish(s, 400);
    start(s, options, succeed, NULL);
    await_done(s, 5);
    struct reeve_job *job = get(s, "j0");
    CHECK_INT(job->attempt, 2);
    CHECK_INT(job->history[0]->outcome, REEVE_ATTEMPT_LAPSED);
    CHECK_INT(job->history[1]->outcome, REEVE_ATTEMPT_DONE);
    reeve_free(job);
}

struct tending {
    struct scene *s;
    uint64_t lapsed;
    int rc;
};

static void *tend_once(void *arg) {
    struct tending *tending = arg;
    struct reeve_tended tended = {.size = sizeof tended};
    tending->rc = reeve_tend(tending->s->r, &tended);
    tending->lapsed = tended.lapsed;
    return NULL;
}

static void many_who_tend_at_once_count_a_lapse_once(void **state) { /* J6 */
    struct scene *s = *state;
    enum { TENDERS = 4, JOBS = 100 };
    struct tending tending[TENDERS];
    pthread_t threads[TENDERS];
    uint64_t lapsed = 0;
    push_many(s, JOBS);
    for (int i = 0; i < JOBS; i++)
        claim_and_vanish(s, 30000);
    move_clock(s, 30001);
    for (int i = 0; i < TENDERS; i++) {
        tending[i] = (struct tending){.s = s};
        CHECK_INT(pthread_create(&threads[i], NULL, tend_once, &tending[i]), 0);
    }
    for (int i = 0; i < TENDERS; i++) {
        CHECK_INT(pthread_join(threads[i], NULL), 0);
        CHECK_OK(tending[i].rc);
        lapsed += tending[i].lapsed;
    }
    CHECK_INT(lapsed, JOBS);
    CHECK_INT(stats(s).lapsed_total, JOBS);
    CHECK_INT(stats(s).fenced_total, 0);
}

/* ---- the election ---- */
static bool can_elect(struct scene *s) {
    const unsigned needed = RV_CAP_SHARED | RV_CAP_GRANTS;
    return (rv_store_caps(s->r->service.store) & needed) == needed;
}

static void those_who_tend_elect_one(void **state) { /* P01 P02 P13 A10 */
    struct scene *s = *state;
    reeve_tender *tender;
    struct reeve_tender_options alone = {.size = sizeof alone, .no_election = true};
    CHECK_OK(reeve_tender_open(&tender, s->r, &alone));
    await_calls(s, RV_OP_QUEUES, 1);
    reeve_tender_close(tender);
    CHECK_INT(calls(s, RV_OP_GRANT_TAKE), 0);
    CHECK_OK(reeve_tender_open(&tender, s->r, NULL));
    if (can_elect(s)) await_log(s, "leader.gained name=upkeep");
    reeve_tender_close(tender);
    CHECK_INT(log_count(s, "leader.lost name=upkeep"), can_elect(s) ? 1 : 0);
    CHECK_INT(calls(s, RV_OP_GRANT_TAKE), can_elect(s) ? 1 : 0);
}

static void whoever_is_not_elected_looks_all_the_same(void **state) { /* P21 T32 I12 */
    struct scene *s = *state;
    reeve_tender *tender;
    struct reeve_worker_options options = options_of(s);
    struct rv_grant_ask ask = {.kind = RV_GRANT_UPKEEP,
                               .name = "upkeep",
                               .holder = 7,
                               .lease_ms = 3600000,
                               .by = "one that hangs"};
    struct rv_grant_answer answer;
    struct rv_error err;
    if (can_elect(s)) CHECK_OK(rv_store_grant_take(s->r->service.store, &ask, 5000, &answer, &err));
    options.no_upkeep = false;
    options.lease_ms = 400;
    CHECK_OK(reeve_tender_open(&tender, s->r, NULL));
    start(s, options, succeed, NULL); /* so that looks suit its leases */
    push_with(s, (struct reeve_push){.id = "a", .queue = "others", .backoff_ms = REEVE_NONE});
    static const char *const others[] = {"others", NULL};
    reeve_task *task;
    CHECK_OK(reeve_claim(s->r, others, 400, 0, &task));
    reeve_task_drop(task);
    struct reeve_job *job;
    for (bool ready = false; !ready;) {
        CHECK_OK(reeve_get(s->r, "others", "a", &job));
        ready = job->state == REEVE_READY;
        reeve_free(job);
    }
    CHECK_INT(log_count(s, "leader.gained name=upkeep"), 0);
    reeve_tender_close(tender);
}

static void who_cannot_do_it_lets_another_try(void **state) { /* T08 */
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    if (!can_elect(s)) return;
    options.no_upkeep = false;
    options.lease_ms = 400;
    start(s, options, succeed, NULL);
    await_log(s, "leader.gained name=upkeep");
    fail_for_ever(s, RV_OP_QUEUES);
    await_log(s, "leader.lost name=upkeep");
    CHECK_INT(log_count(s, "why=resigned"), 1);
    heal(s);
}

static void tenders_come_and_go(void **state) { /* A93 */
    struct scene *s = *state;
    reeve_tender *tenders[3];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++)
            CHECK_OK(reeve_tender_open(&tenders[i], s->r, NULL));
        for (int i = 0; i < 3; i++)
            reeve_tender_close(tenders[i]);
    }
    reeve_tender_close(NULL);
    CHECK(!s->r->service.upkeep);
}

static void upkeep_survives_a_store_that_is_away(void **state) {
    struct scene *s = *state;
    struct reeve_worker_options options = options_of(s);
    options.no_upkeep = false;
    options.lease_ms = 200; /* a pass every 50 ms */
    fail_for_ever(s, RV_OP_QUEUES);
    start(s, options, succeed, NULL);
    await_calls(s, RV_OP_QUEUES, 3);
    CHECK_INT(log_count(s, "upkeep.away"), 1);
    heal(s);
    await_log(s, "upkeep.back");
}

static void a_queue_that_cannot_be_tended_holds_up_no_other(void **state) {
    struct scene *s = *state;
    struct rv_upkept done;
    push_with(s, (struct reeve_push){.id = "a", .queue = "a"});
    push_with(s, (struct reeve_push){.id = "b", .delay_ms = 1000});
    rv_fault_plan_add(&s->plan,
                      (struct rv_fault){.kind = RV_FAULT_REFUSE, .queue = "a", .for_ever = true});
    rv_clock_move(&s->r->service.clock, 2000);
    int rc = rv_upkeep_pass(s->r->service.store, &s->r->service.log, 1000, NULL, &done, NULL);
    CHECK_INT(rc, REEVE_EUNREACHABLE);
    CHECK_INT(done.promoted, 1);
    CHECK_INT(done.reached, 1);
}

/* Nor is what is known of the others forgotten: they are looked at when they are due, and not only
 * with the next pass over all. */
static void deadlines_are_kept_beside_a_queue_that_cannot_be_tended(void **state) {
    struct scene *s = *state;
    reeve_tender *tender;
    push_with(s, (struct reeve_push){.id = "a", .queue = "a"});
    push_with(s, (struct reeve_push){.id = "b", .delay_ms = 800});
    rv_fault_plan_add(&s->plan,
                      (struct rv_fault){.kind = RV_FAULT_REFUSE, .queue = "a", .for_ever = true});
    CHECK_OK(reeve_tender_open(&tender, s->r, NULL));
    await_log(s, "upkeep.away");
    for (int64_t from_ms = elapsed_ms(); elapsed_ms() - from_ms < 200;)
        (void)sched_yield(); /* it may begin with more than one pass */
    uint64_t passes = calls(s, RV_OP_QUEUES);
    await_state(s, "b", REEVE_READY);
    CHECK_INT(calls(s, RV_OP_QUEUES), passes);
    reeve_tender_close(tender);
}

/* What has lapsed is asked for where the store does not say that there can be none. */
static void check_pass(struct scene *s) {
    struct rv_tended tended;
    uint64_t exchanges = calls(s, RV_OP_EXCHANGE), asked = calls(s, RV_OP_LAPSED);
    CHECK_OK(rv_store_tend(s->r->service.store, "q", &tended, NULL));
    uint64_t tends = calls(s, RV_OP_TEND);
    CHECK_INT(tend(s).lapsed, 0);
    CHECK_INT(calls(s, RV_OP_EXCHANGE) - exchanges, 0);
    CHECK_INT(calls(s, RV_OP_LAPSED) - asked, tended.lapses_in_ms ? 0 : 1);
    CHECK_INT(calls(s, RV_OP_TEND) - tends, 1);
}

static void an_idle_pass_writes_nothing_but_looks(void **state) {
    struct scene *s = *state;
    push(s, "a");
    check_pass(s);
}

static void so_does_one_while_a_lease_stands(void **state) {
    struct scene *s = *state;
    reeve_task *task;
    push(s, "a");
    CHECK_OK(reeve_claim(s->r, q, 60000, 0, &task));
    check_pass(s);
    CHECK_OK(reeve_finish(task, REEVE_SUCCEED));
}

/* ---- by hand ---- */
static void a_task_by_hand_is_renewed_and_finished(void **state) {
    struct scene *s = *state;
    reeve_task *task;
    push(s, "a");
    CHECK_OK(reeve_claim(s->r, q, 1000, 0, &task));
    CHECK(reeve_task_token(task) == reeve_task_job(task)->token);
    CHECK(!reeve_task_in_doubt(task));
    move_clock(s, 900);
    CHECK(reeve_task_in_doubt(task));
    CHECK_OK(reeve_renew(task, 5000));
    CHECK(!reeve_task_in_doubt(task));
    move_clock(s, 2000);
    CHECK_INT(tend(s).lapsed, 0);
    CHECK_OK(reeve_task_set_result(task, "r", 1));
    CHECK_OK(reeve_finish(task, REEVE_SUCCEED));
    check_state(s, "a", REEVE_DONE);
}

static void a_task_by_hand_that_was_lost_says_so(void **state) { /* J3 A83 */
    struct scene *s = *state;
    reeve_task *task;
    push_with(s, (struct reeve_push){.id = "a", .backoff_ms = REEVE_NONE});
    CHECK_OK(reeve_claim(s->r, q, 1000, 0, &task));
    move_clock(s, 1001);
    CHECK_INT(tend(s).lapsed, 1);
    CHECK_FAILS(reeve_renew(task, 1000), REEVE_EFENCED);
    CHECK_INT(reeve_task_stopping(task), REEVE_STOP_LOST);
    CHECK_FAILS(reeve_finish(task, REEVE_SUCCEED), REEVE_EFENCED);
    check_state(s, "a", REEVE_READY);
}

static void a_task_by_hand_outlives_a_store_that_is_away(void **state) { /* T48 */
    struct scene *s = *state;
    reeve_task *task;
    push(s, "a");
    CHECK_OK(reeve_claim(s->r, q, 30000, 0, &task));
    fault(s, RV_FAULT_REFUSE, RV_OP_EXCHANGE, 1);
    CHECK_FAILS(reeve_finish(task, REEVE_SUCCEED), REEVE_EUNREACHABLE);
    fault(s, RV_FAULT_LOSE, RV_OP_EXCHANGE, 1);
    CHECK_FAILS(reeve_finish(task, REEVE_SUCCEED), REEVE_EUNSURE);
    CHECK_OK(reeve_finish(task, REEVE_SUCCEED)); /* told the first outcome */
    CHECK_INT(stats(s).finished_total, 1);
}

static void a_cancelled_task_by_hand_hears_of_it_when_it_renews(void **state) {
    struct scene *s = *state;
    reeve_task *task;
    push(s, "a");
    CHECK_OK(reeve_claim(s->r, q, 30000, 0, &task));
    CHECK_OK(reeve_cancel(s->r, "q", "a", NULL));
    CHECK_INT(reeve_task_stopping(task), REEVE_GO_ON);
    CHECK_OK(reeve_renew(task, 30000));
    CHECK_INT(reeve_task_stopping(task), REEVE_STOP_CANCELLED);
    CHECK_OK(reeve_finish(task, REEVE_GIVE_UP));
    check_state(s, "a", REEVE_CANCELLED);
}

struct pusher {
    struct scene *s;
    uint64_t looks; /* before the claim */
    bool pushed;
};

static bool has_looked(void *arg) {
    struct pusher *pusher = arg;
    return calls(pusher->s, RV_OP_EXCHANGE) > pusher->looks;
}

static void *push_after_a_look(void *arg) {
    struct pusher *pusher = arg;
    struct reeve_push job = {.size = sizeof job, .queue = "q", .id = "late"};
    pusher->pushed =
        eventually(has_looked, pusher, SOON_MS) && !reeve_push(pusher->s->r, &job, NULL);
    return NULL;
}

static void claiming_waits_for_a_job(void **state) { /* T29 */
    struct scene *s = *state;
    pthread_t thread;
    reeve_task *task;
    CHECK_FAILS(reeve_claim(s->r, q, 30000, 0, &task), REEVE_ETIMEDOUT);
    CHECK_FAILS(reeve_claim(s->r, q, 30000, 30, &task), REEVE_ETIMEDOUT);
    struct pusher pusher = {.s = s, .looks = calls(s, RV_OP_EXCHANGE)};
    CHECK_INT(pthread_create(&thread, NULL, push_after_a_look, &pusher), 0);
    int64_t from = elapsed_ms();
    CHECK_OK(reeve_claim(s->r, q, 30000, SOON_MS, &task));
    CHECK_BETWEEN(elapsed_ms() - from, 0, 8000); /* by the bell: looks of its own are 10 s apart */
    CHECK_INT(pthread_join(thread, NULL), 0);
    CHECK(pusher.pushed);
    CHECK_STR(reeve_task_job(task)->id, "late");
    CHECK_OK(reeve_finish(task, REEVE_SUCCEED));
}

static void bad_arguments_are_refused(void **state) {
    struct scene *s = *state;
    static const char *const none[] = {NULL}, *const bad[] = {"a b", NULL};
    reeve_task *task;
    CHECK_FAILS(reeve_claim(s->r, none, 30000, 0, &task), REEVE_EINVAL);
    CHECK_FAILS(reeve_claim(s->r, bad, 30000, 0, &task), REEVE_EINVAL);
    CHECK_FAILS(reeve_claim(s->r, q, 99, 0, &task), REEVE_EINVAL);
    push(s, "a");
    CHECK_OK(reeve_claim(s->r, q, 0, 0, &task)); /* the default lease */
    CHECK_FAILS(reeve_renew(task, 1), REEVE_EINVAL);
    CHECK_FAILS(reeve_finish(task, (enum reeve_verdict)7), REEVE_EINVAL);
    CHECK_FAILS(reeve_task_set_result(task, NULL, 1), REEVE_EINVAL);
    CHECK_FAILS(reeve_task_set_result(task, "x", REEVE_BODY_MAX + 1), REEVE_ETOOBIG);
    char code[RV_ERROR_CODE_MAX + 2];
    memset(code, 'c', sizeof code - 1);
    code[sizeof code - 1] = '\0';
    CHECK_FAILS(reeve_task_set_error(task, code, "m", NULL, 0), REEVE_ETOOBIG);
    CHECK_OK(reeve_task_set_error(task, code + 1, "m", "d", 1));
    CHECK_OK(reeve_finish(task, REEVE_GIVE_UP));
    struct reeve_job *job = get(s, "a");
    CHECK_STR(job->error->code, code + 1);
    CHECK_BYTES(job->error->detail, job->error->detail_size, "d", 1);
    reeve_free(job);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(a_lease_that_stands_is_left_alone),
        SCENE_TEST(a_lapsed_attempt_counts),
        SCENE_TEST(all_lapsed_jobs_of_all_queues_are_found),
        SCENE_TEST(more_lapsed_jobs_than_one_step_takes_are_found),
        SCENE_TEST(due_jobs_are_promoted_and_old_records_go),
        SCENE_TEST(a_tender_recovers_in_the_background),
        cmocka_unit_test(an_agenda_knows_when_the_rest_is_due),
        SCENE_TEST(a_deadline_makes_nobody_look_at_all_queues),
        SCENE_TEST(a_worker_recovers_what_another_left),
        SCENE_TEST(many_who_tend_at_once_count_a_lapse_once),
        SCENE_TEST(those_who_tend_elect_one),
        SCENE_TEST(whoever_is_not_elected_looks_all_the_same),
        SCENE_TEST(who_cannot_do_it_lets_another_try),
        SCENE_TEST(tenders_come_and_go),
        SCENE_TEST(upkeep_survives_a_store_that_is_away),
        SCENE_TEST(a_queue_that_cannot_be_tended_holds_up_no_other),
        SCENE_TEST(deadlines_are_kept_beside_a_queue_that_cannot_be_tended),
        SCENE_TEST(an_idle_pass_writes_nothing_but_looks),
        SCENE_TEST(so_does_one_while_a_lease_stands),
        SCENE_TEST(a_task_by_hand_is_renewed_and_finished),
        SCENE_TEST(a_task_by_hand_that_was_lost_says_so),
        SCENE_TEST(a_task_by_hand_outlives_a_store_that_is_away),
        SCENE_TEST(a_cancelled_task_by_hand_hears_of_it_when_it_renews),
        SCENE_TEST(claiming_waits_for_a_job),
        SCENE_TEST(bad_arguments_are_refused),
    };
    return SCENE_MAIN(argc, argv, tests);
}
