#include "sqlite/sqlite_tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/random.h"
#include "harness/scratch.h"

enum { TIMEOUT_MS = 20000 };

int place_set_up(void **state) {
    struct place *p = calloc(1, sizeof *p);
    if (!p) return -1;
    *state = p;
    p->log.level = REEVE_LOG_ERROR;
    p->folder = scratch_create();
    p->path = p->folder ? scratch_path(p->folder, "store.db") : NULL;
    return p->path ? 0 : -1;
}

int place_tear_down(void **state) {
    struct place *p = *state;
    close_store(p);
    scratch_destroy(p->folder);
    free(p->path);
    free(p);
    return 0;
}

int open_url(struct place *p, const char *url, int64_t timeout_ms) {
    struct rv_store_config config = {.space = "tests",
                                     .timeout_ms = timeout_ms,
                                     .log = &p->log,
                                     .clock = &p->clock,
                                     .make_folders = p->make_folders};
    return rv_store_open(&p->store, url, &config, &p->err);
}

int open_store(struct place *p) {
    char url[512];
    (void)snprintf(url, sizeof url, "sqlite:%s", p->path);
    return open_url(p, url, TIMEOUT_MS);
}

void close_store(struct place *p) {
    rv_store_close(p->store);
    p->store = NULL;
}

int push_job(struct place *p, const char *id) {
    static const char body[100];
    struct rv_new_job job = {.queue = "jobs",
                             .kind = "default",
                             .id = id,
                             .nonce = rv_random_nonzero(&rv_random_system),
                             .body = {body, sizeof body},
                             .policy = {.attempts_max = 3}};
    struct rv_pushed pushed;
    int rc = rv_store_push(p->store, "jobs", &job, 1, &pushed, &p->err);
    free(pushed.done);
    return rc;
}

int claim_jobs(struct place *p, size_t want, struct rv_exchanged *out) {
    struct rv_exchange exchange = {.queue = "jobs",
                                   .timeout_ms = TIMEOUT_MS,
                                   .want = want,
                                   .holder = rv_random_nonzero(&rv_random_system),
                                   .lease_ms = 30000,
                                   .worker = "tests"};
    return rv_store_exchange(p->store, &exchange, out, &p->err);
}

sqlite3 *open_file(const char *path) {
    sqlite3 *db = NULL;
    CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
    (void)sqlite3_busy_timeout(db, TIMEOUT_MS);
    return db;
}

void run_sql(sqlite3 *db, const char *sql) {
    CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

int64_t ask_sql(sqlite3 *db, const char *sql) {
    sqlite3_stmt *stmt;
    CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    CHECK_INT(sqlite3_step(stmt), SQLITE_ROW);
    int64_t answer = sqlite3_column_int64(stmt, 0);
    (void)sqlite3_finalize(stmt);
    return answer;
}

int64_t file_size(const char *path, const char *suffix) {
    char name[512];
    (void)snprintf(name, sizeof name, "%s%s", path, suffix);
    struct stat about;
    return stat(name, &about) == 0 ? (int64_t)about.st_size : -1;
}
