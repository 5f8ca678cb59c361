/* The write-ahead log: a commit goes there by one write, nothing else does, and how it grows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite/sqlite_tests.h"
#include "store/sqlite/vfs.h"

enum { HEAD = 24, PAGE = 4096, FIRST = 32 };

/* How often this process has written, or -1 if the system does not tell. */
static long count_writes(void) {
    char line[128];
    long count = -1;
    FILE *file = fopen("/proc/self/io", "r");
    while (file && count < 0 && fgets(line, sizeof line, file))
        (void)sscanf(line, "syscw: %ld", &count);
    if (file) (void)fclose(file);
    return count;
}

static void a_commit_is_one_write(void **state) {
    struct place *p = *state;
    char id[16];
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "first"));
    long before = count_writes();
    if (before < 0) skip();
    for (int i = 0; i < 20; i++) {
        (void)snprintf(id, sizeof id, "%d", i);
        CHECK_OK(push_job(p, id));
    }
    long writes = count_writes() - before;
    CHECK(writes >= 20 && writes <= 22);
}

/* A sync of a file that has become longer takes twice as long. */
static void it_grows_by_many_commits_at_once(void **state) {
    enum { PUSHES = 100 };
    struct place *p = *state;
    char id[16];
    int64_t size = 0;
    int changes = 0;
    CHECK_OK(open_store(p));
    for (int i = 0; i < PUSHES; i++) {
        (void)snprintf(id, sizeof id, "%d", i);
        CHECK_OK(push_job(p, id));
        int64_t now = file_size(p->path, "-wal");
        if (now != size) changes++;
        size = now;
    }
    CHECK(changes > 1 && changes < PUSHES / 2);
    sqlite3 *db = open_file(p->path); /* what is behind the frames disturbs nobody */
    CHECK_INT(ask_sql(db, "SELECT count(*) FROM job"), PUSHES);
    (void)sqlite3_close(db);
}

static void a_commit_of_many_pages_is_whole(void **state) {
    enum { JOBS = 500 };
    struct place *p = *state;
    static char body[2000];
    static struct rv_new_job jobs[JOBS];
    static struct rv_pushed outs[JOBS];
    char ids[JOBS][8];
    CHECK_OK(open_store(p));
    for (int i = 0; i < JOBS; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "%d", i);
        jobs[i] = (struct rv_new_job){.queue = "jobs",
                                      .id = ids[i],
                                      .kind = "default",
                                      .nonce = 1,
                                      .policy = {.attempts_max = 1},
                                      .body = {body, sizeof body}};
    }
    CHECK_OK(rv_store_push(p->store, "jobs", jobs, JOBS, outs, &p->err));
    sqlite3 *db = open_file(p->path);
    CHECK_INT(ask_sql(db, "SELECT sum(length(body)) FROM job"), JOBS * (int)sizeof body);
    CHECK_INT(ask_sql(db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    (void)sqlite3_close(db);
}

/* ---- the file itself, as SQLite would use it ---- */
struct open_log {
    struct rv_sq_vfs vfs;
    sqlite3_file *file;
    char name[512];
};

/* Not on the stack: SQLite knows it until close_log(), and a test that fails does not get there. */
static struct open_log *open_log(struct place *p) {
    CHECK_OK(open_store(p)); /* there must be a file that it is the log of */
    close_store(p);
    struct open_log *log = calloc(1, sizeof *log);
    CHECK(log != NULL);
    CHECK_INT(rv_sq_vfs_init(&log->vfs), SQLITE_OK);
    (void)snprintf(log->name, sizeof log->name, "%s-wal", p->path);
    log->file = calloc(1, (size_t)log->vfs.base.szOsFile);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL;
    CHECK(log->file != NULL);
    CHECK_INT(log->vfs.base.xOpen(&log->vfs.base, log->name, log->file, flags, NULL), SQLITE_OK);
    return log;
}

static void close_log(struct open_log *log) {
    CHECK_INT(log->file->pMethods->xClose(log->file), SQLITE_OK);
    rv_sq_vfs_release(&log->vfs);
    free(log->file);
    free(log);
}

static int write_frame(sqlite3_file *file, sqlite3_int64 at, char commits) {
    static const char page[PAGE];
    char head[HEAD] = {0};
    head[7] = commits;
    int result = file->pMethods->xWrite(file, head, HEAD, at);
    return result ? result : file->pMethods->xWrite(file, page, PAGE, at + HEAD);
}

static void frames_wait_for_the_last_one(void **state) {
    struct place *p = *state;
    struct open_log *log = open_log(p);
    sqlite3_file *file = log->file;
    CHECK_INT(write_frame(file, FIRST, 0), SQLITE_OK);
    CHECK_INT(file_size(p->path, "-wal"), 0);
    CHECK_INT(write_frame(file, FIRST + HEAD + PAGE, 1), SQLITE_OK);
    CHECK_INT(file_size(p->path, "-wal"), FIRST + 2 * (HEAD + PAGE));
    CHECK_INT(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_OK);
    close_log(log);
}

/* Else it would overwrite what others have put there since. */
static void what_was_not_committed_is_never_written(void **state) {
    struct place *p = *state;
    struct open_log *log = open_log(p);
    sqlite3_file *file = log->file;
    CHECK_INT(write_frame(file, FIRST, 0), SQLITE_OK);
    CHECK_INT(write_frame(file, FIRST, 1), SQLITE_IOERR_WRITE);
    CHECK_INT(write_frame(file, FIRST, 0), SQLITE_OK);
    CHECK_INT(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_IOERR_FSYNC);
    CHECK_INT(file_size(p->path, "-wal"), 0);
    close_log(log);
}

/* SQLite reads a frame, and corrects its head. */
static void heads_are_mended_at_once(void **state) {
    struct place *p = *state;
    char frame[HEAD + PAGE], head[HEAD] = "mended";
    struct open_log *log = open_log(p);
    sqlite3_file *file = log->file;
    CHECK_INT(write_frame(file, FIRST, 1), SQLITE_OK);
    CHECK_INT(file->pMethods->xRead(file, frame, sizeof frame, FIRST), SQLITE_OK);
    CHECK_INT(file->pMethods->xWrite(file, head, HEAD, FIRST), SQLITE_OK);
    CHECK_INT(file->pMethods->xRead(file, frame, sizeof frame, FIRST), SQLITE_OK);
    CHECK(memcmp(frame, head, HEAD) == 0);
    close_log(log);
}

const struct CMUnitTest log_tests[] = {
    SQLITE_TEST(a_commit_is_one_write),
    SQLITE_TEST(it_grows_by_many_commits_at_once),
    SQLITE_TEST(a_commit_of_many_pages_is_whole),
    SQLITE_TEST(frames_wait_for_the_last_one),
    SQLITE_TEST(what_was_not_committed_is_never_written),
    SQLITE_TEST(heads_are_mended_at_once),
};
const size_t log_test_count = sizeof log_tests / sizeof *log_tests;
