/* What a command is and what it gets. One command = one file = one entry in the table of
 * commands.c. Commands speak to the library through reeve.h only. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include <stdbool.h>

#include <reeve.h>

/* What holds for every command. */
struct cli {
    const struct cmd *cmd; /* the one that runs */
    const char *store;     /* --store, or NULL */
    const char *space;     /* --space, or NULL */
    bool json, quiet, help, version;
    int verbose; /* how often -v was given */
    bool silent; /* cli_open() says nothing of a store that is away: it has been said */
};

struct cmd {
    const char *name;    /* one word or two: "push", "job show" */
    const char *summary; /* one line of `reeve help` */
    const char *usage;   /* `reeve help NAME`: synopsis first */
    /* argv: what follows the name. Returns an exit code of exit.h. */
    int (*run)(struct cli *cli, int argc, char **argv);
};

extern const struct cmd *const cmds[]; /* NULL-ended, in the order of `reeve help` */

/* Opens the store that --store, the environment or the default name. NULL: it has been said why,
 * and *exit_code is set. */
reeve *cli_open(const struct cli *cli, int *exit_code);

#endif
