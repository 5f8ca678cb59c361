/* A store that is not there when its handle is opened: with a spool that is no failure. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <reeve.h>

#include "harness/check.h"
#include "harness/eventually.h"
#include "harness/scratch.h"

enum { SOON_MS = 30000 };

static char *folder, *spool;

static reeve *open_with_spool(const char *url) {
    struct reeve_options options = {
        .size = sizeof options, .log_level = REEVE_LOG_ERROR, .spool = spool};
    reeve *r;
    CHECK_OK(reeve_open(&r, url, &options));
    return r;
}

static enum reeve_push_status push_to(reeve *r) {
    struct reeve_push push = {.size = sizeof push, .queue = "q", .id = "a"};
    struct reeve_pushed out = {.size = sizeof out};
    CHECK_OK(reeve_push(r, &push, &out));
    return out.status;
}

static bool job_is_there(void *arg) {
    struct reeve_job *job;
    int rc = reeve_get(arg, "q", "a", &job);
    reeve_free(rc ? NULL : job);
    return !rc;
}

static void a_store_may_come_later(void **state) {
    char *missing = scratch_path(folder, "missing"), url[4096];
    (void)state;
    reeve *r;
    (void)snprintf(url, sizeof url, "sqlite:%s/away/store.db", missing);
    r = open_with_spool(url);
    CHECK_INT(push_to(r), REEVE_SPOOLED);
    CHECK_INT(reeve_tend(r, NULL), REEVE_EUNREACHABLE);
    CHECK_INT(reeve_spool_forward(r, NULL), REEVE_EUNREACHABLE);
    CHECK_INT(mkdir(missing, 0700), 0);
    CHECK(eventually(job_is_there, r, SOON_MS));
    reeve_close(r);
    free(missing);
}

static void a_store_that_never_came_can_be_closed(void **state) {
    (void)state;
    reeve_tender *tender;
    reeve_watch *watch;
    char url[4096];
    reeve *r;
    (void)snprintf(url, sizeof url, "sqlite:%s/not/there/store.db", folder);
    r = open_with_spool(url);
    CHECK_OK(reeve_tender_open(&tender, r, NULL)); /* with all its threads */
    int rc = reeve_watch_open(&watch, r, "q", NULL, NULL);
    if (!rc) reeve_watch_close(watch);
    reeve_tender_close(tender);
    reeve_close(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_may_come_later),
        cmocka_unit_test(a_store_that_never_came_can_be_closed),
    };
    folder = scratch_create();
    spool = folder ? scratch_path(folder, "spool.db") : NULL;
    int failed = spool ? cmocka_run_group_tests_name("late", tests, NULL, NULL) : 1;
    free(spool);
    scratch_destroy(folder);
    return failed;
}
