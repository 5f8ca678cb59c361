#include "signals.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

static void on_signal(int signal) {
    (void)signal;
}

static void block(sigset_t *set, const int *taken, size_t count) {
    /* One that is ignored, as a shell has it for what runs in the background, is never seen. */
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigemptyset(set);
    for (size_t i = 0; i < count; i++) {
        (void)sigaddset(set, taken[i]);
        (void)sigaction(taken[i], &action, NULL);
    }
    (void)sigprocmask(SIG_BLOCK, set, NULL);
}

/* The last three are a worker's own. */
static const int taken[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGTSTP, SIGCONT, SIGTTIN};
enum { TAKEN = sizeof taken / sizeof taken[0] };

void signals_block(sigset_t *set) {
    block(set, taken, TAKEN);
}

void signals_block_ends(sigset_t *set) {
    block(set, taken, TAKEN - 3);
}

int signals_take(const sigset_t *set, int64_t ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    int signal;
    do {
        signal = ms < 0 ? sigwaitinfo(set, NULL) : sigtimedwait(set, NULL, &time);
    } while (signal < 0 && errno == EINTR);
    return signal < 0 ? 0 : signal;
}
