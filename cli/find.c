#include "find.h"

#include <stdio.h>
#include <string.h>

#include "exit.h"

static bool begins(const char *name, const char *word) {
    size_t size = strlen(word);
    return !strncmp(name, word, size) && name[size] == ' ';
}

bool is_group(const char *first) {
    for (const struct cmd *const *cmd = cmds; *cmd; cmd++) {
        if (begins((*cmd)->name, first)) return true;
    }
    return false;
}

static bool matches(const char *name, const char *first, const char *second) {
    if (!second) return !strcmp(name, first);
    return begins(name, first) && !strcmp(name + strlen(first) + 1, second);
}

const struct cmd *find_command(const char *first, const char *second) {
    for (const struct cmd *const *cmd = cmds; *cmd; cmd++) {
        if (matches((*cmd)->name, first, second)) return *cmd;
    }
    return NULL;
}

int fail_command(const char *first, const char *second) {
    if (!is_group(first)) return fail_usage("no such command: %s; see 'reeve help'", first);
    char verbs[256] = "";
    for (const struct cmd *const *cmd = cmds; *cmd; cmd++) {
        size_t size = strlen(verbs);
        if (begins((*cmd)->name, first))
            (void)snprintf(verbs + size, sizeof verbs - size, " %s",
                           (*cmd)->name + strlen(first) + 1);
    }
    if (second) return fail_usage("no such command: %s %s; there is%s", first, second, verbs);
    return fail_usage("%s: one word is missing; there is%s", first, verbs);
}
