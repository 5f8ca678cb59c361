/* _GNU_SOURCE: environ. */
#define _GNU_SOURCE
#include "work/ward.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cond.h"
#include "base/texts.h"
#include "base/thread.h"
#include "work/environment.h"
#include "work/limits.h"
#include "work/spawn.h"

enum {
    ASK_MS = 20,        /* for the end of a child, where no descriptor tells of it */
    GUARDIAN_MS = 1000, /* between two attempts to replace a dead guardian */
    PATH_SIZE = 4096,
};

struct reeve_program {
    struct rv_wards *wards;
    size_t slot; /* among them */
    reeve_ended_fn *ended;
    void *arg;
    char **argv, **environment;
    struct rv_bytes input; /* the caller's, until it has started; NULL: ours is inherited */
    char file[PATH_SIZE];
    struct rv_limits limits;
    struct rv_child child;
    int64_t guardian_at_ms; /* the guardian is not to be looked at before */
    int wake_fd;            /* an eventfd: kill_at_ms has changed */
    pthread_t thread;

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t cond;  /* any of them has changed */
    bool started, over;
    int rc; /* of the start */
    struct rv_error err;
    int status;         /* as of waitpid(2), once it is over */
    bool told;          /* it was sent TERM */
    int64_t kill_at_ms; /* CLOCK_BOOTTIME; INT64_MAX: not told */
};

static int64_t now_ms(const struct reeve_program *p) {
    return rv_clock_boot_ms(&p->wards->service->clock);
}

static struct rv_guardian *guardian_of(const struct reeve_program *p) {
    return p->wards->custody.guardian;
}

/* ---- the thread that sits with it ---- */

static void say_started(struct reeve_program *p, int rc) {
    (void)pthread_mutex_lock(&p->lock);
    p->started = true;
    p->rc = rc;
    (void)pthread_cond_broadcast(&p->cond);
    (void)pthread_mutex_unlock(&p->lock);
}

static int spawn(struct reeve_program *p) {
    struct rv_spawn spawn = {.file = p->file,
                             .argv = p->argv,
                             .environment = p->environment,
                             .input = p->input,
                             .inherit = true,
                             .feed = p->input.data != NULL,
                             .limits = &p->limits,
                             .failure = &p->wards->custody.failures[p->slot]};
    int rc = rv_guardian_enter(guardian_of(p), p->slot, &spawn.group, &p->err);
    if (rc) return rc;
    rc = rv_spawn(&spawn, &p->child, &p->err);
    rv_guardian_leave(guardian_of(p));
    return rc;
}

