#include "base/random.h"

#include <assert.h>
#include <reeve.h>
#include <stdlib.h>
#include <sys/random.h>

/* Up to 256 bytes are never interrupted or short once the kernel's pool is ready. */
static void ask_kernel(uint64_t *values, size_t count) {
    size_t size = count * sizeof *values;
    while (getrandom(values, size, 0) != (ssize_t)size) {
    }
}

static uint64_t system_next(void *arg) {
    (void)arg;
    uint64_t value;
    ask_kernel(&value, 1);
    return value;
}

const struct rv_random rv_random_system = {.next = system_next};

static uint64_t block_next(void *arg) {
    struct rv_random_block *block = arg;
    if (!block->left) {
        ask_kernel(block->values, block->draw);
        block->left = block->draw;
    }
    return block->values[--block->left];
}

struct rv_random rv_random_block_init(struct rv_random_block *block, size_t draw) {
    assert(draw > 0 && draw <= RV_RANDOM_BLOCK);
    block->draw = draw;
    block->left = 0;
    return (struct rv_random){.next = block_next, .arg = block};
}

int rv_random_pool_init(struct rv_random_pool *pool) {
    (void)rv_random_block_init(&pool->block, RV_RANDOM_BLOCK);
    return pthread_mutex_init(&pool->lock, NULL) ? REEVE_ENOMEM : 0;
}

void rv_random_pool_release(struct rv_random_pool *pool) {
    (void)pthread_mutex_destroy(&pool->lock);
}

struct rv_random rv_random_pool_draw(struct rv_random_pool *pool, struct rv_random_block *block,
                                     size_t draw) {
    struct rv_random random = rv_random_block_init(block, draw);
    (void)pthread_mutex_lock(&pool->lock);
    while (block->left < draw)
        block->values[block->left++] = block_next(&pool->block);
    (void)pthread_mutex_unlock(&pool->lock);
    return random;
}

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

int64_t rv_random_sooner(const struct rv_random *random, int64_t ms) {
    return ms - rv_random_below(random, ms / 5 + 1);
}
