#include "service/scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *scene_url = "memory:";
static int scene_number;

/* ---- a scene ---- */
static void keep_line(void *arg, enum reeve_log_level level, const char *line) {
    struct scene *s = arg;
    (void)level;
    (void)pthread_mutex_lock(&s->lock);
    if (s->line_count < LINES_MAX) s->lines[s->line_count++] = strdup(line);
    (void)pthread_mutex_unlock(&s->lock);
}

/* Before any thread was started: the handle's store fails as planned from now on. */
static void make_faulty(struct scene *s) {
    struct rv_store *faulty;
    CHECK_OK(rv_fault_open(&faulty, s->r->service.store, &s->plan, NULL));
    s->r->service.store = faulty;
    s->r->gather.store = faulty;
}

int scene_set_up(void **state) {
    char space[64];
    struct scene *s = calloc(1, sizeof *s);
    CHECK(s);
    CHECK_INT(pthread_mutex_init(&s->lock, NULL), 0);
    (void)snprintf(space, sizeof space, "scene-%ld-%d", (long)getpid(), scene_number++);
    struct reeve_options options = {.size = sizeof options,
                                    .space = space,
                                    .name = "tester",
                                    .log = keep_line,
                                    .log_arg = s,
                                    .log_level = REEVE_LOG_INFO};
    CHECK_OK(reeve_open(&s->r, scene_url, &options));
    rv_fault_plan_init(&s->plan);
    make_faulty(s);
    *state = s;
    return 0;
}

int scene_tear_down(void **state) {
    struct scene *s = *state;
    atomic_store(&s->gate.open, true);
    reeve_worker_close(s->worker);
    reeve_close(s->r);
    rv_fault_plan_release(&s->plan);
    for (size_t i = 0; i < s->line_count; i++)
        free(s->lines[i]);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
    return 0;
}

int scene_main(int argc, char **argv, const struct CMUnitTest *tests, size_t count) {
    if (argc > 1) scene_url = argv[1];
    return _cmocka_run_group_tests("workers", tests, count, NULL, NULL);
}

/* ---- jobs ---- */
void push_with(struct scene *s, struct reeve_push job) {
    struct reeve_pushed pushed = {.size = sizeof pushed};
    job.size = sizeof job;
    if (!job.queue) job.queue = "q";
    CHECK_OK(reeve_push(s->r, &job, &pushed));
    CHECK_INT(pushed.status, REEVE_QUEUED);
}

void push(struct scene *s, const char *id) {
    push_with(s, (struct reeve_push){.id = id});
}

void push_many(struct scene *s, int count) {
    char id[16];
    for (int i = 0; i < count; i++) {
        (void)snprintf(id, sizeof id, "j%d", i);
        push(s, id);
    }
}

struct reeve_job *get(struct scene *s, const char *id) {
    struct reeve_job *job;
    CHECK_OK(reeve_get(s->r, "q", id, &job));
    return job;
}

struct expected {
    struct scene *s;
    const char *text;
    int64_t number;
    int op;
};

static bool state_is(void *arg) {
    struct expected *e = arg;
    struct reeve_job *job = NULL;
    int rc = reeve_get(e->s->r, "q", e->text, &job);
    if (rc == REEVE_ENOENT) return false; /* another thread may be about to push it */
    CHECK_OK(rc);
    bool so = job->state == (enum reeve_state)e->number;
    reeve_free(job);
    return so;
}

void check_state(struct scene *s, const char *id, enum reeve_state state) {
    struct reeve_job *job = get(s, id);
    CHECK_STR(reeve_state_name(job->state), reeve_state_name(state));
    reeve_free(job);
}

void await_state(struct scene *s, const char *id, enum reeve_state state) {
    struct expected e = {.s = s, .text = id, .number = state};
    if (!eventually(state_is, &e, SOON_MS)) check_state(s, id, state);
}

void check_error(struct scene *s, const char *id, const char *code) {
    struct reeve_job *job = get(s, id);
    CHECK(job->error);
    CHECK_STR(job->error->code, code);
    reeve_free(job);
}

void check_attempts(struct scene *s, const char *id, int attempt, size_t history) {
    struct reeve_job *job = get(s, id);
    CHECK_INT(job->attempt, attempt);
    CHECK_INT(job->history_count, history);
    reeve_free(job);
}

struct reeve_queue stats(struct scene *s) {
    struct reeve_queue queue;
    CHECK_OK(rv_store_stats(s->r->service.store, "q", &queue, NULL));
    return queue;
}

static bool is_done(void *arg) {
    struct expected *e = arg;
    return (int64_t)stats(e->s).done == e->number;
}

void await_done(struct scene *s, uint64_t count) {
    struct expected e = {.s = s, .number = (int64_t)count};
    if (!eventually(is_done, &e, SOON_MS)) CHECK_INT(stats(s).done, count);
}

/* ---- workers ---- */
struct reeve_worker_options options_of(struct scene *s) {
    static const char *const queues[] = {"q", NULL};
    (void)s;
    return (struct reeve_worker_options){.size = sizeof(struct reeve_worker_options),
                                         .queues = queues,
                                         .threads = 2,
                                         .no_upkeep = true};
}

