#include "listing.h"

#include "args.h"
#include "exit.h"

int listing_run(struct cli *cli, int argc, char **argv, const char *const *heads,
                listing_fn *tell) {
    struct listing list = {0};
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 0, 0, &operands, &exit_code)) return exit_code;
    reeve *r = cli_open(cli, &exit_code);
    if (!r) return exit_code;
    list.json = cli->json;
    table_init(&list.table, heads);
    int rc = tell(r, &list);
    exit_code = table_print(&list.table);
    if (rc) exit_code = fail_api(rc);
    reeve_close(r);
    return exit_code;
}
