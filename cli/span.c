#include "span.h"

#include <time.h>

#include <reeve.h>

enum { LOOK_MS = 1000, CALL_MS = 5000 }; /* the latter as the library has it */

static int64_t now_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct span span_begin(int64_t ms) {
    int64_t now = now_ms();
    if (ms == REEVE_NONE) return (struct span){REEVE_NONE};
    return (struct span){ms < INT64_MAX - now ? now + ms : INT64_MAX};
}

int64_t span_left_ms(const struct span *span) {
    if (span->until_ms == REEVE_NONE) return REEVE_NONE;
    int64_t left_ms = span->until_ms - now_ms();
    return left_ms < 0 ? 0 : left_ms;
}

bool span_is_over(const struct span *span) {
    return !span_left_ms(span);
}

void span_pause(int64_t ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&time, NULL);
}

int64_t span_call_ms(const struct span *span) {
    int64_t left_ms = span_left_ms(span);
    if (left_ms == REEVE_NONE || left_ms >= CALL_MS) return 0;
    return left_ms < LOOK_MS ? LOOK_MS : left_ms;
}
