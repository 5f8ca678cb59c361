#include "help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "exit.h"
#include "json.h"

enum { COLUMN = 21, WIDTH = 80 }; /* where words about options begin, and lines end */

int show_version(const struct cli *cli) {
    if (cli->json) return json_line(json_pack("{s:s}", "version", reeve_version()));
    (void)printf("reeve %s\n", reeve_version());
    return EXIT_DONE;
}

/* Writes text from COLUMN on, broken at blanks; at is where the line stands. */
static void print_about(FILE *out, const char *text, int at) {
    while (*text) {
        int size = (int)strcspn(text, " ");
        if (at >= COLUMN && at + 1 + size > WIDTH) {
            (void)fputc('\n', out);
            at = 0;
        }
        if (at < COLUMN)
            at += fprintf(out, "%*s%.*s", COLUMN - at, "", size, text);
        else
            at += fprintf(out, " %.*s", size, text);
        text += size + (text[size] == ' ');
    }
    (void)fputc('\n', out);
}

static void print_options(FILE *out, const struct arg *args) {
    for (; args && args->kind != ARG_END; args++) {
        int at = fprintf(out, "  --%s %s", args->name, args->value ? args->value : "");
        if (at >= COLUMN - 1) {
            (void)fputc('\n', out);
            at = 0;
        }
        print_about(out, args->about, at);
    }
}

static char *usage_text(const struct cmd *cmd, const struct arg *args) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    (void)fputs(cmd->usage, out);
    if (args && args->kind != ARG_END) (void)fputc('\n', out);
    print_options(out, args);
    if (cmd->notes) (void)fprintf(out, "\n%s", cmd->notes);
    if (!fclose(out)) return text;
    free(text);
    return NULL;
}

static json_t *options_json(const struct arg *args) {
    json_t *out = json_array();
    for (; out && args && args->kind != ARG_END; args++) {
        json_t *option = json_pack("{s:s, s:s?, s:s}", "name", args->name, "value", args->value,
                                   "about", args->about);
        if (!json_array_append_new(out, option)) continue;
        json_decref(out);
        return NULL;
    }
    return out;
}

int show_usage(const struct cli *cli, const struct cmd *cmd, const struct arg *args) {
    char *text = usage_text(cmd, args);
    int exit_code = EXIT_DONE;
    if (!text)
        exit_code = fail(EXIT_BROKEN, "out of memory");
    else if (cli->json)
        exit_code =
            json_line(json_pack("{s:s, s:s, s:s, s:o}", "name", cmd->name, "summary", cmd->summary,
                                "usage", text, "options", options_json(args)));
    else
        (void)fputs(text, stdout);
    free(text);
    return exit_code;
}

static void show(void *arg, const struct cmd *cmd, const struct arg *args) {
    (void)show_usage(arg, cmd, args);
}

int show_command(const struct cli *cli, const struct cmd *cmd) {
    struct cli shown = *cli;
    cmd_describe(cmd, show, &shown);
    return EXIT_DONE;
}

void cmd_describe(const struct cmd *cmd, cmd_describe_fn *fn, void *arg) {
    struct cli cli = {.cmd = cmd, .describe = fn, .describe_arg = arg};
    char *none[] = {NULL};
    (void)cmd->run(&cli, 0, none);
}

static const char values[] =
    "\n"
    "Durations: 250ms 5s 1m 2h 7d. Sizes: 100 64k 1M. Times: 2026-01-31T12:00:00Z.\n"
    "\n"
    "Exit codes: 0 done; 1 the answer is no; 2 usage or bad value; 3 no such job or\n"
    "queue; 4 timed out; 5 fenced; 69 store unreachable; 70 out of memory or a bug;\n"
    "75 unsure, repeat; 130 interrupted.\n";

int show_overview(const struct cli *cli) {
    struct cli any = {0};
    struct arg globals[ARGS_GLOBALS];
    if (cli->json) {
        for (const struct cmd *const *cmd = cmds; *cmd; cmd++)
            (void)show_command(cli, *cmd);
        return EXIT_DONE;
    }
    (void)puts("reeve - a fault-tolerant distributed job queue\n\nUsage: reeve COMMAND ...\n");
    for (const struct cmd *const *cmd = cmds; *cmd; cmd++)
        (void)printf("  %-14s %s\n", (*cmd)->name, (*cmd)->summary);
    (void)puts("\nWith every command, before or after its name:");
    args_globals(&any, globals);
    print_options(stdout, globals);
    (void)fputs(values, stdout);
    return EXIT_DONE;
}

int show_group(const struct cli *cli, const char *group) {
    const char *before = "";
    for (const struct cmd *const *cmd = cmds; *cmd; cmd++) {
        size_t size = strlen(group);
        if (strncmp((*cmd)->name, group, size) != 0 || (*cmd)->name[size] != ' ') continue;
        if (!cli->json) (void)fputs(before, stdout);
        (void)show_command(cli, *cmd);
        before = "\n";
    }
    return EXIT_DONE;
}
