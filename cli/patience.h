/* Waiting for a store that is away: for commands that run until they are told to end. */
#ifndef CLI_PATIENCE_H
#define CLI_PATIENCE_H

#include <signal.h>

#include "cmd.h"

/* As cli_open(), but a store that is away is waited for, and that is said once; a signal of set
 * that ends a program ends the wait. */
reeve *patience_open(struct cli *cli, const sigset_t *set, int *exit_code);

/* Says that a store is waited for, if it was away at the first try. */
void patience_begin(const struct cli *cli, int exit_code);

/* How long to wait before the store is looked for again: *wait_ms, which grows. */
int64_t patience_next_ms(int64_t *wait_ms);

#endif
