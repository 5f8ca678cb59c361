/* Libraries of several versions on one file. A newer one is played by changing the file as it
 * would; an older one by taking away what it does not know, and by its SQL. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/outcome.h"
#include "harness/eventually.h"
#include "sqlite/sqlite_tests.h"

enum { LONG_MS = 60000 };

static void on_file(struct place *p, const char *sql) {
    sqlite3 *db = open_file(p->path);
    run_sql(db, sql);
    (void)sqlite3_close(db);
}

static int64_t ask_file(struct place *p, const char *sql) {
    sqlite3 *db = open_file(p->path);
    int64_t answer = ask_sql(db, sql);
    (void)sqlite3_close(db);
    return answer;
}

static int64_t meta(struct place *p, const char *name) {
    char sql[128];
    (void)snprintf(sql, sizeof sql, "SELECT value FROM meta WHERE name = '%s'", name);
    return ask_file(p, sql);
}

/* One job goes all the way: pushed, claimed, told of, renewed, done. */
static void live_a_life(struct place *p, const char *id) {
    struct rv_exchanged claimed;
    struct rv_cancel_marks marks;
    struct rv_outcome outcome;
    CHECK_OK(push_job(p, id));
    uint64_t holder = rv_random_nonzero(&rv_random_system);
    struct rv_exchange exchange = {.queue = "jobs",
                                   .timeout_ms = 5000,
                                   .want = 1,
                                   .holder = holder,
                                   .lease_ms = 30000,
                                   .worker = "tests"};
    CHECK_OK(rv_store_exchange(p->store, &exchange, &claimed, &p->err));
    CHECK_INT(claimed.count, 1);
    struct rv_renewal renewal = {.holder = holder, .token = claimed.token, .lease_ms = 30000};
    CHECK_OK(rv_store_renew(p->store, "jobs", &renewal, 1, 5000, &marks, &p->err));
    CHECK(!renewal.lost);
    struct rv_note note = {.id = claimed.jobs[0]->id,
                           .token = claimed.token,
                           .holder = holder,
                           .progress = 50,
                           .line = "half"};
    CHECK_OK(rv_store_note(p->store, "jobs", &note, &p->err));
    struct rv_report report = {.ending = RV_SUCCEEDED, .ended_at_ms = 1};
    CHECK_OK(rv_outcome_judge(claimed.jobs[0], holder, &report, &rv_random_system, &outcome));
    struct rv_exchange hand_in = {
        .queue = "jobs", .timeout_ms = 5000, .outcomes = &outcome, .outcome_count = 1};
    struct rv_exchanged none;
    CHECK_OK(rv_store_exchange(p->store, &hand_in, &none, &p->err));
    CHECK_OK(outcome.status);
    rv_outcome_release(&outcome);
    rv_exchanged_release(&claimed);
}

/* ---- newer ones ---- */
/* As a newer library would leave the file: more of everything, and its number. */
static void upgrade_beyond(struct place *p, int64_t oldest_writer) {
    char sql[512];
    (void)snprintf(sql, sizeof sql,
                   "BEGIN IMMEDIATE;"
                   "ALTER TABLE job ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue';"
                   "ALTER TABLE queue ADD COLUMN colour TEXT;"
                   "CREATE TABLE colour(job INTEGER PRIMARY KEY, name TEXT);"
                   "CREATE INDEX job_colour ON job(colour) WHERE colour <> 'blue';"
                   "UPDATE meta SET value = value + 1 WHERE name = 'schema';"
                   "UPDATE meta SET value = %lld WHERE name = 'oldest_writer';"
                   "COMMIT;",
                   (long long)oldest_writer);
    on_file(p, sql);
}

