/* Aligned columns for people. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TABLE_COLUMNS_MAX = 12 };

struct table {
    const char *const *heads; /* NULL-ended; one that begins with '>' is aligned to the right */
    size_t columns;
    char **cells; /* row after row */
    size_t count, capacity;
    bool failed; /* out of memory */
};

void table_init(struct table *table, const char *const *heads);
/* The next cell, from left to right, row after row. Text is escaped; NULL shows as "-". */
void table_text(struct table *table, const char *text);
void table_number(struct table *table, uint64_t number);
/* Prints the rows under their heads, if there are any, and ends the table. Returns an exit code. */
int table_print(struct table *table);

#endif
