#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "exit.h"
#include "listing.h"
#include "stream.h"
#include "text.h"

enum verb { LIST = 1, REVIVE, PURGE };

enum { OPERANDS_MAX = 64 }; /* the verb and the group among them */

struct failed {
    const struct cli *cli;
    reeve *r;
    const char *group;
    unsigned flags;
    enum verb verb;
    bool dry_run;
    char **ids;   /* of those meant, NULL-ended; NULL: all */
    uint64_t met; /* a bit for each of them that there is */
    uint64_t done, refused;
    int error; /* of the first call that failed for other reasons than its letter's */
    struct listing list;
};

static json_t *letter_json(const struct reeve_letter *letter) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "group", json_text(letter->group),
                     "id", json_text(letter->id), "name", json_text(letter->name), "info",
                     json_bytes(letter->info, letter->info_size), "reason",
                     json_text(letter->reason), "member", json_text(letter->member), "retries",
                     (json_int_t)letter->retries, "failed_at_ms", json_ms(letter->failed_at_ms));
}

static int show(struct failed *f, const struct reeve_letter *letter) {
    char time[TEXT_TIME_SIZE];
    if (f->list.json) return json_line(letter_json(letter));
    table_text(&f->list.table, letter->id);
    table_text(&f->list.table, letter->name);
    table_number(&f->list.table, letter->retries);
    table_text(&f->list.table, letter->reason);
    table_text(&f->list.table, letter->member);
    table_text(&f->list.table, text_time(time, letter->failed_at_ms));
    return 0;
}

static bool is_meant(struct failed *f, const struct reeve_letter *letter) {
    if (!f->ids) return true;
    uint64_t met = f->met;
    for (size_t i = 0; f->ids[i]; i++)
        if (!strcmp(f->ids[i], letter->id)) f->met |= UINT64_C(1) << i;
    return f->met != met;
}

/* Those that are not there, each by its name. */
static int judge_unmet(const struct failed *f, int exit_code) {
    for (size_t i = 0; f->ids && f->ids[i]; i++)
        if (!(f->met >> i & 1))
            exit_code = fail(EXIT_UNKNOWN, "no dead letter '%s' in group %s", f->ids[i], f->group);
    return exit_code;
}

/* One that cannot go back is told of, and the others go on. */
static int change(struct failed *f, const char *id) {
    size_t removed = 0;
    int rc = f->verb == REVIVE ? reeve_letter_revive(f->r, f->group, f->flags, id)
                               : reeve_letter_purge(f->r, f->group, f->flags, id, &removed);
    if (!rc) {
        f->done += f->verb == REVIVE ? 1 : removed;
    } else if (rc == REEVE_ESTATE) {
        f->refused++;
        (void)fail(EXIT_NO, "%s: %s", id, reeve_errmsg());
    } else if (rc != REEVE_ENOENT) { /* somebody else was quicker */
        f->error = rc;
    }
    return f->error;
}

static int each(void *arg, const struct reeve_letter *letter) {
    struct failed *f = arg;
    if (!is_meant(f, letter)) return 0;
    if (f->verb == LIST) return show(f, letter);
    if (f->dry_run) {
        f->done++;
        return 0;
    }
    return change(f, letter->id);
}

static void say(const struct failed *f) {
    const char *word = f->verb == REVIVE ? "revived" : "removed";
    if (f->cli->json)
        (void)json_line(json_pack("{s:s, s:I, s:I, s:b}", "group", f->group, word,
                                  (json_int_t)f->done, "refused", (json_int_t)f->refused, "dry_run",
                                  (int)f->dry_run));
    else
        (void)printf("%" PRIu64 " %s%s\n", f->done, f->dry_run ? "would be " : "", word);
}

static int go(struct failed *f) {
    static const char *const heads[] = {"ID",     "NAME",   ">RETRIES", "REASON",
                                        "MEMBER", "FAILED", NULL};
    f->list.json = f->cli->json;
    table_init(&f->list.table, heads);
    int rc = reeve_letter_list(f->r, f->group, f->flags, each, f);
    int exit_code = table_print(&f->list.table);
    if (rc || f->error) return fail_api(rc ? rc : f->error);
    exit_code = judge_unmet(f, exit_code);
    if (f->verb == LIST || (exit_code && !f->met)) return exit_code;
    say(f);
    return f->refused ? EXIT_NO : exit_code;
}

static enum verb verb_of(const char *word) {
    if (!strcmp(word, "list")) return LIST;
    if (!strcmp(word, "revive")) return REVIVE;
    return strcmp(word, "purge") ? 0 : PURGE;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct failed failed = {.cli = cli};
    bool all = false, compat = false;
    struct arg args[] = {
        arg_flag("all", &all, "every dead letter of the group"),
        arg_flag("dry-run", &failed.dry_run, "only say how many"),
        stream_compat(&compat),
        {0},
    };
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 2, OPERANDS_MAX, &operands, &exit_code))
        return exit_code;
    failed.verb = verb_of(operands.items[0]);
    if (!failed.verb)
        return fail_usage("stream failed: %s: list, revive or purge is expected",
                          operands.items[0]);
    if (failed.verb != LIST && all == (operands.count > 2))
        return fail_usage("stream failed %s: IDs or --all are expected", operands.items[0]);
    failed.group = operands.items[1];
    failed.flags = compat ? REEVE_COMPAT : 0;
    failed.ids = operands.count > 2 ? operands.items + 2 : NULL;
    failed.r = cli_open(cli, &exit_code);
    if (!failed.r) return exit_code;
    exit_code = go(&failed);
    reeve_close(failed.r);
    return exit_code;
}

const struct cmd cmd_stream_failed = {
    .name = "stream failed",
    .summary = "list, revive or remove the dead letters of a group",
    .usage = "Usage: reeve stream failed list GROUP [ID...]\n"
             "       reeve stream failed revive|purge GROUP ID... | --all [--dry-run]\n"
             "\n"
             "Streams that failed too often, and entries that could not be read. What is\n"
             "revived goes back in line with its count at 0; one whose stream is there again\n"
             "stays, and the exit is 1. An ID that is not there is told, and the exit is 3.\n",
    .run = run,
};
