/* raw_sqlite - what SQLite itself does on this disk, for docs/performance.md to hold reeve against:
 * one table with an index over what waits, prepared statements, one connection, and nothing of what
 * makes a queue out of it (no ids to look up, no tokens, no history, no counters, no bells).
 *
 * Usage: raw_sqlite DIR FULL|NORMAL insert|drain ROWS BODY SECONDS
 *        raw_sqlite DIR - fdatasync
 *
 * insert: ROWS rows per commit. drain: claim ROWS in one commit, finish them in another, while
 * 10 000 others wait. fdatasync: of a block, one right after the other, and with 5 ms between, as a
 * queue that is idle meets the disk. Prints one JSON object. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    WAITING = 10000,
    ROWS_MAX = 100000,
    SYNCS = 2000,
    SYNCS_IDLE = 300,
    BLOCK = 4096,
    BLOCKS = 1024
};

static _Noreturn void die(const char *what, const char *why) {
    (void)fprintf(stderr, "raw_sqlite: %s: %s\n", what, why);
    exit(1);
}

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the table ---- */
struct raw {
    sqlite3 *db;
    sqlite3_stmt *begin, *commit, *insert, *claim, *finish;
    char path[4096];
    char *body;
    int body_size, rows;
    int64_t run_at;
    sqlite3_int64 *ids;
};

static void run_sql(struct raw *raw, const char *sql) {
    if (sqlite3_exec(raw->db, sql, NULL, NULL, NULL)) die(sql, sqlite3_errmsg(raw->db));
}

static sqlite3_stmt *prepare(struct raw *raw, const char *sql) {
    sqlite3_stmt *stmt;
    if (sqlite3_prepare_v3(raw->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL))
        die(sql, sqlite3_errmsg(raw->db));
    return stmt;
}

static void step(struct raw *raw, sqlite3_stmt *stmt) {
    int result = sqlite3_step(stmt);
    if (result != SQLITE_DONE && result != SQLITE_ROW)
        die(sqlite3_sql(stmt), sqlite3_errmsg(raw->db));
    (void)sqlite3_reset(stmt);
}

static void remove_files(const struct raw *raw) {
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[sizeof raw->path + 8];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        (void)snprintf(path, sizeof path, "%s%s", raw->path, ends[i]);
        (void)unlink(path);
    }
}

static void set_up(struct raw *raw, const char *folder, const char *synchronous) {
    char pragma[64];
    (void)snprintf(raw->path, sizeof raw->path, "%s/raw-%ld.db", folder, (long)getpid());
    (void)snprintf(pragma, sizeof pragma, "PRAGMA synchronous = %.8s", synchronous);
    if (sqlite3_open(raw->path, &raw->db)) die(raw->path, sqlite3_errmsg(raw->db));
    run_sql(raw, "PRAGMA journal_mode = WAL");
    run_sql(raw, pragma);
    run_sql(raw, "PRAGMA cache_size = -65536");
    run_sql(raw,
            "CREATE TABLE job(id INTEGER PRIMARY KEY, state INT NOT NULL, priority INT NOT NULL,"
            " run_at INT NOT NULL, attempts INT NOT NULL, owner TEXT, lease INT, body BLOB)");
    run_sql(raw, "CREATE INDEX job_waits ON job(priority, run_at, id) WHERE state = 0");
    run_sql(raw, "CREATE INDEX job_leased ON job(lease) WHERE state = 1");
    raw->begin = prepare(raw, "BEGIN IMMEDIATE");
    raw->commit = prepare(raw, "COMMIT");
    raw->insert = prepare(
        raw, "INSERT INTO job(state, priority, run_at, attempts, body) VALUES(0, 0, ?2, 0, ?1)");
    raw->claim = prepare(raw, "UPDATE job SET state = 1, owner = ?2, lease = ?3, attempts ="
                              " attempts + 1 WHERE id IN (SELECT id FROM job WHERE state = 0"
                              " ORDER BY priority, run_at, id LIMIT ?1) RETURNING id, body");
    raw->finish = prepare(raw, "DELETE FROM job WHERE id = ?1 AND owner = ?2 AND state = 1");
    raw->run_at = 1763236188000;
}

static void tear_down(struct raw *raw) {
    sqlite3_stmt *const stmts[] = {raw->begin, raw->commit, raw->insert, raw->claim, raw->finish};
    for (size_t i = 0; i < sizeof stmts / sizeof stmts[0]; i++)
        (void)sqlite3_finalize(stmts[i]);
    (void)sqlite3_close(raw->db);
    remove_files(raw);
}

/* ---- what is measured ---- */
static const char owner[] = "worker-000000001";

static void insert(struct raw *raw, int rows) {
    step(raw, raw->begin);
    for (int i = 0; i < rows; i++) {
        (void)sqlite3_bind_blob(raw->insert, 1, raw->body, raw->body_size, SQLITE_STATIC);
        (void)sqlite3_bind_int64(raw->insert, 2, raw->run_at++);
        step(raw, raw->insert);
    }
    step(raw, raw->commit);
}

