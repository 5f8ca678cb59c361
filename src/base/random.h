/* A source of random numbers as a value, so that rules can be tested with a known one. */
#ifndef RV_BASE_RANDOM_H
#define RV_BASE_RANDOM_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct rv_random {
    uint64_t (*next)(void *arg);
    void *arg;
};

extern const struct rv_random rv_random_system; /* the kernel's; never fails */

/* The kernel's, drawn several at a time: asking it costs more than many a use. For one call, on its
 * stack: a block that outlived a fork would give both processes the same numbers. */
enum { RV_RANDOM_BLOCK = 32 }; /* 256 bytes: as many as the kernel gives in one piece */
struct rv_random_block {
    uint64_t values[RV_RANDOM_BLOCK];
    size_t draw, left;
};
/* draw: how many at a time, up to RV_RANDOM_BLOCK. */
struct rv_random rv_random_block_init(struct rv_random_block *block, size_t draw);

/* The kernel's for calls that need a few each, by many threads: one of several calls asks it. It
 * must not outlive a fork, either. */
struct rv_random_pool {
    pthread_mutex_t lock;
    struct rv_random_block block;
};
int rv_random_pool_init(struct rv_random_pool *pool); /* 0 or REEVE_ENOMEM */
void rv_random_pool_release(struct rv_random_pool *pool);
/* As rv_random_block_init(), with as many drawn already. */
struct rv_random rv_random_pool_draw(struct rv_random_pool *pool, struct rv_random_block *block,
                                     size_t draw);

uint64_t rv_random_u64(const struct rv_random *random);
uint64_t rv_random_nonzero(const struct rv_random *random);
int64_t rv_random_below(const struct rv_random *random, int64_t bound); /* 0..bound-1; bound > 0 */
/* ms less up to a fifth: many who wait for the same time do not all come at once. */
int64_t rv_random_sooner(const struct rv_random *random, int64_t ms);

#endif
