/* A target of libFuzzer: eats any bytes, and aborts if a promise is broken. Built with clang and
 * -Dfuzz=true each is a fuzzer of its own (tools/fuzz); in every other build replay.c calls it with
 * the files of its corpus. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Says what was promised, and ends. */
static inline void promise(int kept, const char *what) {
    if (kept) return;
    (void)fprintf(stderr, "broken promise: %s\n", what);
    abort();
}

/* The bytes as a string in a block of exactly its size, so that no reader can go beyond. */
static inline char *text_of(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

#endif