static void claim(struct raw *raw) {
    int count = 0;
    step(raw, raw->begin);
    (void)sqlite3_bind_int(raw->claim, 1, raw->rows);
    (void)sqlite3_bind_text(raw->claim, 2, owner, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(raw->claim, 3, raw->run_at + 30000);
    while (count < raw->rows && sqlite3_step(raw->claim) == SQLITE_ROW)
        raw->ids[count++] = sqlite3_column_int64(raw->claim, 0);
    if (count < raw->rows) die("claim", "too few jobs");
    (void)sqlite3_reset(raw->claim);
    step(raw, raw->commit);
}

static void finish(struct raw *raw) {
    step(raw, raw->begin);
    for (int i = 0; i < raw->rows; i++) {
        (void)sqlite3_bind_int64(raw->finish, 1, raw->ids[i]);
        (void)sqlite3_bind_text(raw->finish, 2, owner, -1, SQLITE_STATIC);
        step(raw, raw->finish);
        if (sqlite3_changes(raw->db) != 1) die("finish", "a job is gone");
    }
    step(raw, raw->commit);
}

static double insert_rate(struct raw *raw, double seconds) {
    double from = now(), until = from + seconds;
    int64_t count = 0;
    for (; now() < until; count += raw->rows)
        insert(raw, raw->rows);
    return (double)count / (now() - from);
}

/* What is drained is filled up again, and that is not counted. */
static double drain_rate(struct raw *raw, double seconds) {
    double taken = 0, until = now() + seconds;
    int64_t count = 0;
    insert(raw, WAITING);
    while (now() < until) {
        insert(raw, raw->rows);
        double from = now();
        claim(raw);
        finish(raw);
        taken += now() - from;
        count += raw->rows;
    }
    return (double)count / taken;
}

/* ---- the disk ---- */
static int compare(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Writes one block after the other, as into a log that is written again; the median, in us. */
static double time_syncs(int fd, const char *block, int count, long apart_ms) {
    static double taken[SYNCS];
    for (int i = 0; i < count; i++) {
        if (apart_ms) (void)nanosleep(&(struct timespec){.tv_nsec = apart_ms * 1000000}, NULL);
        double from = now();
        if (pwrite(fd, block, BLOCK, (off_t)(i % BLOCKS) * BLOCK) != BLOCK || fdatasync(fd))
            die("fdatasync", strerror(errno));
        taken[i] = now() - from;
    }
    qsort(taken, (size_t)count, sizeof taken[0], compare);
    return taken[count / 2] * 1e6;
}

static void measure_disk(const char *folder) {
    static const char block[BLOCK];
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/raw-%ld.sync", folder, (long)getpid());
    int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) die(path, strerror(errno));
    (void)unlink(path);
    for (int i = 0; i < BLOCKS; i++)
        if (write(fd, block, BLOCK) != BLOCK) die(path, strerror(errno));
    (void)fsync(fd);
    double busy_us = time_syncs(fd, block, SYNCS, 0);
    double idle_us = time_syncs(fd, block, SYNCS_IDLE, 5);
    (void)close(fd);
    (void)printf("{\"p50_us\": %.1f, \"idle_p50_us\": %.1f}\n", busy_us, idle_us);
}

static long number(const char *text, long least, long most) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || value < least || value > most) die(text, "is not a number in its range");
    return value;
}

static void measure_table(char **argv) {
    bool inserts = !strcmp(argv[3], "insert");
    struct raw raw = {.rows = (int)number(argv[4], 1, ROWS_MAX),
                      .body_size = (int)number(argv[5], 0, 8 << 20)};
    double seconds = (double)number(argv[6], 1, 3600);
    if (!inserts && strcmp(argv[3], "drain") != 0) die(argv[3], "is neither insert nor drain");
    raw.body = calloc(1, (size_t)raw.body_size + 1);
    raw.ids = calloc((size_t)raw.rows, sizeof *raw.ids);
    if (!raw.body || !raw.ids) die("memory", "there is none");
    memset(raw.body, 'x', (size_t)raw.body_size);
    set_up(&raw, argv[1], argv[2]);
    double rate = inserts ? insert_rate(&raw, seconds) : drain_rate(&raw, seconds);
    tear_down(&raw);
    (void)printf("{\"per_second\": %.1f}\n", rate);
    free(raw.body);
    free(raw.ids);
}

int main(int argc, char **argv) {
    if (argc == 4 && !strcmp(argv[3], "fdatasync"))
        measure_disk(argv[1]);
    else if (argc == 7)
        measure_table(argv);
    else
        die("usage", "raw_sqlite DIR FULL|NORMAL insert|drain ROWS BODY SECONDS");
    return 0;
}
