/* _GNU_SOURCE: F_GETPIPE_SZ. */
#define _GNU_SOURCE
/* The contract of exit codes, signals and time limits stands in reeve-work(1); what makes of a
 * program's end an ending of its job is judge_end() here. */
#include "work/program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/check.h"
#include "work/tail.h"

enum {
    EXIT_GIVE_UP = 65,   /* EX_DATAERR: no other attempt would do better */
    EXIT_HAND_BACK = 75, /* EX_TEMPFAIL: not now, not here */
    EXIT_CANNOT_RUN = 126,
    EXIT_NOT_FOUND = 127,
};

enum {
    LAST_TERM_MS = 2000, /* within a worker's grace: the most between TERM and KILL */
    HASTE_MS = 100,      /* the same, when there is no grace left */
    ASK_MS = 20,         /* for the end of a child, where no descriptor tells of it */
    GUARDIAN_MS = 1000,  /* between two attempts to replace a dead guardian */
    READ_SIZE = 64 << 10,
    PATH_SIZE = 4096,
};

enum why { RUNNING = 0, CANCELLED, TIMED_OUT, DRAINED, IN_DOUBT };

/* A program at work. */
struct program {
    struct rv_exec *exec;
    struct reeve_task *task;
    const struct rv_place *place;
    struct rv_child child;
    struct rv_tail err;
    bool too_big; /* more output than is kept */

    enum why why;       /* it was told to end */
    int64_t kill_at_ms; /* CLOCK_BOOTTIME; INT64_MAX: not told */
    bool killed;
    int64_t guardian_at_ms; /* not to be looked at before */
};

static int64_t now_ms(const struct program *p) {
    return rv_clock_boot_ms(&p->exec->service->clock);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* ---- stopping it ---- */

static void stop(struct program *p, enum why why, int64_t grace_ms) {
    int64_t kill_at_ms = rv_time_add(now_ms(p), grace_ms);
    if (kill_at_ms < p->kill_at_ms) p->kill_at_ms = kill_at_ms;
    if (p->why) return;
    p->why = why;
    (void)kill(-p->child.pid, SIGTERM);
    (void)kill(-p->child.pid, SIGCONT); /* one that is stopped hears nothing */
}

static void kill_now(struct program *p) {
    if (p->killed) return;
    p->killed = true;
    (void)kill(-p->child.pid, SIGKILL);
}

static int64_t drain_at_ms(const struct program *p) {
    const struct rv_drain *drain = p->exec->drain;
    return atomic_load(&drain->begun) ? atomic_load(&drain->grace_until_ms) : INT64_MAX;
}

static int64_t doubt_at_ms(const struct program *p) {
    if (p->exec->options.in_doubt != REEVE_DOUBT_STOP) return INT64_MAX;
    return atomic_load(&p->task->hold.claim->doubt_at_ms);
}

/* When a program that still runs is told of the end: all is to be over within the grace. */
static int64_t drain_term_ms(const struct program *p) {
    int64_t last_ms = p->exec->options.grace_ms / 4;
    int64_t drain_ms = drain_at_ms(p);
    return drain_ms == INT64_MAX ? drain_ms : drain_ms - least(last_ms, LAST_TERM_MS);
}

/* Stops the program if it has to be. Each reason only ever brings its end closer. */
static void decide(struct program *p) {
    const struct rv_exec_options *options = &p->exec->options;
    const struct rv_hold *hold = &p->task->hold;
    int64_t now = now_ms(p);
    if (rv_hold_marked(hold, RV_MARK_LOST)) kill_now(p); /* whatever it does does harm */
    if (!p->why && rv_hold_marked(hold, RV_MARK_CANCELLED)) stop(p, CANCELLED, options->grace_ms);
    if (!p->why && now >= p->task->timeout_at_ms) stop(p, TIMED_OUT, options->grace_ms);
    if (!p->why && now >= doubt_at_ms(p))
        stop(p, IN_DOUBT, rv_lease_margin_ms(hold->claim->lease_ms)); /* before another starts */
    if (now >= drain_term_ms(p)) {
        int64_t left_ms = drain_at_ms(p) - now;
        stop(p, DRAINED, left_ms > HASTE_MS ? left_ms : HASTE_MS);
    }
    if (now >= p->kill_at_ms) kill_now(p);
}

/* When decide() may have something to do next. */
static int64_t decides_at_ms(const struct program *p) {
    int64_t at_ms = p->killed ? INT64_MAX : p->kill_at_ms;
    int64_t term_ms = drain_term_ms(p);
    if (term_ms > now_ms(p)) at_ms = least(at_ms, term_ms);
    if (!p->why) at_ms = least(at_ms, least(p->task->timeout_at_ms, doubt_at_ms(p)));
    return at_ms;
}

/* ---- its output ---- */

static void keep(struct program *p, bool is_err, const char *data, size_t size) {
    struct rv_buf *result = &p->task->result;
    if (is_err) {
        rv_tail_add(&p->err, data, size);
        return;
    }
    if (p->too_big) return; /* read on all the same: it must not block */
    if (size > p->exec->options.result_max - result->size)
        p->too_big = true;
    else
        (void)rv_buf_add(result, data, size); /* its error is sticky */
}

/* Reads what is there, at most `most` bytes. Closes at the end. */
static void read_output(struct program *p, int *fd, size_t most) {
    char data[READ_SIZE];
    while (*fd >= 0 && most > 0) {
        ssize_t size = read(*fd, data, most < sizeof data ? most : sizeof data);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0 && errno == EAGAIN) return;
        if (size <= 0) {
            (void)close(*fd);
            *fd = -1;
            return;
        }
        keep(p, fd == &p->child.err_fd, data, (size_t)size);
        most -= (size_t)size;
    }
}

