#include <stdio.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "json.h"
#include "leader.h"
#include "queue.h"
#include "text.h"

struct stats {
    bool json, failed;
    json_t *queues, *leaders; /* with json */
    struct table table;
    int workers, degraded;
    int64_t degraded_since_ms; /* of the first of them; 0 if none is */
};

static int add_queue(void *arg, const struct reeve_queue *queue) {
    struct stats *stats = arg;
    if (!stats->json)
        queue_row(&stats->table, queue);
    else if (json_array_append_new(stats->queues, queue_json(queue)))
        stats->failed = true;
    return 0;
}

static int count_worker(void *arg, const struct reeve_worker_info *worker) {
    struct stats *stats = arg;
    int64_t since_ms = worker->degraded_since_ms;
    stats->workers++;
    if (!since_ms) return 0;
    stats->degraded++;
    if (!stats->degraded_since_ms || since_ms < stats->degraded_since_ms)
        stats->degraded_since_ms = since_ms;
    return 0;
}

static int add_leader(void *arg, const struct reeve_leader_info *leader) {
    struct stats *stats = arg;
    if (json_array_append_new(stats->leaders, leader_json(leader))) stats->failed = true;
    return 0;
}

/* A store that knows no leaders has none. */
static int read_leaders(reeve *r, struct stats *stats) {
    int rc = stats->json ? reeve_leader_list(r, add_leader, stats) : 0;
    return rc == REEVE_ENOTSUP ? 0 : rc;
}

/* One queue, which need not exist: then all is 0. */
static int read_queue(reeve *r, const char *name, struct stats *stats) {
    struct reeve_queue none = {.name = name, .shards = 1}, *queue = NULL;
    int rc = reeve_queue_read(r, name, &queue);
    if (!rc || rc == REEVE_ENOENT) {
        (void)add_queue(stats, queue ? queue : &none);
        rc = 0;
    }
    reeve_free(queue);
    return rc;
}

static int print(struct stats *stats) {
    if (stats->json) {
        if (stats->failed) return fail(EXIT_BROKEN, "out of memory");
        return json_line(json_pack("{s:O, s:i, s:O, s:i, s:o}", "queues", stats->queues, "workers",
                                   stats->workers, "leaders", stats->leaders, "degraded",
                                   stats->degraded, "degraded_since_ms",
                                   json_ms(stats->degraded_since_ms)));
    }
    char time[TEXT_TIME_SIZE];
    int exit_code = table_print(&stats->table);
    (void)printf("%d worker%s", stats->workers, stats->workers == 1 ? "" : "s");
    if (stats->degraded)
        (void)printf(", %d degraded since %s", stats->degraded,
                     text_time(time, stats->degraded_since_ms));
    (void)putchar('\n');
    return exit_code;
}

static int show(const struct cli *cli, reeve *r, const char *queue) {
    struct stats stats = {
        .json = cli->json, .failed = false, .queues = json_array(), .leaders = json_array()};
    table_init(&stats.table, queue_heads);
    int rc = queue ? read_queue(r, queue, &stats) : reeve_queue_list(r, add_queue, &stats);
    if (!rc) rc = reeve_worker_list(r, count_worker, &stats);
    if (!rc) rc = read_leaders(r, &stats);
    int exit_code = rc ? fail_api(rc) : print(&stats);
    json_decref(stats.queues);
    json_decref(stats.leaders);
    return exit_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 0, 1, &operands, &exit_code)) return exit_code;
    reeve *r = cli_open(cli, &exit_code);
    if (r) exit_code = show(cli, r, operands.items[0]);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_stats = {
    .name = "stats",
    .summary = "show what is in the queues and how many workers there are",
    .usage = "Usage: reeve stats [QUEUE]\n"
             "\n"
             "A queue that does not exist shows zeros.\n",
    .run = run,
};
