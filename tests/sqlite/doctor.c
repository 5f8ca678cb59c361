/* The doctor on files that were harmed on purpose: each harm is found, told by its word, and mended
 * without losing a job where it can be. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sqlite/sqlite_tests.h"

static struct rv_findings examine(struct place *p, bool repair) {
    struct rv_findings findings;
    CHECK_OK(rv_store_examine(p->store, repair, &findings, &p->err));
    CHECK(findings.count > 0);
    return findings;
}

/* Of the last finding of that check; 0 if there is none. */
static enum reeve_health health_of(const struct rv_findings *findings, const char *check) {
    enum reeve_health health = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (strcmp(findings->findings[i].check, check) == 0) health = findings->findings[i].health;
    return health;
}

/* All that is not fine is of this check and this health; there is some, unless that is FINE. */
static void check_only(struct place *p, bool repair, const char *check, enum reeve_health health) {
    struct rv_findings findings = examine(p, repair);
    size_t found = 0;
    for (size_t i = 0; i < findings.count; i++) {
        const struct rv_finding *finding = &findings.findings[i];
        if (finding->health == REEVE_FINE) continue;
        if (strcmp(finding->check, check) != 0 || finding->health != health)
            print_error("%s (%d): %s\n", finding->check, (int)finding->health, finding->text);
        CHECK_STR(finding->check, check);
        CHECK_INT(finding->health, health);
        found++;
    }
    free(findings.findings);
    CHECK((found > 0) == (health != REEVE_FINE));
}

#define CHECK_SOUND(p) check_only((p), false, "", REEVE_FINE)

/* A harm of the given health is found, then mended, then gone. */
static void check_mended(struct place *p, const char *check, enum reeve_health health) {
    check_only(p, false, check, health);
    check_only(p, false, check, health); /* looking changes nothing */
    check_only(p, true, check, REEVE_REPAIRED);
    CHECK_SOUND(p);
}

/* A store with a job in hand and others waiting: "a" runs, "b" and "c" are ready. */
static void fill(struct place *p) {
    struct rv_exchanged claimed;
    CHECK_OK(open_store(p));
    CHECK_OK(push_job(p, "a"));
    CHECK_OK(claim_jobs(p, 1, &claimed));
    CHECK_INT(claimed.count, 1);
    rv_exchanged_release(&claimed);
    CHECK_OK(push_job(p, "b"));
    CHECK_OK(push_job(p, "c"));
}

static void harm(struct place *p, const char *sql) {
    sqlite3 *db = open_file(p->path);
    run_sql(db, sql);
    (void)sqlite3_close(db);
}

static void check_claimable(struct place *p, size_t count) {
    struct rv_exchanged claimed;
    CHECK_OK(claim_jobs(p, 10, &claimed));
    CHECK_INT(claimed.count, count);
    for (size_t i = 0; i < count; i++)
        CHECK_INT(claimed.jobs[i]->attempt, 1);
    rv_exchanged_release(&claimed);
}

/* ---- a sound one ---- */
static void a_sound_store_is_fine_in_every_respect(void **state) {
    static const char *const words[] = {"schema",  "integrity",  "orphans", "counters",
                                        "streams", "file",       "mode",    "file_system",
                                        "library", "durability", "wal"};
    struct place *p = *state;
    fill(p);
    struct rv_findings findings = examine(p, false);
    CHECK_INT(findings.count, sizeof words / sizeof *words);
    for (size_t i = 0; i < findings.count; i++) {
        CHECK_STR(findings.findings[i].check, words[i]);
        CHECK_INT(findings.findings[i].health, REEVE_FINE);
        CHECK(*findings.findings[i].text);
    }
    free(findings.findings);
}

static void looking_writes_nothing(void **state) {
    struct place *p = *state;
    fill(p);
    harm(p, "UPDATE queue SET ready = 99; DELETE FROM claim;");
    sqlite3 *db = open_file(p->path);
    int64_t before = ask_sql(db, "PRAGMA data_version");
    struct rv_findings findings = examine(p, false);
    free(findings.findings);
    CHECK_INT(ask_sql(db, "PRAGMA data_version"), before);
    (void)sqlite3_close(db);
}

