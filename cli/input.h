/* Bytes from files and stdin, bounded. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stddef.h>

struct input {
    char *data; /* free() */
    size_t size;
};

/* All of the file, "-" being stdin, if it is at most max bytes. Returns an exit code. */
int input_read(const char *path, size_t max, struct input *out);

#endif
