/* What is true of the SQLite store alone: its file, its locks, its log, crowds of processes on it.
 * What it has in common with all stores is tests/store. */
#ifndef SQLITE_TESTS_H
#define SQLITE_TESTS_H

#include <sqlite3.h>

#include "harness/check.h"
#include "store/store.h"

/* A store in a folder of its own; cmocka's state of each test. */
struct place {
    char *folder;
    char *path; /* folder/store.db */
    struct rv_clock clock;
    struct rv_log log;
    struct rv_error err;
    bool make_folders;
    struct rv_store *store; /* NULL until it is opened; closed at the end */
};

int place_set_up(void **state);
int place_tear_down(void **state);

int open_url(struct place *p, const char *url, int64_t timeout_ms); /* into p->store */
int open_store(struct place *p);                                    /* of p->path */
void close_store(struct place *p);

/* One job of 100 bytes; keep_ms 0. */
int push_job(struct place *p, const char *id);
/* Claims up to want jobs. The caller releases *out. */
int claim_jobs(struct place *p, size_t want, struct rv_exchanged *out);

/* A connection of the test's own, and SQL on it that must go well. */
sqlite3 *open_file(const char *path);
void run_sql(sqlite3 *db, const char *sql);
int64_t ask_sql(sqlite3 *db, const char *sql);
int64_t file_size(const char *path, const char *suffix); /* -1 if there is none */

extern const struct CMUnitTest file_tests[], lock_tests[], crowd_tests[], version_tests[],
    doctor_tests[], replaced_tests[], log_tests[], bell_tests[];
extern const size_t file_test_count, lock_test_count, crowd_test_count, version_test_count,
    doctor_test_count, replaced_test_count, log_test_count, bell_test_count;

#define SQLITE_TEST(function) \
    { #function, function, place_set_up, place_tear_down, NULL }

#endif