struct traffic {
    struct place *p;
    _Atomic bool stop;
    int rc;
};

static void *make_traffic(void *arg) {
    struct traffic *traffic = arg;
    char id[16];
    for (int i = 0; !atomic_load(&traffic->stop) && !traffic->rc; i++) {
        struct rv_exchanged claimed;
        (void)snprintf(id, sizeof id, "t%d", i);
        traffic->rc = push_job(traffic->p, id);
        if (!traffic->rc) traffic->rc = claim_jobs(traffic->p, 1, &claimed);
        if (!traffic->rc) rv_exchanged_release(&claimed);
    }
    return NULL;
}

static void traffic_is_no_illness(void **state) {
    struct place *p = *state;
    fill(p);
    struct place other = {.path = p->path, .log = p->log};
    CHECK_OK(open_store(&other));
    struct traffic traffic = {.p = &other};
    pthread_t thread;
    CHECK_INT(pthread_create(&thread, NULL, make_traffic, &traffic), 0);
    for (int i = 0; i < 20; i++)
        check_only(p, i % 2, "", REEVE_FINE);
    atomic_store(&traffic.stop, true);
    CHECK_INT(pthread_join(thread, NULL), 0);
    CHECK_OK(traffic.rc);
    close_store(&other);
}

/* ---- counters ---- */
static void wrong_counts_are_mended(void **state) {
    struct place *p = *state;
    fill(p);
    harm(p, "UPDATE queue SET ready = 0, done = 5");
    check_claimable(p, 0); /* so it matters */
    check_mended(p, "counters", REEVE_BAD);
    check_claimable(p, 2);
}

static void tokens_and_order_that_ran_backwards_are_mended(void **state) { /* J4 J9 */
    struct place *p = *state;
    fill(p);
    harm(p, "UPDATE queue SET token = 7, seq = 0");
    check_mended(p, "counters", REEVE_BAD);
    sqlite3 *db = open_file(p->path);
    CHECK_INT(ask_sql(db, "SELECT token = (SELECT max(token) FROM claim) FROM queue"), 1);
    CHECK_INT(ask_sql(db, "SELECT seq = (SELECT max(seq) FROM job) FROM queue"), 1);
    (void)sqlite3_close(db);
}

static void groups_of_streams_are_counted_anew(void **state) {
    struct place *p = *state;
    const struct rv_group group = {.name = "g"};
    struct reeve_group figures;
    bool known;
    CHECK_OK(open_store(p));
    CHECK_OK(rv_store_stream_offer(p->store, &group, "s", NULL, 0, &known, &p->err));
    harm(p, "UPDATE stream_group SET waiting = 0, owned = 7");
    check_mended(p, "streams", REEVE_BAD);
    CHECK_OK(rv_store_stream_stats(p->store, &group, &figures, &p->err));
    CHECK_INT(figures.waiting, 1);
    CHECK_INT(figures.owned, 0);
}

/* ---- orphans ---- */
static void a_job_whose_claim_is_gone_is_ready_again(void **state) { /* J2 */
    struct place *p = *state;
    fill(p);
    harm(p, "DELETE FROM claim");
    check_only(p, false, "orphans", REEVE_BAD);
    struct rv_findings findings = examine(p, true);
    CHECK_INT(health_of(&findings, "orphans"), REEVE_REPAIRED);
    CHECK_INT(health_of(&findings, "counters"), REEVE_REPAIRED); /* in the same go */
    free(findings.findings);
    CHECK_SOUND(p);
    check_claimable(p, 3);
}

static void a_claim_without_jobs_goes(void **state) {
    struct place *p = *state;
    fill(p);
    harm(p, "INSERT INTO claim SELECT 12345, queue, token, 'ghost', 1, 1, 3, 0, 0 FROM claim");
    check_mended(p, "orphans", REEVE_BAD);
    sqlite3 *db = open_file(p->path);
    CHECK_INT(ask_sql(db, "SELECT count(*) FROM claim"), 1);
    CHECK_INT(ask_sql(db, "SELECT jobs FROM claim"), 1);
    (void)sqlite3_close(db);
}

