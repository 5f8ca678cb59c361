/* _GNU_SOURCE: dup3(), MAP_ANONYMOUS, and syscall() for close_range(). */
#define _GNU_SOURCE
#include "work/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    STRAYS_MS = 5000, /* at most, for what cannot be killed at once */
    AGAIN_MS = 50,
};

struct rv_guardian {
    const struct rv_log *log;
    size_t slots;
    struct rv_estate estate;
    int fd; /* our end */

    pthread_rwlock_t lock; /* read: a program is being started; write: the guardian is replaced */
    pid_t pid;
    _Atomic pid_t *groups; /* by slot; 0: none. Shared with the guardian and with programs to be */
};

/* ---- the guardian itself: only async-signal-safe calls from here ---- */

static void close_all_but(int fd) {
    if (fd > 0) (void)syscall(SYS_close_range, 0u, (unsigned)fd - 1, 0u);
    (void)syscall(SYS_close_range, (unsigned)fd + 1, ~0u, 0u);
}

/* No signal of the worker's terminal or group is meant for it. */
static void turn_deaf(void) {
    struct sigaction ignore;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    for (int signal = 1; signal < NSIG; signal++)
        (void)sigaction(signal, &ignore, NULL);
    (void)setsid();
}

/* The worker is gone. */
static void clear_away(const struct rv_guardian *g) {
    const struct rv_estate *estate = &g->estate;
    for (size_t i = 0; i < g->slots; i++) {
        pid_t group = atomic_load(&g->groups[i]);
        if (group > 1) (void)kill(-group, SIGKILL);
    }
    (void)rv_strays_end(&estate->strays, STRAYS_MS);
    if (estate->socket) {
        (void)unlink(estate->socket);
        (void)rmdir(estate->folder);
    }
    (void)poll(NULL, 0, AGAIN_MS); /* one that was just being started shows no mark */
    (void)rv_strays_end(&estate->strays, STRAYS_MS);
}

/* Nothing is ever sent: what comes is the end. */
static void guard(const struct rv_guardian *g, int fd) {
    char nothing;
    (void)prctl(PR_SET_NAME, RV_GUARDIAN_NAME, 0, 0, 0);
    turn_deaf();
    close_all_but(fd);
    while (recv(fd, &nothing, sizeof nothing, 0) < 0 && errno == EINTR) {
    }
    clear_away(g);
    _exit(0);
}

/* ---- the worker's side ---- */

/* All signals are blocked around the fork, so that no handler of the program runs in its copy. */
static pid_t fork_guardian(struct rv_guardian *g, int end) {
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) guard(g, end);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

/* With the write lock, or before anybody knows g. g->fd keeps its number. */
static int begin_guard(struct rv_guardian *g) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) return errno;
    pid_t pid = fork_guardian(g, ends[1]);
    int error = pid < 0 ? errno : 0;
    (void)close(ends[1]);
    if (!error && g->fd >= 0) {
        if (dup3(ends[0], g->fd, O_CLOEXEC) < 0) error = errno;
        (void)close(ends[0]);
    } else if (!error) {
        g->fd = ends[0];
    } else {
        (void)close(ends[0]);
    }
    if (!error) g->pid = pid;
    return error;
}

/* An old guardian must be dead before its socket closes: it would kill what is listed. */
static void end_guard(struct rv_guardian *g) {
    if (g->pid <= 0) return;
    (void)kill(g->pid, SIGKILL);
    while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    g->pid = 0;
}

static bool is_alive(const struct rv_guardian *g) {
    struct pollfd fd = {.fd = g->fd, .events = 0};
    return g->pid > 0 && poll(&fd, 1, 0) == 0; /* nothing is ever sent to us but its end */
}

/* With the write lock. */
static int replace(struct rv_guardian *g) {
    if (is_alive(g)) return 0; /* another thread was faster */
    end_guard(g);
    int error = begin_guard(g);
    if (error) return error;
    rv_log(g->log, REEVE_LOG_WARN, "guardian.replaced", "pid=%ld", (long)g->pid);
    return 0;
}

static void destroy(struct rv_guardian *g) {
    if (g->fd >= 0) (void)close(g->fd);
    if (g->groups) (void)munmap(g->groups, g->slots * sizeof *g->groups);
    free(g);
}

static _Atomic pid_t *map_groups(size_t slots) {
    void *shared = mmap(NULL, slots * sizeof(_Atomic pid_t), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared != MAP_FAILED ? shared : NULL;
}

int rv_guardian_start(struct rv_guardian **out, size_t slots, const struct rv_estate *estate,
                      const struct rv_log *log, struct rv_error *err) {
    struct rv_guardian *g = calloc(1, sizeof *g);
    if (!g) return rv_fail(err, REEVE_ENOMEM, "no memory for the guardian");
    g->fd = -1;
    g->log = log;
    g->estate = *estate;
    g->estate.strays.is_over = NULL;
    g->slots = slots;
    g->groups = map_groups(slots);
    int error = g->groups ? pthread_rwlock_init(&g->lock, NULL) : ENOMEM;
    if (!error) {
        error = begin_guard(g);
        if (error) (void)pthread_rwlock_destroy(&g->lock);
    }
    if (error) {
        destroy(g);
        return rv_fail(err, REEVE_ENOMEM, "cannot start the guardian: %s", strerror(error));
    }
    *out = g;
    return 0;
}

void rv_guardian_stop(struct rv_guardian *g) {
    if (!g) return;
    end_guard(g);
    (void)pthread_rwlock_destroy(&g->lock);
    destroy(g);
}

int rv_guardian_enter(struct rv_guardian *g, size_t slot, _Atomic pid_t **group,
                      struct rv_error *err) {
    (void)pthread_rwlock_rdlock(&g->lock);
    while (!is_alive(g)) {
        (void)pthread_rwlock_unlock(&g->lock);
        (void)pthread_rwlock_wrlock(&g->lock);
        int error = replace(g);
        (void)pthread_rwlock_unlock(&g->lock);
        if (error)
            return rv_fail(err, REEVE_ENOMEM, "cannot replace the guardian: %s", strerror(error));
        (void)pthread_rwlock_rdlock(&g->lock);
    }
    *group = &g->groups[slot];
    return 0;
}

void rv_guardian_leave(struct rv_guardian *g) {
    (void)pthread_rwlock_unlock(&g->lock);
}

void rv_guardian_drop(struct rv_guardian *g, size_t slot) {
    atomic_store(&g->groups[slot], 0);
}

int rv_guardian_fd(const struct rv_guardian *g) {
    return g->fd;
}

bool rv_guardian_check(struct rv_guardian *g) {
    (void)pthread_rwlock_wrlock(&g->lock);
    int error = replace(g);
    (void)pthread_rwlock_unlock(&g->lock);
    if (error) rv_log(g->log, REEVE_LOG_ERROR, "guardian.missing", "error=%d", error);
    return !error;
}
