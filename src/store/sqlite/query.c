#include "store/sqlite/query.h"

struct rv_sq_query rv_sq_query(struct rv_sq_conn *conn, enum rv_sqlite_sql which) {
    struct rv_sq_query query = {.conn = conn, .stmt = conn->stmts[which]};
    if (query.stmt) return query;
    const struct rv_sqlite_sql_text *text = &rv_sqlite_sql[which];
    query.result = sqlite3_prepare_v3(conn->db, text->data, (int)text->size + 1,
                                      SQLITE_PREPARE_PERSISTENT, &query.stmt, NULL);
    conn->stmts[which] = query.stmt;
    conn->unsure = true;
    return query;
}

/* Which parameter is next, or 0 if there is no use in binding it. */
static int next_parameter(struct rv_sq_query *query) {
    return query->result ? 0 : ++query->bound;
}

void rv_sq_bind_int(struct rv_sq_query *query, int64_t value) {
    int i = next_parameter(query);
    if (i) query->result = sqlite3_bind_int64(query->stmt, i, value);
}

void rv_sq_bind_u64(struct rv_sq_query *query, uint64_t value) {
    rv_sq_bind_int(query, (int64_t)value);
}

void rv_sq_bind_text(struct rv_sq_query *query, const char *text) {
    int i = next_parameter(query);
    if (i) query->result = sqlite3_bind_text(query->stmt, i, text, -1, SQLITE_STATIC);
}

void rv_sq_bind_bytes(struct rv_sq_query *query, struct rv_bytes bytes) {
    int i = next_parameter(query);
    const void *data = bytes.data ? bytes.data : ""; /* an empty blob, not NULL */
    if (i) query->result = sqlite3_bind_blob64(query->stmt, i, data, bytes.size, SQLITE_STATIC);
}

void rv_sq_bind_null(struct rv_sq_query *query) {
    int i = next_parameter(query);
    if (i) query->result = sqlite3_bind_null(query->stmt, i);
}

void rv_sq_bind_pointer(struct rv_sq_query *query, const void *pointer, const char *type) {
    int i = next_parameter(query);
    if (i) query->result = sqlite3_bind_pointer(query->stmt, i, (void *)pointer, type, NULL);
}

bool rv_sq_row(struct rv_sq_query *query) {
    if (query->result) return false;
    int result = sqlite3_step(query->stmt);
    if (result == SQLITE_ROW) return true;
    if (result != SQLITE_DONE) query->result = result;
    return false;
}

int rv_sq_end(struct rv_sq_query *query, int rc, struct rv_error *err) {
    if (!rc && query->result) rc = rv_sq_fail(query->conn, query->result, false, err);
    (void)sqlite3_reset(query->stmt);
    /* SQLite prepares a statement anew when somebody has changed the schema. */
    if (query->stmt && sqlite3_stmt_status(query->stmt, SQLITE_STMTSTATUS_REPREPARE, 1))
        query->conn->unsure = true;
    return rc;
}

int rv_sq_run(struct rv_sq_query *query, int64_t *changes, struct rv_error *err) {
    (void)rv_sq_row(query);
    if (changes) *changes = sqlite3_changes(query->conn->db);
    return rv_sq_end(query, 0, err);
}

int64_t rv_sq_int(const struct rv_sq_query *query, int column) {
    return sqlite3_column_int64(query->stmt, column);
}

uint64_t rv_sq_u64(const struct rv_sq_query *query, int column) {
    return (uint64_t)sqlite3_column_int64(query->stmt, column);
}

const char *rv_sq_text(const struct rv_sq_query *query, int column) {
    return (const char *)sqlite3_column_text(query->stmt, column);
}

struct rv_bytes rv_sq_bytes(const struct rv_sq_query *query, int column) {
    const void *data = sqlite3_column_blob(query->stmt, column);
    return (struct rv_bytes){data, (size_t)sqlite3_column_bytes(query->stmt, column)};
}

bool rv_sq_is_null(const struct rv_sq_query *query, int column) {
    return sqlite3_column_type(query->stmt, column) == SQLITE_NULL;
}
