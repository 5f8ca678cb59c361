/* What `reeve help`, --help and --version say. Each returns EXIT_DONE. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cmd.h"

int show_version(const struct cli *cli);
int show_usage(const struct cli *cli, const struct cmd *cmd);
int show_overview(const struct cli *cli);

#endif
