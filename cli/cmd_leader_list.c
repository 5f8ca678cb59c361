#include "args.h"
#include "commands.h"
#include "exit.h"
#include "json.h"
#include "leader.h"
#include "table.h"
#include "text.h"

struct listing {
    bool json;
    struct table table;
};

static const char *remark(const struct reeve_leader_info *leader) {
    return leader->resigning ? "asked to resign" : leader->upkeep ? "upkeep" : "";
}

static int show(void *arg, const struct reeve_leader_info *leader) {
    struct listing *list = arg;
    char time[TEXT_TIME_SIZE];
    if (list->json) return json_line(leader_json(leader));
    table_text(&list->table, leader->name);
    table_number(&list->table, leader->term);
    table_text(&list->table, leader->by);
    table_text(&list->table, text_time(time, leader->since_at_ms));
    table_text(&list->table, text_time(time, leader->until_at_ms));
    table_text(&list->table, remark(leader));
    return 0;
}

static int run(struct cli *cli, int argc, char **argv) {
    static const char *const heads[] = {"NAME", ">TERM", "BY", "SINCE", "UNTIL", "", NULL};
    struct listing list = {0};
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 0, 0, &operands, &exit_code)) return exit_code;
    reeve *r = cli_open(cli, &exit_code);
    if (!r) return exit_code;
    list.json = cli->json;
    table_init(&list.table, heads);
    int rc = reeve_leader_list(r, show, &list);
    exit_code = table_print(&list.table);
    if (rc) exit_code = fail_api(rc);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_leader_list = {
    .name = "leader list",
    .summary = "list who leads what",
    .usage = "Usage: reeve leader list\n",
    .run = run,
};