static void a_newer_one_may_work_beside(void **state) {
    struct place *p = *state;
    CHECK_OK(open_store(p));
    live_a_life(p, "before");
    CHECK_OK(push_job(p, "a"));
    int64_t known = meta(p, "schema");
    upgrade_beyond(p, known);
    on_file(p, "UPDATE job SET colour = 'red'; UPDATE queue SET colour = 'green';");
    CHECK_OK(rv_store_remove(p->store, "jobs", "a", &p->err)); /* open all the while */
    live_a_life(p, "during");
    CHECK_OK(push_job(p, "b"));
    CHECK_INT(meta(p, "schema"), known + 1); /* and it is not taken back */
    close_store(p);
    CHECK_OK(open_store(p));
    CHECK_OK(rv_store_remove(p->store, "jobs", "b", &p->err));
    live_a_life(p, "after");
    CHECK_OK(push_job(p, "c"));
    CHECK_INT(meta(p, "schema"), known + 1);
    CHECK_INT(ask_file(p, "SELECT count(*) FROM job WHERE colour = 'blue'"), 1);
    CHECK_INT(ask_file(p, "SELECT count(*) FROM queue WHERE colour = 'green'"), 1);
}

/* Everything that was ever written, as one number. */
static int64_t fingerprint(struct place *p) {
    return ask_file(p,
                    "SELECT (SELECT count(*) * 1000003 + ifnull(sum(n * state + seq), 0) FROM job)"
                    " + (SELECT sum(token + seq * 7 + pushed_total * 31 + fenced_total) FROM queue)"
                    " + (SELECT ifnull(sum(deadline), 0) FROM claim)"
                    " + (SELECT count(*) * 131 FROM worker) + (SELECT count(*) * 17 FROM note)");
}

static void check_closed(struct place *p, int rc) {
    CHECK_FAILS(rc, REEVE_ESCHEMA);
    CHECK(strstr(p->err.text, "newer reeve") != NULL);
    CHECK(strstr(p->err.text, p->path) != NULL);
}

/* Each op of an open store is refused, and changes nothing. */
static void check_all_closed(struct place *p, uint64_t token, uint64_t holder) {
    struct rv_exchanged claimed;
    struct rv_cancel_marks marks;
    struct rv_tended tended;
    struct reeve_job *job;
    struct reeve_queue queue;
    enum reeve_state now;
    struct rv_renewal renewal = {.holder = holder, .token = token, .lease_ms = 30000};
    struct rv_note note = {.id = "a", .token = token, .holder = holder, .progress = 1};
    struct rv_worker_row row = {.id = "w", .name = "w"};
    int64_t before = fingerprint(p);
    check_closed(p, push_job(p, "new"));
    check_closed(p, claim_jobs(p, 1, &claimed));
    check_closed(p, rv_store_renew(p->store, "jobs", &renewal, 1, 5000, &marks, &p->err));
    check_closed(p, rv_store_note(p->store, "jobs", &note, &p->err));
    check_closed(p, rv_store_tend(p->store, "jobs", &tended, &p->err));
    check_closed(p, rv_store_read(p->store, "jobs", "a", &job, &p->err));
    check_closed(p, rv_store_cancel(p->store, "jobs", "b", &now, &p->err));
    check_closed(p, rv_store_remove(p->store, "jobs", "b", &p->err));
    check_closed(p, rv_store_pause(p->store, "jobs", true, &p->err));
    check_closed(p, rv_store_stats(p->store, "jobs", &queue, &p->err));
    check_closed(p, rv_store_beat(p->store, &row, 1000, &p->err));
    CHECK_INT(fingerprint(p), before);
}

static void claim_one(struct place *p, uint64_t *token, uint64_t *holder) {
    struct rv_exchanged claimed;
    *holder = rv_random_nonzero(&rv_random_system);
    struct rv_exchange exchange = {.queue = "jobs",
                                   .timeout_ms = 5000,
                                   .want = 1,
                                   .holder = *holder,
                                   .lease_ms = 30000,
                                   .worker = "tests"};
    CHECK_OK(rv_store_exchange(p->store, &exchange, &claimed, &p->err));
    CHECK_INT(claimed.count, 1);
    *token = claimed.token;
    rv_exchanged_release(&claimed);
}

static void who_is_shut_out_hears_of_it_at_once(void **state) {
    struct place *p = *state;
    uint64_t token, holder;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_OK(push_job(p, "b"));
    claim_one(p, &token, &holder);
    upgrade_beyond(p, meta(p, "schema") + 1);
    check_all_closed(p, token, holder); /* with the store open all the while */
    close_store(p);
    int64_t before = fingerprint(p);
    check_closed(p, open_store(p));
    CHECK_INT(fingerprint(p), before);
}

