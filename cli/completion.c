#include "completion.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "exit.h"

static void keep(void *arg, const struct cmd *cmd, const struct arg *args) {
    struct described *described = arg;
    described->cmd = cmd;
    for (size_t i = 0; args && args[i].kind != ARG_END; i++) {
        assert(i + 1 < COMPLETION_ARGS_MAX);
        described->args[i] = args[i];
    }
}

int completion_init(struct completion *completion) {
    struct cli any = {0};
    struct arg globals[ARGS_GLOBALS];
    size_t count = 0;
    *completion = (struct completion){0};
    args_globals(&any, globals);
    keep(&completion->all, NULL, globals);
    while (cmds[count])
        count++;
    completion->commands = calloc(count + 1, sizeof *completion->commands);
    if (!completion->commands) return fail(EXIT_BROKEN, "out of memory");
    for (size_t i = 0; i < count; i++)
        cmd_describe(cmds[i], keep, &completion->commands[i]);
    return EXIT_DONE;
}

void completion_release(struct completion *completion) {
    free(completion->commands);
}

int completion_first_size(const struct described *described) {
    return (int)strcspn(described->cmd->name, " ");
}

bool completion_is_group(const struct described *described) {
    return strchr(described->cmd->name, ' ') != NULL;
}

bool completion_is_first(const struct completion *completion, const struct described *described) {
    size_t size = (size_t)completion_first_size(described) + 1;
    return described == completion->commands ||
           strncmp(described[-1].cmd->name, described->cmd->name, size) != 0;
}

void completion_put(const char *text, const char *escaped) {
    for (; *text; text++) {
        if (*text == '\'') {
            (void)fputs("'\\''", stdout);
            continue;
        }
        if (strchr(escaped, *text)) (void)putchar('\\');
        (void)putchar(*text);
    }
}
