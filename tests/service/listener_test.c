/* Who hears what, on a memory store that fails as planned. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "harness/check.h"
#include "harness/eventually.h"
#include "service/listener.h"
#include "store/fault.h"
#include "store/ops.h"

enum { SOON_MS = 20000, HEARD = 4 };

struct fixture {
    struct rv_fault_plan plan;
    struct rv_store *store;
    struct rv_listener *listener;
    struct rv_signal signal;
};

static void log_nothing(void *arg, enum reeve_log_level level, const char *line) {
    (void)arg;
    (void)level;
    (void)line;
}

static int set_up(void **state) {
    static const struct rv_log log = {.fn = log_nothing, .level = REEVE_LOG_WARN};
    struct rv_store_config config = {
        .space = "s", .timeout_ms = 1000, .log = &log, .clock = &rv_clock_real};
    struct fixture *f = calloc(1, sizeof *f);
    struct rv_store *memory;
    CHECK(f);
    rv_fault_plan_init(&f->plan);
    CHECK_OK(rv_store_open(&memory, "memory:", &config, NULL));
    CHECK_OK(rv_fault_open(&f->store, memory, &f->plan, NULL));
    CHECK_OK(rv_listener_start(&f->listener, f->store, &log, NULL, NULL));
    CHECK_OK(rv_signal_init(&f->signal));
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    rv_listener_stop(f->listener);
    rv_signal_release(&f->signal);
    rv_store_close(f->store);
    rv_fault_plan_release(&f->plan);
    free(f);
    return 0;
}

static struct rv_interest interest(struct fixture *f, unsigned what) {
    return (struct rv_interest){.queue = "q", .what = what, .signal = &f->signal, .raise = HEARD};
}

static void push(struct fixture *f, const char *queue, const char *id) {
    struct rv_new_job job = {
        .queue = queue,
        .kind = "k",
        .id = id,
        .nonce = rv_random_nonzero(&rv_random_system),
        .policy = {.attempts_max = 1, .keep_ms = 1000},
    };
    struct rv_pushed out;
    CHECK_OK(rv_store_push(f->store, queue, &job, 1, &out, NULL));
}

static void cancel(struct fixture *f, const char *id) {
    enum reeve_state now;
    CHECK_OK(rv_store_cancel(f->store, "q", id, &now, NULL));
}

static bool hears(struct fixture *f) {
    return rv_signal_wait(&f->signal, SOON_MS) == HEARD;
}

/* Nothing that was written before this is still on its way: a later end was heard of by another. */
static void pass_a_round(struct fixture *f) {
    static int number;
    char id[] = {'r', (char)('a' + number++), '\0'};
    struct rv_signal other;
    CHECK_OK(rv_signal_init(&other));
    struct rv_interest ended = {
        .queue = "round", .what = RV_HEAR_ENDED, .signal = &other, .raise = 1};
    push(f, "round", id);
    rv_listener_add(f->listener, &ended);
    enum reeve_state now;
    CHECK_OK(rv_store_cancel(f->store, "round", id, &now, NULL));
    CHECK_INT(rv_signal_wait(&other, SOON_MS), 1);
    rv_listener_remove(f->listener, &ended);
    rv_signal_release(&other);
}

static void a_ready_job_is_heard_of_once_per_arming(void **state) {
    struct fixture *f = *state;
    struct rv_interest ready = interest(f, RV_HEAR_READY);
    rv_listener_add(f->listener, &ready);
    push(f, "q", "a");
    CHECK(hears(f));
    push(f, "q", "b");
    pass_a_round(f);
    CHECK_INT(rv_signal_wait(&f->signal, 0), 0);
    rv_listener_rearm(f->listener, &ready);
    CHECK(hears(f));
    rv_listener_remove(f->listener, &ready);
}

static void a_job_that_is_ready_already_is_heard_of(void **state) {
    struct fixture *f = *state;
    struct rv_interest ready = interest(f, RV_HEAR_READY);
    push(f, "q", "a");
    rv_listener_add(f->listener, &ready);
    CHECK(hears(f));
    rv_listener_remove(f->listener, &ready);
}

static void each_end_is_heard_of(void **state) {
    struct fixture *f = *state;
    struct rv_interest ended = interest(f, RV_HEAR_ENDED);
    rv_listener_add(f->listener, &ended);
    push(f, "q", "a");
    push(f, "q", "b");
    cancel(f, "a");
    CHECK(hears(f));
    cancel(f, "b");
    CHECK(hears(f));
    rv_listener_remove(f->listener, &ended);
}

static void only_what_was_asked_for_is_raised(void **state) {
    struct fixture *f = *state;
    struct rv_interest cancelled = interest(f, RV_HEAR_CANCELLED);
    rv_listener_add(f->listener, &cancelled);
    push(f, "q", "a");
    cancel(f, "a"); /* it was not running: an end, and no order to stop */
    pass_a_round(f);
    CHECK_INT(rv_signal_wait(&f->signal, 0), 0);
    rv_listener_remove(f->listener, &cancelled);
}

