#include "commands.h"
#include "stream.h"

static int run(struct cli *cli, int argc, char **argv) {
    return stream_do(cli, argc, argv, reeve_stream_claim, "waiting");
}

const struct cmd cmd_stream_claim = {
    .name = "stream claim",
    .summary = "have a dead owner's stream handed out again now",
    .usage = "Usage: reeve stream claim GROUP NAME [OPTIONS]\n"
             "\n"
             "Members do that by themselves. Refused while its owner lives or it waits.\n",
    .run = run,
};
