/* Checkpoints. SQLite before 3.51.3 can damage a file when a checkpoint and the reset of the log by
 * a writer meet. A RESTART checkpoint holds the writer's lock, so none can; but when it does not
 * get that lock SQLite goes on without it. Hence conn->no_fallback: the busy handler interrupts it
 * instead. */
#include "store/sqlite/checkpoint.h"

#include "store/sqlite/sqlite.h"

enum {
    WAL_PAGES = 2048,        /* 8 MiB: some milliseconds of copying */
    CHECKPOINT_WAIT_MS = 50, /* for readers and other writers; else later */
    WAL_PAGES_WARN = 32 * WAL_PAGES,
};

static void warn(const struct rv_sq *store, int pages) {
    char path[RV_QUOTED_SIZE];
    rv_log(store->log, REEVE_LOG_WARN, "sqlite.wal_grows",
           "path=%s pages=%d reason=\"a reader keeps it from being checkpointed\"",
           rv_log_quote(path, store->path), pages);
}

/* Carries the log over; mode: to be begun anew, SQLITE_CHECKPOINT_RESTART, or emptied, _TRUNCATE,
 * which takes the same locks. An SQLite result code. */
static int carry_over(struct rv_sq_conn *conn, int mode) {
    conn->deadline_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), CHECKPOINT_WAIT_MS);
    conn->tries = 0;
    conn->no_fallback = true;
    int result = sqlite3_wal_checkpoint_v2(conn->db, NULL, mode, NULL, NULL);
    conn->no_fallback = false;
    if ((result & 0xff) == SQLITE_IOERR) conn->broken = true;
    return result;
}

bool rv_sq_checkpoint_all(struct rv_sq_conn *conn) {
    return carry_over(conn, SQLITE_CHECKPOINT_TRUNCATE) == SQLITE_OK;
}

void rv_sq_checkpoint(struct rv_sq *store, struct rv_sq_conn *conn) {
    if (conn->wal_pages < WAL_PAGES) {
        store->wal_pages_next = WAL_PAGES;
        return;
    }
    if (conn->wal_pages < store->wal_pages_next) return;
    int result = carry_over(conn, SQLITE_CHECKPOINT_RESTART);
    store->wal_pages_next = result ? conn->wal_pages + WAL_PAGES : WAL_PAGES;
    if (result && conn->wal_pages >= WAL_PAGES_WARN) warn(store, conn->wal_pages);
}
