/* S7: the file is removed, replaced or moved while it is in use. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/eventually.h"
#include "sqlite/sqlite_tests.h"
#include "store/sqlite/sqlite.h"

enum { THREADS = 4, ROUNDS = 10, SOON_MS = 20000 };

/* ---- what is logged ---- */
static void count_line(void *arg, enum reeve_log_level level, const char *line) {
    if (level == REEVE_LOG_WARN && strncmp(line, "store.replaced path=", 20) == 0) ++*(int *)arg;
}

static void count_replaced(struct place *p, int *count) {
    *count = 0;
    p->log = (struct rv_log){count_line, count, REEVE_LOG_WARN};
}

/* ---- what is done to the file ---- */
static const char *beside(const struct place *p, const char *suffix, char out[512]) {
    (void)snprintf(out, 512, "%s%s", p->path, suffix);
    return out;
}

static void remove_all(const struct place *p) {
    char name[512];
    CHECK_INT(unlink(p->path), 0);
    CHECK_INT(unlink(beside(p, "-wal", name)), 0);
    CHECK_INT(unlink(beside(p, "-shm", name)), 0);
}

/* A store with the one job `saved`, at PATH.backup. */
static void make_backup(struct place *p) {
    char name[512];
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "saved"));
    close_store(p);
    CHECK_INT(rename(p->path, beside(p, ".backup", name)), 0);
}

static bool has_job(struct place *p, const char *id) {
    struct reeve_job *job = NULL;
    int rc = rv_store_read(p->store, "jobs", id, &job, &p->err);
    free(job);
    CHECK(rc == 0 || rc == REEVE_ENOENT);
    return rc == 0;
}

