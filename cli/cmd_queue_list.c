#include "commands.h"
#include "json.h"
#include "listing.h"
#include "queue.h"

static int show(void *arg, const struct reeve_queue *queue) {
    struct listing *list = arg;
    if (list->json) return json_line(queue_json(queue));
    queue_row(&list->table, queue);
    return 0;
}

static int tell(reeve *r, struct listing *list) {
    return reeve_queue_list(r, show, list);
}

static int run(struct cli *cli, int argc, char **argv) {
    return listing_run(cli, argc, argv, queue_heads, tell);
}

const struct cmd cmd_queue_list = {
    .name = "queue list",
    .summary = "list the queues and how many jobs they hold",
    .usage = "Usage: reeve queue list\n"
             "\n"
             "A queue exists once it was pushed to or paused.\n",
    .run = run,
};
