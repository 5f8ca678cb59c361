/* _GNU_SOURCE: syscall() for futex(), which glibc does not offer. */
#define _GNU_SOURCE
#include "base/latch.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void rv_latch_init(struct rv_latch *latch) {
    atomic_init(&latch->bits, 0);
}

unsigned rv_latch_bits(const struct rv_latch *latch) {
    return atomic_load(&latch->bits);
}

unsigned rv_latch_set(struct rv_latch *latch, unsigned bits) {
    return atomic_fetch_or(&latch->bits, bits);
}

void rv_latch_clear(struct rv_latch *latch, unsigned bits) {
    (void)atomic_fetch_and(&latch->bits, ~bits);
}

void rv_latch_wake(struct rv_latch *latch) {
    (void)syscall(SYS_futex, &latch->bits, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void rv_latch_sleep(struct rv_latch *latch, unsigned seen, int64_t ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)syscall(SYS_futex, &latch->bits, FUTEX_WAIT_PRIVATE, seen, ms < 0 ? NULL : &time, NULL,
                  0);
}
