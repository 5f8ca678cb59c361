/* Connections to the file and the statements on them. A call takes one for itself, so no thread
 * waits for another's; those given back are kept for the next. The last connection is kept until
 * the end, which keeps the write-ahead log where it is. */
#ifndef RV_STORE_SQLITE_CONN_H
#define RV_STORE_SQLITE_CONN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <sqlite3.h>

#include "base/error.h"
#include "store/sqlite/rv_sqlite_sql.h"

struct rv_sq_conn {
    struct rv_sq_conn *next; /* while idle */
    sqlite3 *db;
    sqlite3_stmt *stmts[RV_SQLITE_SQL_COUNT]; /* prepared when first needed */
    int64_t deadline_ms; /* how long a busy file is waited for; CLOCK_BOOTTIME */
    int tries;           /* of the lock, so far */
    bool no_fallback;    /* a checkpoint that does not get its locks must not go on without them */
    int wal_pages;       /* in the log after the latest commit here */
    bool broken;         /* met an I/O error: to be closed, never used again */
    bool unsure;         /* the layout may have changed since it was looked at: see step.c */
};

struct rv_sq_pool {
    const char *path; /* absolute */
    const char *synchronous;
    dev_t device; /* and file: those that path led to when it was opened; 0: not yet */
    ino_t file;
    pthread_mutex_t lock; /* guards idle */
    struct rv_sq_conn *idle;
};

int rv_sq_pool_init(struct rv_sq_pool *pool, const char *path, const char *synchronous,
                    struct rv_error *err);
void rv_sq_pool_release(struct rv_sq_pool *pool); /* no connection may be out */

/* A connection for the caller alone, with timeout_ms for what it may wait for from now on. */
int rv_sq_conn_take(struct rv_sq_pool *pool, int64_t timeout_ms, struct rv_sq_conn **out,
                    struct rv_error *err);
void rv_sq_conn_give(struct rv_sq_pool *pool, struct rv_sq_conn *conn);

/* What an SQLite result code means to callers; while_committing: whether that was a COMMIT. */
int rv_sq_fail(struct rv_sq_conn *conn, int result, bool while_committing, struct rv_error *err);

/* Sleeps a random moment before the lock is tried again; false when the time is over. */
bool rv_sq_conn_pause(struct rv_sq_conn *conn);

/* Runs SQL text that returns no rows and is not worth keeping prepared. An SQLite result code. */
int rv_sq_conn_run(struct rv_sq_conn *conn, const char *sql);
/* The one value that sql returns. An SQLite result code. */
int rv_sq_conn_ask(struct rv_sq_conn *conn, const char *sql, int64_t *out);

#endif
