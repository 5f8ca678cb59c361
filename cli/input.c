#include "input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit.h"

static bool grow(char **data, size_t *capacity) {
    size_t more = *capacity ? 2 * *capacity : 4096;
    char *grown = realloc(*data, more);
    if (!grown) return false;
    *data = grown;
    *capacity = more;
    return true;
}

/* Reads one byte more than allowed, to tell "just fits" from "too big". */
static int read_all(FILE *file, const char *path, size_t max, struct input *out) {
    size_t capacity = 0;
    while (out->size <= max) {
        if (out->size == capacity && !grow(&out->data, &capacity))
            return fail(EXIT_BROKEN, "out of memory");
        size_t got = fread(out->data + out->size, 1, capacity - out->size, file);
        out->size += got;
        if (ferror(file)) return fail_usage("cannot read %s: %s", path, strerror(errno));
        if (!got) break;
    }
    if (out->size <= max) return EXIT_DONE;
    return fail_usage("%s is over %zu bytes, the most that is taken", path, max);
}

int input_read(const char *path, size_t max, struct input *out) {
    bool is_stdin = !strcmp(path, "-");
    FILE *file = is_stdin ? stdin : fopen(path, "rbe");
    *out = (struct input){0};
    if (!file) return fail_usage("cannot open %s: %s", path, strerror(errno));
    int exit_code = read_all(file, is_stdin ? "stdin" : path, max, out);
    if (!is_stdin) (void)fclose(file);
    if (exit_code) {
        free(out->data);
        *out = (struct input){0};
    }
    return exit_code;
}
