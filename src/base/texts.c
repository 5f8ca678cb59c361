#include "base/texts.h"

#include <stdlib.h>
#include <string.h>

char **rv_texts_copy(const char *const *texts) {
    size_t count = 0, bytes = 0;
    for (; texts[count]; count++)
        bytes += strlen(texts[count]) + 1;
    char **copy = malloc((count + 1) * sizeof *copy + bytes);
    if (!copy) return NULL;
    char *at = (char *)(copy + count + 1);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(texts[i]) + 1;
        copy[i] = memcpy(at, texts[i], size);
        at += size;
    }
    copy[count] = NULL;
    return copy;
}

size_t rv_text_cut(const char *text, size_t max) {
    size_t size = strnlen(text, max + 1);
    if (size <= max) return size;
    size = max;
    while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
        size--;
    return size;
}