/* What the program itself had written when it ended fits into the pipe: a grandchild that holds on
 * to it and writes for ever does not keep us. */
static void read_rest(struct program *p, int *fd) {
    int capacity = *fd >= 0 ? fcntl(*fd, F_GETPIPE_SZ) : 0;
    read_output(p, fd, capacity > 0 ? (size_t)capacity : READ_SIZE);
}

/* ---- waiting for its end ---- */

static void note_guardian(struct program *p, short events) {
    if (events && !rv_guardian_check(p->exec->custody.guardian))
        p->guardian_at_ms = rv_time_add(now_ms(p), GUARDIAN_MS);
}

static int timeout_of(const struct program *p) {
    int64_t ms = decides_at_ms(p) - now_ms(p);
    if (p->child.exit_fd < 0) ms = least(ms, ASK_MS);
    if (p->guardian_at_ms > now_ms(p)) ms = least(ms, GUARDIAN_MS);
    return ms < 0 ? 0 : (int)least(ms, INT_MAX);
}

static bool has_ended(const struct program *p) {
    siginfo_t info = {0};
    int rc = waitid(P_PID, (id_t)p->child.pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return rc ? errno != EINTR : info.si_pid != 0;
}

/* Sits with the program until it has ended; it is not reaped yet. */
static void watch(struct program *p) {
    bool ended = false;
    while (!ended) {
        uint64_t count;
        bool guarded = now_ms(p) >= p->guardian_at_ms;
        struct pollfd fds[] = {
            {.fd = p->child.exit_fd, .events = POLLIN},
            {.fd = p->child.out_fd, .events = POLLIN},
            {.fd = p->child.err_fd, .events = POLLIN},
            {.fd = p->place->wake_fd, .events = POLLIN},
            {.fd = guarded ? rv_guardian_fd(p->exec->custody.guardian) : -1, .events = 0},
        };
        decide(p);
        if (poll(fds, sizeof fds / sizeof *fds, timeout_of(p)) < 0) continue; /* EINTR */
        if (fds[1].revents) read_output(p, &p->child.out_fd, READ_SIZE);
        if (fds[2].revents) read_output(p, &p->child.err_fd, READ_SIZE);
        if (fds[3].revents && read(fds[3].fd, &count, sizeof count) < 0) continue; /* taken */
        note_guardian(p, fds[4].revents);
        ended = fds[0].revents || (p->child.exit_fd < 0 && has_ended(p));
    }
}

/* The group dies, the guardian hears of it, and only then the leader is reaped: until then nobody
 * else can be given its number. Returns how it ended; si_pid 0: somebody else has reaped it. */
static siginfo_t reap(struct program *p) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    while (waitid(P_PID, (id_t)p->child.pid, &info, WEXITED | WNOWAIT) && errno == EINTR) {
    }
    (void)kill(-p->child.pid, SIGKILL);
    rv_guardian_drop(p->exec->custody.guardian, p->place->slot);
    siginfo_t gone;
    while (waitid(P_PID, (id_t)p->child.pid, &gone, WEXITED) && errno == EINTR) {
    }
    return info;
}

/* ---- what its end means ---- */

static enum rv_ending fail(struct program *p, enum rv_ending ending, const char *code,
                           const char *fallback) {
    char message[RV_ERROR_MESSAGE_MAX + 1];
    rv_tail_text(&p->err, message);
    (void)rv_task_set_error(p->task, code, message[0] ? message : fallback, (struct rv_bytes){0},
                            NULL);
    return ending;
}

/* Not the job's fault: the attempt does not count, and somebody should look here. */
static enum rv_ending hand_back(struct rv_exec *exec, struct reeve_task *task, const char *text) {
    char id[RV_QUOTED_SIZE], quoted[RV_QUOTED_SIZE];
    rv_log(&exec->service->log, REEVE_LOG_ERROR, "exec.failed", "queue=%s id=%s text=%s",
           task->job->queue, rv_log_quote(id, task->job->id), rv_log_quote(quoted, text));
    return RV_HANDED_BACK;
}

static enum rv_ending judge_unfound(struct reeve_task *task, const char *name, int error) {
    char code[RV_ERROR_CODE_MAX], message[PATH_SIZE + 128];
    int status = error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
    (void)snprintf(code, sizeof code, "exit:%d", status);
    (void)snprintf(message, sizeof message, "cannot run %s: %s", name, strerror(error));
    (void)rv_task_set_error(task, code, message, (struct rv_bytes){0}, NULL);
    return RV_FAILED_ATTEMPT;
}

