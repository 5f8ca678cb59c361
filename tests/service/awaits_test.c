/* Who waits for the end of a job that he pushed: what wakes him, and what becomes of what he is
 * told. */
/* _GNU_SOURCE: syscall() for gettid(). */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/nonce.h"
#include "harness/check.h"
#include "harness/eventually.h"
#include "service/awaits.h"

enum { LONG_MS = 3600000, SHORT_MS = 20, SOON_MS = 30000 };

/* One who sleeps, on a thread of his own. */
struct sleeper {
    struct rv_awaits *awaits;
    struct rv_await await;
    int64_t ms;
    pthread_t thread;
    atomic_long tid;
    atomic_bool woken;
};

static int set_up(void **state) {
    struct rv_awaits *awaits = malloc(sizeof *awaits);
    CHECK(awaits);
    CHECK_OK(rv_awaits_init(awaits));
    *state = awaits;
    return 0;
}

static int tear_down(void **state) {
    rv_awaits_release(*state);
    free(*state);
    return 0;
}

static void *sleep_until_woken(void *arg) {
    struct sleeper *s = arg;
    atomic_store(&s->tid, syscall(SYS_gettid));
    rv_await_sleep(&s->await, s->ms);
    atomic_store(&s->woken, true);
    return NULL;
}

/* As the kernel sees his thread: else he might not need to be woken at all. */
static bool is_asleep(void *arg) {
    char path[64], line[256];
    (void)snprintf(path, sizeof path, "/proc/self/task/%ld/stat",
                   atomic_load(&((struct sleeper *)arg)->tid));
    FILE *file = fopen(path, "r");
    bool asleep = file && fgets(line, sizeof line, file) && strstr(line, ") S ");
    if (file) (void)fclose(file);
    return asleep;
}

static void begin(struct sleeper *s, struct rv_awaits *awaits, int64_t ms) {
    *s = (struct sleeper){.awaits = awaits, .ms = ms};
    uint64_t nonce = rv_await_begin(awaits, &s->await);
    CHECK(nonce == rv_nonce_awaited(awaits->address, s->await.number));
    CHECK_INT(pthread_create(&s->thread, NULL, sleep_until_woken, s), 0);
    CHECK(eventually(is_asleep, s, SOON_MS));
}

static bool is_woken(void *arg) {
    return atomic_load(&((struct sleeper *)arg)->woken);
}

static void end(struct sleeper *s) {
    CHECK(eventually(is_woken, s, SOON_MS));
    CHECK_INT(pthread_join(s->thread, NULL), 0);
    rv_await_end(s->awaits, &s->await);
}

/* job: as the store told it, for whoever it is given to. */
static void tell(struct rv_awaits *awaits, uint32_t number, struct reeve_job *job) {
    struct rv_list told;
    struct rv_told *end = calloc(1, sizeof *end);
    CHECK(end);
    end->number = number;
    end->job = job;
    rv_list_init(&told);
    rv_list_add_tail(&told, &end->link);
    rv_awaits_tell(awaits, &told);
    CHECK(rv_list_empty(&told));
}

static struct reeve_job *some_job(void) {
    struct reeve_job *job = calloc(1, sizeof *job);
    CHECK(job);
    return job;
}

static void an_end_wakes_who_was_answered(void **state) {
    struct sleeper s;
    struct reeve_job *job = some_job();
    begin(&s, *state, LONG_MS);
    rv_await_answer(&s.await, false);
    CHECK(!is_woken(&s)); /* there is an end to wait for */
    tell(*state, s.await.number, job);
    CHECK(eventually(is_woken, &s, SOON_MS));
    CHECK(rv_await_take(*state, &s.await) == job);
    CHECK(!rv_await_take(*state, &s.await));
    free(job);
    end(&s);
}

/* The job was done before its push was known to be. */
static void an_answer_wakes_who_was_told_of_the_end(void **state) {
    struct sleeper s;
    begin(&s, *state, LONG_MS);
    tell(*state, s.await.number, NULL);
    CHECK(!is_woken(&s)); /* others still look at his push */
    rv_await_answer(&s.await, false);
    end(&s);
}

static void an_answer_wakes_who_has_nothing_to_wait_for(void **state) {
    struct sleeper s;
    begin(&s, *state, LONG_MS);
    rv_await_answer(&s.await, true);
    end(&s);
}

