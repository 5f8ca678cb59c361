#include "commands.h"
#include "exit.h"
#include "job.h"
#include "json.h"

static int keep(const struct cli *cli, reeve *r, const struct address *job, int64_t keep_ms) {
    int rc = reeve_keep(r, job->queue, job->id, keep_ms);
    if (rc) return fail_api(rc);
    if (!cli->json) return job_print_state(cli, job, 0, "kept");
    return json_line(json_pack("{s:o, s:o, s:I}", "queue", json_text(job->queue), "id",
                               json_text(job->id), "keep_ms", (json_int_t)keep_ms));
}

static int run(struct cli *cli, int argc, char **argv) {
    struct operands operands;
    struct address address;
    int64_t keep_ms;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 2, 2, &operands, &exit_code)) return exit_code;
    if (!job_address(operands.items[0], &address, &exit_code)) return exit_code;
    const char *wrong = parse_duration(operands.items[1], &keep_ms);
    if (!wrong && !keep_ms) wrong = "keeps nothing: 'reeve job remove' does that";
    if (wrong) return fail_usage("'%s' %s", operands.items[1], wrong);
    reeve *r = cli_open(cli, &exit_code);
    if (r) exit_code = keep(cli, r, &address, keep_ms);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_job_keep = {
    .name = "job keep",
    .summary = "set how long the record of an ended job stays",
    .usage = "Usage: reeve job keep QUEUE/ID D\n"
             "\n"
             "The record of the job, which has ended, stays for D from now. Exit 1 if it has\n"
             "not ended.\n",
    .run = run,
};
