#include <string.h>

#include "completion.h"

/* '--state[only those]:STATE:(a b)' */
static void put_option(const struct arg *arg) {
    (void)printf(" \\\n            '%s--%s[", arg->kind == ARG_TEXTS ? "*" : "", arg->name);
    completion_put(arg->about, "[]:\\");
    (void)putchar(']');
    if (arg->kind == ARG_CHOICE) {
        (void)fputs(":one of:(", stdout);
        for (const char *at = arg->value; *at; at++)
            (void)putchar(*at == '|' ? ' ' : *at);
        (void)putchar(')');
    } else if (arg_takes_value(arg)) {
        (void)putchar(':');
        completion_put(arg->value, "[]:\\");
        (void)fputs(arg->kind == ARG_FILE ? ":_files" : ": ", stdout);
    }
    (void)putchar('\'');
}

/* 'word:about it' */
static void put_word(const char *word, int size, const char *about) {
    (void)printf(" \\\n            '%.*s:", size, word);
    completion_put(about, ":\\");
    (void)putchar('\'');
}

static void put_commands(const struct completion *completion) {
    const struct described *at;
    (void)fputs("    if (( CURRENT == 2 )); then\n        local -a commands=(", stdout);
    for (at = completion->commands; at->cmd; at++) {
        if (!completion_is_first(completion, at)) continue;
        put_word(at->cmd->name, completion_first_size(at),
                 completion_is_group(at) ? "..." : at->cmd->summary);
    }
    (void)puts(")\n        _describe command commands\n        return\n    fi");
}

static void put_group(const struct completion *completion, const struct described *first) {
    int size = completion_first_size(first);
    const struct described *at = first;
    (void)printf("    if [[ $words[2] == %.*s ]]; then\n        local -a verbs=(", size,
                 first->cmd->name);
    do {
        const char *verb = at->cmd->name + size + 1;
        put_word(verb, (int)strlen(verb), at->cmd->summary);
        at++;
    } while (at->cmd && !completion_is_first(completion, at));
    (void)puts(")\n        if (( CURRENT == 3 )); then\n            _describe verb verbs\n"
               "            return\n        fi\n        command=\"$words[2] $words[3]\"\n    fi");
}

void completion_zsh(const struct completion *completion) {
    const struct described *at;
    (void)puts("#compdef reeve\n# Completion of reeve in zsh; made by 'reeve completion zsh'.\n\n"
               "_reeve() {\n    local command=$words[2]");
    put_commands(completion);
    for (at = completion->commands; at->cmd; at++)
        if (completion_is_group(at) && completion_is_first(completion, at))
            put_group(completion, at);
    (void)puts("    case $command in");
    for (at = completion->commands; at->cmd; at++) {
        (void)printf("    '%s')\n        _arguments", at->cmd->name);
        for (const struct arg *arg = at->args; arg->kind != ARG_END; arg++)
            put_option(arg);
        for (const struct arg *arg = completion->all.args; arg->kind != ARG_END; arg++)
            put_option(arg);
        (void)puts(" \\\n            '*: :_files'\n        ;;");
    }
    (void)puts("    esac\n}\n\n_reeve \"$@\"");
}
