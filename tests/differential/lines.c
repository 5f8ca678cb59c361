#include "differential/lines.h"

#include <stdlib.h>
#include <string.h>

/* A test program without memory can say nothing: it ends. */
static void *must(void *block) {
    if (!block) abort();
    return block;
}

FILE *line_begin(struct line *line) {
    *line = (struct line){0};
    return must(open_memstream(&line->text, &line->size));
}

void lines_end(struct lines *lines, FILE *writer, struct line *line) {
    (void)fclose(writer);
    lines->texts = must(realloc(lines->texts, (lines->count + 1) * sizeof *lines->texts));
    lines->texts[lines->count++] = must(line->text);
}

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void lines_tell(struct lines *lines, FILE *to) {
    if (lines->count) qsort(lines->texts, lines->count, sizeof *lines->texts, compare);
    for (size_t i = 0; i < lines->count; i++) {
        (void)fprintf(to, "\n    %s", lines->texts[i]);
        free(lines->texts[i]);
    }
    free(lines->texts);
    *lines = (struct lines){0};
}
