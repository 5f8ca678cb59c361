/* What `reeve help`, --help and --version say. Each returns an exit code. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "arg.h"
#include "cmd.h"

int show_version(const struct cli *cli);
/* args: the options of cmd, or NULL. */
int show_usage(const struct cli *cli, const struct cmd *cmd, const struct arg *args);
int show_overview(const struct cli *cli);
/* Finds the options of cmd by itself. */
int show_command(const struct cli *cli, const struct cmd *cmd);
/* All commands that begin with that word. */
int show_group(const struct cli *cli, const char *group);

#endif
