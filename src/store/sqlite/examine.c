/* examine: all checks in their order, and those on the file as a database. */
#include "store/sqlite/examine.h"

#include <stdio.h>
#include <string.h>

#include "store/sqlite/schema.h"

enum {
    WHOLE_CHECK_MAX = 256 << 20, /* bytes: beyond, indexes are not held against their tables */
};

/* ---- schema ---- */
int rv_sq_examine_schema(struct rv_sq_exam *exam, struct rv_error *err) {
    struct rv_sq_step step;
    struct rv_sq_layout layout = {0};
    int rc = rv_sq_step_read(&step, &exam->store->base, err);
    if (rc) return rc;
    int result = rv_sq_schema_read(step.conn, &layout);
    if (result) rc = rv_sq_fail(step.conn, result, false, err);
    rc = rv_sq_step_end(&step, rc, err);
    if (rc) return rc;
    bool newer = layout.schema > rv_sq_schema_known();
    rv_find(&exam->book, newer ? REEVE_DOUBTFUL : REEVE_FINE, "schema",
            "schema %lld, open to libraries that know schema %lld; this one knows %d%s",
            (long long)layout.schema, (long long)layout.oldest_writer, rv_sq_schema_known(),
            newer ? ": a newer one is at work here, too" : "");
    return 0;
}

/* ---- integrity ---- */
/* SQLite tells a page that it had no memory to read among the damage. */
static bool lacked_memory(const char *text) {
    return strstr(text, "error code=7") != NULL; /* SQLITE_NOMEM */
}

/* The first thing that SQLite has to say: "ok" if all is well. */
static int ask_integrity(struct rv_sq_step *step, bool whole, char *text, size_t room,
                         struct rv_error *err) {
    sqlite3_stmt *stmt;
    const char *sql = whole ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)";
    int result = sqlite3_prepare_v2(step->conn->db, sql, -1, &stmt, NULL);
    if (!result) {
        result = sqlite3_step(stmt);
        if (result == SQLITE_ROW)
            (void)snprintf(text, room, "%s", (const char *)sqlite3_column_text(stmt, 0));
        result = sqlite3_finalize(stmt);
        if (!result && lacked_memory(text)) result = SQLITE_NOMEM;
    }
    return result ? rv_sq_fail(step->conn, result, false, err) : 0;
}

static int database_size(struct rv_sq_conn *conn, int64_t *out, struct rv_error *err) {
    int64_t pages = 0, size = 0;
    int result = rv_sq_conn_ask(conn, "PRAGMA page_count", &pages);
    if (!result) result = rv_sq_conn_ask(conn, "PRAGMA page_size", &size);
    *out = pages * size;
    return result ? rv_sq_fail(conn, result, false, err) : 0;
}

int rv_sq_examine_integrity(struct rv_sq_exam *exam, struct rv_error *err) {
    struct rv_sq_step step;
    char text[256] = "";
    int rc = rv_sq_step_read(&step, &exam->store->base, err);
    if (rc) return rc;
    int64_t size;
    rc = database_size(step.conn, &size, err);
    bool whole = size <= WHOLE_CHECK_MAX;
    if (!rc) rc = ask_integrity(&step, whole, text, sizeof text, err);
    rc = rv_sq_step_end(&step, rc, err);
    if (rc) return rc;
    if (strcmp(text, "ok") != 0)
        rv_find(&exam->book, REEVE_BAD, "integrity", "the file is damaged: %s", text);
    else
        rv_find(&exam->book, REEVE_FINE, "integrity", "%lld KiB, %s", (long long)(size >> 10),
                whole ? "sound" : "sound as far as a quick check can tell");
    return 0;
}

/* ---- the op ---- */
/* Orphans before counters: mending them changes what is to be counted. */
static const struct {
    const char *word;
    rv_sq_check_fn *check;
} checks[] = {
    {"schema", rv_sq_examine_schema},   {"integrity", rv_sq_examine_integrity},
    {"orphans", rv_sq_examine_orphans}, {"counters", rv_sq_examine_counters},
    {"streams", rv_sq_examine_streams}, {"file", rv_sq_examine_file},
    {"mode", rv_sq_examine_modes},      {"file_system", rv_sq_examine_file_system},
    {"library", rv_sq_examine_library}, {"durability", rv_sq_examine_durability},
    {"wal", rv_sq_examine_wal},
};

int rv_sq_examine(struct rv_store *s, bool repair, struct rv_findings *out, struct rv_error *err) {
    struct rv_sq_exam exam = {.store = (struct rv_sq *)s, .repair = repair, .book = {.out = out}};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        struct rv_error reason = {0};
        int rc = checks[i].check(&exam, &reason);
        if (rc == REEVE_ENOMEM) exam.book.no_memory = true;
        if (rc) rv_find(&exam.book, REEVE_BAD, checks[i].word, "%s", reason.text);
    }
    return exam.book.no_memory ? rv_fail(err, REEVE_ENOMEM, "out of memory") : 0;
}
