#include "table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit.h"
#include "text.h"

enum { CELL_MAX = 255 }; /* an id, whole */

void table_init(struct table *table, const char *const *heads) {
    *table = (struct table){.heads = heads};
    while (heads[table->columns])
        table->columns++;
    assert(table->columns <= TABLE_COLUMNS_MAX);
}

static bool grow(struct table *table) {
    if (table->count < table->capacity) return true;
    size_t capacity = table->capacity ? 2 * table->capacity : 16 * table->columns;
    char **cells = realloc(table->cells, capacity * sizeof *cells);
    if (!cells) return false;
    table->cells = cells;
    table->capacity = capacity;
    return true;
}

void table_text(struct table *table, const char *text) {
    if (!text) text = "-";
    char *cell = grow(table) ? text_escape(text, strlen(text), CELL_MAX) : NULL;
    if (cell)
        table->cells[table->count++] = cell;
    else
        table->failed = true;
}

void table_number(struct table *table, uint64_t number) {
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, number);
    table_text(table, text);
}

static const char *head(const struct table *table, size_t column) {
    return table->heads[column] + (table->heads[column][0] == '>');
}

static void measure(const struct table *table, size_t widths[TABLE_COLUMNS_MAX]) {
    for (size_t column = 0; column < table->columns; column++) {
        widths[column] = text_width(head(table, column));
        for (size_t i = column; i < table->count; i += table->columns) {
            size_t width = text_width(table->cells[i]);
            if (width > widths[column]) widths[column] = width;
        }
    }
}

/* No blanks at the end of a line. */
static void print_cell(const struct table *table, size_t column, size_t width, const char *text) {
    int padding = (int)(width - text_width(text));
    bool right = table->heads[column][0] == '>', last = column + 1 == table->columns;
    if (column && (!last || *text)) (void)fputs("  ", stdout);
    if (right)
        (void)printf("%*s%s", padding, "", text);
    else
        (void)printf("%s%*s", text, last ? 0 : padding, "");
    if (last) (void)putchar('\n');
}

int table_print(struct table *table) {
    size_t widths[TABLE_COLUMNS_MAX] = {0};
    if (!table->failed && table->count) {
        measure(table, widths);
        for (size_t column = 0; column < table->columns; column++)
            print_cell(table, column, widths[column], head(table, column));
        for (size_t i = 0, column = 0; i < table->count; i++) {
            print_cell(table, column, widths[column], table->cells[i]);
            column = column + 1 < table->columns ? column + 1 : 0;
        }
    }
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
    return table->failed ? fail(EXIT_BROKEN, "out of memory") : EXIT_DONE;
}
