/* What happens when the file is busy, when it cannot be written, and when nothing happens. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "harness/eventually.h"
#include "sqlite/sqlite_tests.h"

static int open_impatient(struct place *p) {
    char url[512];
    (void)snprintf(url, sizeof url, "sqlite:%s", p->path);
    return open_url(p, url, 100);
}

static void a_busy_file_is_unreachable_and_nothing_happened(void **state) {
    struct place *p = *state;
    CHECK_OK(open_impatient(p));
    CHECK_OK(push_job(p, "a"));
    sqlite3 *db = open_file(p->path);
    run_sql(db, "BEGIN IMMEDIATE");
    CHECK_FAILS(push_job(p, "b"), REEVE_EUNREACHABLE);
    CHECK(strncmp(p->err.text, "busy: ", 6) == 0);
    run_sql(db, "COMMIT");
    CHECK_INT(ask_sql(db, "SELECT count(*) FROM job"), 1);
    CHECK_OK(push_job(p, "b"));
    CHECK_INT(ask_sql(db, "SELECT count(*) FROM job"), 2);
    (void)sqlite3_close(db);
}

static void who_only_looks_does_not_wait_for_writers(void **state) {
    struct place *p = *state;
    CHECK_OK(open_impatient(p));
    CHECK_OK(push_job(p, "a"));
    struct rv_exchanged claimed;
    CHECK_OK(claim_jobs(p, 1, &claimed));
    rv_exchanged_release(&claimed);
    sqlite3 *db = open_file(p->path);
    run_sql(db, "BEGIN IMMEDIATE");
    struct rv_exchanged none;
    CHECK_OK(claim_jobs(p, 10, &none));
    CHECK_INT(none.count, 0);
    struct rv_tended tended;
    CHECK_OK(rv_store_tend(p->store, "jobs", &tended, &p->err));
    struct reeve_queue stats;
    CHECK_OK(rv_store_stats(p->store, "jobs", &stats, &p->err));
    CHECK_INT(stats.running, 1);
    struct rv_bell bell = {.queue = "jobs", .want_ready = true};
    CHECK_OK(rv_store_wait(p->store, &bell, 1, 10, &p->err));
    run_sql(db, "ROLLBACK");
    (void)sqlite3_close(db);
}

/* ---- idleness ---- */
struct traces {
    int64_t sizes[2];
    struct timespec times[2];
};

static struct traces read_traces(const struct place *p) {
    static const char *const suffixes[] = {"", "-wal"};
    struct traces traces;
    memset(&traces, 0, sizeof traces);
    for (size_t i = 0; i < 2; i++) {
        char path[512];
        struct stat about;
        (void)snprintf(path, sizeof path, "%s%s", p->path, suffixes[i]);
        CHECK_INT(stat(path, &about), 0);
        traces.sizes[i] = about.st_size;
        traces.times[i] = about.st_mtim;
    }
    return traces;
}

static void nothing_to_do_writes_nothing(void **state) {
    struct place *p = *state;
    struct rv_exchanged out;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_OK(claim_jobs(p, 1, &out));
    rv_exchanged_release(&out);
    struct traces before = read_traces(p);
    for (int i = 0; i < 10; i++) {
        struct rv_tended tended;
        struct rv_lapsed lapsed;
        struct rv_bell bell = {.queue = "jobs", .want_ready = true};
        CHECK_OK(claim_jobs(p, 10, &out));
        CHECK_OK(rv_store_tend(p->store, "jobs", &tended, &p->err));
        CHECK_OK(rv_store_lapsed(p->store, "jobs", &lapsed, &p->err));
        rv_lapsed_release(&lapsed);
        CHECK_OK(rv_store_wait(p->store, &bell, 1, 5, &p->err));
    }
    struct traces after = read_traces(p);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
}

/* ---- the log ---- */
static int push_many(struct place *p, size_t count) {
    char ids[100][RV_GENERATED_ID_SIZE];
    struct rv_new_job jobs[100];
    struct rv_pushed outs[100];
    for (size_t i = 0; i < count; i++) {
        rv_id_generate(ids[i], rv_clock_wall_us(&p->clock), &rv_random_system);
        jobs[i] = (struct rv_new_job){.queue = "jobs",
                                      .kind = "default",
                                      .id = ids[i],
                                      .body = {p, sizeof *p},
                                      .policy = {.attempts_max = 3}};
    }
    return rv_store_push(p->store, "jobs", jobs, count, outs, &p->err);
}

static void the_log_stays_short(void **state) { /* S8: by checkpoints of our own */
    struct place *p = *state;
    enum { MIB = 1 << 20 };
    char url[512];
    (void)snprintf(url, sizeof url, "sqlite:%s?synchronous=off", p->path);
    CHECK_OK(open_url(p, url, 20000));
    while (file_size(p->path, "") < 24 * MIB) {
        CHECK_OK(push_many(p, 100));
        CHECK(file_size(p->path, "-wal") < 16 * MIB);
    }
}

/* ---- writes that fail ---- */
static int push_against_limit(struct place *p) {
    struct rlimit limit = {.rlim_cur = 256 << 10, .rlim_max = RLIM_INFINITY};
    if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    if (open_store(p)) return 2;
    int rc = 0;
    for (int i = 0; i < 1000 && !rc; i++)
        rc = push_many(p, 100);
    if (rc != REEVE_EUNSURE && rc != REEVE_EUNREACHABLE) return 3;
    limit.rlim_cur = RLIM_INFINITY;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 4;
    return push_many(p, 100) ? 5 : 0; /* the next one has a connection that works */
}

static void a_write_that_fails_harms_nothing(void **state) { /* S4 */
    struct place *p = *state;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) _exit(push_against_limit(p));
    int status;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
    sqlite3 *db = open_file(p->path);
    CHECK_INT(
        ask_sql(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    CHECK_INT(ask_sql(db, "SELECT ready FROM queue"), ask_sql(db, "SELECT count(*) FROM job"));
    CHECK_INT(ask_sql(db, "SELECT ready % 100 FROM queue"), 0);
    (void)sqlite3_close(db);
}

const struct CMUnitTest lock_tests[] = {
    SQLITE_TEST(a_busy_file_is_unreachable_and_nothing_happened),
    SQLITE_TEST(who_only_looks_does_not_wait_for_writers),
    SQLITE_TEST(nothing_to_do_writes_nothing),
    SQLITE_TEST(the_log_stays_short),
    SQLITE_TEST(a_write_that_fails_harms_nothing),
};
const size_t lock_test_count = sizeof lock_tests / sizeof *lock_tests;
