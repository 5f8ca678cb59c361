#include "commands.h"
#include "exit.h"
#include "listing.h"
#include "stream.h"
#include "text.h"

static int show_group(void *arg, const char *name) {
    struct listing *list = arg;
    if (list->json) return json_line(json_pack("{s:s}", "group", name));
    table_text(&list->table, name);
    return 0;
}

static int show_stream(void *arg, const struct reeve_stream *stream) {
    struct listing *list = arg;
    char time[TEXT_TIME_SIZE];
    if (list->json) return json_line(stream_json(stream));
    bool owned = stream->state == REEVE_STREAM_OWNED;
    table_text(&list->table, stream->name);
    table_text(&list->table,
               stream->yielding ? "yielding" : reeve_stream_state_name(stream->state));
    table_number(&list->table, stream->retries);
    table_text(&list->table, stream->member);
    table_number(&list->table, stream->token);
    table_text(&list->table, text_time(time, owned ? stream->owned_at_ms : stream->offered_at_ms));
    return 0;
}

static int tell(struct cli *cli, reeve *r, const char *group, unsigned flags,
                enum reeve_stream_state state) {
    static const char *const group_heads[] = {"GROUP", NULL};
    static const char *const heads[] = {"NAME",   "STATE", ">RETRIES", "MEMBER",
                                        ">TOKEN", "SINCE", NULL};
    struct listing list = {.json = cli->json};
    table_init(&list.table, group ? heads : group_heads);
    int rc = group ? reeve_stream_list(r, group, flags, state, show_stream, &list)
                   : reeve_group_list(r, show_group, &list);
    int exit_code = table_print(&list.table);
    return rc ? fail_api(rc) : exit_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    bool compat = false;
    int state = 0;
    struct arg args[] = {
        arg_choice("state", &state, "waiting|owned", "only those"),
        stream_compat(&compat),
        {0},
    };
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 0, 1, &operands, &exit_code)) return exit_code;
    reeve *r = cli_open(cli, &exit_code);
    if (!r) return exit_code;
    exit_code = tell(cli, r, operands.count ? operands.items[0] : NULL, compat ? REEVE_COMPAT : 0,
                     (enum reeve_stream_state)state);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_stream_list = {
    .name = "stream list",
    .summary = "list the streams of a group, or the groups",
    .usage = "Usage: reeve stream list [GROUP] [OPTIONS]\n"
             "\n"
             "Without GROUP: the groups there are, but for those of --compat.\n",
    .run = run,
};
