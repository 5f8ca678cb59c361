#include "store/sqlite/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/random.h"
#include "store/sqlite/given.h"
#include "store/sqlite/schema.h"

/* The same for all and for ever: pauses that grow with the wait would let newcomers pass those who
 * have waited for long. */
enum { PAUSE_US_MIN = 200, PAUSE_US_MAX = 2000 };

static const char pragmas[] = "PRAGMA trusted_schema = OFF;"
                              "PRAGMA mmap_size = 0;"
                              "PRAGMA temp_store = MEMORY;"
                              "PRAGMA cache_size = -16384;";

/* ---- what results mean ---- */
/* The connection is not to be used again. */
static int fail_for_good(struct rv_sq_conn *conn, int code, const char *when,
                         struct rv_error *err) {
    int number = sqlite3_system_errno(conn->db);
    conn->broken = true;
    return rv_fail(err, code, "%s: %s%s%s%s", sqlite3_db_filename(conn->db, NULL),
                   sqlite3_errmsg(conn->db), when, number ? ": " : "",
                   number ? strerror(number) : "");
}

int rv_sq_fail(struct rv_sq_conn *conn, int result, bool while_committing, struct rv_error *err) {
    const char *path = sqlite3_db_filename(conn->db, NULL);
    const char *text = sqlite3_errmsg(conn->db);
    switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return rv_fail(err, REEVE_EUNREACHABLE, "%s: busy: others kept writing until time was up",
                       path);
    case SQLITE_FULL:
        return rv_fail(err, REEVE_EUNREACHABLE, "%s: the disk is full", path);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return fail_for_good(conn, REEVE_EUNREACHABLE, "", err);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
        conn->broken = true;
        return rv_fail(err, REEVE_ECORRUPT, "%s: %s", path, text);
    case SQLITE_IOERR:
        if (!while_committing) return fail_for_good(conn, REEVE_EUNREACHABLE, "", err);
        return fail_for_good(conn, REEVE_EUNSURE, " while committing", err);
    case SQLITE_NOMEM:
        return rv_fail(err, REEVE_ENOMEM, "out of memory in SQLite");
    case SQLITE_TOOBIG:
        return rv_fail(err, REEVE_ETOOBIG, "%s: %s", path, text);
    default:
        return rv_fail(err, REEVE_EBUG, "%s: %s (SQLite %d)", path, text, result);
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
static void conn_close(struct rv_sq_conn *conn) {
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
    char *pragma = sqlite3_mprintf("%sPRAGMA synchronous = %s;", pragmas, synchronous);
    if (!pragma) return SQLITE_NOMEM;
    int result = rv_sq_conn_run(conn, pragma);
    sqlite3_free(pragma);
    (void)sqlite3_wal_hook(conn->db, on_commit, conn); /* and no checkpoints but ours */
    return result ? result : rv_sq_given_register(conn->db);
}

static int conn_open(const struct rv_sq_pool *pool, int64_t timeout_ms, struct rv_sq_conn **out,
                     struct rv_error *err) {
    struct rv_sq_conn *conn = calloc(1, sizeof *conn);
    if (!conn) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    conn->deadline_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), timeout_ms);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int result = sqlite3_open_v2(pool->path, &conn->db, flags, NULL);
    if (!conn->db) {
        free(conn);
        return rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    /* Else SQLite would make a log that, like the file, cannot be written: not even later. */
    if (!result && sqlite3_db_readonly(conn->db, NULL) == 1) {
        conn_close(conn);
        return rv_fail(err, REEVE_EUNREACHABLE, "%s: may not be written", pool->path);
    }
    if (!result) result = set_up(conn, pool->synchronous);
    int rc = result ? rv_sq_fail(conn, result, false, err) : rv_sq_schema_ensure(conn, err);
    if (rc) {
        conn_close(conn);
        return rc;
    }
    *out = conn;
    return 0;
}

/* ---- the pool ---- */
int rv_sq_pool_init(struct rv_sq_pool *pool, const char *path, const char *synchronous,
                    struct rv_error *err) {
    *pool = (struct rv_sq_pool){.path = path, .synchronous = synchronous};
    if (pthread_mutex_init(&pool->lock, NULL)) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    return 0;
}

void rv_sq_pool_release(struct rv_sq_pool *pool) {
    while (pool->idle) {
        struct rv_sq_conn *conn = pool->idle;
        pool->idle = conn->next;
        conn_close(conn);
    }
    (void)pthread_mutex_destroy(&pool->lock);
}

/* What is written to a file that nobody will find again must not be acknowledged. */
static int check_file(const struct rv_sq_pool *pool, struct rv_error *err) {
    struct stat now;
    if (!pool->file) return 0; /* not met yet */
    if (stat(pool->path, &now) == 0 && now.st_ino == pool->file && now.st_dev == pool->device)
        return 0;
    return rv_fail(err, REEVE_EUNREACHABLE,
                   "%s was replaced or removed while it is in use: close all that use it",
                   pool->path);
}

/* The first connection is made before there are threads. */
static void meet_file(struct rv_sq_pool *pool) {
    struct stat now;
    if (pool->file || stat(pool->path, &now) != 0) return;
    pool->file = now.st_ino;
    pool->device = now.st_dev;
}

int rv_sq_conn_take(struct rv_sq_pool *pool, int64_t timeout_ms, struct rv_sq_conn **out,
                    struct rv_error *err) {
    int rc = check_file(pool, err);
    if (rc) return rc;
    (void)pthread_mutex_lock(&pool->lock);
    struct rv_sq_conn *conn = pool->idle;
    if (conn) pool->idle = conn->next;
    (void)pthread_mutex_unlock(&pool->lock);
    if (!conn) {
        rc = conn_open(pool, timeout_ms, out, err);
        if (!rc) meet_file(pool);
        return rc;
    }
    conn->deadline_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), timeout_ms);
    conn->tries = 0;
    *out = conn;
    return 0;
}

void rv_sq_conn_give(struct rv_sq_pool *pool, struct rv_sq_conn *conn) {
    if (conn->broken) {
        conn_close(conn);
        return;
    }
    (void)pthread_mutex_lock(&pool->lock);
    conn->next = pool->idle;
    pool->idle = conn;
    (void)pthread_mutex_unlock(&pool->lock);
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
