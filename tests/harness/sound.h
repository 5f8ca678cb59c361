/* What the doctor says of a store. */
#ifndef HARNESS_SOUND_H
#define HARNESS_SOUND_H

#include <stdbool.h>

struct fixture;

/* Nothing is wrong with the store, in any of its spaces; with repair there is nothing to mend. */
void check_sound(struct fixture *f, bool repair);

#endif
