/* Settings in a file: lines of "key = value", the keys named as options. See reeve.conf(5). */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include <stddef.h>

#include "arg.h"

struct config_line {
    int number;
    const char *key, *value;
};

struct config {
    const char *path; /* of the caller */
    char *text;       /* what keys, values and all that was set from them point into */
    struct config_line *lines;
    size_t count;
};

/* Reads a file. An exit code: it has been said what is wrong. */
int config_read(struct config *config, const char *path);
/* Sets each option that a line names and that was not given on the command line; a key that is in
 * neither of the tables, of which more may be NULL, is refused. An exit code. */
int config_apply(const struct config *config, const struct arg *args, const struct arg *more);
void config_release(struct config *config);

/* $XDG_CONFIG_HOME/reeve/reeve.conf, or the one in ~/.config, if it is there; else an empty one. */
struct config_user {
    struct config config;
    char *path;
    const char *store, *space, *spool; /* NULL: it does not say */
};
int config_user_read(struct config_user *user);
void config_user_release(struct config_user *user);

#endif
