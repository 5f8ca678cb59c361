#include "spool.h"

#include <inttypes.h>
#include <stdio.h>

#include "args.h"
#include "exit.h"
#include "json.h"

enum { LOOK_MS = 50, LOOK_MS_MAX = 1000 };

int spool_with(struct cli *cli, int argc, char **argv,
               int (*act)(const struct cli *cli, reeve *r)) {
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 0, 0, &operands, &exit_code)) return exit_code;
    cli->spool_use = CLI_SPOOL_ALONE;
    reeve *r = cli_open(cli, &exit_code);
    int rc = r ? reeve_spool_read(r, NULL) : 0;
    if (rc == REEVE_ESTATE)
        exit_code = fail_usage("no spool is named: --spool PATH, $REEVE_SPOOL or reeve.conf(5)");
    else if (rc)
        exit_code = fail_api(rc);
    else if (r)
        exit_code = act(cli, r);
    reeve_close(r);
    return exit_code;
}

/* The handle forwards by itself: this only looks. */
int spool_await(reeve *r, const struct span *span) {
    (void)fputs("spooled: the store is away; waiting for it\n", stderr);
    for (int64_t look_ms = LOOK_MS;; look_ms = look_ms < LOOK_MS_MAX ? 2 * look_ms : look_ms) {
        struct reeve_spool_info info = {.size = sizeof info};
        int rc = reeve_spool_read(r, &info);
        if (rc) return fail_api(rc);
        if (!info.waiting) return EXIT_DONE;
        if (span_is_over(span)) return fail(EXIT_LATE, "timed out: it is still in the spool");
        span_pause(look_ms);
    }
}

int spool_print_count(const struct cli *cli, const char *word, uint64_t count) {
    if (cli->json) return json_line(json_pack("{s:I}", word, (json_int_t)count));
    (void)printf("%" PRIu64 " %s\n", count, word);
    return EXIT_DONE;
}
