/* The layout of the file: numbered migrations that are only ever added to. */
#ifndef RV_STORE_SQLITE_SCHEMA_H
#define RV_STORE_SQLITE_SCHEMA_H

#include "store/sqlite/conn.h"

/* Makes the file a reeve store of this library's layout, or sees that it is one. A file of
 * something else is REEVE_ECORRUPT and stays untouched; one that a newer library has closed to us
 * is REEVE_ESCHEMA. Any number of processes may do this at once. */
int rv_sq_schema_ensure(struct rv_sq_conn *conn, struct rv_error *err);

/* The look again, within a transaction: REEVE_ESCHEMA if a newer library has closed the file to us
 * since we opened it. */
int rv_sq_schema_recheck(struct rv_sq_conn *conn, struct rv_error *err);

struct rv_sq_layout {
    int64_t application_id, objects; /* objects: tables and the like */
    int64_t schema, oldest_writer;   /* 0 if the file is empty */
};
int rv_sq_schema_read(struct rv_sq_conn *conn, struct rv_sq_layout *out); /* an SQLite result */
int rv_sq_schema_known(void); /* the latest schema that this library knows */

/* Leases are over when the machine was started anew: their deadlines are of another boot. */
int rv_sq_schema_void_old_leases(struct rv_sq_conn *conn, struct rv_error *err);

#endif
