/* SQLite's own files, but that a commit goes into the log by one write instead of two for each
 * page, and that the log grows by many pages at once. What SQLite hands over before the last page
 * of a commit is nothing yet, so it can be held back until then: connections must not let it put
 * pages into the log before they commit (conn.c: cache_spill). */
#ifndef RV_STORE_SQLITE_VFS_H
#define RV_STORE_SQLITE_VFS_H

#include <sqlite3.h>

struct rv_sq_vfs {
    sqlite3_vfs base;
    sqlite3_vfs *real;
    char name[32]; /* to open connections with; empty: with SQLite's default */
};

/* Registers it with SQLite under a name of its own; an SQLite result code. It must stay where it is
 * until it is released, and that when no connection uses it any more. */
int rv_sq_vfs_init(struct rv_sq_vfs *vfs);
void rv_sq_vfs_release(struct rv_sq_vfs *vfs);

#endif
