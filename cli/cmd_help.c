#include <stdio.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "find.h"
#include "help.h"

static int run(struct cli *cli, int argc, char **argv) {
    struct operands words;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 0, 2, &words, &exit_code)) return exit_code;
    if (!words.count) return show_overview(cli);
    if (words.count == 1 && is_group(words.items[0])) return show_group(cli, words.items[0]);
    const struct cmd *cmd = find_command(words.items[0], words.items[1]);
    return cmd ? show_command(cli, cmd) : fail_command(words.items[0], words.items[1]);
}

const struct cmd cmd_help = {
    .name = "help",
    .summary = "say what commands there are, or all about one",
    .usage = "Usage: reeve help [COMMAND]\n",
    .run = run,
};
