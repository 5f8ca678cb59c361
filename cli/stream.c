#include "stream.h"

#include <stdio.h>
#include <string.h>

#include "exit.h"
#include "text.h"

json_t *stream_json(const struct reeve_stream *stream) {
    return json_pack("{s:o, s:o, s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:b}", "group",
                     json_text(stream->group), "name", json_text(stream->name), "state",
                     reeve_stream_state_name(stream->state), "info",
                     json_bytes(stream->info, stream->info_size), "retries",
                     (json_int_t)stream->retries, "token", (json_int_t)stream->token, "member",
                     json_text(stream->member), "offered_at_ms", json_ms(stream->offered_at_ms),
                     "owned_at_ms", json_ms(stream->owned_at_ms), "lease_until_ms",
                     json_ms(stream->lease_until_ms), "yielding", (int)stream->yielding);
}

struct arg stream_compat(bool *to) {
    return arg_flag("compat", to, "the published layout of Redis Streams: see docs/streams.md");
}

void stream_say(const struct cli *cli, const char *group, const char *name, const char *word) {
    if (cli->json) {
        (void)json_line(
            json_pack("{s:s, s:o, s:s}", "group", group, "name", json_text(name), "status", word));
        return;
    }
    (void)printf("%s/", group);
    text_put(stdout, name, strlen(name));
    (void)printf(" %s\n", word);
}

int stream_do(struct cli *cli, int argc, char **argv, stream_deed_fn *deed, const char *word) {
    bool compat = false;
    struct arg args[] = {stream_compat(&compat), {0}};
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 2, 2, &operands, &exit_code)) return exit_code;
    reeve *r = cli_open(cli, &exit_code);
    if (!r) return exit_code;
    int rc = deed(r, operands.items[0], compat ? REEVE_COMPAT : 0, operands.items[1]);
    if (rc)
        exit_code = fail_api(rc);
    else
        stream_say(cli, operands.items[0], operands.items[1], word);
    reeve_close(r);
    return exit_code;
}
