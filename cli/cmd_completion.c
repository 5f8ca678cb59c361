#include <string.h>

#include "commands.h"
#include "completion.h"
#include "exit.h"

static const struct {
    const char *name;
    void (*print)(const struct completion *completion);
} shells[] = {
    {"bash", completion_bash},
    {"zsh", completion_zsh},
    {"fish", completion_fish},
};

static int run(struct cli *cli, int argc, char **argv) {
    struct completion completion;
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 1, 1, &operands, &exit_code)) return exit_code;
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].name, operands.items[0]) != 0) continue;
        exit_code = completion_init(&completion);
        if (!exit_code) shells[i].print(&completion);
        completion_release(&completion);
        return exit_code;
    }
    return fail_usage("completion: '%s' is not one of bash, zsh, fish", operands.items[0]);
}

const struct cmd cmd_completion = {
    .name = "completion",
    .summary = "print a script that completes commands in a shell",
    .usage = "Usage: reeve completion bash|zsh|fish\n"
             "\n"
             "They come with an installed reeve; without, in bash:\n"
             "    . <(reeve completion bash)\n",
    .run = run,
};
