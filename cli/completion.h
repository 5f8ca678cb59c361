/* Scripts that let shells complete commands and options, made of the tables of both. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stdio.h>

#include "args.h"

enum { COMPLETION_ARGS_MAX = 24 };

/* A command and its options. */
struct described {
    const struct cmd *cmd;                /* NULL: what every command has */
    struct arg args[COMPLETION_ARGS_MAX]; /* ended by ARG_END */
};

struct completion {
    struct described all;       /* what every command has */
    struct described *commands; /* ended by one without cmd */
};

int completion_init(struct completion *completion); /* an exit code */
void completion_release(struct completion *completion);

/* The first word of a name of two: is it a group's, and the first of that group in the list? */
bool completion_is_group(const struct described *described);
bool completion_is_first(const struct completion *completion, const struct described *described);
int completion_first_size(const struct described *described); /* bytes of the first word */

/* Text with each of the bytes that must be escaped behind a backslash, and ' as '\''. */
void completion_put(const char *text, const char *escaped);

void completion_bash(const struct completion *completion);
void completion_zsh(const struct completion *completion);
void completion_fish(const struct completion *completion);

#endif
