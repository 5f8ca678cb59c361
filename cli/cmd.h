/* What a command is and what it gets. One command = one file = one entry in the table of
 * commands.c. Commands speak to the library through reeve.h only. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include <stdbool.h>

#include <reeve.h>

struct arg;
struct cmd;

/* Is shown a command and the table of its options, which may be NULL. */
typedef void cmd_describe_fn(void *arg, const struct cmd *cmd, const struct arg *args);

/* What a command has to do with the spool. */
enum cli_spool {
    CLI_SPOOL_UNUSED = 0,
    CLI_SPOOL_INSTEAD, /* it can do without the store, which is opened when it can be had */
    CLI_SPOOL_BESIDES, /* what waits there is forwarded, but the store must be there */
    CLI_SPOOL_ALONE,   /* as INSTEAD, and the spool is there already */
};

/* What holds for every command. */
struct cli {
    const struct cmd *cmd; /* the one that runs */
    const char *store;     /* --store, or NULL */
    const char *space;     /* --space, or NULL */
    const char *spool;     /* --spool, or NULL */
    bool json, quiet, help, version;
    int verbose; /* how often -v was given */
    bool silent; /* cli_open() says nothing of a store that is away: it has been said */
    enum cli_spool spool_use;
    int64_t call_ms; /* how long a call to the store may take; 0: as the library has it */
    /* The file that --config names, and what it says, or NULL. */
    const char *config_path, *config_store, *config_space, *config_spool;
    cmd_describe_fn *describe; /* instead of running, if set */
    void *describe_arg;
};

struct cmd {
    const char *name;    /* one word or two: "push", "job show" */
    const char *summary; /* one line of `reeve help` */
    const char *usage;   /* `reeve help NAME`: synopsis first; the options follow */
    const char *notes;   /* and then this, or NULL */
    /* argv: what follows the name. Parses it first of all: see args_parse(). Returns an exit code
     * of exit.h. */
    int (*run)(struct cli *cli, int argc, char **argv);
};

extern const struct cmd *const cmds[]; /* NULL-ended, in the order of `reeve help` */

/* Shows fn the options of a command. */
void cmd_describe(const struct cmd *cmd, cmd_describe_fn *fn, void *arg);

/* Opens the store that --store, the environment, a file or the default name. NULL: it has been said
 * why, and *exit_code is set. */
reeve *cli_open(const struct cli *cli, int *exit_code);
/* The same; 0 or the REEVE_E* that reeve_open() gave, of which nothing has been said. *exit_code is
 * set if it has not been called at all. */
int cli_try_open(const struct cli *cli, reeve **out, int *exit_code);

#endif
