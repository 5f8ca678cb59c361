/* Lines whose order says nothing: told sorted. */
#ifndef DIFFERENTIAL_LINES_H
#define DIFFERENTIAL_LINES_H

#include <stdio.h>

struct lines {
    char **texts;
    size_t count;
};

/* Begins a line to be written to; lines_end() takes it in. */
struct line {
    char *text;
    size_t size;
};
FILE *line_begin(struct line *line);
void lines_end(struct lines *lines, FILE *writer, struct line *line);
/* Writes all, sorted, each with a line break before it, and forgets them. */
void lines_tell(struct lines *lines, FILE *to);

#endif
