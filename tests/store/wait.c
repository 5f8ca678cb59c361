/* Bells: hints that make things fast. A wait looks before it blocks, so nothing is missed (T29). */
#include <pthread.h>
#include <stdlib.h>

#include "harness/eventually.h"
#include "store/topics.h"

enum {
    LONG_MS = 20000, /* no wait below takes so long unless a bell is missed */
    SOON_MS = 8000,  /* generous: a sanitizer on a busy machine */
};

static struct rv_bell look(struct fixture *f, struct rv_bell bell, int64_t timeout_ms) {
    CHECK_CALL(f, rv_store_wait(handle(f), &bell, 1, timeout_ms, &f->err));
    return bell;
}

static void a_ready_job_rings_at_once(struct fixture *f) {
    struct rv_bell bell = {.queue = "jobs", .want_ready = true};
    (void)push(f, "a");
    int64_t begun = elapsed_ms();
    CHECK(look(f, bell, LONG_MS).ready);
    CHECK(elapsed_ms() - begun < SOON_MS);
    (void)claim_as(f, "w", "a");
    CHECK(!look(f, bell, 0).ready);
}

static void silence_lasts_until_the_time_is_over(struct fixture *f) {
    (void)push(f, "a");
    CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_SUCCEEDED));
    struct rv_bell bell = {.queue = "jobs", .want_ready = true};
    bell = look(f, bell, 0); /* as things stand */
    int64_t begun = elapsed_ms();
    CHECK(!look(f, bell, 200).ready);
    CHECK_BETWEEN(elapsed_ms() - begun, 150, SOON_MS); /* not a busy loop */
}

static void a_ready_job_rings_only_for_those_who_want_one(struct fixture *f) {
    (void)push(f, "a");
    struct rv_bell bell = {.queue = "jobs"};
    int64_t begun = elapsed_ms();
    (void)look(f, bell, 200);
    CHECK(elapsed_ms() - begun >= 150);
}

static void a_paused_queue_has_nothing_ready(struct fixture *f) {
    struct rv_bell bell = {.queue = "jobs", .want_ready = true};
    (void)push(f, "a");
    CHECK_CALL(f, rv_store_pause(handle(f), "jobs", true, &f->err));
    CHECK(!look(f, bell, 0).ready);
    CHECK_CALL(f, rv_store_pause(handle(f), "jobs", false, &f->err));
    CHECK(look(f, bell, LONG_MS).ready);
}

static void each_bell_is_for_one_queue(struct fixture *f) { /* A40 */
    struct rv_bell bells[] = {{.queue = "others", .want_ready = true},
                              {.queue = "jobs", .want_ready = true},
                              {.queue = "third", .want_ready = true}};
    (void)push(f, "a");
    CHECK_CALL(f, rv_store_wait(handle(f), bells, 3, LONG_MS, &f->err));
    CHECK(!bells[0].ready && bells[1].ready && !bells[2].ready);
}

static void a_due_job_is_ready(struct fixture *f) {
    struct rv_bell bell = {.queue = "jobs", .want_ready = true};
    (void)push_delayed(f, "a", 60000);
    CHECK(!look(f, bell, 0).ready);
    move_clock(f, 60001);
    CHECK(look(f, bell, LONG_MS).ready);
    (void)claim_as(f, "w", "a");
}

static void a_job_that_comes_due_rings_by_itself(struct fixture *f) {
    struct rv_bell bell = {.queue = "jobs", .want_ready = true};
    (void)push_delayed(f, "a", 300);
    int64_t begun = elapsed_ms();
    while (!bell.ready && elapsed_ms() - begun < LONG_MS)
        bell = look(f, bell, LONG_MS);
    CHECK(bell.ready);
    CHECK(elapsed_ms() - begun < SOON_MS);
}

static void every_kind_of_end_rings(struct fixture *f) {
    struct rv_bell bell = {.queue = "jobs"}, before;
    push_many(f, LINE, 3, NULL);
    bell = before = look(f, bell, 0);
    CHECK_OK(cancel(f, LINE "0", NULL));
    bell = look(f, bell, LONG_MS);
    CHECK(bell.ended != before.ended);
    before = bell;
    CHECK_OK(finish(f, claim_as(f, "w", LINE "1"), RV_SUCCEEDED));
    bell = look(f, bell, LONG_MS);
    CHECK(bell.ended != before.ended);
    before = bell;
    struct held held = claim_as(f, "w", LINE "2");
    CHECK_INT(look(f, bell, 0).ended, before.ended); /* a claim is no end */
    CHECK_OK(finish(f, held, RV_GIVEN_UP));
    bell = look(f, bell, LONG_MS);
    CHECK(bell.ended != before.ended);
    CHECK_INT(look(f, bell, 0).ended, bell.ended); /* seen is seen */
}

static void telling_a_job_to_stop_rings(struct fixture *f) {
    push_many(f, LINE, 2, NULL);
    struct claimed claimed = claim_up_to(f, "w", 1);
    struct rv_bell bell = look(f, (struct rv_bell){.queue = "jobs"}, 0), before = bell;
    CHECK_OK(cancel(f, LINE "1", NULL)); /* waits: nobody is to be told */
    bell = look(f, bell, 0);
    CHECK_INT(bell.cancelled, before.cancelled);
    CHECK_OK(cancel(f, claimed.got.jobs[0]->id, NULL));
    bell = look(f, bell, LONG_MS);
    CHECK(bell.cancelled != before.cancelled);
}

