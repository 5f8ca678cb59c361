#include <inttypes.h>
#include <stdio.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "json.h"
#include "notify.h"
#include "patience.h"
#include "signals.h"

static int tend_once(const struct cli *cli, reeve *r) {
    struct reeve_tended tended = {.size = sizeof tended};
    int rc = reeve_tend(r, &tended);
    if (rc) return fail_api(rc);
    if (cli->json)
        return json_line(json_pack("{s:I, s:I, s:I}", "promoted", (json_int_t)tended.promoted,
                                   "lapsed", (json_int_t)tended.lapsed, "expired",
                                   (json_int_t)tended.expired));
    (void)printf("%" PRIu64 " promoted, %" PRIu64 " lapsed, %" PRIu64 " expired\n", tended.promoted,
                 tended.lapsed, tended.expired);
    return EXIT_DONE;
}

/* Not that the process lives, but that its store answers, is what the watchdog is told. */
static void feed_watchdog(reeve *r) {
    struct reeve_queue *queue;
    int rc = reeve_queue_read(r, "default", &queue);
    if (!rc || rc == REEVE_ENOENT) notify("WATCHDOG=1");
    reeve_free(queue);
}

static int tend(reeve *r, const struct reeve_tender_options *options, const sigset_t *set) {
    reeve_tender *tender;
    int rc = reeve_tender_open(&tender, r, options), signal;
    if (rc) return fail_api(rc);
    (void)fputs("ready\n", stderr);
    notify("READY=1");
    int64_t watchdog_ms = notify_watchdog_ms();
    do {
        signal = signals_take(set, watchdog_ms ? watchdog_ms : -1);
        if (!signal) feed_watchdog(r);
    } while (signal != SIGTERM && signal != SIGINT && signal != SIGQUIT);
    notify("STOPPING=1");
    reeve_tender_close(tender);
    return EXIT_DONE;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct reeve_tender_options options = {.size = sizeof options};
    bool once = false;
    struct arg args[] = {
        arg_flag("once", &once, "one pass, and what it did"),
        arg_flag("no-election", &options.no_election, "tend even if another does"),
        {0},
    };
    struct operands operands;
    sigset_t set;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 0, 0, &operands, &exit_code)) return exit_code;
    if (!once) signals_block_ends(&set);
    cli->spool_use = CLI_SPOOL_BESIDES;
    reeve *r = once ? cli_open(cli, &exit_code) : patience_open(cli, &set, &exit_code);
    if (r) exit_code = once ? tend_once(cli, r) : tend(r, &options, &set);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_tend = {
    .name = "tend",
    .summary = "do the upkeep of all queues as a process of its own",
    .usage = "Usage: reeve tend [--no-election] [--once]\n"
             "\n"
             "Makes due jobs ready, ends the attempts of silent workers, forgets what was\n"
             "kept long enough. Workers do that, too; any number may at once, and all of them\n"
             "elect one that does most of it. Until TERM or INT.\n",
    .run = run,
};
