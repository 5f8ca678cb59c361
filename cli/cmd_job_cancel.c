#include "commands.h"
#include "exit.h"
#include "job.h"

static int cancel(const struct cli *cli, reeve *r, const struct address *job) {
    enum reeve_state now;
    int rc = reeve_cancel(r, job->queue, job->id, &now);
    if (rc) return fail_api(rc);
    return job_print_state(cli, job, now, now == REEVE_CANCELLED ? "cancelled" : "cancelling");
}

static int run(struct cli *cli, int argc, char **argv) {
    return job_with(cli, argc, argv, cancel);
}

const struct cmd cmd_job_cancel = {
    .name = "job cancel",
    .summary = "cancel a job that waits, or have one that runs stopped",
    .usage = "Usage: reeve job cancel QUEUE/ID\n"
             "\n"
             "A waiting job is cancelled at once. A running one is told to stop\n"
             "('cancelling') and is cancelled when its worker has done so. Exit 1 if it has\n"
             "ended already.\n",
    .run = run,
};
