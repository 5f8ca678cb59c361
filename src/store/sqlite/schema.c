#include "store/sqlite/schema.h"

#include <stdio.h>
#include <string.h>

#include "store/sqlite/query.h"
#include "store/sqlite/rv_sqlite_schema.h"

#define APPLICATION_ID 0x52656576 /* "Reev" */

enum {
    OLDEST_WRITER = 1, /* the oldest schema whose libraries may still write beside this one */
    BOOT_ID_SIZE = 40,
};

/* ---- looking ---- */
int rv_sq_schema_read(struct rv_sq_conn *conn, struct rv_sq_layout *out) {
    *out = (struct rv_sq_layout){0};
    int result = rv_sq_conn_ask(conn, "PRAGMA application_id", &out->application_id);
    if (!result) result = rv_sq_conn_ask(conn, "SELECT count(*) FROM sqlite_schema", &out->objects);
    if (result || out->application_id != APPLICATION_ID) return result;
    result = rv_sq_conn_ask(conn, "SELECT value FROM meta WHERE name = 'schema'", &out->schema);
    if (!result)
        result = rv_sq_conn_ask(conn, "SELECT value FROM meta WHERE name = 'oldest_writer'",
                                &out->oldest_writer);
    return result;
}

static int check_layout(struct rv_sq_conn *conn, const struct rv_sq_layout *layout,
                        struct rv_error *err) {
    const char *path = sqlite3_db_filename(conn->db, NULL);
    bool empty = layout->application_id == 0 && layout->objects == 0;
    if (!empty && layout->application_id != APPLICATION_ID)
        return rv_fail(err, REEVE_ECORRUPT, "%s: not a reeve store", path);
    if (layout->oldest_writer > RV_SQLITE_SCHEMA_COUNT)
        return rv_fail(err, REEVE_ESCHEMA,
                       "%s: made by a newer reeve (schema %lld, for libraries that know %lld); "
                       "this one knows schema %d",
                       path, (long long)layout->schema, (long long)layout->oldest_writer,
                       RV_SQLITE_SCHEMA_COUNT);
    return 0;
}

int rv_sq_schema_known(void) {
    return RV_SQLITE_SCHEMA_COUNT;
}

static int look(struct rv_sq_conn *conn, struct rv_sq_layout *out, struct rv_error *err) {
    int result = rv_sq_schema_read(conn, out);
    int rc = result ? rv_sq_fail(conn, result, false, err) : check_layout(conn, out, err);
    conn->unsure = rc != 0;
    return rc;
}

int rv_sq_schema_recheck(struct rv_sq_conn *conn, struct rv_error *err) {
    struct rv_sq_layout layout;
    return look(conn, &layout, err);
}

/* ---- making ---- */
/* SQLite needs the file for itself for that, and gives up at once if another wants the same. */
static int use_wal(struct rv_sq_conn *conn, struct rv_error *err) {
    int result;
    do {
        result = rv_sq_conn_run(conn, "PRAGMA journal_mode = WAL");
    } while ((result & 0xff) == SQLITE_BUSY && rv_sq_conn_pause(conn));
    return result ? rv_sq_fail(conn, result, false, err) : 0;
}

static int set_meta(struct rv_sq_conn *conn, const char *name, int64_t value) {
    char sql[128];
    (void)snprintf(sql, sizeof sql, "REPLACE INTO meta(name, value) VALUES ('%s', %lld)", name,
                   (long long)value);
    return rv_sq_conn_run(conn, sql);
}

/* A mark that was raised stays where it is. */
static int migrate(struct rv_sq_conn *conn, const struct rv_sq_layout *from) {
    int result = 0;
    int64_t oldest = from->oldest_writer > OLDEST_WRITER ? from->oldest_writer : OLDEST_WRITER;
    for (int64_t i = from->schema; !result && i < RV_SQLITE_SCHEMA_COUNT; i++)
        result = rv_sq_conn_run(conn, rv_sqlite_schema[i].data);
    char sql[64];
    (void)snprintf(sql, sizeof sql, "PRAGMA application_id = %d", APPLICATION_ID);
    if (!result) result = rv_sq_conn_run(conn, sql);
    if (!result) result = set_meta(conn, "schema", RV_SQLITE_SCHEMA_COUNT);
    if (!result) result = set_meta(conn, "oldest_writer", oldest);
    return result;
}

static int end_transaction(struct rv_sq_conn *conn, int rc, struct rv_error *err) {
    int result = rc ? 0 : rv_sq_conn_run(conn, "COMMIT");
    if (result) rc = rv_sq_fail(conn, result, true, err);
    if (rc && !sqlite3_get_autocommit(conn->db)) (void)rv_sq_conn_run(conn, "ROLLBACK");
    return rc;
}

