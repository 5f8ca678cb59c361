/* Wakes all who wait, by one call: where many wait for the same, a semaphore for each costs twice
 * as much. What they wait for is somebody else's: they look whether it has come after
 * rv_gong_heard() and before rv_gong_wait(). */
#ifndef RV_BASE_GONG_H
#define RV_BASE_GONG_H

#include <stdatomic.h>

struct rv_gong {
    atomic_uint strokes;
};

void rv_gong_init(struct rv_gong *gong);
unsigned rv_gong_heard(const struct rv_gong *gong); /* the latest stroke */
/* Returns after a stroke that is later than heard, or for no reason. */
void rv_gong_wait(struct rv_gong *gong, unsigned heard);
void rv_gong_strike(struct rv_gong *gong);

#endif
