/* Many processes on one file. Children report by their exit status alone. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "core/outcome.h"
#include "harness/eventually.h"
#include "sqlite/sqlite_tests.h"

enum { CROWD = 16 };

typedef int child_fn(struct place *p, int number);

static pid_t start(struct place *p, child_fn *fn, int number) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) _exit(fn(p, number));
    return child;
}

static void check_end(pid_t child) {
    int status;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
}

static void run_crowd(struct place *p, child_fn *fn) {
    pid_t children[CROWD];
    for (int i = 0; i < CROWD; i++)
        children[i] = start(p, fn, i);
    for (int i = 0; i < CROWD; i++)
        check_end(children[i]);
}

/* ---- the first opening ---- */
static int open_and_push(struct place *p, int number) {
    char id[16];
    (void)snprintf(id, sizeof id, "%d", number);
    if (open_store(p) || push_job(p, id)) {
        (void)fprintf(stderr, "# %s\n", p->err.text);
        return 1;
    }
    close_store(p);
    return 0;
}

static void all_may_be_the_first_to_open(void **state) {
    struct place *p = *state;
    run_crowd(p, open_and_push);
    sqlite3 *db = open_file(p->path);
    CHECK_INT(ask_sql(db, "SELECT ready FROM queue"), CROWD);
    CHECK_INT(ask_sql(db, "SELECT count(*) FROM meta WHERE name = 'schema'"), 1);
    (void)sqlite3_close(db);
}

/* ---- work ---- */
enum { SHARE = 50 };

/* Hands all of *claimed in as done; how many that were, or -1. */
static int hand_in_all(struct place *p, struct rv_exchanged *claimed, uint64_t holder) {
    struct rv_outcome outcomes[16];
    struct rv_report report = {.ending = RV_SUCCEEDED};
    struct rv_exchange exchange = {.queue = "jobs",
                                   .timeout_ms = 20000,
                                   .outcomes = outcomes,
                                   .outcome_count = claimed->count};
    int rc = 0;
    for (size_t i = 0; i < claimed->count; i++)
        rc |= rv_outcome_judge(claimed->jobs[i], holder, &report, &rv_random_system, &outcomes[i]);
    struct rv_exchanged out;
    if (!rc) rc = rv_store_exchange(p->store, &exchange, &out, &p->err);
    for (size_t i = 0; i < claimed->count; i++) {
        rc |= outcomes[i].status;
        rv_outcome_release(&outcomes[i]);
    }
    return rc ? -1 : (int)claimed->count;
}

/* Claims up to 16 jobs and hands them in; how many, or -1. */
static int work_once(struct place *p) {
    struct rv_exchanged claimed;
    struct rv_exchange exchange = {.queue = "jobs",
                                   .timeout_ms = 20000,
                                   .want = 16,
                                   .holder = rv_random_nonzero(&rv_random_system),
                                   .lease_ms = 30000,
                                   .worker = "tests"};
    if (rv_store_exchange(p->store, &exchange, &claimed, &p->err)) return -1;
    int count = claimed.count ? hand_in_all(p, &claimed, exchange.holder) : 0;
    rv_exchanged_release(&claimed);
    return count;
}

static int push_and_work(struct place *p, int number) {
    if (open_store(p)) return 1;
    for (int i = 0; i < SHARE; i++) {
        char id[32];
        (void)snprintf(id, sizeof id, "%d.%d", number, i);
        if (push_job(p, id)) return 2;
        if (i % 4 == 3 && work_once(p) < 0) return 3;
    }
    int count;
    while ((count = work_once(p)) > 0) {
    }
    close_store(p);
    return count < 0 ? 4 : 0;
}

static void each_job_is_finished_once(void **state) { /* S1: and nobody is told that it is busy */
    struct place *p = *state;
    run_crowd(p, push_and_work);
    sqlite3 *db = open_file(p->path);
    CHECK_INT(ask_sql(db, "SELECT pushed_total FROM queue"), CROWD * SHARE);
    CHECK_INT(ask_sql(db, "SELECT finished_total FROM queue"), CROWD * SHARE);
    CHECK_INT(ask_sql(db, "SELECT fenced_total FROM queue"), 0);
    CHECK_INT(ask_sql(db, "SELECT count(*) FROM job"), 0);
    CHECK_INT(ask_sql(db, "SELECT count(*) FROM claim"), 0);
    (void)sqlite3_close(db);
}

/* ---- sudden death ---- */
enum { DEATHS = 20 };

static int work_for_ever(struct place *p, int number) {
    pid_t parent = getppid();
    if (open_store(p)) return 1;
    for (unsigned i = 0; getppid() == parent; i++) { /* a test that failed leaves nothing behind */
        char id[64];
        (void)snprintf(id, sizeof id, "%d.%d.%u", number, (int)getpid(), i);
        if (push_job(p, id) || (i % 2 && work_once(p) < 0)) return 2;
    }
    return 0;
}

