/* Which command is meant. */
#ifndef CLI_FIND_H
#define CLI_FIND_H

#include "cmd.h"

/* The command of this name: "push", or "job" and "show". second may be NULL. */
const struct cmd *find_command(const char *first, const char *second);
bool is_group(const char *first); /* is there a command of two words that begins with this one? */
/* Says that there is no such command, and what there is. Returns EXIT_USAGE. */
int fail_command(const char *first, const char *second);

#endif
