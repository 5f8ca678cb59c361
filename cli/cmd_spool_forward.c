#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "exit.h"
#include "json.h"
#include "spool.h"

static int forward(const struct cli *cli, reeve *r) {
    struct reeve_spool_info info = {.size = sizeof info};
    int rc = reeve_spool_forward(r, &info);
    if (rc) return fail_api(rc);
    if (cli->json)
        return json_line(json_pack("{s:I, s:I, s:I}", "forwarded", (json_int_t)info.forwarded,
                                   "waiting", (json_int_t)info.waiting, "refused",
                                   (json_int_t)info.refused));
    (void)printf("%" PRIu64 " forwarded, %" PRIu64 " waiting, %" PRIu64 " refused\n",
                 info.forwarded, info.waiting, info.refused);
    return EXIT_DONE;
}

static int run(struct cli *cli, int argc, char **argv) {
    return spool_with(cli, argc, argv, forward);
}

const struct cmd cmd_spool_forward = {
    .name = "spool forward",
    .summary = "forward the pushes that wait in the spool, now",
    .usage = "Usage: reeve spool forward\n"
             "\n"
             "To this store, of those that are for it. Others do that by themselves: workers,\n"
             "'reeve tend' and programs that push, if they have the same spool. Exit 69 if the\n"
             "store is away.\n",
    .run = run,
};
