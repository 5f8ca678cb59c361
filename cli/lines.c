#include "lines.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool fill_chunk(struct lines *lines) {
    ssize_t got;
    do {
        got = read(lines->fd, lines->chunk, sizeof lines->chunk);
    } while (got < 0 && errno == EINTR);
    lines->chunk_at = 0;
    lines->chunk_size = got > 0 ? (size_t)got : 0;
    lines->failed = got < 0;
    lines->ended = got <= 0;
    return got > 0;
}

static bool reserve(struct lines *lines, size_t size) {
    if (size <= lines->capacity) return true;
    size_t capacity = lines->capacity ? lines->capacity : 4096;
    while (capacity < size)
        capacity *= 2;
    char *data = realloc(lines->data, capacity);
    if (!data) return false;
    lines->data = data;
    lines->capacity = capacity;
    return true;
}

static bool append(struct lines *lines, const char *bytes, size_t size) {
    size_t room = LINES_MAX_SIZE - lines->size;
    if (size > room) {
        lines->too_long = true;
        size = room;
    }
    if (!reserve(lines, lines->size + size + 1)) return false;
    memcpy(lines->data + lines->size, bytes, size);
    lines->size += size;
    return true;
}

/* Editors of some systems begin a file with it. */
static void drop_byte_order_mark(struct lines *lines) {
    if (lines->size < 3 || memcmp(lines->data, "\xef\xbb\xbf", 3) != 0) return;
    lines->size -= 3;
    memmove(lines->data, lines->data + 3, lines->size);
}

bool lines_next(struct lines *lines) {
    lines->size = 0;
    lines->too_long = false;
    bool any = false;
    while (lines->chunk_at < lines->chunk_size || fill_chunk(lines)) {
        const char *begin = lines->chunk + lines->chunk_at;
        size_t left = lines->chunk_size - lines->chunk_at;
        const char *newline = memchr(begin, '\n', left);
        size_t size = newline ? (size_t)(newline - begin) : left;
        lines->chunk_at += size + (newline ? 1 : 0);
        any = true;
        if (!append(lines, begin, size)) {
            lines->failed = true;
            break;
        }
        if (newline) break;
    }
    if (!any || lines->failed) return false;
    if (++lines->number == 1) drop_byte_order_mark(lines);
    return true;
}

bool lines_would_block(const struct lines *lines) {
    size_t left = lines->chunk_size - lines->chunk_at;
    if (lines->ended || memchr(lines->chunk + lines->chunk_at, '\n', left)) return false;
    struct pollfd in = {.fd = lines->fd, .events = POLLIN};
    return poll(&in, 1, 0) == 0;
}

void lines_release(struct lines *lines) {
    free(lines->data);
}
