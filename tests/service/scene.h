/* A handle on a store that fails as planned, and handlers that wait for a word: what the tests of
 * workers share. A program takes the url of a store (memory: if none); every test gets a space of
 * its own in it. */
#ifndef SERVICE_SCENE_H
#define SERVICE_SCENE_H

#include <pthread.h>
#include <stdatomic.h>

#include <reeve.h>

#include "api/handle.h"
#include "harness/check.h"
#include "harness/eventually.h"
#include "store/fault.h"

enum {
    SOON_MS = 30000, /* by then what is to happen has happened, also under a sanitizer */
    LINES_MAX = 512,
};

/* A handler that waits until it is opened, and tells what it saw. */
struct gate {
    atomic_int entered; /* handlers that began */
    atomic_int inside;  /* of these, not over yet */
    atomic_int most;    /* at once, ever */
    atomic_bool open;
    atomic_int stop;   /* the last enum reeve_stop that was seen */
    atomic_bool doubt; /* in doubt, when last looked */
    enum reeve_verdict verdict;
};

struct scene {
    reeve *r;
    reeve_worker *worker;
    struct rv_fault_plan plan;
    struct gate gate;

    pthread_mutex_t lock; /* guards the log */
    char *lines[LINES_MAX];
    size_t line_count;
};

/* Runs the tests on the store that argv names. */
int scene_main(int argc, char **argv, const struct CMUnitTest *tests, size_t count);
#define SCENE_MAIN(argc, argv, tests) scene_main(argc, argv, tests, sizeof(tests) / sizeof *(tests))
#define SCENE_TEST(test) cmocka_unit_test_setup_teardown(test, scene_set_up, scene_tear_down)
int scene_set_up(void **state);
int scene_tear_down(void **state);

/* ---- jobs of the queue "q" ---- */
void push(struct scene *s, const char *id);
void push_with(struct scene *s, struct reeve_push push); /* its size and queue are filled in */
void push_many(struct scene *s, int count);              /* j0, j1, ... */
struct reeve_job *get(struct scene *s, const char *id);  /* reeve_free() it */
void await_state(struct scene *s, const char *id, enum reeve_state state);
void check_state(struct scene *s, const char *id, enum reeve_state state);
void check_error(struct scene *s, const char *id, const char *code);
void check_attempts(struct scene *s, const char *id, int attempt, size_t history);
struct reeve_queue stats(struct scene *s);
void await_done(struct scene *s, uint64_t count);

/* ---- workers: s->worker, one at a time ---- */
/* Two threads, lease 30 s, no upkeep. */
struct reeve_worker_options options_of(struct scene *s);
void start(struct scene *s, struct reeve_worker_options options, reeve_handler *fn, void *arg);
void start_gate(struct scene *s, struct reeve_worker_options options, reeve_handler *fn);
void end_worker(struct scene *s, int64_t grace_ms); /* and it has ended in time */

enum reeve_verdict obey(void *gate, reeve_task *task);   /* ends when it is told to stop */
enum reeve_verdict ignore(void *gate, reeve_task *task); /* only when it is opened */
enum reeve_verdict succeed(void *count,
                           reeve_task *task); /* counts, if count (an atomic_int) is there */
void await_entered(struct scene *s, int count);
void await_stop(struct scene *s, enum reeve_stop stop);

/* ---- time, faults, log ---- */
void move_clock(struct scene *s, int64_t ms);
void fail_for_ever(struct scene *s, enum rv_op op);
void fault(struct scene *s, enum rv_fault_kind kind, enum rv_op op, unsigned nth);
void heal(struct scene *s);
uint64_t calls(struct scene *s, enum rv_op op);
void await_calls(struct scene *s, enum rv_op op, uint64_t count); /* at least so many */
int log_count(struct scene *s, const char *text);
void await_log(struct scene *s, const char *text);
void await_log_count(struct scene *s, const char *text, int count); /* at least */

#endif