static void an_event_rings_while_watched(struct fixture *f) {
    struct rv_events events;
    CHECK_CALL(f, rv_store_events(handle(f), "jobs", UINT64_MAX, &events, &f->err));
    free(events.events);
    struct rv_bell bell = look(f, (struct rv_bell){.queue = "jobs"}, 0), before = bell;
    (void)push(f, "a");
    bell = look(f, bell, LONG_MS);
    CHECK(bell.events != before.events);
}

static void a_wake_before_the_wait_ends_it(struct fixture *f) {
    struct rv_bell bell = {.queue = "jobs", .want_ready = true};
    int64_t begun = elapsed_ms();
    rv_store_wake(f->first);
    CHECK_CALL(f, rv_store_wait(f->first, &bell, 1, LONG_MS, &f->err));
    rv_store_wake(f->first);
    CHECK_CALL(f, rv_store_wait(f->first, &bell, 1, LONG_MS, &f->err));
    CHECK(elapsed_ms() - begun < SOON_MS);
    CHECK(!bell.ready);
    begun = elapsed_ms();
    CHECK_CALL(f, rv_store_wait(f->first, &bell, 1, 200, &f->err));
    CHECK(elapsed_ms() - begun >= 150); /* one wake, one wait */
}

/* A thread that waits on one bell. */
struct waiter {
    pthread_t thread;
    struct rv_store *store;
    bool until_ready; /* or until the wait returns for any reason */
    _Atomic bool begun, ended;
    int rc;
};

static void *wait_on_bell(void *arg) {
    struct waiter *waiter = arg;
    struct rv_error err;
    struct rv_bell bell = {.queue = "jobs", .want_ready = true};
    int64_t begun = elapsed_ms();
    waiter->begun = true;
    do {
        waiter->rc = rv_store_wait(waiter->store, &bell, 1, LONG_MS, &err);
    } while (waiter->until_ready && !waiter->rc && !bell.ready && elapsed_ms() - begun < LONG_MS);
    waiter->ended = true;
    return NULL;
}

static bool has_begun(void *arg) {
    const struct waiter *waiter = arg;
    return waiter->begun;
}

static void start_waiter(struct waiter *waiter, struct rv_store *store, bool until_ready) {
    *waiter = (struct waiter){.store = store, .until_ready = until_ready};
    CHECK_INT(pthread_create(&waiter->thread, NULL, wait_on_bell, waiter), 0);
    CHECK(eventually(has_begun, waiter, LONG_MS));
}

static void join_waiter(struct waiter *waiter) {
    CHECK_INT(pthread_join(waiter->thread, NULL), 0);
    CHECK_OK(waiter->rc);
}

/* A push at no matter which moment of the wait ends it. Each round is cheap; a bell that is missed
 * now and then costs a second or more, which the sum shows. */
static void no_push_is_missed(struct fixture *f) { /* A34 T29 */
    int64_t begun = elapsed_ms();
    for (int i = 0; i < 25; i++) {
        struct waiter waiter;
        struct rv_new_job job = new_job(f, "a");
        job.policy.keep_ms = 0;
        start_waiter(&waiter, i % 2 ? f->second : f->first, true);
        CHECK_INT(push_job(f, &job).status, REEVE_QUEUED);
        join_waiter(&waiter);
        CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_SUCCEEDED));
    }
    CHECK(elapsed_ms() - begun < SOON_MS);
}

static void a_wait_holds_nobody_up(struct fixture *f) { /* A35 T20 */
    struct waiter waiter;
    start_waiter(&waiter, f->first, true);
    int64_t begun = elapsed_ms();
    f->queue = "others";
    for (int i = 0; i < 10; i++) {
        (void)push(f, "a");
        CHECK_OK(finish(f, claim_as(f, "w", "a"), RV_SUCCEEDED));
        CHECK_OK(remove_job(f, "a"));
    }
    CHECK(elapsed_ms() - begun < SOON_MS);
    CHECK(!waiter.ended); /* another queue's jobs are not his */
    f->queue = "jobs";
    (void)push(f, "a");
    join_waiter(&waiter);
    CHECK(elapsed_ms() - begun < SOON_MS);
}

static void a_wake_ends_a_wait_under_way(struct fixture *f) {
    int64_t begun = elapsed_ms();
    for (int i = 0; i < 5; i++) {
        struct waiter waiter;
        start_waiter(&waiter, f->first, false);
        rv_store_wake(f->first);
        join_waiter(&waiter);
    }
    CHECK(elapsed_ms() - begun < SOON_MS);
}

static const struct store_test tests[] = {
    TEST(a_ready_job_rings_at_once),
    TEST(silence_lasts_until_the_time_is_over),
    TEST(a_ready_job_rings_only_for_those_who_want_one),
    TEST(a_paused_queue_has_nothing_ready),
    TEST(each_bell_is_for_one_queue),
    TEST(a_due_job_is_ready),
    TEST(a_job_that_comes_due_rings_by_itself),
    TEST(every_kind_of_end_rings),
    TEST(telling_a_job_to_stop_rings),
    TEST(an_event_rings_while_watched),
    TEST(a_wake_before_the_wait_ends_it),
    TEST(no_push_is_missed),
    TEST(a_wait_holds_nobody_up),
    TEST(a_wake_ends_a_wait_under_way),
    {0},
};

const struct topic topic_wait = {"wait", tests};
