/* What removes many jobs, or one, by hand or by age: nothing goes uncounted (J12). */
#include <pthread.h>
#include <stdlib.h>

#include "core/limits.h"
#include "store/topics.h"

static size_t purge(struct fixture *f, enum reeve_state state) {
    size_t removed;
    CHECK_CALL(f, rv_store_purge(handle(f), f->queue, state, &removed, &f->err));
    bool waited = state == REEVE_DELAYED || state == REEVE_READY;
    if (waited) f->expected.removed += removed;
    return removed;
}

static void make_one_of_each(struct fixture *f) {
    (void)push_delayed(f, "delayed", 60000);
    (void)push(f, "failed");
    CHECK_OK(finish(f, claim_as(f, "w", "failed"), RV_GIVEN_UP));
    (void)push(f, "done");
    CHECK_OK(finish(f, claim_as(f, "w", "done"), RV_SUCCEEDED));
    (void)push(f, "cancelled");
    CHECK_OK(cancel(f, "cancelled", NULL));
    (void)push(f, "running");
    (void)claim_as(f, "w", "running");
    (void)push(f, "ready");
}

static void a_purge_concerns_one_state(struct fixture *f) {
    static const enum reeve_state states[] = {REEVE_DELAYED, REEVE_READY, REEVE_DONE, REEVE_FAILED,
                                              REEVE_CANCELLED};
    make_one_of_each(f);
    f->queue = "others";
    make_one_of_each(f);
    f->queue = "jobs";
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        CHECK_STATE(f, reeve_state_name(states[i]), states[i]);
        CHECK_INT(purge(f, states[i]), 1);
        CHECK_GONE(f, reeve_state_name(states[i]));
        CHECK_INT(purge(f, states[i]), 0);
    }
    CHECK_STATE(f, "running", REEVE_RUNNING);
    CHECK_INT(stats(f).dropped_total, 2);
    CHECK_INT(stats(f).trimmed_total, 3);
    CHECK_INT(stats(f).finished_total, 3);
    f->queue = "others";
    CHECK_INT(stats(f).ready + stats(f).delayed + stats(f).done + stats(f).failed, 4);
}

static void running_jobs_are_not_purged(struct fixture *f) {
    size_t removed;
    (void)push(f, "a");
    (void)claim_as(f, "w", "a");
    CHECK_FAILS(rv_store_purge(handle(f), "jobs", REEVE_RUNNING, &removed, &f->err), REEVE_EINVAL);
    CHECK_FAILS(rv_store_purge(handle(f), "jobs", 0, &removed, &f->err), REEVE_EINVAL);
    CHECK_STATE(f, "a", REEVE_RUNNING);
    CHECK_CALL(f, rv_store_purge(handle(f), "unknown", REEVE_READY, &removed, &f->err));
    CHECK_INT(removed, 0);
}

static void a_purge_is_done_in_steps(struct fixture *f) { /* J11 */
    push_many(f, "n", 2 * RV_TEND_MAX + 5, NULL);
    CHECK_INT(purge(f, REEVE_READY), RV_TEND_MAX);
    CHECK_INT(purge(f, REEVE_READY), RV_TEND_MAX);
    CHECK_INT(purge(f, REEVE_READY), 5);
    CHECK_INT(purge(f, REEVE_READY), 0);
    CHECK_NOTHING_TO_CLAIM(f);
    CHECK_INT(push(f, "n0").status, REEVE_QUEUED); /* a purged id is new */
}

struct purger {
    pthread_t thread;
    struct rv_store *store;
    size_t removed;
    uint64_t left; /* when it was told that none is */
    int rc;
};

static void *purge_all(void *arg) {
    struct purger *purger = arg;
    struct reeve_queue queue = {0};
    size_t step = 1;
    while (!purger->rc && step) {
        purger->rc = rv_store_purge(purger->store, "jobs", REEVE_READY, &step, NULL);
        purger->removed += step;
    }
    if (!purger->rc) purger->rc = rv_store_stats(purger->store, "jobs", &queue, NULL);
    purger->left = queue.ready;
    return NULL;
}

static void purges_at_once_share_the_work(struct fixture *f) {
    enum { PURGERS = 3, COUNT = 15 * RV_TEND_MAX };
    struct purger purgers[PURGERS];
    push_many(f, "n", COUNT, NULL);
    for (int i = 0; i < PURGERS; i++) {
        purgers[i] = (struct purger){.store = i % 2 ? f->second : f->first};
        CHECK_INT(pthread_create(&purgers[i].thread, NULL, purge_all, &purgers[i]), 0);
    }
    size_t removed = 0;
    for (int i = 0; i < PURGERS; i++) {
        CHECK_INT(pthread_join(purgers[i].thread, NULL), 0);
        CHECK_OK(purgers[i].rc);
        CHECK_INT(purgers[i].left, 0); /* 0 is told only when none is left */
        removed += purgers[i].removed;
    }
    CHECK_INT(removed, COUNT);
    f->expected.removed += COUNT;
}

static void who_waits_hears_of_a_purge(struct fixture *f) {
    struct rv_bell bell = {.queue = "jobs"};
    (void)push(f, "a");
    (void)push(f, "b");
    CHECK_CALL(f, rv_store_wait(handle(f), &bell, 1, 0, &f->err));
    uint64_t before = bell.ended;
    CHECK_OK(remove_job(f, "a"));
    CHECK_CALL(f, rv_store_wait(handle(f), &bell, 1, 0, &f->err));
    CHECK(bell.ended > before);
    before = bell.ended;
    CHECK_INT(purge(f, REEVE_READY), 1);
    CHECK_CALL(f, rv_store_wait(handle(f), &bell, 1, 0, &f->err));
    CHECK(bell.ended > before);
}

/* ---- counted, whatever removes it ---- */
static void what_expires_or_is_removed_is_counted(struct fixture *f) { /* J12 */
    make_one_of_each(f);
    move_clock(f, KEEP_MS + 1);
    CHECK_INT(tend(f).expired, 2);
    CHECK_INT(stats(f).trimmed_total, 2);
    CHECK_OK(remove_job(f, "failed"));
    CHECK_INT(stats(f).trimmed_total, 3);
    CHECK_INT(stats(f).dropped_total, 0);
    CHECK_OK(remove_job(f, "ready"));
    CHECK_INT(stats(f).dropped_total, 1);
    (void)push(f, "again");
    CHECK_OK(cancel(f, "again", NULL));
    move_clock(f, KEEP_MS + 1);
    CHECK_INT(push(f, "again").status, REEVE_QUEUED); /* in the place of an expired record */
    CHECK_INT(stats(f).trimmed_total, 4);
    CHECK_OK(cancel(f, "again", NULL));
    CHECK_INT(push(f, "again").status, REEVE_QUEUED); /* of one that lives on as this */
    CHECK_INT(stats(f).trimmed_total, 4);
}

static const struct store_test tests[] = {
    TEST(a_purge_concerns_one_state),
    TEST(running_jobs_are_not_purged),
    TEST_NEEDING(ONE_SHARD, a_purge_is_done_in_steps),
    TEST(purges_at_once_share_the_work),
    TEST(who_waits_hears_of_a_purge),
    TEST(what_expires_or_is_removed_is_counted),
    {0},
};

const struct topic topic_purge = {"purge", tests};
