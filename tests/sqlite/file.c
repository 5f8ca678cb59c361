/* The file: who may read it, what it may be, and where it may not be. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sqlite/sqlite_tests.h"

static int open_below(struct place *p, const char *rest) {
    char url[512];
    (void)snprintf(url, sizeof url, "sqlite:%s%s", p->folder, rest);
    return open_url(p, url, 1000);
}

static void check_mode(const struct place *p, const char *rest, unsigned mode) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s%s", p->folder, rest);
    struct stat about;
    CHECK_INT(stat(path, &about), 0);
    CHECK_INT(about.st_mode & 0777, mode);
}

static void write_file(const char *path, const void *data, size_t size, long at) {
    FILE *file = fopen(path, at ? "r+b" : "wb");
    CHECK(file != NULL);
    CHECK_INT(fseek(file, at, SEEK_SET), 0);
    CHECK_INT(fwrite(data, 1, size, file), size);
    CHECK_INT(fclose(file), 0);
}

static void it_is_its_owners_alone(void **state) {
    struct place *p = *state;
    mode_t mask = umask(0);
    int rc = open_below(p, "/a/store.db");
    (void)umask(mask);
    CHECK_OK(rc);
    CHECK_OK(push_job(p, "a"));
    check_mode(p, "/a", 0700);
    check_mode(p, "/a/store.db", 0600);
    check_mode(p, "/a/store.db-wal", 0600);
}

static void so_it_is_at_the_end_of_links(void **state) {
    struct place *p = *state;
    char first[512];
    (void)snprintf(first, sizeof first, "%s/first", p->folder);
    CHECK_INT(symlink(first, p->path), 0);
    CHECK_INT(symlink("second", first), 0); /* which leads to nothing */
    mode_t mask = umask(0);
    int rc = open_store(p);
    (void)umask(mask);
    CHECK_OK(rc);
    CHECK_OK(push_job(p, "a"));
    check_mode(p, "/second", 0600);
    check_mode(p, "/second-wal", 0600);
}

static void one_folder_is_made_and_not_those_above(void **state) {
    struct place *p = *state;
    CHECK_FAILS(open_below(p, "/a/b/c/store.db"), REEVE_EUNREACHABLE);
    CHECK(strstr(p->err.text, "/a/b/c: cannot be made: No such file") != NULL);
    CHECK_INT(file_size(p->folder, "/a"), -1);
    p->make_folders = true;
    CHECK_OK(open_below(p, "/a/b/c/store.db"));
    check_mode(p, "/a", 0700);
    check_mode(p, "/a/b/c", 0700);
}

static void the_url_is_read_to_the_end(void **state) {
    struct place *p = *state;
    CHECK_FAILS(open_url(p, "sqlite:", 1000), REEVE_EINVAL);
    CHECK_FAILS(open_below(p, "/"), REEVE_EINVAL);
    CHECK_FAILS(open_below(p, "/x.db?sync=off"), REEVE_EINVAL);
    CHECK(strstr(p->err.text, "sync=off") != NULL);
    CHECK_FAILS(open_below(p, "/x.db?synchronous=maybe"), REEVE_EINVAL);
    CHECK(strstr(p->err.text, "maybe") != NULL);
    CHECK_INT(file_size(p->folder, "/x.db"), -1);
    CHECK_OK(open_below(p, "/x.db?synchronous=off&network=allow"));
}

static void a_place_that_cannot_be_is_unreachable(void **state) {
    struct place *p = *state;
    write_file(p->path, "x", 1, 0);
    CHECK_FAILS(open_below(p, "/store.db/x.db"), REEVE_EUNREACHABLE);
    CHECK(strstr(p->err.text, p->path) != NULL);
    CHECK_FAILS(open_below(p, ""), REEVE_EUNREACHABLE); /* a folder */
    CHECK(strstr(p->err.text, "not a plain file") != NULL);
    CHECK_FAILS(open_url(p, "sqlite:/dev/null", 1000), REEVE_EUNREACHABLE);
    CHECK_STR(p->err.text, "/dev/null: not a plain file");
}

static void a_link_to_itself_is_unreachable(void **state) {
    struct place *p = *state;
    CHECK_INT(symlink("store.db", p->path), 0);
    CHECK_FAILS(open_store(p), REEVE_EUNREACHABLE);
    CHECK(strstr(p->err.text, p->path) != NULL);
    CHECK(strstr(p->err.text, "symbolic links") != NULL);
}

/* ---- a file that may only be read ---- */
enum { NOBODY = 65534 };

/* Root may write all: such tests are run as somebody else. */
static void step_down(const struct place *p) {
    if (geteuid() != 0) return;
    CHECK_INT(chown(p->folder, NOBODY, (gid_t)-1), 0);
    CHECK_INT(seteuid(NOBODY), 0);
}

static void step_up(const struct place *p) {
    CHECK_INT(chmod(p->folder, 0700), 0);
    if (getuid() == 0) CHECK_INT(seteuid(0), 0);
}

static void what_may_only_be_read_is_read(void **state) {
    struct place *p = *state;
    struct reeve_queue stats;
    step_down(p);
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    close_store(p);
    CHECK_INT(chmod(p->path, 0400), 0);
    CHECK_OK(open_store(p));
    CHECK_OK(rv_store_stats(p->store, "jobs", &stats, &p->err));
    CHECK_INT(stats.ready, 1);
    CHECK_FAILS(push_job(p, "b"), REEVE_EUNREACHABLE);
    CHECK(strstr(p->err.text, "store.db: may be read, but not written") != NULL);
    close_store(p);
    CHECK_INT(chmod(p->path, 0600), 0);
    CHECK_OK(open_store(p)); /* nothing is left of the time when it could not */
    CHECK_OK(push_job(p, "b"));
    step_up(p);
}

