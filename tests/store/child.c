#include "store/child.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/eventually.h"
#include "harness/jobs.h"

extern char **environ;

/* ---- in the test ---- */
pid_t child_start(struct fixture *f, const char *verb, int count) {
    char number[16], url[512], space[REEVE_NAME_SIZE], word[16], option[] = "--child";
    char *arguments[] = {"check-store", option, url, space, word, number, NULL};
    pid_t pid;
    CHECK(snprintf(url, sizeof url, "%s", f->url) < (int)sizeof url);
    (void)snprintf(space, sizeof space, "%s", f->space);
    (void)snprintf(word, sizeof word, "%s", verb);
    (void)snprintf(number, sizeof number, "%d", count);
    CHECK_INT(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ), 0);
    return pid;
}

int child_wait(pid_t pid) {
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- in the child ---- */
struct child {
    struct rv_store *store;
    int count;
    struct rv_error err;
};

static struct rv_new_job make_job(const char *id) {
    return (struct rv_new_job){.queue = "jobs",
                               .kind = "default",
                               .id = id,
                               .nonce = rv_random_nonzero(&rv_random_system),
                               .body = {.data = id, .size = strlen(id)},
                               .policy = {.attempts_max = 3, .keep_ms = KEEP_MS}};
}

static int push_jobs(struct child *child) {
    int rc = 0;
    for (int i = 0; i < child->count && !rc; i++) {
        char id[64];
        struct rv_pushed out;
        (void)snprintf(id, sizeof id, "%ld-%d", (long)getpid(), i);
        struct rv_new_job job = make_job(id);
        rc = rv_store_push(child->store, "jobs", &job, 1, &out, &child->err);
        if (!rc && out.status != REEVE_QUEUED) rc = REEVE_EBUG;
    }
    return rc;
}

/* One exchange: hands in an outcome, if there is one, and claims up to one job. */
static int exchange_one(struct child *child, struct rv_outcome *outcome, size_t want,
                        uint64_t *holder, struct rv_exchanged *got) {
    *holder = rv_random_nonzero(&rv_random_system);
    struct rv_exchange request = {.queue = "jobs",
                                  .timeout_ms = CALL_MS,
                                  .outcomes = outcome,
                                  .outcome_count = outcome ? 1 : 0,
                                  .want = want,
                                  .holder = *holder,
                                  .lease_ms = LEASE_MS,
                                  .worker = "child"};
    return rv_store_exchange(child->store, &request, got, &child->err);
}

static int finish_one(struct child *child, uint64_t holder, const struct reeve_job *job) {
    static const struct rv_report report = {.ending = RV_SUCCEEDED, .ended_at_ms = 1};
    struct rv_outcome outcome;
    struct rv_exchanged none;
    uint64_t unused;
    int rc = rv_outcome_judge(job, holder, &report, &rv_random_system, &outcome);
    if (rc) return rc;
    rc = exchange_one(child, &outcome, 0, &unused, &none);
    rv_outcome_release(&outcome);
    return rc ? rc : outcome.status;
}

static bool all_ended(struct child *child) {
    struct reeve_queue queue;
    int rc = rv_store_stats(child->store, "jobs", &queue, &child->err);
    return !rc && queue.finished_total >= (uint64_t)child->count;
}

static int work(struct child *child) {
    int64_t until = elapsed_ms() + CALL_MS * 3;
    while (!all_ended(child)) {
        struct rv_exchanged got;
        struct rv_bell bell = {.queue = "jobs", .want_ready = true};
        uint64_t holder;
        int rc = exchange_one(child, NULL, 1, &holder, &got);
        if (!rc && got.count) rc = finish_one(child, holder, got.jobs[0]);
        if (!rc && !got.count) rc = rv_store_wait(child->store, &bell, 1, 50, &child->err);
        rv_exchanged_release(&got);
        if (rc) return rc;
        if (elapsed_ms() > until) return REEVE_ETIMEDOUT;
    }
    return 0;
}

static int crash(struct child *child) {
    struct rv_exchanged got;
    uint64_t holder;
    int rc = exchange_one(child, NULL, 1, &holder, &got);
    if (!rc && got.count) (void)raise(SIGKILL);
    return rc ? rc : REEVE_ENOENT;
}

static int run_verb(struct child *child, const char *verb) {
    if (strcmp(verb, "push") == 0) return push_jobs(child);
    if (strcmp(verb, "work") == 0) return work(child);
    return crash(child);
}

int child_main(char **arguments) {
    struct rv_log log = {.level = REEVE_LOG_ERROR};
    struct rv_store_config config = {
        .space = arguments[1], .timeout_ms = CALL_MS, .log = &log, .clock = &rv_clock_real};
    struct child child = {.count = (int)strtol(arguments[3], NULL, 10)};
    int rc = rv_store_open(&child.store, arguments[0], &config, &child.err);
    if (!rc) rc = run_verb(&child, arguments[2]);
    if (rc) (void)fprintf(stderr, "child: %s: %s\n", reeve_errname(rc), child.err.text);
    rv_store_close(child.store);
    return rc ? 1 : 0;
}
