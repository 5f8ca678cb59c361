#include <stdio.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "json.h"

static int run(struct cli *cli, int argc, char **argv) {
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 1, 1, &operands, &exit_code)) return exit_code;
    const char *name = operands.items[0];
    reeve *r = cli_open(cli, &exit_code);
    if (!r) return exit_code;
    int rc = reeve_leader_recall(r, name);
    if (rc)
        exit_code = fail_api(rc);
    else if (cli->json)
        exit_code = json_line(json_pack("{s:s, s:b}", "name", name, "resigning", 1));
    else
        (void)printf("%s: its leader is asked to resign\n", name);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_leader_resign = {
    .name = "leader resign",
    .summary = "ask whoever leads a name to give it up",
    .usage = "Usage: reeve leader resign NAME\n"
             "\n"
             "It ends its work first; then another may lead. Exit 3 if nobody does.\n",
    .run = run,
};