static void nothing_is_raised_after_removal(void **state) {
    struct fixture *f = *state;
    struct rv_interest ended = interest(f, RV_HEAR_ENDED);
    push(f, "q", "a");
    rv_listener_add(f->listener, &ended);
    rv_listener_remove(f->listener, &ended);
    (void)rv_signal_wait(&f->signal, 0);
    cancel(f, "a");
    pass_a_round(f);
    CHECK_INT(rv_signal_wait(&f->signal, 0), 0);
}

static bool has_failed(void *arg) {
    struct fixture *f = arg;
    return rv_fault_plan_calls(&f->plan, RV_OP_WAIT) >= 3;
}

static void an_outage_is_survived(void **state) {
    struct fixture *f = *state;
    struct rv_interest ended = interest(f, RV_HEAR_ENDED);
    rv_fault_plan_add(
        &f->plan, (struct rv_fault){.kind = RV_FAULT_REFUSE, .op = RV_OP_WAIT, .for_ever = true});
    push(f, "q", "a");
    rv_listener_add(f->listener, &ended);
    CHECK(eventually(has_failed, f, SOON_MS));
    (void)rv_signal_wait(&f->signal, 0);
    cancel(f, "a");
    rv_fault_plan_clear(&f->plan);
    CHECK(hears(f));
    rv_listener_remove(f->listener, &ended);
}

static void more_queues_than_one_wait_takes_are_all_heard(void **state) {
    enum { QUEUES = 700 };
    struct fixture *f = *state;
    static char names[QUEUES][8];
    static struct rv_interest interests[QUEUES];
    for (size_t i = 0; i < QUEUES; i++) {
        memcpy(names[i], "q000", 5);
        for (size_t digit = 3, rest = i; digit > 0; digit--, rest /= 10)
            names[i][digit] = (char)('0' + rest % 10);
        interests[i] = interest(f, RV_HEAR_READY);
        interests[i].queue = names[i];
        rv_listener_add(f->listener, &interests[i]);
    }
    for (size_t i = 0; i < QUEUES; i += QUEUES - 1) {
        push(f, names[i], "a");
        CHECK(hears(f));
    }
    for (size_t i = 0; i < QUEUES; i++)
        rv_listener_remove(f->listener, &interests[i]);
}

/* A store that does nothing but note what its latest wait need not hear. */
struct recorder {
    struct rv_store base;
    _Atomic unsigned muted;
};

static int record_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
                       struct rv_error *err) {
    (void)timeout_ms;
    (void)err;
    if (count) ((struct recorder *)s)->muted = bells[0].mute;
    return nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL) ? REEVE_EUNREACHABLE : 0;
}

static void record_wake(struct rv_store *s) {
    (void)s;
}

static bool mutes_all_but_ends(void *arg) {
    return ((struct recorder *)arg)->muted == (RV_MUTE_CANCELLED | RV_MUTE_EVENTS);
}

static bool mutes_all(void *arg) {
    return ((struct recorder *)arg)->muted == (RV_MUTE_ENDED | RV_MUTE_CANCELLED | RV_MUTE_EVENTS);
}

static void what_nobody_asked_for_is_muted(void **state) {
    static const struct rv_log log = {.fn = log_nothing, .level = REEVE_LOG_WARN};
    static const struct rv_store_ops ops = {.wait = record_wait, .wake = record_wake};
    struct recorder recorder = {.base.ops = &ops};
    struct fixture *f = *state;
    struct rv_interest ready = interest(f, RV_HEAR_READY), ended = interest(f, RV_HEAR_ENDED);
    struct rv_listener *listener;
    CHECK_OK(rv_listener_start(&listener, &recorder.base, &log, NULL, NULL));
    rv_listener_add(listener, &ready);
    CHECK(eventually(mutes_all, &recorder, SOON_MS));
    rv_listener_add(listener, &ended);
    CHECK(eventually(mutes_all_but_ends, &recorder, SOON_MS));
    rv_listener_remove(listener, &ended);
    CHECK(eventually(mutes_all, &recorder, SOON_MS));
    rv_listener_remove(listener, &ready);
    rv_listener_stop(listener);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_ready_job_is_heard_of_once_per_arming),
        TEST(a_job_that_is_ready_already_is_heard_of),
        TEST(each_end_is_heard_of),
        TEST(only_what_was_asked_for_is_raised),
        TEST(nothing_is_raised_after_removal),
        TEST(an_outage_is_survived),
        TEST(what_nobody_asked_for_is_muted),
        TEST(more_queues_than_one_wait_takes_are_all_heard),
    };
    return cmocka_run_group_tests_name("listener", tests, NULL, NULL);
}