/* Sends what is due; returns how long nothing is. */
static int tell(struct reeve_program *p, bool *killed) {
    (void)pthread_mutex_lock(&p->lock);
    int64_t kill_at_ms = p->kill_at_ms;
    bool first = kill_at_ms != INT64_MAX && !p->told;
    p->told = p->told || first;
    (void)pthread_mutex_unlock(&p->lock);
    if (first) {
        (void)kill(-p->child.pid, SIGTERM);
        (void)kill(-p->child.pid, SIGCONT); /* one that is stopped hears nothing */
    }
    int64_t left_ms = kill_at_ms == INT64_MAX ? INT_MAX : kill_at_ms - now_ms(p);
    if (left_ms <= 0 && !*killed) {
        *killed = true;
        (void)kill(-p->child.pid, SIGKILL);
    }
    return *killed || left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

static bool has_ended(const struct reeve_program *p) {
    siginfo_t info = {0};
    int rc = waitid(P_PID, (id_t)p->child.pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return rc ? errno != EINTR : info.si_pid != 0;
}

static void note_guardian(struct reeve_program *p, short events) {
    if (events && !rv_guardian_check(guardian_of(p)))
        p->guardian_at_ms = rv_time_add(now_ms(p), GUARDIAN_MS);
}

static void watch(struct reeve_program *p) {
    bool killed = false;
    while (!has_ended(p)) {
        uint64_t count;
        int ms = tell(p, &killed);
        bool guarded = now_ms(p) >= p->guardian_at_ms;
        if (!guarded && ms > GUARDIAN_MS) ms = GUARDIAN_MS;
        if (p->child.exit_fd < 0 && ms > ASK_MS) ms = ASK_MS;
        struct pollfd fds[] = {{.fd = p->child.exit_fd, .events = POLLIN},
                               {.fd = p->wake_fd, .events = POLLIN},
                               {.fd = guarded ? rv_guardian_fd(guardian_of(p)) : -1, .events = 0}};
        if (poll(fds, 3, ms) <= 0) continue;
        if (fds[1].revents && read(p->wake_fd, &count, sizeof count) < 0) continue; /* taken */
        note_guardian(p, fds[2].revents);
    }
}

/* The group dies, the guardian hears of it, and only then its first is reaped: until then nobody
 * else can be given its number. */
static int reap(struct reeve_program *p) {
    int status = 0;
    (void)kill(-p->child.pid, SIGKILL);
    rv_guardian_drop(guardian_of(p), p->slot);
    while (waitpid(p->child.pid, &status, 0) < 0 && errno == EINTR) {
    }
    rv_child_close(&p->child);
    rv_custody_end(&p->wards->custody, p->slot, true);
    return status;
}

static void say_over(struct reeve_program *p, int status) {
    (void)pthread_mutex_lock(&p->lock);
    p->over = true;
    p->status = status;
    (void)pthread_cond_broadcast(&p->cond);
    (void)pthread_mutex_unlock(&p->lock);
    if (p->ended) p->ended(p->arg, status);
}

static int judge_start(struct reeve_program *p) {
    const struct rv_spawn_failure *failure = &p->wards->custody.failures[p->slot];
    if (!failure->error) return 0;
    return rv_fail(&p->err, failure->at_exec ? REEVE_ENOENT : REEVE_ENOMEM, "cannot run %s: %s",
                   p->argv[0], strerror(failure->error));
}

static void *sit(void *arg) {
    struct reeve_program *p = arg;
    int rc = spawn(p);
    if (!rc && (rc = judge_start(p))) (void)reap(p);
    say_started(p, rc);
    if (rc) return NULL;
    watch(p);
    say_over(p, reap(p));
    return NULL;
}

/* ---- getting ready ---- */

static bool is_set_by(const char *variable, const char *const *variables) {
    size_t size = strcspn(variable, "=") + 1;
    for (; variables && *variables; variables++)
        if (!strncmp(variable, *variables, size)) return true;
    return false;
}

/* Ours, with what is set anew, and the mark of this run. One block. */
static char **make_environment(const char *const *variables, const char *mark) {
    size_t count = 0, size = 0;
    for (char **at = environ; at && *at; at++)
        size++;
    for (const char *const *at = variables; at && *at; at++)
        size++;
    const char **all = calloc(size + 2, sizeof *all);
    if (!all) return NULL;
    for (char **at = environ; at && *at; at++)
        if (!is_set_by(*at, variables) && strncmp(*at, "REEVE_RUN=", 10) != 0) all[count++] = *at;
    for (const char *const *at = variables; at && *at; at++)
        all[count++] = *at;
    all[count++] = mark;
    char **copy = rv_texts_copy(all);
    free(all);
    return copy;
}

static int find_file(struct reeve_program *p, struct rv_error *err) {
    struct rv_environment environment = {.base = p->environment};
    while (p->environment[environment.count])
        environment.count++;
    int error = rv_environment_find(&environment, p->argv[0], p->file, sizeof p->file);
    return error ? rv_fail(err, REEVE_ENOENT, "cannot run %s: %s", p->argv[0], strerror(error)) : 0;
}

static int copy_options(struct reeve_program *p, const struct reeve_program_options *options,
                        struct rv_error *err) {
    struct rv_custody *custody = &p->wards->custody;
    char mark[RV_RUN_MARK_SIZE + 24];
    (void)snprintf(mark, sizeof mark, "%s%" PRIu64, custody->strays.mark,
                   rv_custody_begin(custody, p->slot));
    p->ended = options->ended;
    p->arg = options->arg;
    p->input = (struct rv_bytes){options->input, options->input_size};
    p->argv = rv_texts_copy(options->argv);
    p->environment = make_environment(options->variables, mark);
    p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!p->argv || !p->environment || p->wake_fd < 0)
        return rv_fail(err, REEVE_ENOMEM, "no memory for a program");
    return find_file(p, err);
}

static void destroy(struct reeve_program *p) {
    rv_wards_give(p->wards, p->slot);
    if (p->wake_fd >= 0) (void)close(p->wake_fd);
    (void)pthread_cond_destroy(&p->cond);
    (void)pthread_mutex_destroy(&p->lock);
    free(p->argv);
    free(p->environment);
    free(p);
}

static int run(struct reeve_program *p, struct rv_error *err) {
    if (rv_thread_start(&p->thread, sit, p))
        return rv_fail(err, REEVE_ENOMEM, "cannot start a program's thread");
    (void)pthread_mutex_lock(&p->lock);
    while (!p->started)
        rv_cond_wait(&p->cond, &p->lock, -1);
    (void)pthread_mutex_unlock(&p->lock);
    if (!p->rc) return 0;
    (void)pthread_join(p->thread, NULL);
    *err = p->err;
    return p->rc;
}

static struct reeve_program *create(struct rv_wards *wards) {
    struct reeve_program *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->wards = wards;
    p->wake_fd = -1;
    p->kill_at_ms = INT64_MAX;
    rv_limits_init(&p->limits, &(struct reeve_limits){.size = sizeof(struct reeve_limits)});
    if (rv_cond_init(&p->cond)) {
        free(p);
        return NULL;
    }
    (void)pthread_mutex_init(&p->lock, NULL);
    return p;
}

int rv_ward_start(struct reeve_program **out, struct rv_wards *wards,
                  const struct reeve_program_options *options, struct rv_error *err) {
    size_t slot;
    *out = NULL;
    int rc = rv_wards_take(wards, &slot, err);
    if (rc) return rc;
    struct reeve_program *p = create(wards);
    if (!p) {
        rv_wards_give(wards, slot);
        return rv_fail(err, REEVE_ENOMEM, "no memory for a program");
    }
    p->slot = slot;
    rc = copy_options(p, options, err);
    if (!rc) rc = run(p, err);
    if (rc)
        destroy(p);
    else
        *out = p;
    return rc;
}

/* ---- for others ---- */

void rv_ward_stop(struct reeve_program *p, int64_t grace_ms) {
    const uint64_t one = 1;
    int64_t at_ms = rv_time_add(now_ms(p), grace_ms);
    (void)pthread_mutex_lock(&p->lock);
    if (at_ms < p->kill_at_ms) p->kill_at_ms = at_ms;
    (void)pthread_mutex_unlock(&p->lock);
    if (write(p->wake_fd, &one, sizeof one) < 0) return; /* full: it is awake already */
}

int rv_ward_wait(struct reeve_program *p, int64_t timeout_ms, int *status, struct rv_error *err) {
    int64_t until_ms =
        timeout_ms < 0 ? INT64_MAX : rv_time_add(rv_clock_boot_ms(&rv_clock_real), timeout_ms);
    (void)pthread_mutex_lock(&p->lock);
    while (!p->over) {
        int64_t left_ms = until_ms - rv_clock_boot_ms(&rv_clock_real);
        if (left_ms <= 0) break;
        rv_cond_wait(&p->cond, &p->lock, timeout_ms < 0 ? -1 : left_ms);
    }
    bool over = p->over;
    if (over && status) *status = p->status;
    (void)pthread_mutex_unlock(&p->lock);
    return over ? 0 : rv_fail(err, REEVE_ETIMEDOUT, "the program still runs");
}

void rv_ward_close(struct reeve_program *p) {
    if (!p) return;
    rv_ward_stop(p, 0);
    (void)pthread_join(p->thread, NULL);
    destroy(p);
}