static void a_waiting_job_has_no_holder(void **state) {
    struct place *p = *state;
    fill(p);
    harm(p, "UPDATE job SET holder = 12345 WHERE id = 'b'");
    check_mended(p, "orphans", REEVE_BAD);
    check_claimable(p, 2);
}

static void litter_is_doubtful_and_swept(void **state) {
    struct place *p = *state;
    fill(p);
    harm(p, "INSERT INTO body VALUES (999, 'x')");
    check_mended(p, "orphans", REEVE_DOUBTFUL);
    harm(p, "INSERT INTO note SELECT n, 1, 'x' FROM job");
    check_mended(p, "orphans", REEVE_DOUBTFUL);
    harm(p, "INSERT INTO lane VALUES (999, 1, 1, 'x', 1)");
    check_mended(p, "orphans", REEVE_DOUBTFUL);
    harm(p, "INSERT INTO event VALUES (999, 1, 1, 2, 1, 'a', NULL, 0)");
    check_mended(p, "orphans", REEVE_DOUBTFUL);
    check_claimable(p, 2);
}

static void what_is_lost_is_told_and_stays(void **state) {
    struct place *p = *state;
    fill(p);
    harm(p, "UPDATE job SET body = NULL WHERE id = 'b'");
    check_only(p, true, "orphans", REEVE_BAD);
    check_only(p, false, "orphans", REEVE_BAD);
    harm(p, "UPDATE job SET body = 'found' WHERE id = 'b'");
    CHECK_SOUND(p);
}

/* ---- the file ---- */
static void change_mode(const struct place *p, const char *suffix, mode_t mode) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s%s", p->path, suffix);
    CHECK_INT(chmod(path, mode), 0);
}

static mode_t mode_of(const char *path) {
    struct stat about;
    CHECK_INT(stat(path, &about), 0);
    return about.st_mode & 07777;
}

static void others_are_kept_out(void **state) {
    struct place *p = *state;
    fill(p);
    change_mode(p, "", 0604);
    check_mended(p, "mode", REEVE_BAD);
    CHECK_INT(mode_of(p->path), 0600);
    change_mode(p, "", 0660);
    check_mended(p, "mode", REEVE_BAD);
    change_mode(p, "-wal", 0666);
    check_mended(p, "mode", REEVE_BAD);
    CHECK_INT(chmod(p->folder, 0777), 0); /* there the file can be replaced */
    check_mended(p, "mode", REEVE_BAD);
    CHECK_INT(mode_of(p->folder), 0755);
    CHECK_INT(chmod(p->folder, 01777), 0); /* there it cannot, as in /tmp */
    CHECK_SOUND(p);
    CHECK_INT(chmod(p->folder, 0700), 0);
}

static void a_second_name_is_bad(void **state) { /* S7 */
    struct place *p = *state;
    char path[512];
    fill(p);
    (void)snprintf(path, sizeof path, "%s.other", p->path);
    CHECK_INT(link(p->path, path), 0);
    check_only(p, true, "file", REEVE_BAD);
    CHECK_INT(unlink(path), 0);
    CHECK_SOUND(p);
}

static void a_file_that_was_moved_away_is_bad(void **state) { /* S7 */
    struct place *p = *state;
    char path[512];
    fill(p);
    (void)snprintf(path, sizeof path, "%s.other", p->path);
    CHECK_INT(rename(p->path, path), 0);
    struct rv_findings findings = examine(p, false);
    CHECK_INT(health_of(&findings, "file"), REEVE_BAD);
    free(findings.findings);
    CHECK_INT(rename(path, p->path), 0);
    CHECK_SOUND(p);
}

