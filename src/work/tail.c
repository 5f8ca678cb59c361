#include "work/tail.h"

#include <string.h>

void rv_tail_add(struct rv_tail *tail, const char *data, size_t size) {
    const size_t room = sizeof tail->bytes;
    if (size > room) {
        tail->size += size - room;
        data += size - room;
        size = room;
    }
    size_t at = tail->size % room;
    size_t first = size < room - at ? size : room - at;
    memcpy(tail->bytes + at, data, first);
    memcpy(tail->bytes, data + first, size - first);
    tail->size += size;
}

/* Bytes at the start that belong to a character whose beginning is cut off. */
static size_t broken_start(const char *text, size_t size) {
    size_t skip = 0;
    while (skip < size && skip < 3 && ((unsigned char)text[skip] & 0xc0) == 0x80)
        skip++;
    return skip;
}

void rv_tail_text(const struct rv_tail *tail, char out[RV_ERROR_MESSAGE_MAX + 1]) {
    const size_t room = sizeof tail->bytes;
    size_t size = tail->size < room ? tail->size : room;
    size_t from = tail->size < room ? 0 : tail->size % room;
    for (size_t i = 0; i < size; i++) {
        char c = tail->bytes[(from + i) % room];
        out[i] = c ? c : ' ';
    }
    if (tail->size > room) {
        size_t skip = broken_start(out, size);
        size -= skip;
        memmove(out, out + skip, size);
    }
    while (size && (out[size - 1] == '\n' || out[size - 1] == '\r'))
        size--;
    out[size] = '\0';
}