static int64_t count_pushed(const char *path) {
    sqlite3 *db = open_file(path);
    int64_t count = ask_sql(db, "SELECT coalesce(max(pushed_total), 0) FROM queue");
    (void)sqlite3_close(db);
    return count;
}

struct goal {
    const char *path;
    int64_t pushed;
};

static bool is_reached(void *arg) {
    const struct goal *goal = arg;
    return count_pushed(goal->path) >= goal->pushed;
}

/* The counts of the queue, the claims and the jobs say the same. */
static void check_whole(const char *path) {
    sqlite3 *db = open_file(path);
    run_sql(db, "BEGIN");
    CHECK_INT(
        ask_sql(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    CHECK_INT(ask_sql(db, "SELECT ready FROM queue"),
              ask_sql(db, "SELECT count(*) FROM job WHERE state = 2"));
    CHECK_INT(ask_sql(db, "SELECT running FROM queue"),
              ask_sql(db, "SELECT count(*) FROM job WHERE state = 3 AND holder IS NOT NULL"));
    CHECK_INT(ask_sql(db, "SELECT running FROM queue"),
              ask_sql(db, "SELECT coalesce(sum(jobs), 0) FROM claim"));
    CHECK_INT(ask_sql(db, "SELECT pushed_total - finished_total FROM queue"),
              ask_sql(db, "SELECT count(*) FROM job"));
    (void)sqlite3_close(db);
}

static void death_leaves_a_whole_file(void **state) { /* S2 */
    struct place *p = *state;
    CHECK_OK(open_store(p));
    close_store(p);
    pid_t children[4];
    for (int i = 0; i < 4; i++)
        children[i] = start(p, work_for_ever, i);
    for (int death = 0; death < DEATHS; death++) {
        int64_t more = 1 + rv_random_below(&rv_random_system, 20);
        struct goal goal = {p->path, count_pushed(p->path) + more};
        CHECK(eventually(is_reached, &goal, 20000));
        int victim = death % 4;
        CHECK_INT(kill(children[victim], SIGKILL), 0);
        CHECK_INT(waitpid(children[victim], NULL, 0), children[victim]);
        check_whole(p->path);
        children[victim] = start(p, work_for_ever, victim);
    }
    for (int i = 0; i < 4; i++) {
        CHECK_INT(kill(children[i], SIGKILL), 0);
        CHECK_INT(waitpid(children[i], NULL, 0), children[i]);
    }
    check_whole(p->path);
}

/* ---- the bell ---- */
enum { ROUNDS = 10 };

static int commands[2]; /* a pipe: one byte for each job that the child is to push */

static int push_on_command(struct place *p, int number) {
    (void)number;
    if (open_store(p)) return 1;
    (void)close(commands[1]);
    char byte, id[16];
    for (int i = 0; read(commands[0], &byte, 1) == 1; i++) {
        (void)snprintf(id, sizeof id, "%d", i);
        if (push_job(p, id)) return 2;
    }
    close_store(p);
    return 0;
}

static void a_waiter_hears_of_a_push_elsewhere(void **state) {
    struct place *p = *state;
    CHECK_OK(open_store(p));
    CHECK_OK(rv_store_pause(p->store, "jobs", false, &p->err)); /* the log is there */
    close_store(p);
    CHECK_INT(pipe(commands), 0);
    pid_t child = start(p, push_on_command, 0);
    (void)close(commands[0]);
    CHECK_OK(open_store(p));
    int64_t begun = elapsed_ms();
    for (int i = 0; i < ROUNDS; i++) {
        struct rv_bell bell = {.queue = "jobs", .want_ready = true};
        struct rv_exchanged claimed;
        CHECK_INT(write(commands[1], "", 1), 1);
        do {
            CHECK_OK(rv_store_wait(p->store, &bell, 1, 20000, &p->err));
        } while (!bell.ready);
        CHECK_OK(claim_jobs(p, 1, &claimed));
        CHECK_INT(claimed.count, 1);
        rv_exchanged_release(&claimed);
    }
    CHECK(elapsed_ms() - begun < ROUNDS * 500); /* by its looks alone it would take a second each */
    (void)close(commands[1]);
    check_end(child);
}

const struct CMUnitTest crowd_tests[] = {
    SQLITE_TEST(all_may_be_the_first_to_open),
    SQLITE_TEST(each_job_is_finished_once),
    SQLITE_TEST(death_leaves_a_whole_file),
    SQLITE_TEST(a_waiter_hears_of_a_push_elsewhere),
};
const size_t crowd_test_count = sizeof crowd_tests / sizeof *crowd_tests;
