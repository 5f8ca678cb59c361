/* kill -9 at each step between claim and finish (A95, W1-W5): before the n-th call of every
 * operation a worker makes and after it, for every n that it reaches, and inside a handler. Each
 * time a second worker finishes what is left: nothing is lost, nothing is finished twice. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/handle.h"
#include "harness/check.h"
#include "harness/scratch.h"
#include "store/fault.h"

enum { JOBS = 6, LEASE_MS = 400, ROUND_MS = 20000 };

struct victim {
    enum rv_op op;
    unsigned nth;
    enum rv_fault_kind kind;
    bool handler_dies; /* instead of an operation */
};

static char url[4096];
static int rounds;

static void require(bool holds, const char *what) {
    if (holds) return;
    (void)fprintf(stderr, "# %s: %s\n", what, reeve_errmsg());
    _exit(99);
}

static reeve *open_space(int round) {
    char space[32];
    (void)snprintf(space, sizeof space, "round%d", round);
    struct reeve_options options = {
        .size = sizeof options, .space = space, .log_level = REEVE_LOG_ERROR, .timeout_ms = 10000};
    reeve *r;
    require(reeve_open(&r, url, &options) == 0, "open");
    return r;
}

static void push_jobs(int round) {
    reeve *r = open_space(round);
    for (int i = 0; i < JOBS; i++) {
        char id[16];
        (void)snprintf(id, sizeof id, "job%d", i);
        struct reeve_push push = {.size = sizeof push, .id = id, .backoff_ms = REEVE_NONE};
        CHECK_OK(reeve_push(r, &push, NULL));
    }
    reeve_close(r);
}

/* Long enough that each claim is renewed once; it leaves its effect before it ends. */
static enum reeve_verdict work(void *arg, reeve_task *task) {
    const struct victim *victim = arg;
    const struct reeve_job *job = reeve_task_job(task);
    (void)reeve_task_sleep(task, LEASE_MS / 2);
    if (victim && victim->handler_dies && job->attempt == 1) (void)raise(SIGKILL);
    (void)reeve_task_set_result(task, &job->token, sizeof job->token);
    return REEVE_SUCCEED;
}

static void run_worker(reeve *r, struct victim *victim) {
    struct reeve_worker_options options = {
        .size = sizeof options, .threads = 2, .lease_ms = LEASE_MS, .until_empty = true};
    reeve_worker *w;
    require(reeve_worker_open(&w, r, &options) == 0, "open a worker");
    require(reeve_worker_handle(w, NULL, work, victim) == 0, "handle");
    require(reeve_worker_start(w) == 0, "start");
    require(reeve_worker_wait(w, ROUND_MS) == 0, "end in time");
    reeve_worker_close(w);
}

/* A process of its own, which dies as planned if it comes to that. */
static void be_victim(int round, struct victim *victim) {
    reeve *r = open_space(round);
    struct rv_fault_plan plan;
    rv_fault_plan_init(&plan);
    if (!victim->handler_dies)
        rv_fault_plan_add(
            &plan, (struct rv_fault){.kind = victim->kind, .op = victim->op, .nth = victim->nth});
    struct rv_error err;
    require(rv_fault_open(&r->service.store, r->service.store, &plan, &err) == 0, "fault");
    run_worker(r, victim);
    reeve_close(r);
    _exit(0);
}

static void check_job(reeve *r, int i) {
    char id[16];
    (void)snprintf(id, sizeof id, "job%d", i);
    struct reeve_job *job;
    CHECK_OK(reeve_get(r, "default", id, &job));
    CHECK_INT(job->state, REEVE_DONE);
    CHECK_BETWEEN(job->attempt, 1, 2); /* one death costs at most one attempt */
    int done = 0;
    for (size_t a = 0; a < job->history_count; a++)
        done += job->history[a]->outcome == REEVE_ATTEMPT_DONE;
    CHECK_INT(done, 1);
    /* the result is that of the attempt that counted */
    CHECK_BYTES(job->result, job->result_size, &job->token, sizeof job->token);
    reeve_free(job);
}

static void check_nothing_lost(int round) {
    reeve *r = open_space(round);
    run_worker(r, NULL);
    for (int i = 0; i < JOBS; i++)
        check_job(r, i);
    struct reeve_queue *queue;
    CHECK_OK(reeve_queue_read(r, "default", &queue));
    CHECK_INT(queue->done, JOBS);
    CHECK_INT(queue->finished_total, JOBS);
    CHECK_INT(queue->pushed_total, JOBS);
    CHECK_INT(queue->running + queue->ready + queue->delayed, 0);
    reeve_free(queue);
    reeve_close(r);
}

/* True if the victim died: it came to the planned step. */
static bool run_round(struct victim victim) {
    int round = rounds++;
    push_jobs(round);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) be_victim(round, &victim);
    int status;
    CHECK_INT(waitpid(pid, &status, 0), pid);
    bool died = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (!died) CHECK_INT(status, 0);
    check_nothing_lost(round);
    return died;
}

static unsigned sweep(enum rv_op op, unsigned most) {
    unsigned nth = 1;
    while (nth <= most &&
           run_round((struct victim){.op = op, .nth = nth, .kind = RV_FAULT_DIE_BEFORE}) &&
           run_round((struct victim){.op = op, .nth = nth, .kind = RV_FAULT_DIE_AFTER}))
        nth++;
    return nth - 1; /* how many steps were swept */
}

static void dies_around_each_exchange(void **state) {
    (void)state;
    CHECK(sweep(RV_OP_EXCHANGE, 6) >= 4); /* claims and hand-ins of three pairs */
}

static void dies_around_a_renewal(void **state) {
    (void)state;
    CHECK(sweep(RV_OP_RENEW, 3) >= 2);
}

static void dies_around_upkeep(void **state) {
    (void)state;
    CHECK(sweep(RV_OP_QUEUES, 1) == 1);
    CHECK(sweep(RV_OP_LAPSED, 1) == 1);
    CHECK(sweep(RV_OP_TEND, 1) == 1);
}

static void dies_around_registering(void **state) {
    (void)state;
    CHECK(sweep(RV_OP_BEAT, 1) == 1);
    CHECK(sweep(RV_OP_LEAVE, 1) == 1);
}

static void dies_in_a_handler(void **state) {
    (void)state;
    CHECK(run_round((struct victim){.handler_dies = true}));
}

int main(void) {
    char *folder = scratch_create();
    if (!folder) return 99;
    (void)snprintf(url, sizeof url, "sqlite:%s/q.db", folder);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dies_in_a_handler),       cmocka_unit_test(dies_around_each_exchange),
        cmocka_unit_test(dies_around_a_renewal),   cmocka_unit_test(dies_around_upkeep),
        cmocka_unit_test(dies_around_registering),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests_name("kill", tests, NULL, NULL);
    scratch_destroy(folder);
    return failed;
}
