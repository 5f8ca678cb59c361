#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "exit.h"
#include "member.h"
#include "stream.h"
#include "text.h"

/* ---- a stream ---- */
static void print_stream(const struct reeve_stream *stream) {
    char time[TEXT_TIME_SIZE];
    (void)printf("name     ");
    text_put(stdout, stream->name, strlen(stream->name));
    (void)printf("\nstate    %s%s\nretries  %" PRIu64 "\ntoken    %" PRIu64 "\noffered  %s\n",
                 reeve_stream_state_name(stream->state),
                 stream->yielding ? " (asked to yield)" : "", stream->retries, stream->token,
                 text_time(time, stream->offered_at_ms));
    if (stream->state == REEVE_STREAM_OWNED) {
        (void)printf("member   ");
        text_put(stdout, stream->member, strlen(stream->member));
        (void)printf("\nowned    %s\n", text_time(time, stream->owned_at_ms));
        (void)printf("until    %s, unless it is renewed\n",
                     text_time(time, stream->lease_until_ms));
    }
    (void)printf("info     ");
    text_put(stdout, stream->info, stream->info_size);
    (void)printf("\n");
}

static int show_stream(const struct cli *cli, reeve *r, const char *group, unsigned flags,
                       const char *name) {
    struct reeve_stream *stream;
    int exit_code = EXIT_DONE;
    int rc = reeve_stream_read(r, group, flags, name, &stream);
    if (rc) return fail_api(rc);
    if (cli->json)
        exit_code = json_line(stream_json(stream));
    else
        print_stream(stream);
    reeve_free(stream);
    return exit_code;
}

/* ---- a group ---- */
struct figure {
    const char *name;
    uint64_t value;
};
enum { FIGURES = 17 };

static void figures_of(const struct reeve_group *g, struct figure out[FIGURES]) {
    const struct figure figures[FIGURES] = {
        {"waiting", g->waiting},
        {"owned", g->owned},
        {"failed", g->failed},
        {"members", g->members},
        {"offered_total", g->offered_total},
        {"duplicates_total", g->duplicates_total},
        {"taken_total", g->taken_total},
        {"ended_total", g->ended_total},
        {"yielded_total", g->yielded_total},
        {"lapsed_total", g->lapsed_total},
        {"requeued_total", g->requeued_total},
        {"failed_total", g->failed_total},
        {"unparseable_total", g->unparseable_total},
        {"trimmed_total", g->trimmed_total},
        {"purged_total", g->purged_total},
        {"revived_total", g->revived_total},
        {"fenced_total", g->fenced_total},
    };
    memcpy(out, figures, sizeof figures);
}

static int add_member(void *arg, const struct reeve_member_info *member) {
    return json_array_append_new(arg, member_json(member));
}

static int print_member(void *arg, const struct reeve_member_info *member) {
    (void)arg;
    (void)printf("member   ");
    text_put(stdout, member->name, strlen(member->name));
    (void)printf(" owns %" PRIu64 " of at most %" PRIu64 "\n", member->owned, member->max);
    return 0;
}

static int show_group(const struct cli *cli, reeve *r, const char *group, unsigned flags) {
    struct reeve_group *found;
    struct figure figures[FIGURES];
    int rc = reeve_group_read(r, group, flags, &found);
    if (rc) return fail_api(rc);
    figures_of(found, figures);
    reeve_free(found);
    json_t *members = cli->json ? json_array() : NULL;
    json_t *object = cli->json ? json_pack("{s:s}", "group", group) : NULL;
    if (!cli->json) (void)printf("%-18s %s\n", "group", group);
    for (int i = 0; i < FIGURES; i++) {
        if (cli->json)
            (void)json_object_set_new(object, figures[i].name,
                                      json_integer((json_int_t)figures[i].value));
        else
            (void)printf("%-18s %" PRIu64 "\n", figures[i].name, figures[i].value);
    }
    rc = reeve_member_list(r, group, flags, cli->json ? add_member : print_member, members);
    if (cli->json) (void)json_object_set_new(object, "member_list", members);
    if (rc) {
        json_decref(object);
        return fail_api(rc);
    }
    return cli->json ? json_line(object) : EXIT_DONE;
}

static int run(struct cli *cli, int argc, char **argv) {
    bool compat = false;
    struct arg args[] = {stream_compat(&compat), {0}};
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 1, 2, &operands, &exit_code)) return exit_code;
    reeve *r = cli_open(cli, &exit_code);
    if (!r) return exit_code;
    unsigned flags = compat ? REEVE_COMPAT : 0;
    exit_code = operands.count == 2
                    ? show_stream(cli, r, operands.items[0], flags, operands.items[1])
                    : show_group(cli, r, operands.items[0], flags);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_stream_show = {
    .name = "stream show",
    .summary = "show a stream, or the figures and members of a group",
    .usage = "Usage: reeve stream show GROUP [NAME] [OPTIONS]\n"
             "\n"
             "Exit 3 if there is none.\n",
    .run = run,
};