static void check_sound(const char *path) {
    sqlite3 *db = open_file(path);
    CHECK_INT(
        ask_sql(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
    (void)sqlite3_close(db);
}

/* ---- the tests ---- */
/* Another process makes the file and puts a job in. */
static void push_by_another(const struct place *p, const char *id) {
    struct place other = {.path = p->path, .log = p->log};
    CHECK_OK(open_store(&other));
    int rc = push_job(&other, id);
    close_store(&other);
    CHECK_OK(rc);
}

static void a_removed_file_is_told_until_there_is_another(void **state) {
    struct place *p = *state;
    int replaced;
    count_replaced(p, &replaced);
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_INT(replaced, 0);
    remove_all(p);
    for (int i = 0; i < 3; i++) {
        CHECK_FAILS(push_job(p, "b"), REEVE_EUNREACHABLE);
        CHECK(strstr(p->err.text, "replaced or removed") != NULL);
    }
    CHECK_INT(replaced, 1);
    CHECK_INT(file_size(p->path, ""), -1);
    push_by_another(p, "c");
    CHECK(has_job(p, "c"));
    CHECK(!has_job(p, "a"));
    CHECK_OK(push_job(p, "b"));
    CHECK_INT(replaced, 1);
}

static void an_empty_file_in_its_place_becomes_a_store(void **state) {
    struct place *p = *state;
    CHECK_OK(open_store(p));
    remove_all(p);
    FILE *file = fopen(p->path, "w");
    CHECK(file && fclose(file) == 0);
    CHECK_OK(push_job(p, "b"));
    sqlite3 *db = open_file(p->path);
    CHECK_INT(ask_sql(db, "SELECT count(*) FROM job WHERE id = 'b'"), 1);
    (void)sqlite3_close(db);
}

static void a_backup_takes_the_place_of_the_file(void **state) {
    struct place *p = *state;
    char backup[512];
    int replaced;
    make_backup(p);
    count_replaced(p, &replaced);
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a")); /* in the log, which must not come over the backup */
    CHECK_INT(rename(beside(p, ".backup", backup), p->path), 0);
    CHECK(has_job(p, "saved"));
    CHECK(!has_job(p, "a"));
    CHECK_OK(push_job(p, "b"));
    CHECK_INT(replaced, 1);
    close_store(p);
    check_sound(p->path);
}

static void who_ends_leaves_no_log_to_the_backup(void **state) {
    struct place *p = *state;
    char backup[512];
    make_backup(p);
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_INT(rename(beside(p, ".backup", backup), p->path), 0);
    close_store(p);
    CHECK_OK(open_store(p));
    CHECK(has_job(p, "saved") && !has_job(p, "a"));
}

static void who_ends_while_the_file_is_away_leaves_it_whole(void **state) {
    struct place *p = *state;
    char backup[512], other[512];
    make_backup(p);
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_INT(rename(p->path, beside(p, ".other", other)), 0);
    close_store(p);
    CHECK_INT(rename(beside(p, ".backup", backup), p->path), 0);
    CHECK_OK(open_store(p));
    CHECK(has_job(p, "saved") && !has_job(p, "a"));
    close_store(p);
    CHECK_INT(rename(other, p->path), 0);
    CHECK_OK(open_store(p));
    CHECK(has_job(p, "a"));
}

/* They keep their log, wherever the file is. */
static void who_ends_while_the_file_is_away_harms_no_others(void **state) {
    struct place *p = *state;
    struct place other = {.path = p->path, .log = p->log};
    char away[512];
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_OK(open_store(&other));
    CHECK(has_job(&other, "a"));
    CHECK_INT(rename(p->path, beside(p, ".other", away)), 0);
    close_store(&other);
    CHECK_INT(rename(away, p->path), 0);
    CHECK_OK(push_job(p, "b"));
    CHECK_OK(open_store(&other));
    bool seen = has_job(&other, "b");
    close_store(&other);
    CHECK(seen);
}

static void a_file_moved_away_is_whole(void **state) {
    struct place *p = *state;
    char backup[512], other[512];
    int replaced;
    make_backup(p);
    count_replaced(p, &replaced);
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_INT(rename(p->path, beside(p, ".other", other)), 0);
    CHECK_FAILS(push_job(p, "b"), REEVE_EUNREACHABLE);
    CHECK_INT(rename(other, p->path), 0); /* and back */
    CHECK(has_job(p, "a"));
    CHECK_OK(push_job(p, "b"));
    CHECK_INT(rename(p->path, other), 0);
    CHECK_INT(rename(beside(p, ".backup", backup), p->path), 0);
    CHECK(has_job(p, "saved"));
    CHECK_INT(replaced, 2);
    sqlite3 *db = open_file(other);
    CHECK_INT(ask_sql(db, "SELECT count(*) FROM job WHERE id IN ('a', 'b')"), 2);
    (void)sqlite3_close(db);
    close_store(p);
    check_sound(p->path);
    check_sound(other);
}

static void a_link_that_is_replaced_is_noticed(void **state) {
    struct place *p = *state;
    char backup[512], target[512];
    make_backup(p);
    CHECK_INT(symlink(beside(p, ".target", target), p->path), 0);
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_INT(rename(beside(p, ".backup", backup), p->path), 0);
    CHECK(has_job(p, "saved"));
    CHECK(!has_job(p, "a"));
}

static bool is_lost(struct place *p, uint64_t holder, uint64_t token) {
    struct rv_renewal renewal = {.token = token, .holder = holder, .lease_ms = 30000};
    struct rv_cancel_marks marks;
    CHECK_OK(rv_store_renew(p->store, "jobs", &renewal, 1, 1000, &marks, &p->err));
    free(marks.marks);
    return renewal.lost;
}

static void leases_of_the_old_file_are_lost(void **state) {
    struct place *p = *state;
    struct rv_exchange exchange = {.queue = "jobs",
                                   .timeout_ms = 1000,
                                   .want = 1,
                                   .holder = 7,
                                   .lease_ms = 30000,
                                   .worker = "tests"};
    struct rv_exchanged claimed;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_OK(rv_store_exchange(p->store, &exchange, &claimed, &p->err));
    uint64_t token = claimed.token;
    rv_exchanged_release(&claimed);
    CHECK(!is_lost(p, 7, token));
    remove_all(p);
    push_by_another(p, "a");
    CHECK(is_lost(p, 7, token));
}

static void a_folder_that_is_gone_is_told_until_it_is_back(void **state) {
    struct place *p = *state;
    char away[512];
    int replaced;
    count_replaced(p, &replaced);
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    (void)snprintf(away, sizeof away, "%s.away", p->folder);
    CHECK_INT(rename(p->folder, away), 0);
    for (int i = 0; i < 3; i++) {
        CHECK_FAILS(push_job(p, "b"), REEVE_EUNREACHABLE);
        CHECK(strstr(p->err.text, p->path) != NULL);
    }
    CHECK_INT(replaced, 1);
    CHECK_INT(rename(away, p->folder), 0);
    CHECK(has_job(p, "a"));
    CHECK_OK(push_job(p, "b"));
    CHECK_INT(replaced, 1);
}

/* ---- a waiter notices by itself ---- */
static void *wait_for_a_job(void *arg) {
    struct place *p = arg;
    struct rv_error err;
    struct rv_bell bell = {.queue = "jobs", .want_ready = true};
    int64_t begun = elapsed_ms();
    while (!bell.ready && elapsed_ms() - begun < SOON_MS)
        if (rv_store_wait(p->store, &bell, 1, SOON_MS, &err)) (void)sched_yield();
    return bell.ready ? p : NULL;
}

static void who_waits_hears_from_the_new_file(void **state) {
    struct place *p = *state;
    pthread_t waiter;
    CHECK_OK(open_store(p));
    CHECK_INT(pthread_create(&waiter, NULL, wait_for_a_job, p), 0);
    remove_all(p);
    push_by_another(p, "a");
    void *heard = NULL;
    CHECK_INT(pthread_join(waiter, &heard), 0);
    CHECK(heard != NULL);
    CHECK(has_job(p, "a"));
}

/* ---- calls under way ---- */
struct crowd {
    struct place *p;
    bool stop; /* atomic */
    int pushed, failed;
};

static void *push_on(void *arg) {
    struct crowd *crowd = arg;
    struct place own = {.store = crowd->p->store};
    char id[32];
    for (int i = 0; !__atomic_load_n(&crowd->stop, __ATOMIC_RELAXED); i++) {
        (void)snprintf(id, sizeof id, "%lx-%d", (unsigned long)pthread_self(), i);
        int rc = push_job(&own, id);
        if (rc) print_message("# %s: %s\n", id, own.err.text);
        (void)__atomic_add_fetch(rc ? &crowd->failed : &crowd->pushed, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static bool has_pushed(void *arg) {
    struct crowd *crowd = arg;
    return __atomic_load_n(&crowd->pushed, __ATOMIC_RELAXED) > 0;
}

static void calls_under_way_go_well(void **state) {
    struct place *p = *state;
    struct crowd crowd = {.p = p};
    pthread_t threads[THREADS];
    char backup[512];
    CHECK_OK(open_store(p));
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, push_on, &crowd), 0);
    for (int i = 0; i < ROUNDS; i++) {
        __atomic_store_n(&crowd.pushed, 0, __ATOMIC_RELAXED);
        CHECK(eventually(has_pushed, &crowd, SOON_MS));
        FILE *file = fopen(beside(p, ".backup", backup), "w");
        CHECK(file && fclose(file) == 0);
        CHECK_INT(rename(backup, p->path), 0);
    }
    __atomic_store_n(&crowd.stop, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    CHECK_INT(crowd.failed, 0);
    close_store(p);
    check_sound(p->path);
}

/* ---- at the worst moment ---- */
/* Puts the backup in the place of the file when SQLite is about to open one of its files. */
struct intruder {
    int (*open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
    struct place *p;
    struct rv_sq_conn *held; /* keeps the log of the old file where it is */
    int at;                  /* SQLITE_OPEN_MAIN_DB or SQLITE_OPEN_WAL; 0: it has come */
    struct place *witness;   /* another process, which notices at once; or NULL */
};

static int open_after(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
    struct intruder *intruder = vfs->pAppData;
    if (flags & intruder->at) {
        char backup[512];
        intruder->at = 0;
        CHECK_INT(rename(beside(intruder->p, ".backup", backup), intruder->p->path), 0);
        if (intruder->witness) CHECK_OK(push_job(intruder->witness, "c"));
        rv_sq_pool_give(&((struct rv_sq *)intruder->p->store)->pool, intruder->held);
    }
    return intruder->open(vfs, name, file, flags, out);
}

/* Pushes b by a connection of its own, while the intruder comes. */
static void push_beside(struct intruder *intruder) {
    struct place *p = intruder->p;
    struct rv_sq_pool *pool = &((struct rv_sq *)p->store)->pool;
    CHECK_OK(rv_sq_pool_take(pool, SOON_MS, &intruder->held, &p->err));
    intruder->open = pool->vfs.base.xOpen;
    pool->vfs.base.xOpen = open_after;
    pool->vfs.base.pAppData = intruder;
    CHECK_OK(push_job(p, "b"));
    CHECK_INT(intruder->at, 0);
    pool->vfs.base.xOpen = intruder->open;
}

static void a_backup_that_comes_as_the_file_is_opened_is_whole(void **state) {
    struct place *p = *state;
    make_backup(p);
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a")); /* in the log, which must not come over the backup */
    push_beside(&(struct intruder){.p = p, .at = SQLITE_OPEN_MAIN_DB});
    CHECK(has_job(p, "saved") && has_job(p, "b") && !has_job(p, "a"));
    close_store(p);
    check_sound(p->path);
}

static void a_backup_that_comes_as_the_log_is_opened_is_whole(void **state) {
    struct place *p = *state;
    struct place witness = {.path = p->path, .log = p->log};
    make_backup(p);
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_OK(open_store(&witness));
    push_beside(&(struct intruder){.p = p, .at = SQLITE_OPEN_WAL, .witness = &witness});
    close_store(&witness);
    CHECK(has_job(p, "saved") && has_job(p, "b") && has_job(p, "c") && !has_job(p, "a"));
    close_store(p);
    check_sound(p->path);
}

const struct CMUnitTest replaced_tests[] = {
    SQLITE_TEST(a_removed_file_is_told_until_there_is_another),
    SQLITE_TEST(an_empty_file_in_its_place_becomes_a_store),
    SQLITE_TEST(a_backup_takes_the_place_of_the_file),
    SQLITE_TEST(who_ends_leaves_no_log_to_the_backup),
    SQLITE_TEST(who_ends_while_the_file_is_away_leaves_it_whole),
    SQLITE_TEST(who_ends_while_the_file_is_away_harms_no_others),
    SQLITE_TEST(a_file_moved_away_is_whole),
    SQLITE_TEST(a_link_that_is_replaced_is_noticed),
    SQLITE_TEST(leases_of_the_old_file_are_lost),
    SQLITE_TEST(a_folder_that_is_gone_is_told_until_it_is_back),
    SQLITE_TEST(who_waits_hears_from_the_new_file),
    SQLITE_TEST(calls_under_way_go_well),
    SQLITE_TEST(a_backup_that_comes_as_the_file_is_opened_is_whole),
    SQLITE_TEST(a_backup_that_comes_as_the_log_is_opened_is_whole),
};
const size_t replaced_test_count = sizeof replaced_tests / sizeof *replaced_tests;
