/* One line of push --bulk. */
#ifndef CLI_BULK_LINE_H
#define CLI_BULK_LINE_H

#include <stdbool.h>

#include <jansson.h>
#include <reeve.h>

#include "digest.h"

struct bulk_line {
    json_t *object;   /* what the push borrows from */
    const char *text; /* the line, while it is read */
    size_t text_size;
    void *body; /* a body that is not a string of object, or NULL */
    char id[DIGEST_ID_SIZE];
};

/* Reads a line into *push, which holds the defaults. NULL, or what is wrong with the line: text of
 * its own until the next call, in wrong. On success *out is to be released after the push. A body
 * that is neither a string nor base64 is stored as it is written. */
const char *bulk_line_read(const char *text, size_t size, bool id_from_body, struct bulk_line *out,
                           struct reeve_push *push, char wrong[256]);
void bulk_line_release(struct bulk_line *line);

#endif
