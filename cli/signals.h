/* Signals taken one by one instead of by handlers. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <signal.h>
#include <stdint.h>

/* Blocks those of a worker, in this thread and all it starts, and makes them wait to be taken. Call
 * it before the store is opened. SIGUSR1 is among them, for the program's own use. */
void signals_block(sigset_t *set);
/* The same with those that end a program, and SIGUSR1: others do what they always do. */
void signals_block_ends(sigset_t *set);
/* Waits up to ms (< 0: for ever) for one of them. 0 if none came. */
int signals_take(const sigset_t *set, int64_t ms);

#endif
