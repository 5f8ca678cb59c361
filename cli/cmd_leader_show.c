#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "json.h"
#include "leader.h"
#include "text.h"

static int print(const struct reeve_leader_info *leader) {
    char time[TEXT_TIME_SIZE];
    (void)printf("name   %s%s\nterm   %" PRIu64 "\nby     ", leader->name,
                 leader->resigning ? " (asked to resign)" : "", leader->term);
    text_put(stdout, leader->by, strlen(leader->by));
    (void)printf("\nsince  %s\n", text_time(time, leader->since_at_ms));
    (void)printf("until  %s, unless it is renewed\n", text_time(time, leader->until_at_ms));
    return EXIT_DONE;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct operands operands;
    struct reeve_leader_info *leader = NULL;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 1, 1, &operands, &exit_code)) return exit_code;
    reeve *r = cli_open(cli, &exit_code);
    if (!r) return exit_code;
    int rc = reeve_leader_read(r, operands.items[0], &leader);
    exit_code = rc ? fail_api(rc) : cli->json ? json_line(leader_json(leader)) : print(leader);
    reeve_free(leader);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_leader_show = {
    .name = "leader show",
    .summary = "show who leads a name, since when and in which term",
    .usage = "Usage: reeve leader show NAME\n"
             "\n"
             "Exit 3 if nobody does.\n",
    .run = run,
};
