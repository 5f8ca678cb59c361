#include "bench_child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit.h"

enum { HANG_S = 360 }; /* filling takes 300 s at most, measuring as long as the user says */

static void on_signal(int signal) {
    (void)signal;
}

void bench_child_take_signals(void) {
    static const int taken[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        (void)sigaddset(&set, taken[i]);
        (void)sigaction(taken[i], &action, NULL);
    }
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Blocked outside, signals are seen here and nowhere else. */
static int wait_for_result(int fd, int64_t seconds) {
    struct timespec time = {.tv_sec = seconds};
    sigset_t none;
    fd_set set;
    (void)sigemptyset(&none);
    FD_ZERO(&set);
    FD_SET(fd, &set);
    int ready = pselect(fd + 1, &set, NULL, NULL, &time, &none);
    if (ready == 1) return EXIT_DONE;
    return ready < 0 ? EXIT_INTERRUPTED : fail(EXIT_LATE, "bench: the phase hangs");
}

static void run_and_tell(const struct bench *b, const struct bench_phase *phase, int fd) {
    struct bench_result result = {0};
    (void)setpgid(0, 0);
    int exit_code = phase->run(b, phase, &result);
    if (!exit_code && write(fd, &result, sizeof result) != sizeof result) exit_code = EXIT_BROKEN;
    _exit(exit_code);
}

/* The exit code of the process, which takes all that it started with it. */
static int reap(pid_t pid, int exit_code) {
    int status;
    if (exit_code) (void)kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (exit_code) return exit_code;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    return fail(EXIT_BROKEN, "bench: the phase died: %s", strsignal(WTERMSIG(status)));
}

int bench_child_run(const struct bench *b, const struct bench_phase *phase,
                    struct bench_result *out) {
    int ends[2];
    if (pipe(ends)) return fail(EXIT_BROKEN, "cannot make a pipe");
    pid_t pid = fork();
    if (!pid) run_and_tell(b, phase, ends[1]);
    (void)close(ends[1]);
    int exit_code = pid < 0 ? fail(EXIT_BROKEN, "cannot start a process") : EXIT_DONE;
    if (pid > 0) {
        (void)setpgid(pid, pid); /* whoever is first: it must be so before it is killed */
        exit_code = reap(pid, wait_for_result(ends[0], HANG_S + 2 * b->time_ms / 1000));
    }
    if (!exit_code && read(ends[0], out, sizeof *out) != sizeof *out)
        exit_code = fail(EXIT_BROKEN, "bench: the phase said nothing");
    (void)close(ends[0]);
    return exit_code;
}