static void what_may_not_even_be_read_is_told(void **state) {
    struct place *p = *state;
    step_down(p);
    CHECK_OK(open_store(p));
    close_store(p);
    CHECK_INT(chmod(p->folder, 0500), 0);
    CHECK_FAILS(open_store(p), REEVE_EUNREACHABLE);
    CHECK(strstr(p->err.text, "without a log, which may not be made in its folder") != NULL);
    CHECK_INT(chmod(p->folder, 0700), 0);
    CHECK_INT(chmod(p->path, 0), 0);
    CHECK_FAILS(open_store(p), REEVE_EUNREACHABLE);
    CHECK(strstr(p->err.text, p->path) != NULL);
    CHECK(strstr(p->err.text, "Permission denied") != NULL);
    CHECK(strstr(p->err.text, "(null)") == NULL);
    step_up(p);
}

static void text_is_no_store_and_stays_as_it_is(void **state) {
    struct place *p = *state;
    static const char text[] = "A letter to a friend, longer than the head of a database file, "
                               "which is a hundred bytes; so some more words follow here.";
    write_file(p->path, text, sizeof text, 0);
    CHECK_FAILS(open_store(p), REEVE_ECORRUPT);
    CHECK_INT(file_size(p->path, ""), sizeof text);
    CHECK_INT(file_size(p->path, "-wal"), -1);
}

static void a_database_of_something_else_stays_as_it_is(void **state) {
    struct place *p = *state;
    sqlite3 *db = open_file(p->path);
    run_sql(db, "CREATE TABLE job(n); INSERT INTO job VALUES (1);");
    (void)sqlite3_close(db);
    CHECK_FAILS(open_store(p), REEVE_ECORRUPT);
    CHECK(strstr(p->err.text, "not a reeve store") != NULL);
    db = open_file(p->path);
    CHECK_INT(ask_sql(db, "SELECT count(*) FROM sqlite_schema"), 1);
    CHECK_INT(ask_sql(db, "SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'delete'"),
              1);
    (void)sqlite3_close(db);
}

static void an_empty_file_becomes_a_store(void **state) {
    struct place *p = *state;
    write_file(p->path, "", 0, 0);
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
}

static void a_damaged_file_is_told(void **state) {
    struct place *p = *state;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    close_store(p);
    char noise[8192];
    memset(noise, 0xa5, sizeof noise);
    write_file(p->path, noise, sizeof noise, 4096);
    CHECK_FAILS(open_store(p), REEVE_ECORRUPT);
    CHECK(strstr(p->err.text, p->path) != NULL);
}

static void alter(struct place *p, const char *sql) {
    close_store(p);
    sqlite3 *db = open_file(p->path);
    run_sql(db, sql);
    (void)sqlite3_close(db);
}

static void a_store_closed_to_old_writers_is_refused(void **state) {
    struct place *p = *state;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    alter(p, "UPDATE meta SET value = 99 WHERE name = 'schema'");
    CHECK_OK(open_store(p)); /* newer, but made to live beside old ones */
    CHECK_OK(push_job(p, "b"));
    alter(p, "UPDATE meta SET value = 98 WHERE name = 'oldest_writer'");
    CHECK_FAILS(open_store(p), REEVE_ESCHEMA);
    CHECK(strstr(p->err.text, "99") != NULL);
    CHECK(strstr(p->err.text, "98") != NULL);
}

static void another_boot_ends_all_leases(void **state) { /* J8 */
    struct place *p = *state;
    struct rv_exchanged claimed;
    struct rv_lapsed lapsed;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_OK(claim_jobs(p, 1, &claimed));
    CHECK_INT(claimed.count, 1);
    rv_exchanged_release(&claimed);
    CHECK_OK(rv_store_lapsed(p->store, "jobs", &lapsed, &p->err));
    CHECK_INT(lapsed.count, 0);
    rv_lapsed_release(&lapsed);
    alter(p, "UPDATE meta SET value = 'another' WHERE name = 'boot_id'");
    CHECK_OK(open_store(p));
    CHECK_OK(rv_store_lapsed(p->store, "jobs", &lapsed, &p->err));
    CHECK_INT(lapsed.count, 1);
    rv_lapsed_release(&lapsed);
}

const struct CMUnitTest file_tests[] = {
    SQLITE_TEST(it_is_its_owners_alone),
    SQLITE_TEST(so_it_is_at_the_end_of_links),
    SQLITE_TEST(one_folder_is_made_and_not_those_above),
    SQLITE_TEST(the_url_is_read_to_the_end),
    SQLITE_TEST(a_place_that_cannot_be_is_unreachable),
    SQLITE_TEST(a_link_to_itself_is_unreachable),
    SQLITE_TEST(what_may_only_be_read_is_read),
    SQLITE_TEST(what_may_not_even_be_read_is_told),
    SQLITE_TEST(text_is_no_store_and_stays_as_it_is),
    SQLITE_TEST(a_database_of_something_else_stays_as_it_is),
    SQLITE_TEST(an_empty_file_becomes_a_store),
    SQLITE_TEST(a_damaged_file_is_told),
    SQLITE_TEST(a_store_closed_to_old_writers_is_refused),
    SQLITE_TEST(another_boot_ends_all_leases),
};
const size_t file_test_count = sizeof file_tests / sizeof *file_tests;
