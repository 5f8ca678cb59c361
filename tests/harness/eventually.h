/* Waiting for a condition, with a bound: the only way in which a test may wait. */
#ifndef HARNESS_EVENTUALLY_H
#define HARNESS_EVENTUALLY_H

#include <stdbool.h>
#include <stdint.h>

/* Looks every few milliseconds until condition(arg) holds: true, or false when ms are over. */
bool eventually(bool (*condition)(void *arg), void *arg, int64_t ms);
/* Milliseconds of a clock that only goes forward, for bounds on how long something took. */
int64_t elapsed_ms(void);

#endif
