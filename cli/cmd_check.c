#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "job.h"
#include "json.h"

struct lease {
    uint64_t token, holder;
};

/* A number without sign, up to the byte that ends it. */
static bool take_number(const char **at, char end, uint64_t *out) {
    char *stop;
    if (**at < '0' || **at > '9') return false;
    errno = 0;
    unsigned long long number = strtoull(*at, &stop, 10);
    if (errno || *stop != end) return false;
    *out = number;
    *at = stop + (end != '\0');
    return true;
}

static int parse_lease(const char *text, struct lease *out) {
    const char *at = text;
    if (take_number(&at, '.', &out->token) && take_number(&at, '\0', &out->holder))
        return EXIT_DONE;
    return fail_usage("--lease: '%s' is not of the form TOKEN.HOLDER, as in $REEVE_LEASE", text);
}

/* rc: what the store, or the worker, answered. A job that is not there any more has no lease. */
static int tell(const struct cli *cli, int rc) {
    bool is_over = rc == REEVE_EFENCED || rc == REEVE_ENOENT;
    if (cli->json && (!rc || is_over)) {
        int exit_code = json_line(json_pack("{s:b}", "current", (int)!rc));
        if (exit_code) return exit_code;
    }
    if (is_over) return fail(EXIT_FENCED, "%s", reeve_errmsg());
    return rc ? fail_api(rc) : EXIT_DONE;
}

static int check_here(const struct cli *cli) {
    int rc = reeve_check_here();
    if (rc != REEVE_ESTATE) return tell(cli, rc);
    return fail_usage("check: this is no program that a worker runs: name QUEUE/ID and --lease");
}

static int check(const struct cli *cli, const char *job, const char *lease_text) {
    struct address address;
    struct lease lease = {0};
    int exit_code;
    if (!job_address(job, &address, &exit_code)) return exit_code;
    exit_code = parse_lease(lease_text, &lease);
    if (exit_code) return exit_code;
    reeve *r = cli_open(cli, &exit_code);
    if (r)
        exit_code = tell(cli, reeve_check(r, address.queue, address.id, lease.token, lease.holder));
    reeve_close(r);
    return exit_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    const char *lease = NULL;
    struct arg args[] = {
        arg_text("lease", &lease, "TOKEN.HOLDER", "as the handler has it in $REEVE_LEASE"),
        {0},
    };
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 0, 1, &operands, &exit_code)) return exit_code;
    if (!operands.count && !lease) return check_here(cli);
    if (!operands.count) return fail_usage("check: of which job is that lease? Name QUEUE/ID");
    if (!lease) return fail_usage("check: --lease TOKEN.HOLDER is missing");
    return check(cli, operands.items[0], lease);
}

const struct cmd cmd_check = {
    .name = "check",
    .summary = "ask whether a lease is still current",
    .usage = "Usage: reeve check [QUEUE/ID --lease TOKEN.HOLDER]\n"
             "\n"
             "Exit 0 while that lease is current in the store, 5 when not: for handlers about\n"
             "to do something they cannot undo. Inside a program that 'reeve work' runs it\n"
             "needs neither arguments nor a store: it asks through the worker. Exit 69 if\n"
             "nobody can tell.\n",
    .run = run,
};