static void damage_is_told(void **state) {
    struct place *p = *state;
    fill(p);
    close_store(p);
    sqlite3 *db = open_file(p->path);
    int64_t page = ask_sql(db, "SELECT rootpage FROM sqlite_schema WHERE name = 'job_ready'");
    int64_t size = ask_sql(db, "PRAGMA page_size");
    (void)sqlite3_close(db);
    FILE *file = fopen(p->path, "r+b");
    CHECK(file != NULL);
    CHECK_INT(fseek(file, (long)((page - 1) * size), SEEK_SET), 0);
    for (int i = 0; i < 512; i++)
        CHECK_INT(fputc(0xa5, file), 0xa5);
    CHECK_INT(fclose(file), 0);
    CHECK_OK(open_store(p)); /* it is not looked at yet */
    struct rv_findings findings = examine(p, false);
    CHECK_INT(health_of(&findings, "integrity"), REEVE_BAD);
    free(findings.findings);
}

/* ---- what was chosen ---- */
static struct rv_finding find(struct place *p, const char *check) {
    struct rv_findings findings = examine(p, false);
    struct rv_finding found = {0};
    for (size_t i = 0; i < findings.count; i++)
        if (strcmp(findings.findings[i].check, check) == 0) found = findings.findings[i];
    free(findings.findings);
    return found;
}

static struct rv_finding durability_of(struct place *p, const char *level) {
    char url[512];
    (void)snprintf(url, sizeof url, "sqlite:%s?synchronous=%s", p->path, level);
    close_store(p);
    CHECK_OK(open_url(p, url, 1000));
    return find(p, "durability");
}

static void what_a_push_survives_is_told(void **state) {
    struct place *p = *state;
    struct rv_finding finding = durability_of(p, "full");
    CHECK_INT(finding.health, REEVE_FINE);
    CHECK(strstr(finding.text, "power cut: yes") != NULL);
    finding = durability_of(p, "normal");
    CHECK_INT(finding.health, REEVE_FINE);
    CHECK(strstr(finding.text, "power cut: no") != NULL);
    finding = durability_of(p, "off");
    CHECK_INT(finding.health, REEVE_DOUBTFUL);
    CHECK(strstr(finding.text, "damaged") != NULL);
}

static void a_newer_schema_is_doubtful(void **state) {
    struct place *p = *state;
    fill(p);
    harm(p, "UPDATE meta SET value = value + 1 WHERE name = 'schema'");
    check_only(p, true, "schema", REEVE_DOUBTFUL);
}

static void an_old_library_is_named(void **state) { /* S8 */
    struct place *p = *state;
    fill(p);
    struct rv_finding finding = find(p, "library");
    CHECK(strstr(finding.text, sqlite3_libversion()) != NULL);
    CHECK((strstr(finding.text, "3.51.3") != NULL) == (sqlite3_libversion_number() < 3051003));
}

const struct CMUnitTest doctor_tests[] = {
    SQLITE_TEST(a_sound_store_is_fine_in_every_respect),
    SQLITE_TEST(looking_writes_nothing),
    SQLITE_TEST(traffic_is_no_illness),
    SQLITE_TEST(wrong_counts_are_mended),
    SQLITE_TEST(tokens_and_order_that_ran_backwards_are_mended),
    SQLITE_TEST(a_job_whose_claim_is_gone_is_ready_again),
    SQLITE_TEST(a_claim_without_jobs_goes),
    SQLITE_TEST(a_waiting_job_has_no_holder),
    SQLITE_TEST(litter_is_doubtful_and_swept),
    SQLITE_TEST(what_is_lost_is_told_and_stays),
    SQLITE_TEST(others_are_kept_out),
    SQLITE_TEST(a_second_name_is_bad),
    SQLITE_TEST(a_file_that_was_moved_away_is_bad),
    SQLITE_TEST(groups_of_streams_are_counted_anew),
    SQLITE_TEST(damage_is_told),
    SQLITE_TEST(what_a_push_survives_is_told),
    SQLITE_TEST(a_newer_schema_is_doubtful),
    SQLITE_TEST(an_old_library_is_named),
};
const size_t doctor_test_count = sizeof doctor_tests / sizeof *doctor_tests;
