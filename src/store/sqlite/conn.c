#include "store/sqlite/conn.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/random.h"
#include "store/sqlite/forget.h"
#include "store/sqlite/given.h"
#include "store/sqlite/schema.h"

/* The same for all and for ever: pauses that grow with the wait would let newcomers pass those who
 * have waited for long. */
enum { PAUSE_US_MIN = 200, PAUSE_US_MAX = 2000 };

/* secure_delete: where it is built in, every page that becomes free would be written once more.
 * cache_spill: see vfs.h; steps are bounded (J11), and so are the pages that one changes. */
static const char pragmas[] = "PRAGMA trusted_schema = OFF;"
                              "PRAGMA mmap_size = 0;"
                              "PRAGMA temp_store = MEMORY;"
                              "PRAGMA secure_delete = OFF;"
                              "PRAGMA cache_spill = OFF;"
                              "PRAGMA cache_size = -16384;";

/* ---- what results mean ---- */
/* The connection is not to be used again. */
static int fail_for_good(struct rv_sq_conn *conn, int code, const char *what,
                         struct rv_error *err) {
    int number = sqlite3_system_errno(conn->db);
    conn->broken = true;
    return rv_fail(err, code, "%s: %s%s%s", conn->path, what, number ? ": " : "",
                   number ? strerror(number) : "");
}

static int fail_io(struct rv_sq_conn *conn, bool while_committing, struct rv_error *err) {
    char what[128];
    (void)snprintf(what, sizeof what, "%s%s", sqlite3_errmsg(conn->db),
                   while_committing ? " while committing" : "");
    return fail_for_good(conn, while_committing ? REEVE_EUNSURE : REEVE_EUNREACHABLE, what, err);
}

