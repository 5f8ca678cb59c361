/* Wakes all who wait, by one call: where many wait for the same, a semaphore for each costs twice
 * as much. What they wait for is somebody else's: they look whether it has come after
 * rv_gong_heard() and before rv_gong_wait(). */
#ifndef RV_BASE_GONG_H
#define RV_BASE_GONG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct rv_gong {
    atomic_uint strokes;
    atomic_uint waiting; /* by rv_gong_wait() */
};

void rv_gong_init(struct rv_gong *gong);
unsigned rv_gong_heard(const struct rv_gong *gong); /* the latest stroke */
/* Returns after a stroke that is later than heard, or for no reason; false: when ms are over (< 0:
 * no bound). */
bool rv_gong_wait(struct rv_gong *gong, unsigned heard, int64_t ms);
void rv_gong_strike(struct rv_gong *gong);
void rv_gong_strike_one(struct rv_gong *gong); /* wakes one of them */

/* The same for some of those who wait: each has a bit, or some, and so many calls are one. */
enum { RV_GONG_BITS = 32 };
/* Returns after a stroke for one of bits that is later than heard, when ms are over (< 0: no
 * bound), or for no reason. */
void rv_gong_wait_for(struct rv_gong *gong, unsigned heard, unsigned bits, int64_t ms);
void rv_gong_strike_for(struct rv_gong *gong, unsigned bits);

#endif
