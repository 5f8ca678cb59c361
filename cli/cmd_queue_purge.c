#include <inttypes.h>
#include <stdio.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "job.h"
#include "json.h"
#include "purge.h"

/* What went is told also when it ended early. */
static int purge_queue(const struct cli *cli, reeve *r, const char *queue, enum reeve_state state) {
    uint64_t removed = 0;
    int rc = purge(cli, r, queue, state, &removed), exit_code = EXIT_DONE;
    if (rc && !removed) return fail_api(rc);
    if (rc) exit_code = fail_api(rc);
    if (cli->json)
        (void)json_line(
            json_pack("{s:o, s:I}", "queue", json_text(queue), "removed", (json_int_t)removed));
    else
        (void)printf("%" PRIu64 " removed\n", removed);
    return exit_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    int state = 0;
    struct arg args[] = {
        arg_choice("state", &state, JOB_STATES, "only those (delayed and ready)"),
        {0},
    };
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 1, 1, &operands, &exit_code)) return exit_code;
    if (state == REEVE_RUNNING)
        return fail_usage("--state running: what runs is not removed; cancel it: reeve job cancel");
    reeve *r = cli_open(cli, &exit_code);
    if (r) exit_code = purge_queue(cli, r, operands.items[0], (enum reeve_state)state);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_queue_purge = {
    .name = "queue purge",
    .summary = "remove the waiting jobs of a queue, or all of one state",
    .usage = "Usage: reeve queue purge QUEUE [--state S]\n"
             "\n"
             "Their records go, and with them the memory of their ids; prints how many. Jobs\n"
             "that run are never removed. See also 'reeve failed purge'.\n",
    .run = run,
};
