/* What the commands about the spool share. */
#ifndef CLI_SPOOL_H
#define CLI_SPOOL_H

#include "cmd.h"
#include "span.h"

/* Opens the store, or does without it, and has act done: for a command of no arguments. */
int spool_with(struct cli *cli, int argc, char **argv, int (*act)(const struct cli *cli, reeve *r));

/* Until nothing waits in the spool any more, or the span is over. An exit code. */
int spool_await(reeve *r, const struct span *span);

/* Prints how many of those that were refused are dealt with now: "N WORD". */
int spool_print_count(const struct cli *cli, const char *word, uint64_t count);

#endif
