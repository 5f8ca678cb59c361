#include "commands.h"
#include "exit.h"
#include "job.h"

static int revive(const struct cli *cli, reeve *r, const struct address *job) {
    int rc = reeve_revive(r, job->queue, job->id);
    return rc ? fail_api(rc) : job_print_state(cli, job, REEVE_READY, "ready");
}

static int run(struct cli *cli, int argc, char **argv) {
    return job_with(cli, argc, argv, revive);
}

const struct cmd cmd_job_revive = {
    .name = "job revive",
    .summary = "make a failed or cancelled job ready again",
    .usage = "Usage: reeve job revive QUEUE/ID\n"
             "\n"
             "Its attempts count from 0 again; the history stays. Exit 1 if it has neither\n"
             "failed nor been cancelled.\n",
    .run = run,
};
