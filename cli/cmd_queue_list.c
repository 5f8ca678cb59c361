#include "args.h"
#include "commands.h"
#include "exit.h"
#include "json.h"
#include "queue.h"

struct listing {
    bool json;
    struct table table;
};

static int show(void *arg, const struct reeve_queue *queue) {
    struct listing *list = arg;
    if (list->json) return json_line(queue_json(queue));
    queue_row(&list->table, queue);
    return 0;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct listing list = {0};
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 0, 0, &operands, &exit_code)) return exit_code;
    reeve *r = cli_open(cli, &exit_code);
    if (!r) return exit_code;
    list.json = cli->json;
    queue_table_init(&list.table);
    int rc = reeve_queue_list(r, show, &list);
    exit_code = table_print(&list.table);
    if (rc) exit_code = fail_api(rc);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_queue_list = {
    .name = "queue list",
    .summary = "list the queues and how many jobs they hold",
    .usage = "Usage: reeve queue list\n"
             "\n"
             "A queue exists once it was pushed to or paused.\n",
    .run = run,
};
