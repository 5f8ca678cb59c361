#include "commands.h"
#include "queue.h"

static int run(struct cli *cli, int argc, char **argv) {
    return queue_pause(cli, argc, argv, false);
}

const struct cmd cmd_queue_resume = {
    .name = "queue resume",
    .summary = "let jobs of a paused queue begin again",
    .usage = "Usage: reeve queue resume QUEUE\n",
    .run = run,
};
