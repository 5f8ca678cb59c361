#include "commands.h"
#include "json.h"
#include "leader.h"
#include "listing.h"
#include "text.h"

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

static int tell(reeve *r, struct listing *list) {
    return reeve_leader_list(r, show, list);
}

static int run(struct cli *cli, int argc, char **argv) {
    static const char *const heads[] = {"NAME", ">TERM", "BY", "SINCE", "UNTIL", "", NULL};
    return listing_run(cli, argc, argv, heads, tell);
}

const struct cmd cmd_leader_list = {
    .name = "leader list",
    .summary = "list who leads what",
    .usage = "Usage: reeve leader list\n",
    .run = run,
};