void start(struct scene *s, struct reeve_worker_options options, reeve_handler *fn, void *arg) {
    CHECK_OK(reeve_worker_open(&s->worker, s->r, &options));
    CHECK_OK(reeve_worker_handle(s->worker, NULL, fn, arg));
    CHECK_OK(reeve_worker_start(s->worker));
}

void start_gate(struct scene *s, struct reeve_worker_options options, reeve_handler *fn) {
    start(s, options, fn, &s->gate);
}

void end_worker(struct scene *s, int64_t grace_ms) {
    reeve_worker_stop(s->worker, grace_ms);
    CHECK_OK(reeve_worker_wait(s->worker, SOON_MS));
    reeve_worker_close(s->worker);
    s->worker = NULL;
}

static void enter(struct gate *gate) {
    atomic_fetch_add(&gate->entered, 1);
    int inside = atomic_fetch_add(&gate->inside, 1) + 1;
    int most = atomic_load(&gate->most);
    while (inside > most && !atomic_compare_exchange_weak(&gate->most, &most, inside)) {
    }
}

enum reeve_verdict obey(void *arg, reeve_task *task) {
    struct gate *gate = arg;
    enter(gate);
    while (!atomic_load(&gate->open)) {
        enum reeve_stop stop = reeve_task_sleep(task, 5);
        atomic_store(&gate->doubt, reeve_task_in_doubt(task));
        if (!stop) continue;
        atomic_store(&gate->stop, stop);
        break;
    }
    atomic_fetch_sub(&gate->inside, 1);
    return gate->verdict;
}

enum reeve_verdict ignore(void *arg, reeve_task *task) {
    struct gate *gate = arg;
    const struct timespec pause = {.tv_nsec = 2000000};
    enter(gate);
    while (!atomic_load(&gate->open)) {
        atomic_store(&gate->stop, reeve_task_stopping(task));
        atomic_store(&gate->doubt, reeve_task_in_doubt(task));
        (void)nanosleep(&pause, NULL);
    }
    atomic_fetch_sub(&gate->inside, 1);
    return gate->verdict;
}

enum reeve_verdict succeed(void *arg, reeve_task *task) {
    atomic_int *count = arg;
    (void)task;
    if (count) atomic_fetch_add(count, 1);
    return REEVE_SUCCEED;
}

static bool have_entered(void *arg) {
    struct expected *e = arg;
    return atomic_load(&e->s->gate.entered) >= e->number;
}

void await_entered(struct scene *s, int count) {
    struct expected e = {.s = s, .number = count};
    if (!eventually(have_entered, &e, SOON_MS)) CHECK_INT(atomic_load(&s->gate.entered), count);
}

static bool is_told(void *arg) {
    struct expected *e = arg;
    return atomic_load(&e->s->gate.stop) == e->number;
}

void await_stop(struct scene *s, enum reeve_stop stop) {
    struct expected e = {.s = s, .number = stop};
    if (!eventually(is_told, &e, SOON_MS)) CHECK_INT(atomic_load(&s->gate.stop), stop);
}

/* ---- time, faults, log ---- */
void move_clock(struct scene *s, int64_t ms) {
    rv_clock_move(&s->r->service.clock, ms);
}

void fault(struct scene *s, enum rv_fault_kind kind, enum rv_op op, unsigned nth) {
    rv_fault_plan_add(&s->plan, (struct rv_fault){.kind = kind, .op = op, .nth = nth});
}

void fail_for_ever(struct scene *s, enum rv_op op) {
    rv_fault_plan_add(&s->plan,
                      (struct rv_fault){.kind = RV_FAULT_REFUSE, .op = op, .for_ever = true});
}

void heal(struct scene *s) {
    rv_fault_plan_clear(&s->plan);
}

uint64_t calls(struct scene *s, enum rv_op op) {
    return rv_fault_plan_calls(&s->plan, op);
}

static bool has_called(void *arg) {
    struct expected *e = arg;
    return calls(e->s, (enum rv_op)e->op) >= (uint64_t)e->number;
}

void await_calls(struct scene *s, enum rv_op op, uint64_t count) {
    struct expected e = {.s = s, .op = (int)op, .number = (int64_t)count};
    if (!eventually(has_called, &e, SOON_MS)) CHECK_INT(calls(s, op), count);
}

int log_count(struct scene *s, const char *text) {
    int count = 0;
    (void)pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->line_count; i++)
        count += strstr(s->lines[i], text) != NULL;
    (void)pthread_mutex_unlock(&s->lock);
    return count;
}

static bool is_logged(void *arg) {
    struct expected *e = arg;
    return log_count(e->s, e->text) >= e->number;
}

void await_log_count(struct scene *s, const char *text, int count) {
    struct expected e = {.s = s, .text = text, .number = count};
    if (!eventually(is_logged, &e, SOON_MS)) CHECK_STR("(not in the log)", text);
}

void await_log(struct scene *s, const char *text) {
    await_log_count(s, text, 1);
}
