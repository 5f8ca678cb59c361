/* Options and operands. Options stand anywhere before "--", as --name VALUE or --name=VALUE; those
 * of struct cli may be used with every command. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd.h"

enum arg_kind {
    ARG_END = 0,  /* ends a table */
    ARG_FLAG,     /* bool */
    ARG_COUNT,    /* int: how often it was given */
    ARG_TEXT,     /* const char * */
    ARG_TEXTS,    /* struct texts: may be given again */
    ARG_INT,      /* int */
    ARG_DURATION, /* int64_t, ms */
    ARG_SIZE,     /* size_t */
    ARG_TIME,     /* int64_t, ms since the epoch */
};

struct arg {
    const char *name; /* without the dashes */
    enum arg_kind kind;
    void *to;            /* left alone unless the option is given */
    int64_t least, most; /* of a number; both 0: any */
};

#define ARG_UNSET INT64_MIN /* what a duration starts with, if 0 is to be told from nothing */

struct texts {
    const char *items[64];
    int count;
};

struct operands {
    char **items; /* NULL-ended */
    int count;
    char **rest; /* what follows "--", NULL-ended; NULL if there is no "--" */
};

/* Reads all of argv. false: the command is over, with *exit_code (help was asked for, or it has
 * been said what is wrong). */
bool args_parse(struct cli *cli, const struct arg *args, int argc, char **argv,
                struct operands *out, int *exit_code);

/* The same for a command that takes least..most operands; what follows "--" belongs to them. */
bool args_parse_all(struct cli *cli, const struct arg *args, int argc, char **argv, int least,
                    int most, struct operands *out, int *exit_code);

/* The next word that is no option, from argv[*at] on; options before it go to cli. NULL at the end
 * or if *exit_code was set (it is < 0 before). */
const char *args_next_word(struct cli *cli, int argc, char **argv, int *at, int *exit_code);

#endif