/* The latest error that the system told of this file, 0 if none. */
static int errno_of(sqlite3_file *file) {
    int number = 0;
    if (file && file->pMethods)
        (void)file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

/* SQLite calls a file damaged that cannot be read, too: one is for ever, the other perhaps not. */
static int fail_damaged(struct rv_sq_conn *conn, struct rv_error *err) {
    sqlite3_file *file = NULL, *log = NULL;
    (void)sqlite3_file_control(conn->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    (void)sqlite3_file_control(conn->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    conn->broken = true;
    if (errno_of(file) == EIO || errno_of(log) == EIO)
        return rv_fail(err, REEVE_EUNREACHABLE, "%s: cannot be read: %s", conn->path,
                       strerror(EIO));
    return rv_fail(err, REEVE_ECORRUPT, "%s: %s", conn->path, sqlite3_errmsg(conn->db));
}

static int fail_read_only(struct rv_sq_conn *conn, int result, struct rv_error *err) {
    bool logless = result == SQLITE_READONLY_DIRECTORY || result == SQLITE_READONLY_CANTINIT;
    conn->broken = true;
    if (!logless)
        return rv_fail(err, REEVE_EUNREACHABLE, "%s: may be read, but not written", conn->path);
    return rv_fail(err, REEVE_EUNREACHABLE,
                   "%s: cannot be used without a log, which may not be made in its folder",
                   conn->path);
}

int rv_sq_fail(struct rv_sq_conn *conn, int result, bool while_committing, struct rv_error *err) {
    const char *text = sqlite3_errmsg(conn->db);
    switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return rv_fail(err, REEVE_EUNREACHABLE, "busy: %s: others kept writing until time was up",
                       conn->path);
    case SQLITE_FULL:
        return rv_fail(err, REEVE_EUNREACHABLE, "%s: the disk is full", conn->path);
    case SQLITE_READONLY:
        return fail_read_only(conn, result, err);
    case SQLITE_CANTOPEN:
        return fail_for_good(conn, REEVE_EUNREACHABLE, "it or its log cannot be opened", err);
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return fail_for_good(conn, REEVE_EUNREACHABLE, text, err);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
        return fail_damaged(conn, err);
    case SQLITE_IOERR:
        return fail_io(conn, while_committing, err);
    case SQLITE_NOMEM:
        return rv_fail(err, REEVE_ENOMEM, "out of memory in SQLite");
    case SQLITE_TOOBIG:
        return rv_fail(err, REEVE_ETOOBIG, "%s: %s", conn->path, text);
    default:
        return rv_fail(err, REEVE_EBUG, "%s: %s (SQLite %d)", conn->path, text, result);
    }
}

/* ---- waiting for a lock ---- */
bool rv_sq_conn_pause(struct rv_sq_conn *conn) {
    int64_t left_ms = conn->deadline_ms - rv_clock_boot_ms(&rv_clock_real);
    if (left_ms <= 0) return false;
    int64_t us = PAUSE_US_MIN + rv_random_below(&rv_random_system, PAUSE_US_MAX - PAUSE_US_MIN);
    if (us > left_ms * 1000) us = left_ms * 1000;
    conn->tries++;
    (void)nanosleep(&(struct timespec){.tv_nsec = (long)us * 1000}, NULL);
    return true;
}

static int on_busy(void *arg, int tries) {
    struct rv_sq_conn *conn = arg;
    (void)tries;
    if (rv_sq_conn_pause(conn)) return 1;
    /* Else SQLite would go on as a passive checkpoint, beside a writer: see checkpoint.c. */
    if (conn->no_fallback) sqlite3_interrupt(conn->db);
    return 0;
}

static int on_commit(void *arg, sqlite3 *db, const char *name, int wal_pages) {
    (void)db;
    (void)name;
    ((struct rv_sq_conn *)arg)->wal_pages = wal_pages;
    return SQLITE_OK;
}

/* ---- opening ---- */
void rv_sq_conn_close(struct rv_sq_conn *conn) {
    for (size_t i = 0; i < RV_SQLITE_SQL_COUNT; i++)
        (void)sqlite3_finalize(conn->stmts[i]);
    (void)sqlite3_close(conn->db);
    free(conn);
}

static int set_up(struct rv_sq_conn *conn, const char *synchronous) {
    (void)sqlite3_extended_result_codes(conn->db, 1);
    (void)sqlite3_busy_handler(conn->db, on_busy, conn);
    (void)sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    (void)sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    /* Newer ones would prepare anew whatever has a LIMIT, at each call, to look at its value. */
    (void)sqlite3_db_config(conn->db, SQLITE_DBCONFIG_ENABLE_QPSG, 1, NULL);
    char *pragma = sqlite3_mprintf("%sPRAGMA synchronous = %s;", pragmas, synchronous);
    if (!pragma) return SQLITE_NOMEM;
    int result = rv_sq_conn_run(conn, pragma);
    sqlite3_free(pragma);
    (void)sqlite3_wal_hook(conn->db, on_commit, conn); /* and no checkpoints but ours */
    if (!result) result = rv_sq_given_register(conn->db);
    return result ? result : rv_sq_forget_register(conn->db);
}

/* SQLite gives the log and its index the mode of the file. Those made while it may not be written
 * would be in the way when it may be again. */
static void free_logs(const struct rv_sq_conn *conn) {
    static const char *const suffixes[] = {"-wal", "-shm"};
    char name[PATH_MAX];
    struct stat about;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const char *path = sqlite3_db_filename(conn->db, NULL);
        int size = snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        if (size < (int)sizeof name && stat(name, &about) == 0)
            (void)chmod(name, (about.st_mode | S_IWUSR) & 07777);
    }
}

int rv_sq_conn_check_file(struct rv_sq_conn *conn, struct rv_error *err) {
    int moved = 0;
    (void)sqlite3_file_control(conn->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (!moved && rv_sq_files_look(conn->files, conn->path) == RV_SQ_FILES_STAND) return 0;
    return rv_fail(err, REEVE_EUNREACHABLE, "%s was replaced or removed as it was opened",
                   conn->path);
}

static int make_fit(struct rv_sq_conn *conn, const char *synchronous, struct rv_error *err) {
    int rc = rv_sq_conn_check_file(conn, err);
    if (rc) return rc;
    int result = set_up(conn, synchronous);
    if (result) return rv_sq_fail(conn, result, false, err);
    rc = rv_sq_schema_ensure(conn, err);
    bool read_only = sqlite3_db_readonly(conn->db, NULL);
    if (read_only) free_logs(conn);
    return rc || read_only ? rc : rv_sq_schema_void_old_leases(conn, err);
}

int rv_sq_conn_open(const struct rv_sq_source *source, int64_t deadline_ms, struct rv_sq_conn **out,
                    struct rv_error *err) {
    struct rv_sq_conn *conn = calloc(1, sizeof *conn);
    if (!conn) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    conn->path = source->path;
    conn->files = source->files;
    conn->deadline_ms = deadline_ms;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    int result = sqlite3_open_v2(conn->path, &conn->db, flags, source->vfs);
    int rc =
        result ? rv_sq_fail(conn, result, false, err) : make_fit(conn, source->synchronous, err);
    if (rc) {
        rv_sq_conn_close(conn);
        return rc;
    }
    *out = conn;
    return 0;
}

/* ---- statements ---- */
int rv_sq_conn_run(struct rv_sq_conn *conn, const char *sql) {
    return sqlite3_exec(conn->db, sql, NULL, NULL, NULL);
}

int rv_sq_conn_ask(struct rv_sq_conn *conn, const char *sql, int64_t *out) {
    sqlite3_stmt *stmt;
    int result = sqlite3_prepare_v2(conn->db, sql, -1, &stmt, NULL);
    if (result) return result;
    if (sqlite3_step(stmt) == SQLITE_ROW) *out = sqlite3_column_int64(stmt, 0);
    return sqlite3_finalize(stmt);
}
