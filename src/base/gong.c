/* _GNU_SOURCE: syscall() for futex(), which glibc does not offer. */
#define _GNU_SOURCE
#include "base/gong.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void rv_gong_init(struct rv_gong *gong) {
    atomic_init(&gong->strokes, 0);
}

unsigned rv_gong_heard(const struct rv_gong *gong) {
    return atomic_load(&gong->strokes);
}

void rv_gong_wait(struct rv_gong *gong, unsigned heard) {
    (void)syscall(SYS_futex, &gong->strokes, FUTEX_WAIT_PRIVATE, heard, NULL, NULL, 0);
}

void rv_gong_strike(struct rv_gong *gong) {
    (void)atomic_fetch_add(&gong->strokes, 1);
    (void)syscall(SYS_futex, &gong->strokes, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
