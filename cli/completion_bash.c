#include "completion.h"

static void put_options(const struct described *described) {
    for (const struct arg *arg = described->args; arg->kind != ARG_END; arg++)
        (void)printf(" --%s", arg->name);
}

/* What may follow an option: words, @file, or @any; of a flag nothing. */
static void put_values(const struct described *described) {
    for (const struct arg *arg = described->args; arg->kind != ARG_END; arg++) {
        if (!arg_takes_value(arg)) continue;
        if (described->cmd)
            (void)printf("    '%s --%s') echo '", described->cmd->name, arg->name);
        else
            (void)printf("    *' --%s') echo '", arg->name); /* of any command */
        if (arg->kind == ARG_CHOICE)
            for (const char *at = arg->value; *at; at++)
                (void)putchar(*at == '|' ? ' ' : *at);
        else
            (void)fputs(arg->kind == ARG_FILE ? "@file" : "@any", stdout);
        (void)puts("' ;;");
    }
}

static void put_words(const struct completion *completion) {
    const struct described *first, *other;
    (void)fputs("    '') echo '", stdout);
    for (first = completion->commands; first->cmd; first++)
        if (completion_is_first(completion, first))
            (void)printf(" %.*s", completion_first_size(first), first->cmd->name);
    (void)puts("' ;;");
    for (first = completion->commands; first->cmd; first++) {
        if (!completion_is_group(first) || !completion_is_first(completion, first)) continue;
        int size = completion_first_size(first);
        (void)printf("    %.*s) echo '", size, first->cmd->name);
        for (other = first;
             other->cmd && (other == first || !completion_is_first(completion, other)); other++)
            (void)printf(" %s", other->cmd->name + size + 1);
        (void)puts("' ;;");
    }
}

static const char script[] =
    "_reeve() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} at known\n"
    "    local command= words\n"
    "    for ((at = 1; at < COMP_CWORD; at++)); do\n"
    "        if [ \"${COMP_WORDS[at]}\" = -- ]; then\n"
    "            COMPREPLY=($(compgen -f -- \"$word\"))\n"
    "            return\n"
    "        fi\n"
    "        words=\" $(_reeve_words \"$command\") \"\n"
    "        known=${COMP_WORDS[at]}\n"
    "        [[ $words == *\" $known \"* ]] && command=${command:+$command }$known\n"
    "    done\n"
    "    words=$(_reeve_values \"$command\" \"$before\")\n"
    "    case $words in\n"
    "    @file) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
    "    @any) COMPREPLY=() ;;\n"
    "    ?*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
    "    *)\n"
    "        if [[ $word == -* ]]; then words=$(_reeve_options \"$command\")\n"
    "        else words=$(_reeve_words \"$command\"); fi\n"
    "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
    "        ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _reeve reeve\n";

void completion_bash(const struct completion *completion) {
    const struct described *described;
    (void)puts("# Completion of reeve in bash; made by 'reeve completion bash'.\n"
               "# shellcheck shell=bash disable=SC2207,SC2030\n\n"
               "# COMMAND: the words that may come next.\n"
               "_reeve_words() {\n    case $1 in");
    put_words(completion);
    (void)puts("    esac\n}\n\n# COMMAND: its options.\n_reeve_options() {\n    case $1 in");
    for (described = completion->commands; described->cmd; described++) {
        (void)printf("    '%s') echo '", described->cmd->name);
        put_options(described);
        (void)puts("' ;;");
    }
    (void)fputs("    esac\n    echo '", stdout);
    put_options(&completion->all);
    (void)puts("'\n}\n\n# COMMAND OPTION: what its value may be: words, @file or @any; "
               "nothing of a flag.\n_reeve_values() {\n    case \"$1 $2\" in");
    for (described = completion->commands; described->cmd; described++)
        put_values(described);
    put_values(&completion->all);
    (void)puts("    esac\n}\n");
    (void)fputs(script, stdout);
}
