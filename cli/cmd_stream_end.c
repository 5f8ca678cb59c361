#include "commands.h"
#include "stream.h"

static int run(struct cli *cli, int argc, char **argv) {
    return stream_do(cli, argc, argv, reeve_stream_end, "ended");
}

const struct cmd cmd_stream_end = {
    .name = "stream end",
    .summary = "end a stream, whoever owns it",
    .usage = "Usage: reeve stream end GROUP NAME [OPTIONS]\n"
             "\n"
             "It is gone, also while it waits. An owner is told, and his program is stopped.\n",
    .run = run,
};
