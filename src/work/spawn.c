/* _GNU_SOURCE: vfork(), memfd_create(), pipe2(), syscall() for pidfd_open() and close_range(). */
#define _GNU_SOURCE
#include "work/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The ends that the child gets, and ours. All above 2, so that no dup2() hits another. */
struct ends {
    int input, out[2], err[2];
};

/* ---- the child: only async-signal-safe calls, nothing of the parent's memory is changed ---- */

static void reset_signals(void) {
    struct sigaction usual;
    sigset_t none;
    memset(&usual, 0, sizeof usual);
    usual.sa_handler = SIG_DFL;
    for (int signal = 1; signal < NSIG; signal++)
        (void)sigaction(signal, &usual, NULL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static int set_up_child(const struct rv_spawn *spawn, const struct ends *ends, pid_t parent) {
    if (setpgid(0, 0)) return -1;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)) return -1;
    if (getppid() != parent) _exit(127);  /* it died before that could help: nobody will ask */
    atomic_store(spawn->group, getpid()); /* the guardian knows it before the program can run */
    if ((!spawn->inherit || spawn->feed) && dup2(ends->input, 0) < 0) return -1;
    if (!spawn->inherit && (dup2(ends->out[1], 1) < 0 || dup2(ends->err[1], 2) < 0)) return -1;
    (void)syscall(SYS_close_range, 3u, ~0u, 0u); /* what the program's libraries left open */
    if (!spawn->inherit && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
    return rv_limits_apply(spawn->limits);
}

static void run_child(const struct rv_spawn *spawn, const struct ends *ends, pid_t parent) {
    if (!set_up_child(spawn, ends, parent)) {
        reset_signals();
        (void)execve(spawn->file, spawn->argv, spawn->environment);
        spawn->failure->at_exec = 1;
    }
    spawn->failure->error = errno;
    _exit(127);
}

/* The child borrows our memory and this thread stands still until it runs its program or ends: no
 * copy of page tables, however large the worker. Nothing but run_child() happens in it. */
__attribute__((noinline)) static pid_t start_child(const struct rv_spawn *spawn,
                                                   const struct ends *ends, pid_t parent) {
    pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
    if (pid == 0) run_child(spawn, ends, parent); /* NOLINT(clang-analyzer-unix.Vfork) */
    return pid;
}

/* ---- the parent ---- */

/* fd, moved above the standard ones if it is one of them. */
static int above_standard(int fd) {
    if (fd < 0 || fd > 2) return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    int error = errno;
    (void)close(fd);
    errno = error;
    return moved;
}

static int open_input(struct rv_bytes input) {
    int fd = above_standard(memfd_create("reeve-body", MFD_CLOEXEC));
    for (size_t at = 0; fd >= 0 && at < input.size;) {
        ssize_t size = write(fd, (const char *)input.data + at, input.size - at);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) {
            int error = errno;
            (void)close(fd);
            errno = error;
            return -1;
        }
        at += (size_t)size;
    }
    if (fd >= 0) (void)lseek(fd, 0, SEEK_SET);
    return fd;
}

static int open_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC)) {
        ends[0] = ends[1] = -1;
        return -1;
    }
    ends[0] = above_standard(ends[0]);
    ends[1] = above_standard(ends[1]);
    if (ends[0] < 0 || ends[1] < 0) return -1;
    return fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

static void close_fd(int *fd) {
    if (*fd >= 0) (void)close(*fd);
    *fd = -1;
}

static void close_ends(struct ends *ends) {
    close_fd(&ends->input);
    close_fd(&ends->out[0]);
    close_fd(&ends->out[1]);
    close_fd(&ends->err[0]);
    close_fd(&ends->err[1]);
}

static int open_ends(struct ends *ends, const struct rv_spawn *spawn) {
    *ends = (struct ends){-1, {-1, -1}, {-1, -1}};
    if (spawn->inherit && !spawn->feed) return 0;
    ends->input = open_input(spawn->input);
    if (ends->input < 0) return -1;
    if (!spawn->inherit && (open_pipe(ends->out) || open_pipe(ends->err))) return -1;
    return 0;
}

int rv_spawn(const struct rv_spawn *spawn, struct rv_child *out, struct rv_error *err) {
    sigset_t all, before;
    struct ends ends;
    *out = (struct rv_child){.pid = 0, .exit_fd = -1, .out_fd = -1, .err_fd = -1};
    spawn->failure->error = spawn->failure->at_exec = 0;
    int rc = open_ends(&ends, spawn);
    if (!rc) {
        (void)sigfillset(&all); /* no handler of ours may run in the child */
        (void)pthread_sigmask(SIG_SETMASK, &all, &before);
        out->pid = start_child(spawn, &ends, getpid());
        int error = errno;
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
        errno = error;
    }
    if (rc || out->pid < 0) {
        rc = rv_fail(err, REEVE_ENOMEM, "cannot start %s: %s", spawn->file, strerror(errno));
        close_ends(&ends);
        return rc;
    }
    (void)setpgid(out->pid, out->pid); /* where vfork() does not wait, as under a sanitizer */
    out->exit_fd = (int)syscall(SYS_pidfd_open, out->pid, 0u);
    out->out_fd = ends.out[0];
    out->err_fd = ends.err[0];
    ends.out[0] = ends.err[0] = -1;
    close_ends(&ends);
    return 0;
}

void rv_child_close(struct rv_child *child) {
    close_fd(&child->exit_fd);
    close_fd(&child->out_fd);
    close_fd(&child->err_fd);
}
