#include "commands.h"
#include "queue.h"

static int run(struct cli *cli, int argc, char **argv) {
    return queue_pause(cli, argc, argv, true);
}

const struct cmd cmd_queue_pause = {
    .name = "queue pause",
    .summary = "let no more jobs of a queue begin",
    .usage = "Usage: reeve queue pause QUEUE\n"
             "\n"
             "Jobs can still be pushed; those that run go on; nothing is claimed until the\n"
             "queue is resumed.\n",
    .run = run,
};
