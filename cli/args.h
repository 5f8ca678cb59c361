/* Options and operands. Options stand anywhere before "--", as --name VALUE or --name=VALUE; those
 * of struct cli may be used with every command. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "arg.h"
#include "cmd.h"

struct operands {
    char **items; /* NULL-ended */
    int count;
    char **rest; /* what follows "--", NULL-ended; NULL if there is no "--" */
};

/* Reads all of argv; args is a table of the command's options, or NULL. false: the command is over,
 * with *exit_code (its options were asked for, or it has been said what is wrong). */
bool args_parse(struct cli *cli, struct arg *args, int argc, char **argv, struct operands *out,
                int *exit_code);

/* The same for a command that takes least..most operands; what follows "--" belongs to them. */
bool args_parse_all(struct cli *cli, struct arg *args, int argc, char **argv, int least, int most,
                    struct operands *out, int *exit_code);

/* The next word that is no option, from argv[*at] on; options before it go to cli. NULL at the end
 * or if *exit_code was set (it is < 0 before). */
const char *args_next_word(struct cli *cli, int argc, char **argv, int *at, int *exit_code);

/* The options that every command has. */
enum { ARGS_GLOBALS = 9 };
void args_globals(struct cli *cli, struct arg out[ARGS_GLOBALS]);

#endif
