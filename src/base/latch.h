/* Bits that others set, and that one thread sleeps until it has seen. Who sets some decides by
 * those before whether that is worth waking the sleeper for, who looks anew whenever he wakes. */
#ifndef RV_BASE_LATCH_H
#define RV_BASE_LATCH_H

#include <stdatomic.h>
#include <stdint.h>

struct rv_latch {
    atomic_uint bits;
};

void rv_latch_init(struct rv_latch *latch);
unsigned rv_latch_bits(const struct rv_latch *latch);
unsigned rv_latch_set(struct rv_latch *latch, unsigned bits); /* returns those before */
void rv_latch_clear(struct rv_latch *latch, unsigned bits);
void rv_latch_wake(struct rv_latch *latch); /* it may be gone by now: it is not looked at */
/* Returns when it was woken, its bits are not those seen any more, ms are over (< 0: no bound), or
 * for no reason. */
void rv_latch_sleep(struct rv_latch *latch, unsigned seen, int64_t ms);

#endif
