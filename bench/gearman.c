/* gearman - how many round trips a gearmand makes: `tools/bench --gearman` holds push and wait
 * against it. A caller gives a task of BODY bytes and has its answer from another process.
 *
 * Usage: gearman PORT BODY CALLERS CALLS WORKERS SECONDS
 *
 * CALLERS threads have a client each, which has CALLS tasks on their way at once and waits for all
 * of them. WORKERS processes answer. Prints one JSON object. */
#include <libgearman/gearman.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLERS_MAX = 256, CALLS_MAX = 1024, WORKERS_MAX = 64, WARM_UP = 200 };

static const char host[] = "127.0.0.1", function[] = "bench";

static _Noreturn void die(const char *what, const char *why) {
    (void)fprintf(stderr, "gearman: %s: %s\n", what, why);
    exit(1);
}

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long number(const char *text, long most) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || value < 1 || value > most) die(text, "is not a number in range");
    return value;
}

/* ---- answering ---- */

static gearman_return_t answer(gearman_job_st *job, void *arg) {
    static const char result[] = "pong";
    (void)arg;
    return gearman_job_send_complete(job, result, sizeof result - 1);
}

/* Until whoever measures is gone. */
static _Noreturn void work(in_port_t port) {
    gearman_worker_st *worker = gearman_worker_create(NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!worker || gearman_failed(gearman_worker_add_server(worker, host, port)) ||
        gearman_failed(gearman_worker_define_function(worker, function, sizeof function - 1,
                                                      gearman_function_create(answer), 0, NULL)))
        die("worker", worker ? gearman_worker_error(worker) : "no memory");
    while (gearman_success(gearman_worker_work(worker)))
        continue;
    die("worker", gearman_worker_error(worker));
}

static void start_workers(in_port_t port, long count, pid_t *pids) {
    for (long i = 0; i < count; i++) {
        pids[i] = fork();
        if (pids[i] < 0) die("fork", "failed");
        if (!pids[i]) work(port);
    }
}

static void end_workers(const pid_t *pids, long count) {
    for (long i = 0; i < count; i++) {
        (void)kill(pids[i], SIGKILL);
        (void)waitpid(pids[i], NULL, 0);
    }
}

/* ---- asking ---- */

struct caller {
    pthread_t thread;
    pthread_barrier_t *begin;
    gearman_client_st *client;
    in_port_t port;
    const char *body;
    size_t body_size;
    long calls, seconds;
    long answers; /* to calls that were made at once */
    long count;   /* out: of all that were answered */
};

static void call_once(struct caller *caller) {
    size_t size;
    gearman_return_t rc;
    void *result = gearman_client_do(caller->client, function, NULL, caller->body,
                                     caller->body_size, &size, &rc);
    if (gearman_failed(rc) || !size) die("call", gearman_client_error(caller->client));
    free(result);
}

static gearman_return_t count_answer(gearman_task_st *task) {
    struct caller *caller = gearman_task_context(task);
    if (gearman_task_data_size(task)) caller->answers++;
    return GEARMAN_SUCCESS;
}

static void call_many(struct caller *caller) {
    gearman_return_t rc;
    caller->answers = 0;
    for (long i = 0; i < caller->calls; i++) {
        (void)gearman_client_add_task(caller->client, NULL, caller, function, NULL, caller->body,
                                      caller->body_size, &rc);
        if (gearman_failed(rc)) die("task", gearman_client_error(caller->client));
    }
    if (gearman_failed(gearman_client_run_tasks(caller->client)))
        die("tasks", gearman_client_error(caller->client));
    if (caller->answers != caller->calls) die("tasks", "some have no answer");
    gearman_client_task_free_all(caller->client);
}

/* Returns how many were answered. */
static long call_for(struct caller *caller, double seconds, long least) {
    double until = now() + seconds;
    long count = 0;
    for (; count < least || now() < until; count += caller->calls) {
        if (caller->calls == 1)
            call_once(caller);
        else
            call_many(caller);
    }
    return count;
}

static void *call(void *arg) {
    struct caller *caller = arg;
    caller->client = gearman_client_create(NULL);
    if (!caller->client) die("client", "no memory");
    if (gearman_failed(gearman_client_add_server(caller->client, host, caller->port)))
        die("client", gearman_client_error(caller->client));
    gearman_client_set_complete_fn(caller->client, count_answer);
    (void)call_for(caller, 0, WARM_UP);
    (void)pthread_barrier_wait(caller->begin);
    caller->count = call_for(caller, (double)caller->seconds, 0);
    gearman_client_free(caller->client);
    return NULL;
}

/* Returns calls a second, of all together. */
static double measure(const struct caller *like, long callers) {
    static struct caller all[CALLERS_MAX];
    pthread_barrier_t begin;
    long count = 0;
    if (pthread_barrier_init(&begin, NULL, (unsigned)callers + 1)) die("threads", "no memory");
    for (long i = 0; i < callers; i++) {
        all[i] = *like;
        all[i].begin = &begin;
        if (pthread_create(&all[i].thread, NULL, call, &all[i])) die("threads", "cannot start");
    }
    (void)pthread_barrier_wait(&begin);
    double from = now();
    for (long i = 0; i < callers; i++) {
        (void)pthread_join(all[i].thread, NULL);
        count += all[i].count;
    }
    double seconds = now() - from;
    (void)pthread_barrier_destroy(&begin);
    return (double)count / seconds;
}

int main(int argc, char **argv) {
    if (argc != 7) die("usage", "gearman PORT BODY CALLERS CALLS WORKERS SECONDS");
    struct caller caller = {.port = (in_port_t)number(argv[1], 65535),
                            .body_size = (size_t)number(argv[2], 1 << 20),
                            .calls = number(argv[4], CALLS_MAX),
                            .seconds = number(argv[6], 3600)};
    long callers = number(argv[3], CALLERS_MAX), workers = number(argv[5], WORKERS_MAX);
    pid_t pids[WORKERS_MAX];
    start_workers(caller.port, workers, pids);
    char *body = calloc(1, caller.body_size);
    if (!body) die("body", "no memory");
    caller.body = body;
    (void)printf("{\"per_second\": %.1f}\n", measure(&caller, callers));
    end_workers(pids, workers);
    free(body);
    return 0;
}
