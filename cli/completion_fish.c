#include "completion.h"

/* -l name -d 'about it', and what its value may be */
static void put_option(const struct arg *arg) {
    (void)printf(" -l %s", arg->name);
    if (arg->kind == ARG_CHOICE) {
        (void)fputs(" -xa '", stdout);
        for (const char *at = arg->value; *at; at++)
            (void)putchar(*at == '|' ? ' ' : *at);
        (void)putchar('\'');
    } else if (arg_takes_value(arg)) {
        (void)fputs(arg->kind == ARG_FILE ? " -rF" : " -x", stdout);
    }
    (void)fputs(" -d '", stdout);
    completion_put(arg->about, "");
    (void)puts("'");
}

static void put_summary(const char *text) {
    (void)fputs(" -d '", stdout);
    completion_put(text, "");
    (void)puts("'");
}

static void put_command(const struct completion *completion, const struct described *at) {
    int size = completion_first_size(at);
    const char *name = at->cmd->name;
    if (!completion_is_group(at)) {
        (void)printf("complete -c reeve -n __fish_use_subcommand -a %s", name);
        put_summary(at->cmd->summary);
        return;
    }
    if (completion_is_first(completion, at))
        (void)printf("complete -c reeve -n __fish_use_subcommand -a %.*s\n", size, name);
    (void)printf("complete -c reeve -n '__reeve_last_is %.*s' -a %s", size, name, name + size + 1);
    put_summary(at->cmd->summary);
}

static void put_options(const struct described *at) {
    for (const struct arg *arg = at->args; arg->kind != ARG_END; arg++) {
        (void)fputs("complete -c reeve", stdout);
        if (at->cmd) {
            int size = completion_first_size(at);
            (void)printf(" -n '__fish_seen_subcommand_from %.*s", size, at->cmd->name);
            if (completion_is_group(at))
                (void)printf("; and __fish_seen_subcommand_from %s", at->cmd->name + size + 1);
            (void)putchar('\'');
        }
        put_option(arg);
    }
}

void completion_fish(const struct completion *completion) {
    const struct described *at;
    (void)puts("# Completion of reeve in fish; made by 'reeve completion fish'.\n\n"
               "function __reeve_last_is\n"
               "    set -l words (commandline -opc)\n"
               "    test \"$words[-1]\" = $argv[1]\n"
               "end\n\n"
               "complete -c reeve -f");
    for (at = completion->commands; at->cmd; at++)
        put_command(completion, at);
    for (at = completion->commands; at->cmd; at++)
        put_options(at);
    put_options(&completion->all);
}