static enum rv_ending judge_exit(struct program *p, int status) {
    char code[RV_ERROR_CODE_MAX], text[128];
    (void)snprintf(code, sizeof code, "exit:%d", status);
    (void)snprintf(text, sizeof text, "ended with exit status %d", status);
    if (status == EXIT_GIVE_UP) return fail(p, RV_GIVEN_UP, code, text);
    if (status == EXIT_HAND_BACK) return RV_HANDED_BACK;
    if (status) return fail(p, RV_FAILED_ATTEMPT, code, text);
    if (p->too_big) { /* a part of a result is not the result */
        (void)snprintf(text, sizeof text, "its output is over %zu bytes",
                       p->exec->options.result_max);
        p->err.size = 0;
        return fail(p, RV_FAILED_ATTEMPT, "too_big", text);
    }
    if (p->task->result.error) return hand_back(p->exec, p->task, "no memory for its output");
    p->task->has_result = true;
    return RV_SUCCEEDED;
}

static enum rv_ending judge_signal(struct program *p, int number) {
    char code[RV_ERROR_CODE_MAX], text[128];
    (void)snprintf(code, sizeof code, "signal:%d", number);
    (void)snprintf(text, sizeof text, "killed by signal %d", number);
    return fail(p, RV_FAILED_ATTEMPT, code, text);
}

/* Once it was told to end, its exit status says nothing any more: many programs end with 0 when
 * they are told to. */
static enum rv_ending judge_end(struct program *p, const siginfo_t *info) {
    char text[128];
    switch (p->why) {
    case CANCELLED:
        return RV_STOPPED;
    case DRAINED:
    case IN_DOUBT:
        return RV_HANDED_BACK;
    case TIMED_OUT:
        (void)snprintf(text, sizeof text, "took longer than %" PRId64 " ms",
                       p->task->timeout_at_ms - p->task->started_ms);
        return fail(p, RV_FAILED_ATTEMPT, "timeout", text);
    case RUNNING:
        break;
    }
    if (!info->si_pid) return hand_back(p->exec, p->task, "somebody else reaped the program");
    return info->si_code == CLD_EXITED ? judge_exit(p, info->si_status)
                                       : judge_signal(p, info->si_status);
}

/* ---- one run ---- */

/* Starts the program under the eyes of the guardian. */
static int start(struct program *p, const char *file, char *const argv[], char *const environment[],
                 struct rv_error *err) {
    const struct reeve_job *job = p->task->job;
    struct rv_spawn spawn = {
        .file = file,
        .argv = argv,
        .environment = environment,
        .input = {.data = job->body, .size = job->body_size},
        .limits = &p->exec->limits,
        .failure = &p->exec->custody.failures[p->place->slot],
    };
    int rc = rv_guardian_enter(p->exec->custody.guardian, p->place->slot, &spawn.group, err);
    if (rc) return rc;
    rc = rv_spawn(&spawn, &p->child, err);
    rv_guardian_leave(p->exec->custody.guardian);
    return rc;
}

static enum rv_ending judge(struct program *p, const char *name, const siginfo_t *info) {
    const struct rv_spawn_failure *failure = &p->exec->custody.failures[p->place->slot];
    if (!failure->error) return judge_end(p, info);
    if (failure->at_exec) return judge_unfound(p->task, name, failure->error);
    return hand_back(p->exec, p->task, strerror(failure->error));
}

/* Another attempt must not meet the strays of this one, and who is seen to hold its pipes though
 * the group is dead is a stray: these are waited for. */
static enum rv_ending finish(struct program *p, const char *name) {
    siginfo_t info = reap(p);
    read_rest(p, &p->child.out_fd);
    read_rest(p, &p->child.err_fd);
    bool held = p->child.out_fd >= 0 || p->child.err_fd >= 0;
    rv_child_close(&p->child);
    enum rv_ending ending = judge(p, name, &info);
    rv_custody_end(&p->exec->custody, p->place->slot, held || ending != RV_SUCCEEDED);
    return ending;
}

static enum rv_ending run(struct program *p, const char *file, char *const argv[]) {
    struct rv_error err = {.text = "no memory for its environment"};
    uint64_t number = rv_custody_begin(&p->exec->custody, p->place->slot);
    char **environment = rv_environment_make(&p->exec->environment, p->task, number);
    int rc = environment ? start(p, file, argv, environment, &err) : REEVE_ENOMEM;
    free(environment);
    if (rc) {
        rv_custody_end(&p->exec->custody, p->place->slot, false);
        return hand_back(p->exec, p->task, err.text);
    }
    watch(p);
    return finish(p, argv[0]);
}

enum rv_ending rv_program_run(struct rv_exec *exec, char *const argv[],
                              const struct rv_place *place, struct reeve_task *task) {
    char file[PATH_SIZE];
    int error = rv_environment_find(&exec->environment, argv[0], file, sizeof file);
    if (error) return judge_unfound(task, argv[0], error);
    struct program p = {.exec = exec, .task = task, .place = place, .kill_at_ms = INT64_MAX};
    return run(&p, file, argv);
}
