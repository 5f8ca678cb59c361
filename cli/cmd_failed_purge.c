#include "commands.h"
#include "failed.h"

static int forget(reeve *r, const struct reeve_job *job) {
    return reeve_remove(r, job->queue, job->id);
}

static int run(struct cli *cli, int argc, char **argv) {
    static const struct failed_verb verb = {"removed", forget};
    return failed_change(cli, argc, argv, &verb);
}

const struct cmd cmd_failed_purge = {
    .name = "failed purge",
    .summary = "remove failed jobs of a queue for good",
    .usage = "Usage: reeve failed purge QUEUE --all | --error-matches S [--dry-run]\n"
             "\n"
             "Their records go, and with them the memory of their ids. Prints how many.\n",
    .run = run,
};
