#include "commands.h"
#include "exit.h"
#include "job.h"
#include "span.h"

static int run(struct cli *cli, int argc, char **argv) {
    int64_t timeout_ms = REEVE_NONE;
    struct arg args[] = {
        arg_duration("timeout", &timeout_ms, 0, INT64_MAX, "exit 4 after that"),
        {0},
    };
    struct operands operands;
    struct address address;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 1, 1, &operands, &exit_code)) return exit_code;
    if (!job_address(operands.items[0], &address, &exit_code)) return exit_code;
    struct span span = span_begin(timeout_ms);
    cli->call_ms = span_call_ms(&span);
    reeve *r = cli_open(cli, &exit_code);
    if (r) exit_code = job_wait(cli, r, address.queue, address.id, span_left_ms(&span));
    if (!r && exit_code == EXIT_UNREACHABLE && span_is_over(&span)) exit_code = EXIT_LATE;
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_wait = {
    .name = "wait",
    .summary = "wait for the end of a job and print its result",
    .usage = "Usage: reeve wait QUEUE/ID [--timeout D]\n"
             "\n"
             "Prints the result and nothing else on stdout; with --json the whole job. Exit 1\n"
             "if it failed or was cancelled, 3 if there is no such job. A store that does not\n"
             "answer makes it no longer: exit 4 all the same.\n",
    .run = run,
};
