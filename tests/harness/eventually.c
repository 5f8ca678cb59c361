#include "harness/eventually.h"

#include <time.h>

enum { LOOK_EVERY_MS = 2 };

int64_t elapsed_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool eventually(bool (*condition)(void *arg), void *arg, int64_t ms) {
    const struct timespec pause = {.tv_nsec = LOOK_EVERY_MS * 1000000L};
    int64_t until = elapsed_ms() + ms;
    while (!condition(arg)) {
        if (elapsed_ms() >= until) return condition(arg);
        (void)nanosleep(&pause, NULL);
    }
    return true;
}
