#include "commands.h"
#include "exit.h"
#include "job.h"
#include "json.h"

static int show(const struct cli *cli, reeve *r, const struct address *address) {
    struct reeve_job *job;
    int rc = reeve_get(r, address->queue, address->id, &job);
    if (rc) return fail_api(rc);
    int exit_code = cli->json ? json_line(job_json(job)) : job_print(job);
    reeve_free(job);
    return exit_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    return job_with(cli, argc, argv, show);
}

const struct cmd cmd_job_show = {
    .name = "job show",
    .summary = "show one job and its history",
    .usage = "Usage: reeve job show QUEUE/ID\n"
             "\n"
             "Shows all that is known of a job. With --json bodies and results are whole;\n"
             "bytes that are not UTF-8 appear as {\"base64\": \"...\"}.\n",
    .run = run,
};
