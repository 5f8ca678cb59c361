#include <string.h>

#include "commands.h"
#include "exit.h"
#include "stream.h"

static bool is_json(const char *text) {
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    json_decref(value);
    return value != NULL;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct reeve_offer offer = {.size = sizeof offer};
    const char *info = NULL;
    bool compat = false, known;
    struct arg args[] = {
        arg_text("info", &info, "JSON", "for its owners, who get it on stdin (none)"),
        stream_compat(&compat),
        {0},
    };
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 2, 2, &operands, &exit_code)) return exit_code;
    if (info && !is_json(info)) return fail_usage("stream offer: --info %s: not JSON", info);
    reeve *r = cli_open(cli, &exit_code);
    if (!r) return exit_code;
    offer.group = operands.items[0];
    offer.name = operands.items[1];
    offer.info = info;
    offer.info_size = info ? strlen(info) : 0;
    offer.flags = compat ? REEVE_COMPAT : 0;
    int rc = reeve_stream_offer(r, &offer, &known);
    if (rc)
        exit_code = fail_api(rc);
    else
        stream_say(cli, offer.group, offer.name, known ? "duplicate" : "offered");
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_stream_offer = {
    .name = "stream offer",
    .summary = "offer a stream to the members of a group",
    .usage = "Usage: reeve stream offer GROUP NAME [OPTIONS]\n"
             "\n"
             "Prints GROUP/NAME offered, or duplicate if it waits or is owned already:\n"
             "then nothing has changed.\n",
    .run = run,
};