static void his_turn_to_send_wakes_him(void **state) {
    struct sleeper s;
    begin(&s, *state, LONG_MS);
    rv_await_send(&s.await);
    CHECK(eventually(is_woken, &s, SOON_MS));
    rv_await_clear_turn(&s.await);
    rv_await_answer(&s.await, true);
    rv_await_sleep(&s.await, LONG_MS); /* returns at once */
    end(&s);
}

static bool is_late(void *arg) {
    return rv_latch_bits(&((struct sleeper *)arg)->await.latch) & RV_AWAIT_LATE;
}

/* He may not leave while others look at his push, however long he has slept. */
static void an_answer_wakes_who_is_late(void **state) {
    struct sleeper s;
    begin(&s, *state, SHORT_MS);
    CHECK(eventually(is_late, &s, SOON_MS));
    CHECK(!is_woken(&s));
    rv_await_answer(&s.await, false);
    CHECK(eventually(is_woken, &s, SOON_MS));
    int64_t begun_ms = elapsed_ms();
    rv_await_sleep(&s.await, SHORT_MS); /* and sleeps again, until he is to look */
    CHECK(elapsed_ms() - begun_ms >= SHORT_MS - 1);
    end(&s);
}

/* How often he has gone to sleep, as the kernel counts it. */
static long count_sleeps(struct sleeper *s) {
    static const char name[] = "voluntary_ctxt_switches:";
    char path[64], line[256];
    long count = -1;
    (void)snprintf(path, sizeof path, "/proc/self/task/%ld/status", atomic_load(&s->tid));
    FILE *file = fopen(path, "r");
    while (file && count < 0 && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name))) count = strtol(line + strlen(name), NULL, 10);
    if (file) (void)fclose(file);
    return count;
}

static void an_end_wakes_nobody_else(void **state) {
    struct sleeper told, other;
    begin(&told, *state, LONG_MS);
    begin(&other, *state, LONG_MS);
    rv_await_answer(&told.await, false);
    rv_await_answer(&other.await, false);
    long sleeps = count_sleeps(&other);
    CHECK(sleeps > 0);
    tell(*state, told.await.number, NULL);
    CHECK(is_asleep(&other));
    CHECK_INT(count_sleeps(&other), sleeps);
    end(&told);
    tell(*state, other.await.number, NULL);
    end(&other);
}

/* More than one gong has, and more than are told at once. */
static void all_who_are_told_together_are_woken(void **state) {
    enum { MANY = 150 };
    static struct sleeper sleepers[MANY];
    struct rv_list told;
    rv_list_init(&told);
    for (size_t i = 0; i < MANY; i++) {
        struct rv_told *one = calloc(1, sizeof *one);
        CHECK(one);
        begin(&sleepers[i], *state, LONG_MS);
        rv_await_answer(&sleepers[i].await, false);
        one->number = sleepers[i].await.number;
        rv_list_add_tail(&told, &one->link);
    }
    rv_awaits_tell(*state, &told);
    for (size_t i = 0; i < MANY; i++)
        end(&sleepers[i]);
}

static void the_latest_is_kept_and_the_rest_is_freed(void **state) {
    struct sleeper s;
    struct reeve_job *second = some_job();
    begin(&s, *state, LONG_MS);
    tell(*state, s.await.number, some_job());
    tell(*state, s.await.number, second);
    tell(*state, s.await.number + RV_AWAITS_LISTS, some_job()); /* for nobody; the same list */
    rv_await_answer(&s.await, false);
    CHECK(eventually(is_woken, &s, SOON_MS));
    CHECK(rv_await_take(*state, &s.await) == second);
    free(second);
    tell(*state, s.await.number, some_job()); /* never taken */
    end(&s);
    tell(*state, s.await.number, some_job()); /* he has left */
}

#define AWAITS_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        AWAITS_TEST(an_end_wakes_who_was_answered),
        AWAITS_TEST(an_answer_wakes_who_was_told_of_the_end),
        AWAITS_TEST(an_answer_wakes_who_has_nothing_to_wait_for),
        AWAITS_TEST(his_turn_to_send_wakes_him),
        AWAITS_TEST(an_answer_wakes_who_is_late),
        AWAITS_TEST(an_end_wakes_nobody_else),
        AWAITS_TEST(all_who_are_told_together_are_woken),
        AWAITS_TEST(the_latest_is_kept_and_the_rest_is_freed),
    };
    return cmocka_run_group_tests_name("awaits", tests, NULL, NULL);
}
