/* One line after the other from a file or pipe, each bounded. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum { LINES_MAX_SIZE = 64 << 20 }; /* a line: the largest body with every byte escaped fits */

struct lines {
    int fd;
    long number; /* of the line, from 1 */
    char *data;  /* the line without its newline; the first without a byte order mark */
    size_t size;
    bool too_long; /* the line was longer than allowed; data is its beginning */
    bool failed;   /* reading failed or memory ran out: errno says which */

    size_t capacity; /* the rest is for lines.c */
    char chunk[64 << 10];
    size_t chunk_at, chunk_size;
    bool ended;
};

bool lines_next(struct lines *lines); /* false at the end */
/* Is there no whole line at hand, and would reading for one block? */
bool lines_would_block(const struct lines *lines);
void lines_release(struct lines *lines); /* leaves fd open */

#endif
