#include "commands.h"
#include "stream.h"

static int run(struct cli *cli, int argc, char **argv) {
    return stream_do(cli, argc, argv, reeve_stream_recall, "yielding");
}

const struct cmd cmd_stream_yield = {
    .name = "stream yield",
    .summary = "ask the owner of a stream to give it to another",
    .usage = "Usage: reeve stream yield GROUP NAME [OPTIONS]\n"
             "\n"
             "His program is stopped first, then the stream goes to the end of the line. That\n"
             "counts as no failed attempt.\n",
    .run = run,
};
