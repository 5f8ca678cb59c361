#include "commands.h"
#include "exit.h"
#include "job.h"

static int remove_job(const struct cli *cli, reeve *r, const struct address *job) {
    int rc = reeve_remove(r, job->queue, job->id);
    return rc ? fail_api(rc) : job_print_state(cli, job, 0, "removed");
}

static int run(struct cli *cli, int argc, char **argv) {
    return job_with(cli, argc, argv, remove_job);
}

const struct cmd cmd_job_remove = {
    .name = "job remove",
    .summary = "forget a job that does not run",
    .usage = "Usage: reeve job remove QUEUE/ID\n"
             "\n"
             "Its record goes, and with it the memory of its id. Exit 1 if it is running.\n",
    .run = run,
};
