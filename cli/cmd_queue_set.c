#include <inttypes.h>
#include <stdio.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "json.h"
#include "purge.h"
#include "queue.h"

static int set(const struct cli *cli, reeve *r, const char *name,
               const struct reeve_queue_settings *settings) {
    struct reeve_queue *queue = NULL;
    int rc = reeve_queue_set(r, name, settings);
    bool held = rc == REEVE_ESTATE && settings->shards;
    if (!rc) rc = reeve_queue_read(r, name, &queue);
    int exit_code = rc ? fail_api(rc) : EXIT_DONE;
    if (held) purge_hint(cli, r, name);
    if (rc) return exit_code;
    if (cli->json) {
        exit_code = json_line(
            json_pack("{s:o, s:o, s:s, s:o, s:i}", "queue", json_text(queue->name), "max_length",
                      json_ms(queue->max_length), "on_full", queue_on_full(queue), "keep_failed",
                      json_ms(queue->keep_failed), "shards", queue->shards));
    } else {
        (void)printf("%s ", queue->name);
        queue_print_settings(queue);
    }
    reeve_free(queue);
    return exit_code;
}

static int check_settings(const struct reeve_queue_settings *settings) {
    if (!settings->max_length && !settings->on_full && !settings->keep_failed && !settings->shards)
        return fail_usage("queue set: what? --max-length, --on-full, --keep-failed or --shards");
    return EXIT_DONE;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct reeve_queue_settings settings = {.size = sizeof settings};
    int on_full = 0;
    struct arg args[] = {
        arg_bound("max-length", &settings.max_length, "jobs that may wait, delayed and ready"),
        arg_choice(
            "on-full", &on_full, QUEUE_ON_FULL,
            "what becomes of a push then: it is refused (exit 1), or the job that has waited "
            "longest makes room (refuse)"),
        arg_bound("keep-failed", &settings.keep_failed,
                  "failed jobs that are kept; the oldest beyond go"),
        arg_int(
            "shards", &settings.shards, 1, REEVE_SHARDS_MAX,
            "parts that the queue is divided into, each on a server of its own in a cluster: while "
            "it holds no jobs"),
        {0},
    };
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 1, 1, &operands, &exit_code)) return exit_code;
    settings.on_full = (enum reeve_on_full)on_full;
    exit_code = check_settings(&settings);
    if (exit_code) return exit_code;
    reeve *r = cli_open(cli, &exit_code);
    if (r) exit_code = set(cli, r, operands.items[0], &settings);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_queue_set = {
    .name = "queue set",
    .summary = "bound how many jobs a queue holds",
    .usage = "Usage: reeve queue set QUEUE [OPTIONS]\n"
             "\n"
             "A recorded policy: it holds for all who use the queue, from now on. What is not\n"
             "named stays as it is. What goes or is refused is counted: see 'reeve queue\n"
             "show'.\n",
    .run = run,
};
