/* A connection to the file, the statements on it, and what its results mean. */
#ifndef RV_STORE_SQLITE_CONN_H
#define RV_STORE_SQLITE_CONN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "base/error.h"
#include "store/sqlite/files.h"
#include "store/sqlite/rv_sqlite_sql.h"

/* What is opened, and how. All of it stays valid, and the same, while there are connections. */
struct rv_sq_source {
    const char *path;
    const struct rv_sq_files *files; /* that path was met with */
    const char *vfs;                 /* by which SQLite is to open them; NULL: its own */
    const char *synchronous;
};

struct rv_sq_conn {
    struct rv_sq_conn *next; /* while idle */
    const char *path;
    const struct rv_sq_files *files;
    sqlite3 *db;
    sqlite3_stmt *stmts[RV_SQLITE_SQL_COUNT]; /* prepared when first needed */
    int64_t deadline_ms; /* how long a busy file is waited for; CLOCK_BOOTTIME */
    int tries;           /* of the lock, so far */
    bool no_fallback;    /* a checkpoint that does not get its locks must not go on without them */
    int wal_pages;       /* in the log after the latest commit here */
    bool broken;         /* met an I/O error: to be closed, never used again */
    bool unsure;         /* the layout may have changed since it was looked at: see step.c */
};

/* Opens the file as a store. deadline_ms: see above. REEVE_EUNREACHABLE if another takes its place
 * meanwhile. */
int rv_sq_conn_open(const struct rv_sq_source *source, int64_t deadline_ms, struct rv_sq_conn **out,
                    struct rv_error *err);
void rv_sq_conn_close(struct rv_sq_conn *conn);

/* Whether what is open is the file that was met, and stands at its path yet. Else the log beside
 * it may be another's, and neither may be used with the other: asked before SQLite opens the log,
 * lest it is that of the old file; and again before it is written to, lest somebody has noticed in
 * between and made one for the new file. */
int rv_sq_conn_check_file(struct rv_sq_conn *conn, struct rv_error *err);

/* What an SQLite result code means to callers; while_committing: whether that was a COMMIT. */
int rv_sq_fail(struct rv_sq_conn *conn, int result, bool while_committing, struct rv_error *err);

/* Sleeps a random moment before the lock is tried again; false when the time is over. */
bool rv_sq_conn_pause(struct rv_sq_conn *conn);

/* Runs SQL text that returns no rows and is not worth keeping prepared. An SQLite result code. */
int rv_sq_conn_run(struct rv_sq_conn *conn, const char *sql);
/* The one value that sql returns. An SQLite result code. */
int rv_sq_conn_ask(struct rv_sq_conn *conn, const char *sql, int64_t *out);

#endif