/* The statements in use no longer make sense: the reason is told, not the symptom. */
static void a_layout_that_cannot_be_read_is_told_as_such(void **state) {
    struct place *p = *state;
    uint64_t token, holder;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_OK(push_job(p, "b"));
    claim_one(p, &token, &holder);
    int64_t known = meta(p, "schema");
    upgrade_beyond(p, known + 1);
    on_file(p, "ALTER TABLE job RENAME COLUMN terms TO conditions;"
               "ALTER TABLE queue RENAME COLUMN watched_until TO seen_until;");
    struct rv_tended tended;
    check_closed(p, push_job(p, "new"));
    check_closed(p, rv_store_tend(p->store, "jobs", &tended, &p->err));
    close_store(p);
    check_closed(p, open_store(p));
    CHECK_INT(meta(p, "schema"), known + 1);
}

/* ---- older ones ---- */
/* As a library of schema 1 would have left the file. */
static void make_old(struct place *p) {
    close_store(p);
    on_file(p, "BEGIN IMMEDIATE;"
               "ALTER TABLE queue DROP COLUMN bounds;"
               "ALTER TABLE worker DROP COLUMN kinds;"
               "ALTER TABLE worker DROP COLUMN claimed_at;"
               "DROP TABLE note;"
               "DROP TABLE granted;"
               "DROP TABLE ticket;"
               "DROP TABLE stream_group;"
               "DROP TABLE stream;"
               "DROP TABLE stream_letter;"
               "DROP TABLE stream_member;"
               "DELETE FROM meta WHERE name IN ('boot_id_grants', 'boot_id_streams');"
               "UPDATE meta SET value = 1 WHERE name IN ('schema', 'oldest_writer');"
               "COMMIT;");
}

static void an_old_file_is_brought_up_to_date(void **state) {
    struct place *p = *state;
    CHECK_OK(open_store(p));
    int64_t known = meta(p, "schema");
    live_a_life(p, "done");
    CHECK_OK(push_job(p, "a"));
    make_old(p);
    CHECK_INT(meta(p, "schema"), 1);
    CHECK_OK(open_store(p));
    CHECK_INT(meta(p, "schema"), known);
    CHECK_INT(meta(p, "oldest_writer"), 1);
    CHECK_OK(rv_store_remove(p->store, "jobs", "a", &p->err));
    live_a_life(p, "b");
    struct reeve_queue queue;
    CHECK_OK(rv_store_stats(p->store, "jobs", &queue, &p->err));
    CHECK_INT(queue.pushed_total, 3);
    CHECK_INT(queue.dropped_total, 1);
    CHECK_INT(queue.max_length, 0);
}

static void only_a_bound_shuts_old_ones_out(void **state) {
    struct place *p = *state;
    struct reeve_queue_settings settings = {.size = sizeof settings, .on_full = REEVE_DROP_OLDEST};
    CHECK_OK(open_store(p));
    live_a_life(p, "a");
    CHECK_OK(rv_store_set(p->store, "jobs", &settings, &p->err));
    CHECK_INT(meta(p, "oldest_writer"), 1);
    settings.max_length = 10;
    CHECK_OK(rv_store_set(p->store, "jobs", &settings, &p->err));
    CHECK_INT(meta(p, "oldest_writer"), 2);
    live_a_life(p, "b");
}

static void an_upgrade_lets_nobody_in_again(void **state) {
    struct place *p = *state;
    CHECK_OK(open_store(p));
    make_old(p);
    on_file(p, "UPDATE meta SET value = 2 WHERE name = 'oldest_writer';");
    CHECK_OK(open_store(p));
    CHECK_INT(meta(p, "oldest_writer"), 2);
}

/* A library that knows no grants meets a new boot first, and marks it as met: the leases of names
 * are over all the same. */
