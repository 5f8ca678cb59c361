/* Lays things out in one block: first measure, then place, with the same calls in the same order.
 */
#ifndef RV_CORE_ARENA_H
#define RV_CORE_ARENA_H

#include <stddef.h>

struct rv_arena {
    unsigned char *block; /* NULL while measuring */
    size_t used;
};

/* Room for size bytes, aligned for anything; NULL while measuring. */
void *rv_arena_room(struct rv_arena *arena, size_t size);
/* A copy of size bytes and a NUL behind them; NULL while measuring. */
char *rv_arena_copy(struct rv_arena *arena, const void *data, size_t size);
char *rv_arena_text(struct rv_arena *arena, const char *text); /* NULL stays NULL */

#endif
