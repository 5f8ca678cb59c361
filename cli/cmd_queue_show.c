#include <inttypes.h>
#include <stdio.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "json.h"
#include "queue.h"

static int print(const struct reeve_queue *queue) {
    (void)printf("queue      %s%s\n", queue->name, queue->paused ? " (paused)" : "");
    (void)printf("ready      %" PRIu64, queue->ready);
    if (queue->oldest_ready_ms)
        (void)printf(", the oldest for %.3fs", (double)queue->oldest_ready_ms / 1000);
    (void)printf("\ndelayed    %" PRIu64 "\nrunning    %" PRIu64 "\ndone       %" PRIu64
                 "\nfailed     %" PRIu64 "\ncancelled  %" PRIu64 "\n",
                 queue->delayed, queue->running, queue->done, queue->failed, queue->cancelled);
    (void)printf("in total   %" PRIu64 " pushed, %" PRIu64 " finished, %" PRIu64
                 " retried, %" PRIu64 " lapsed, %" PRIu64 " fenced, %" PRIu64 " refused, %" PRIu64
                 " dropped, %" PRIu64 " trimmed\n",
                 queue->pushed_total, queue->finished_total, queue->retried_total,
                 queue->lapsed_total, queue->fenced_total, queue->refused_total,
                 queue->dropped_total, queue->trimmed_total);
    (void)printf("settings   ");
    queue_print_settings(queue);
    return EXIT_DONE;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct operands operands;
    struct reeve_queue *queue = NULL;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 1, 1, &operands, &exit_code)) return exit_code;
    reeve *r = cli_open(cli, &exit_code);
    if (!r) return exit_code;
    int rc = reeve_queue_read(r, operands.items[0], &queue);
    exit_code = rc ? fail_api(rc) : cli->json ? json_line(queue_json(queue)) : print(queue);
    reeve_free(queue);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_queue_show = {
    .name = "queue show",
    .summary = "show counts, totals and settings of one queue",
    .usage = "Usage: reeve queue show QUEUE\n"
             "\n"
             "Exit 3 if there is no such queue.\n",
    .run = run,
};
