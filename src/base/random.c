#include "base/random.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/random.h>

static uint64_t system_next(void *arg) {
    (void)arg;
    uint64_t value;
    /* Up to 256 bytes are never interrupted or short once the kernel's pool is ready. */
    while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) {
    }
    return value;
}

const struct rv_random rv_random_system = {.next = system_next};

uint64_t rv_random_u64(const struct rv_random *random) {
    return random->next(random->arg);
}

uint64_t rv_random_nonzero(const struct rv_random *random) {
    uint64_t value;
    do {
        value = rv_random_u64(random);
    } while (value == 0);
    return value;
}

int64_t rv_random_below(const struct rv_random *random, int64_t bound) {
    assert(bound > 0);
    return (int64_t)(rv_random_u64(random) %
                     (uint64_t)bound); /* the bias is < 2^-20 for all our bounds */
}
