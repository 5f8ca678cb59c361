#include "text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Marks that turn the order of what follows on a terminal, or break lines: a text can pose
 * as another with them. */
static bool reorders(uint32_t point) {
    return point == 0x61c || point == 0x200e || point == 0x200f ||
           (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

/* The size of the UTF-8 sequence at the beginning of bytes if it is one and shows something; 0 if
 * it is to be escaped: malformed, overlong, a surrogate, a control character, or one that turns
 * the order. */
static size_t printable(const unsigned char *bytes, size_t size) {
    unsigned char c = bytes[0];
    if (c < 0x80) return c >= 0x20 && c != 0x7f;
    size_t need = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || need > size) return 0;
    uint32_t point = c & (0xffU >> (need + 1));
    for (size_t i = 1; i < need; i++) {
        if ((bytes[i] & 0xc0) != 0x80) return 0;
        point = point << 6 | (bytes[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000}; /* 0x80-0x9f are controls, too */
    bool surrogate = point >= 0xd800 && point < 0xe000;
    return point < least[need] || point > 0x10ffff || surrogate || reorders(point) ? 0 : need;
}

static void put_escaped(FILE *file, unsigned char c) {
    switch (c) {
    case '\n':
        (void)fputs("\\n", file);
        break;
    case '\r':
        (void)fputs("\\r", file);
        break;
    case '\t':
        (void)fputs("\\t", file);
        break;
    default:
        (void)fprintf(file, "\\x%02x", c);
    }
}

void text_put(FILE *file, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    while (size) {
        size_t whole = printable(at, size);
        if (whole)
            (void)fwrite(at, 1, whole, file);
        else
            put_escaped(file, *at);
        if (!whole) whole = 1;
        at += whole;
        size -= whole;
    }
}

char *text_escape(const void *bytes, size_t size, size_t max) {
    char *text = NULL;
    size_t text_size;
    FILE *file = open_memstream(&text, &text_size);
    if (!file) return NULL;
    text_put(file, bytes, size < max ? size : max);
    if (size > max) (void)fprintf(file, "... (%zu bytes)", size);
    bool failed = ferror(file);
    if (fclose(file) || failed) {
        free(text);
        return NULL;
    }
    return text;
}

size_t text_width(const char *text) {
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

const char *text_time(char out[TEXT_TIME_SIZE], int64_t ms) {
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    if (!ms || !gmtime_r(&seconds, &tm)) return memcpy(out, "-", 2);
    size_t size = strftime(out, TEXT_TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
    (void)snprintf(out + size, TEXT_TIME_SIZE - size, ".%03dZ", (int)(ms % 1000));
    return out;
}