static void a_boot_ends_grants_whoever_met_it_first(void **state) {
    struct place *p = *state;
    struct rv_grant_ask ask = {
        .kind = RV_GRANT_LEADER, .name = "n", .holder = 1, .lease_ms = 30000, .by = "before"};
    struct rv_grant_answer answer;
    CHECK_OK(open_store(p));
    CHECK_OK(rv_store_grant_take(p->store, &ask, 5000, &answer, &p->err));
    CHECK(answer.token);
    close_store(p);
    on_file(p, "UPDATE meta SET value = 'another' WHERE name = 'boot_id_grants';");
    CHECK_OK(open_store(p));
    uint64_t before = answer.token;
    ask.holder = 2;
    CHECK_OK(rv_store_grant_take(p->store, &ask, 5000, &answer, &p->err));
    CHECK(answer.token > before);
}

/* A writer of schema 1: what that library does on a push and a removal, statement by statement. */
struct old_writer {
    pthread_t thread;
    sqlite3 *db;
    _Atomic int pushed; /* and every third of them removed */
    _Atomic bool stop;
    _Atomic int result;
};

static const char *const old_push[] = {
    "BEGIN IMMEDIATE",
    "INSERT INTO job(queue, id, state, priority, seq, run_at, attempt, flags, kind, terms, body) "
    "SELECT queue.n, 'old' || ?1, 2, 0, queue.seq + 1, 1, 0, 0, 'default', job.terms, 'body' "
    "FROM queue, job WHERE queue.name = 'jobs' AND job.id = 'pattern' "
    "ON CONFLICT(id, queue) DO NOTHING",
    "UPDATE queue SET shown = 1, paused = paused, token = token, seq = seq + 1, ready = ready + 1, "
    "pushed_total = pushed_total + 1 WHERE name = 'jobs'",
    "COMMIT",
};
static const char *const old_remove[] = {
    "BEGIN IMMEDIATE",
    "DELETE FROM job WHERE id = 'old' || ?1 AND state = 2",
    "UPDATE queue SET ready = ready - changes() WHERE name = 'jobs'",
    "COMMIT",
};
enum { STATEMENTS = 4 };

static void prepare_old(sqlite3 *db, const char *const *sql, sqlite3_stmt **out) {
    for (int i = 0; i < STATEMENTS; i++)
        CHECK_INT(sqlite3_prepare_v2(db, sql[i], -1, &out[i], NULL), SQLITE_OK);
}

static int run_old(sqlite3_stmt *const *stmts, int number) {
    int result = SQLITE_OK;
    for (int i = 0; i < STATEMENTS && result == SQLITE_OK; i++) {
        if (sqlite3_bind_parameter_count(stmts[i])) (void)sqlite3_bind_int(stmts[i], 1, number);
        result = sqlite3_step(stmts[i]);
        (void)sqlite3_reset(stmts[i]);
        if (result == SQLITE_DONE) result = SQLITE_OK;
    }
    return result;
}

static sqlite3_stmt *old_statements[2][STATEMENTS]; /* of the one old writer there is */

static void *write_as_of_old(void *arg) {
    struct old_writer *old = arg;
    for (int i = 0; !atomic_load(&old->stop) && !old->result; i++) {
        old->result = run_old(old_statements[0], i);
        if (!old->result && i % 3 == 0) old->result = run_old(old_statements[1], i);
        atomic_store(&old->pushed, i + 1);
    }
    return NULL;
}

struct progress {
    struct old_writer *old;
    int count;
};

static bool has_pushed(void *arg) {
    struct progress *progress = arg;
    return atomic_load(&progress->old->pushed) >= progress->count || progress->old->result;
}

static void await_pushes(struct old_writer *old, int more) {
    struct progress progress = {old, atomic_load(&old->pushed) + more};
    CHECK(eventually(has_pushed, &progress, LONG_MS));
}

static void check_counted_right(struct place *p) {
    struct rv_findings findings;
    CHECK_OK(rv_store_examine(p->store, false, &findings, &p->err));
    for (size_t i = 0; i < findings.count; i++) {
        if (findings.findings[i].health != REEVE_FINE)
            print_error("%s\n", findings.findings[i].text);
        CHECK_INT(findings.findings[i].health, REEVE_FINE);
    }
    free(findings.findings);
}

