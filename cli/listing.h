/* A command that lists: rows of a table for people, a line of JSON each for programs. */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include <reeve.h>

#include "cmd.h"
#include "table.h"

struct listing {
    bool json; /* a line for each; the table stays empty */
    struct table table;
};

/* Tells all there is, row after row. 0 or a REEVE_E*. */
typedef int listing_fn(reeve *r, struct listing *list);

/* A whole command without options and operands: opens the store, has it told, prints the table
 * under heads (as in table.h). Returns an exit code. */
int listing_run(struct cli *cli, int argc, char **argv, const char *const *heads, listing_fn *tell);

#endif
