/* A query is one use of a prepared statement: begun, its parameters bound in their order, its rows
 * looked at, ended. The first error sticks and is told at the end. */
#ifndef RV_STORE_SQLITE_QUERY_H
#define RV_STORE_SQLITE_QUERY_H

#include "base/bytes.h"
#include "store/sqlite/conn.h"

struct rv_sq_query {
    struct rv_sq_conn *conn;
    sqlite3_stmt *stmt;
    int bound;
    int result; /* SQLite's */
};

struct rv_sq_query rv_sq_query(struct rv_sq_conn *conn, enum rv_sqlite_sql which);
void rv_sq_bind_int(struct rv_sq_query *query, int64_t value);
void rv_sq_bind_u64(struct rv_sq_query *query, uint64_t value); /* its 64 bits as a signed number */
void rv_sq_bind_text(struct rv_sq_query *query, const char *text);       /* borrowed till the end */
void rv_sq_bind_bytes(struct rv_sq_query *query, struct rv_bytes bytes); /* likewise; never NULL */
void rv_sq_bind_null(struct rv_sq_query *query);
void rv_sq_bind_pointer(struct rv_sq_query *query, const void *pointer, const char *type);
bool rv_sq_row(struct rv_sq_query *query); /* steps to the next row; false: no more, or an error */
/* rc: what came of the work on its rows; returned unless it is 0 and the query itself failed. */
int rv_sq_end(struct rv_sq_query *query, int rc, struct rv_error *err);
/* For those without rows: steps, ends, tells how many rows were changed (changes may be NULL). */
int rv_sq_run(struct rv_sq_query *query, int64_t *changes, struct rv_error *err);

/* Columns of the current row. */
int64_t rv_sq_int(const struct rv_sq_query *query, int column);
uint64_t rv_sq_u64(const struct rv_sq_query *query, int column);
const char *rv_sq_text(const struct rv_sq_query *query, int column); /* NULL if it is NULL */
struct rv_bytes rv_sq_bytes(const struct rv_sq_query *query, int column);
bool rv_sq_is_null(const struct rv_sq_query *query, int column);

#endif
