/* _GNU_SOURCE: MAP_ANONYMOUS, environ. */
#define _GNU_SOURCE
#include "work/ward.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cond.h"
#include "base/id.h"
#include "base/texts.h"
#include "base/thread.h"
#include "work/environment.h"
#include "work/guardian.h"
#include "work/limits.h"
#include "work/spawn.h"

enum {
    ASK_MS = 20,        /* for the end of a child, where no descriptor tells of it */
    GUARDIAN_MS = 1000, /* between two looks at the guardian */
    STRAYS_MS = 2000,   /* at most, for what it left behind */
    PATH_SIZE = 4096,
};

struct reeve_program {
    struct rv_service *service;
    reeve_ended_fn *ended;
    void *arg;
    char **argv, **environment;
    struct rv_bytes input; /* the caller's, until it has started; NULL: ours is inherited */
    char file[PATH_SIZE];
    struct rv_strays strays;
    struct rv_limits limits;
    struct rv_guardian *guardian;
    struct rv_spawn_failure *failure; /* shared with the child */
    struct rv_child child;
    int wake_fd; /* an eventfd: kill_at_ms has changed */
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
    return rv_clock_boot_ms(&p->service->clock);
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
                             .failure = p->failure};
    int rc = rv_guardian_enter(p->guardian, 0, &spawn.group, &p->err);
    if (rc) return rc;
    rc = rv_spawn(&spawn, &p->child, &p->err);
    rv_guardian_leave(p->guardian);
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
    return *killed || left_ms > GUARDIAN_MS ? GUARDIAN_MS : (int)left_ms;
}

static bool has_ended(const struct reeve_program *p) {
    siginfo_t info = {0};
    int rc = waitid(P_PID, (id_t)p->child.pid, &info, WEXITED | WNOHANG | WNOWAIT);
    return rc ? errno != EINTR : info.si_pid != 0;
}

static void watch(struct reeve_program *p) {
    bool killed = false;
    while (!has_ended(p)) {
        uint64_t count;
        int ms = tell(p, &killed);
        if (p->child.exit_fd < 0 && ms > ASK_MS) ms = ASK_MS;
        struct pollfd fds[] = {{.fd = p->child.exit_fd, .events = POLLIN},
                               {.fd = p->wake_fd, .events = POLLIN}};
        (void)poll(fds, 2, ms);
        if (fds[1].revents && read(p->wake_fd, &count, sizeof count) < 0) continue; /* taken */
        (void)rv_guardian_check(p->guardian);
    }
}

/* The group dies, the guardian hears of it, and only then its first is reaped: until then nobody
 * else can be given its number. */
static int reap(struct reeve_program *p) {
    int status = 0;
    (void)kill(-p->child.pid, SIGKILL);
    rv_guardian_drop(p->guardian, 0);
    while (waitpid(p->child.pid, &status, 0) < 0 && errno == EINTR) {
    }
    rv_child_close(&p->child);
    (void)rv_strays_end(&p->strays, STRAYS_MS);
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
    if (!p->failure->error) return 0;
    return rv_fail(&p->err, p->failure->at_exec ? REEVE_ENOENT : REEVE_ENOMEM, "cannot run %s: %s",
                   p->argv[0], strerror(p->failure->error));
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
    char id[RV_GENERATED_ID_SIZE], mark[RV_RUN_MARK_SIZE + 8];
    rv_id_generate(id, rv_clock_wall_us(&rv_clock_real), &rv_random_system);
    (void)snprintf(p->strays.mark, sizeof p->strays.mark, "REEVE_RUN=%s.", id);
    (void)snprintf(mark, sizeof mark, "%s1", p->strays.mark);
    p->ended = options->ended;
    p->arg = options->arg;
    p->input = (struct rv_bytes){options->input, options->input_size};
    p->argv = rv_texts_copy(options->argv);
    p->environment = make_environment(options->variables, mark);
    if (!p->argv || !p->environment) return rv_fail(err, REEVE_ENOMEM, "no memory for a program");
    return find_file(p, err);
}

static int prepare(struct reeve_program *p, struct rv_error *err) {
    void *shared =
        mmap(NULL, sizeof *p->failure, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct rv_estate estate = {.strays = p->strays};
    if (shared != MAP_FAILED) p->failure = shared;
    p->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!p->failure || p->wake_fd < 0) return rv_fail(err, REEVE_ENOMEM, "no memory for a program");
    return rv_guardian_start(&p->guardian, 1, &estate, &p->service->log, err);
}

static void destroy(struct reeve_program *p) {
    rv_guardian_stop(p->guardian);
    if (p->failure) (void)munmap(p->failure, sizeof *p->failure);
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

static struct reeve_program *create(struct rv_service *service) {
    struct reeve_program *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->service = service;
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

int rv_ward_start(struct reeve_program **out, struct rv_service *service,
                  const struct reeve_program_options *options, struct rv_error *err) {
    *out = NULL;
    struct reeve_program *p = create(service);
    if (!p) return rv_fail(err, REEVE_ENOMEM, "no memory for a program");
    int rc = copy_options(p, options, err);
    if (!rc) rc = prepare(p, err);
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
