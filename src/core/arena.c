#include "core/arena.h"

#include <stdalign.h>
#include <string.h>

void *rv_arena_room(struct rv_arena *arena, size_t size) {
    const size_t unit = alignof(max_align_t);
    size_t at = (arena->used + unit - 1) / unit * unit;
    arena->used = at + size;
    return arena->block ? arena->block + at : NULL;
}

char *rv_arena_copy(struct rv_arena *arena, const void *data, size_t size) {
    size_t at = arena->used; /* bytes need no alignment */
    arena->used = at + size + 1;
    if (!arena->block) return NULL;
    char *copy = (char *)arena->block + at;
    if (size) memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

char *rv_arena_text(struct rv_arena *arena, const char *text) {
    return text ? rv_arena_copy(arena, text, strlen(text)) : NULL;
}
