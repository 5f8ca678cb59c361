#include "signals.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

static void on_signal(int signal) {
    (void)signal;
}

void signals_block(sigset_t *set) {
    static const int taken[] = {SIGTERM, SIGINT,  SIGQUIT, SIGTSTP,
                                SIGCONT, SIGTTIN, SIGHUP,  SIGUSR1};
    /* One that is ignored, as a shell has it for what runs in the background, is never seen. */
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigemptyset(set);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        (void)sigaddset(set, taken[i]);
        (void)sigaction(taken[i], &action, NULL);
    }
    (void)sigprocmask(SIG_BLOCK, set, NULL);
}

int signals_take(const sigset_t *set, int64_t ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    int signal;
    do {
        signal = ms < 0 ? sigwaitinfo(set, NULL) : sigtimedwait(set, NULL, &time);
    } while (signal < 0 && errno == EINTR);
    return signal < 0 ? 0 : signal;
}