static void an_old_writer_goes_on_while_the_file_is_brought_up_to_date(void **state) {
    struct place *p = *state;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "pattern"));
    make_old(p);
    struct old_writer old = {.db = open_file(p->path)};
    prepare_old(old.db, old_push, old_statements[0]);
    prepare_old(old.db, old_remove, old_statements[1]);
    CHECK_INT(pthread_create(&old.thread, NULL, write_as_of_old, &old), 0);
    await_pushes(&old, 20);
    CHECK_OK(open_store(p)); /* under load */
    CHECK_OK(push_job(p, "new0"));
    await_pushes(&old, 20);
    CHECK_OK(rv_store_remove(p->store, "jobs", "new0", &p->err));
    CHECK_OK(push_job(p, "new1"));
    await_pushes(&old, 20);
    atomic_store(&old.stop, true);
    CHECK_INT(pthread_join(old.thread, NULL), 0);
    CHECK_INT(old.result, SQLITE_OK);
    for (int i = 0; i < 2 * STATEMENTS; i++)
        (void)sqlite3_finalize(old_statements[i / STATEMENTS][i % STATEMENTS]);
    CHECK_INT(sqlite3_close(old.db), SQLITE_OK);
    struct reeve_queue queue;
    int pushed = atomic_load(&old.pushed);
    CHECK_OK(rv_store_stats(p->store, "jobs", &queue, &p->err));
    CHECK_INT(queue.pushed_total, pushed + 3); /* none of either is lost */
    CHECK_INT(queue.ready, pushed - (pushed + 2) / 3 + 2);
    CHECK_INT(queue.dropped_total, 1); /* the old one counts no removals */
    check_counted_right(p);
}

static void what_an_old_one_leaves_of_a_note_is_nobodys(void **state) {
    struct place *p = *state;
    uint64_t token, holder;
    struct reeve_job *job;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    claim_one(p, &token, &holder);
    struct rv_note note = {
        .id = "a", .token = token, .holder = holder, .progress = 70, .line = "of a"};
    CHECK_OK(rv_store_note(p->store, "jobs", &note, &p->err));
    int64_t n = ask_file(p, "SELECT n FROM job WHERE id = 'a'");
    on_file(p, "BEGIN IMMEDIATE; DELETE FROM job; DELETE FROM claim;"
               "UPDATE queue SET running = 0; COMMIT");
    CHECK_INT(ask_file(p, "SELECT count(*) FROM note"), 2);
    CHECK_OK(push_job(p, "b"));
    CHECK_INT(ask_file(p, "SELECT n FROM job WHERE id = 'b'"), n); /* the very same number */
    claim_one(p, &token, &holder);
    CHECK_OK(rv_store_read(p->store, "jobs", "b", &job, &p->err));
    CHECK_INT(job->progress, REEVE_NONE);
    CHECK_INT(job->log_count, 0);
    free(job);
    note = (struct rv_note){
        .id = "b", .token = token, .holder = holder, .progress = REEVE_NONE, .line = "of b"};
    CHECK_OK(rv_store_note(p->store, "jobs", &note, &p->err));
    CHECK_OK(rv_store_read(p->store, "jobs", "b", &job, &p->err));
    CHECK_INT(job->progress, REEVE_NONE);
    CHECK_INT(job->log_count, 1);
    CHECK_STR(job->log[0], "of b");
    free(job);
}

const struct CMUnitTest version_tests[] = {
    SQLITE_TEST(a_newer_one_may_work_beside),
    SQLITE_TEST(who_is_shut_out_hears_of_it_at_once),
    SQLITE_TEST(a_layout_that_cannot_be_read_is_told_as_such),
    SQLITE_TEST(an_old_file_is_brought_up_to_date),
    SQLITE_TEST(only_a_bound_shuts_old_ones_out),
    SQLITE_TEST(an_upgrade_lets_nobody_in_again),
    SQLITE_TEST(a_boot_ends_grants_whoever_met_it_first),
    SQLITE_TEST(an_old_writer_goes_on_while_the_file_is_brought_up_to_date),
    SQLITE_TEST(what_an_old_one_leaves_of_a_note_is_nobodys),
};
const size_t version_test_count = sizeof version_tests / sizeof *version_tests;
