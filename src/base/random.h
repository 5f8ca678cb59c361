/* A source of random numbers as a value, so that rules can be tested with a known one. */
#ifndef RV_BASE_RANDOM_H
#define RV_BASE_RANDOM_H

#include <stdint.h>

struct rv_random {
    uint64_t (*next)(void *arg);
    void *arg;
};

extern const struct rv_random rv_random_system; /* the kernel's; never fails */

uint64_t rv_random_u64(const struct rv_random *random);
uint64_t rv_random_nonzero(const struct rv_random *random);
int64_t rv_random_below(const struct rv_random *random, int64_t bound); /* 0..bound-1; bound > 0 */

#endif
