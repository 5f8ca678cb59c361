#include "help.h"

#include <stdio.h>

#include "exit.h"
#include "json.h"

int show_version(const struct cli *cli) {
    if (cli->json) return json_line(json_pack("{s:s}", "version", reeve_version()));
    (void)printf("reeve %s\n", reeve_version());
    return EXIT_DONE;
}

int show_usage(const struct cli *cli, const struct cmd *cmd) {
    if (cli->json)
        return json_line(json_pack("{s:s, s:s, s:s}", "name", cmd->name, "summary", cmd->summary,
                                   "usage", cmd->usage));
    (void)fputs(cmd->usage, stdout);
    return EXIT_DONE;
}

static const char options[] =
    "\n"
    "With every command, before or after its name:\n"
    "  --store URL     sqlite:PATH, or env:NAME to take the URL from $NAME. Without\n"
    "                  it $REEVE_STORE, then sqlite:$XDG_STATE_HOME/reeve/reeve.db\n"
    "                  (~/.local/state/reeve/reeve.db)\n"
    "  --space NAME    a namespace ($REEVE_SPACE, else \"reeve\")\n"
    "  --json          one JSON object per line on stdout\n"
    "  -q, --quiet     only errors on stderr\n"
    "  -v, -vv         say more there\n"
    "  -h, --help      about the command\n"
    "\n"
    "Durations: 250ms 5s 1m 2h 7d. Sizes: 100 64k 1M. Times: 2026-01-31T12:00:00Z.\n"
    "\n"
    "Exit codes: 0 done; 1 the answer is no; 2 usage or bad value; 3 no such job or\n"
    "queue; 4 timed out; 5 fenced; 69 store unreachable; 70 out of memory or a bug;\n"
    "75 unsure, repeat; 130 interrupted.\n";

int show_overview(const struct cli *cli) {
    if (cli->json) {
        for (const struct cmd *const *cmd = cmds; *cmd; cmd++)
            (void)show_usage(cli, *cmd);
        return EXIT_DONE;
    }
    (void)puts("reeve - a fault-tolerant distributed job queue\n\nUsage: reeve COMMAND ...\n");
    for (const struct cmd *const *cmd = cmds; *cmd; cmd++)
        (void)printf("  %-14s %s\n", (*cmd)->name, (*cmd)->summary);
    (void)fputs(options, stdout);
    return EXIT_DONE;
}
