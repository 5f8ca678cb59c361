#include "store/sqlite/given.h"

#include <stdlib.h>
#include <string.h>

#include "store/sqlite/record.h"

enum column { ID, STATE, PRIORITY, SEQ, RUN_AT, KIND, TERMS, BODY, POINTER };

static const char declaration[] = "CREATE TABLE given_jobs("
                                  "id, state, priority, seq, run_at, kind, terms, body, "
                                  "pointer HIDDEN)";

struct cursor {
    sqlite3_vtab_cursor base;
    const struct rv_sq_given_jobs *given;
    size_t at;
};

static struct cursor *cursor_of(sqlite3_vtab_cursor *base) {
    return (struct cursor *)base;
}

static int table_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                         sqlite3_vtab **out, char **message) {
    (void)aux;
    (void)argc;
    (void)argv;
    (void)message;
    int result = sqlite3_declare_vtab(db, declaration);
    if (result) return result;
    *out = calloc(1, sizeof **out);
    return *out ? SQLITE_OK : SQLITE_NOMEM;
}

static int table_disconnect(sqlite3_vtab *table) {
    free(table);
    return SQLITE_OK;
}

/* There is one way to read it: all rows of the pointer that is given. */
static int table_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].iColumn != POINTER || !info->aConstraint[i].usable) continue;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->estimatedCost = 1;
        info->estimatedRows = 1;
        return SQLITE_OK;
    }
    return SQLITE_CONSTRAINT;
}

static int cursor_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out) {
    (void)table;
    struct cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor) return SQLITE_NOMEM;
    *out = &cursor->base;
    return SQLITE_OK;
}

static int cursor_close(sqlite3_vtab_cursor *base) {
    free(cursor_of(base));
    return SQLITE_OK;
}

static int cursor_filter(sqlite3_vtab_cursor *base, int index, const char *text, int argc,
                         sqlite3_value **argv) {
    (void)index;
    (void)text;
    (void)argc;
    struct cursor *cursor = cursor_of(base);
    cursor->given = sqlite3_value_pointer(argv[0], RV_SQ_GIVEN_JOBS);
    cursor->at = 0;
    return cursor->given ? SQLITE_OK : SQLITE_MISUSE;
}

static int cursor_next(sqlite3_vtab_cursor *base) {
    cursor_of(base)->at++;
    return SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base) {
    const struct cursor *cursor = cursor_of(base);
    return cursor->at >= cursor->given->count;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
    *out = (sqlite3_int64)cursor_of(base)->at;
    return SQLITE_OK;
}

static int give_terms(sqlite3_context *context, const struct rv_sq_given_jobs *given,
                      const struct rv_new_job *job) {
    struct rv_buf *buf = given->terms;
    int rc = rv_sq_terms_pack(buf, job, given->now_ms);
    if (rc) return SQLITE_NOMEM;
    sqlite3_result_blob64(context, buf->data, buf->size, SQLITE_TRANSIENT);
    return SQLITE_OK;
}

static void give_body(sqlite3_context *context, struct rv_bytes body) {
    if (rv_sq_body_is_large(body.size)) return; /* NULL: it is in a table of its own */
    sqlite3_result_blob64(context, body.data ? body.data : "", body.size, SQLITE_STATIC);
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
    const struct cursor *cursor = cursor_of(base);
    const struct rv_sq_given_jobs *given = cursor->given;
    const struct rv_new_job *job = &given->jobs[cursor->at];
    switch ((enum column)column) {
    case ID:
        sqlite3_result_text(context, job->id, -1, SQLITE_STATIC);
        break;
    case STATE:
        sqlite3_result_int(context, rv_sq_first_state(job, given->now_ms));
        break;
    case PRIORITY:
        sqlite3_result_int(context, job->priority);
        break;
    case SEQ:
        sqlite3_result_int64(context, (sqlite3_int64)given->seq + (sqlite3_int64)cursor->at);
        break;
    case RUN_AT:
        sqlite3_result_int64(context, rv_sq_first_run_at_ms(job, given->now_ms));
        break;
    case KIND:
        sqlite3_result_text(context, job->kind, -1, SQLITE_STATIC);
        break;
    case TERMS:
        return give_terms(context, given, job);
    case BODY:
        give_body(context, job->body);
        break;
    case POINTER:
        break;
    }
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xConnect = table_connect,
    .xBestIndex = table_best_index,
    .xDisconnect = table_disconnect,
    .xOpen = cursor_open,
    .xClose = cursor_close,
    .xFilter = cursor_filter,
    .xNext = cursor_next,
    .xEof = cursor_eof,
    .xColumn = cursor_column,
    .xRowid = cursor_rowid,
};

int rv_sq_given_register(sqlite3 *db) {
    return sqlite3_create_module_v2(db, "given_jobs", &module, NULL, NULL);
}
