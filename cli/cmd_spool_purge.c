#include "commands.h"
#include "exit.h"
#include "spool.h"

static int purge(const struct cli *cli, reeve *r) {
    uint64_t count;
    int rc = reeve_spool_purge(r, &count);
    return rc ? fail_api(rc) : spool_print_count(cli, "purged", count);
}

static int run(struct cli *cli, int argc, char **argv) {
    return spool_with(cli, argc, argv, purge);
}

const struct cmd cmd_spool_purge = {
    .name = "spool purge",
    .summary = "drop the pushes that the store refused",
    .usage = "Usage: reeve spool purge\n"
             "\n"
             "Of this store's. Those that wait stay.\n",
    .run = run,
};
