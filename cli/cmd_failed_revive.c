#include "commands.h"
#include "failed.h"

static int revive(reeve *r, const struct reeve_job *job) {
    return reeve_revive(r, job->queue, job->id);
}

static int run(struct cli *cli, int argc, char **argv) {
    static const struct failed_verb verb = {"revived", revive, NULL};
    return failed_change(cli, argc, argv, &verb);
}

const struct cmd cmd_failed_revive = {
    .name = "failed revive",
    .summary = "make failed jobs of a queue ready again",
    .usage = "Usage: reeve failed revive QUEUE --all | --error-matches S [--dry-run]\n"
             "\n"
             "Their attempts count from 0 again; the history stays. Prints how many.\n",
    .run = run,
};
