/* Something on a port that is no Redis: answers the greeting of a connection as one would, and then
 * whatever it was told, in turn, one answer to each piece that comes. */
#ifndef REDIS_FAKE_H
#define REDIS_FAKE_H

#include <stddef.h>

struct fake;

struct fake *fake_open(void); /* the test fails if it cannot be had */
void fake_close(struct fake *fake);
int fake_port(const struct fake *fake);

enum fake_then { FAKE_STAY, FAKE_HANG_UP };
/* The next answer is size bytes, which it copies. */
void fake_answer(struct fake *fake, const void *data, size_t size, enum fake_then then);
unsigned fake_asked(struct fake *fake); /* how many pieces came that were no greeting */

#endif
