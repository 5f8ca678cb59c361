#include <stdio.h>

#include "commands.h"
#include "exit.h"
#include "json.h"
#include "listing.h"
#include "spool.h"
#include "text.h"

static json_t *failure_json(const struct reeve_failure *error) {
    if (!error) return json_null();
    return json_pack("{s:o, s:o}", "message", json_text(error->message), "code",
                     json_text(error->code));
}

static json_t *spooled_json(const struct reeve_spooled *spooled) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "store",
                     json_text(spooled->store), "queue", json_text(spooled->queue), "id",
                     json_text(spooled->id), "kind", json_text(spooled->kind), "body",
                     json_bytes(spooled->body, spooled->body_size), "at_ms",
                     json_ms(spooled->at_ms), "run_at_ms", json_ms(spooled->run_at_ms), "refused",
                     (int)spooled->refused, "error", failure_json(spooled->error));
}

static const char *state_of(const struct reeve_spooled *spooled) {
    if (!*spooled->queue) return "damaged";
    return spooled->refused ? "refused" : spooled->error ? "put off" : "waiting";
}

static int show(void *arg, const struct reeve_spooled *spooled) {
    struct listing *list = arg;
    char time[TEXT_TIME_SIZE];
    if (list->json) return json_line(spooled_json(spooled));
    table_text(&list->table, spooled->queue);
    table_text(&list->table, spooled->id);
    table_text(&list->table, spooled->kind);
    table_text(&list->table, text_time(time, spooled->at_ms));
    table_text(&list->table, state_of(spooled));
    table_text(&list->table, spooled->error ? spooled->error->message : NULL);
    table_text(&list->table, spooled->store);
    return 0;
}

static int list_all(const struct cli *cli, reeve *r) {
    static const char *const heads[] = {"QUEUE", "ID",    "KIND",  "PUSHED",
                                        "STATE", "ERROR", "STORE", NULL};
    struct listing list = {.json = cli->json};
    table_init(&list.table, heads);
    int rc = reeve_spool_list(r, show, &list);
    int exit_code = table_print(&list.table);
    return rc ? fail_api(rc) : exit_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    return spool_with(cli, argc, argv, list_all);
}

const struct cmd cmd_spool_list = {
    .name = "spool list",
    .summary = "list the pushes that wait in the spool, and those that were refused",
    .usage = "Usage: reeve spool list\n"
             "\n"
             "Whichever store they are for.\n",
    .run = run,
};
