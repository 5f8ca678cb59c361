#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "exit.h"
#include "job.h"
#include "json.h"
#include "text.h"

static int tell(const struct cli *cli, reeve *r, const struct address *job) {
    char *why;
    int rc = reeve_why(r, job->queue, job->id, &why), exit_code = EXIT_DONE;
    if (rc) return fail_api(rc);
    if (cli->json) {
        exit_code = json_line(json_pack("{s:o, s:o, s:o}", "queue", json_text(job->queue), "id",
                                        json_text(job->id), "why", json_text(why)));
    } else {
        text_put(stdout, why, strlen(why));
        (void)putchar('\n');
    }
    reeve_free(why);
    return exit_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    return job_with(cli, argc, argv, tell);
}

const struct cmd cmd_job_why = {
    .name = "job why",
    .summary = "say in one sentence why a job is not running",
    .usage = "Usage: reeve job why QUEUE/ID\n"
             "\n"
             "Paused, delayed, in backoff, no worker, none for its kind, waiting behind\n"
             "others, running, or finished.\n",
    .run = run,
};
