/* _GNU_SOURCE: syscall() for futex(), which glibc does not offer. */
#define _GNU_SOURCE
#include "base/gong.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void rv_gong_init(struct rv_gong *gong) {
    atomic_init(&gong->strokes, 0);
    atomic_init(&gong->waiting, 0);
}

unsigned rv_gong_heard(const struct rv_gong *gong) {
    return atomic_load(&gong->strokes);
}

bool rv_gong_wait(struct rv_gong *gong, unsigned heard, int64_t ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)atomic_fetch_add(&gong->waiting, 1);
    long rc = syscall(SYS_futex, &gong->strokes, FUTEX_WAIT_PRIVATE, heard, ms < 0 ? NULL : &time,
                      NULL, 0);
    bool in_time = !rc || errno != ETIMEDOUT;
    (void)atomic_fetch_sub(&gong->waiting, 1);
    return in_time;
}

/* Who is not counted yet finds that the gong was struck, and does not fall asleep. */
static void strike(struct rv_gong *gong, int most) {
    (void)atomic_fetch_add(&gong->strokes, 1);
    if (!atomic_load(&gong->waiting)) return;
    (void)syscall(SYS_futex, &gong->strokes, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0);
}

void rv_gong_strike(struct rv_gong *gong) {
    strike(gong, INT_MAX);
}

void rv_gong_strike_one(struct rv_gong *gong) {
    strike(gong, 1);
}

static struct timespec in_ms(int64_t ms) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += ms / 1000;
    time.tv_nsec += (long)(ms % 1000) * 1000000;
    if (time.tv_nsec < 1000000000) return time;
    time.tv_nsec -= 1000000000;
    time.tv_sec++;
    return time;
}

void rv_gong_wait_for(struct rv_gong *gong, unsigned heard, unsigned bits, int64_t ms) {
    struct timespec until = {0};
    if (ms >= 0) until = in_ms(ms);
    (void)syscall(SYS_futex, &gong->strokes, FUTEX_WAIT_BITSET_PRIVATE, heard,
                  ms < 0 ? NULL : &until, NULL, bits);
}

void rv_gong_strike_for(struct rv_gong *gong, unsigned bits) {
    (void)atomic_fetch_add(&gong->strokes, 1);
    (void)syscall(SYS_futex, &gong->strokes, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, bits);
}