/* The same look again, now that nobody else can be at it. */
static int upgrade(struct rv_sq_conn *conn, struct rv_error *err) {
    int result = rv_sq_conn_run(conn, "BEGIN IMMEDIATE");
    if (result) return rv_sq_fail(conn, result, false, err);
    struct rv_sq_layout layout;
    int rc = look(conn, &layout, err);
    if (!rc && layout.schema < RV_SQLITE_SCHEMA_COUNT) {
        result = migrate(conn, &layout);
        if (result) rc = rv_sq_fail(conn, result, false, err);
    }
    return end_transaction(conn, rc, err);
}

/* As one transaction: another process may be making the store between two looks. */
static int look_at_once(struct rv_sq_conn *conn, struct rv_sq_layout *out, struct rv_error *err) {
    int result = rv_sq_conn_run(conn, "BEGIN");
    if (result) return rv_sq_fail(conn, result, false, err);
    return end_transaction(conn, look(conn, out, err), err);
}

int rv_sq_schema_ensure(struct rv_sq_conn *conn, struct rv_error *err) {
    struct rv_sq_layout layout = {0};
    int rc = look_at_once(conn, &layout, err);
    if (!rc) rc = use_wal(conn, err);
    if (!rc) rc = rv_sq_conn_check_file(conn, err);
    if (!rc && layout.schema < RV_SQLITE_SCHEMA_COUNT) rc = upgrade(conn, err);
    return rc;
}

/* ---- boots ---- */
static int read_boot_id(char out[BOOT_ID_SIZE], struct rv_error *err) {
    static const char path[] = "/proc/sys/kernel/random/boot_id";
    FILE *file = fopen(path, "re");
    bool read = file && fgets(out, BOOT_ID_SIZE, file);
    if (file) (void)fclose(file);
    if (!read)
        return rv_fail(err, REEVE_EUNREACHABLE, "%s cannot be read: leases need to know the boot",
                       path);
    out[strcspn(out, "\n")] = '\0';
    return 0;
}

/* What hangs on a boot, and which statements end it when that is gone. Each has a mark of its own:
 * see schema/003.sql. */
static const struct boot_bound {
    const char *mark; /* a name in meta */
    enum rv_sqlite_sql ends[2];
} boot_bounds[] = {
    {"boot_id", {RV_SQLITE_SQL_BOOT_VOID, RV_SQLITE_SQL_BOOT_VOID}},
    {"boot_id_grants", {RV_SQLITE_SQL_BOOT_VOID_GRANTS, RV_SQLITE_SQL_BOOT_VOID_TICKETS}},
    {"boot_id_streams", {RV_SQLITE_SQL_BOOT_VOID_STREAMS, RV_SQLITE_SQL_BOOT_VOID_MEMBERS}},
};
enum { BOOT_BOUNDS = sizeof boot_bounds / sizeof *boot_bounds };

static int is_known(struct rv_sq_conn *conn, const struct boot_bound *bound, const char *boot_id,
                    bool *known, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(conn, RV_SQLITE_SQL_BOOT_READ);
    rv_sq_bind_text(&query, bound->mark);
    rv_sq_bind_text(&query, boot_id);
    *known = rv_sq_row(&query);
    return rv_sq_end(&query, 0, err);
}

/* From now on the file knows this boot, and leases of another are over. */
static int meet_boot(struct rv_sq_conn *conn, const struct boot_bound *bound, const char *boot_id,
                     struct rv_error *err) {
    bool known;
    int rc = is_known(conn, bound, boot_id, &known, err);
    if (rc || known) return rc;
    for (size_t i = 0; !rc && i < sizeof bound->ends / sizeof *bound->ends; i++) {
        struct rv_sq_query query = rv_sq_query(conn, bound->ends[i]);
        rc = rv_sq_run(&query, NULL, err);
    }
    if (rc) return rc;
    struct rv_sq_query query = rv_sq_query(conn, RV_SQLITE_SQL_BOOT_SAVE);
    rv_sq_bind_text(&query, bound->mark);
    rv_sq_bind_text(&query, boot_id);
    return rv_sq_run(&query, NULL, err);
}

int rv_sq_schema_void_old_leases(struct rv_sq_conn *conn, struct rv_error *err) {
    char boot_id[BOOT_ID_SIZE];
    bool known = true;
    int rc = read_boot_id(boot_id, err);
    for (size_t i = 0; !rc && known && i < BOOT_BOUNDS; i++)
        rc = is_known(conn, &boot_bounds[i], boot_id, &known, err);
    if (rc || known) return rc;
    int result = rv_sq_conn_run(conn, "BEGIN IMMEDIATE");
    if (result) return rv_sq_fail(conn, result, false, err);
    for (size_t i = 0; !rc && i < BOOT_BOUNDS; i++)
        rc = meet_boot(conn, &boot_bounds[i], boot_id, err);
    return end_transaction(conn, rc, err);
}
