#include "commands.h"
#include "exit.h"
#include "spool.h"

static int revive(const struct cli *cli, reeve *r) {
    uint64_t count;
    int rc = reeve_spool_revive(r, &count);
    return rc ? fail_api(rc) : spool_print_count(cli, "revived", count);
}

static int run(struct cli *cli, int argc, char **argv) {
    return spool_with(cli, argc, argv, revive);
}

const struct cmd cmd_spool_revive = {
    .name = "spool revive",
    .summary = "have the store asked again for the pushes that it refused",
    .usage = "Usage: reeve spool revive\n"
             "\n"
             "Of this store's; they wait again, and are forwarded.\n",
    .run = run,
};
