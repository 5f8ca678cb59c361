#include <stdio.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "job.h"
#include "json.h"
#include "table.h"
#include "text.h"

struct listing {
    bool json;
    struct table table;
};

static int show(void *arg, const struct reeve_job *job) {
    struct listing *list = arg;
    char time[TEXT_TIME_SIZE];
    if (list->json) return json_line(job_json(job));
    table_text(&list->table, job->queue);
    table_text(&list->table, job->id);
    table_text(&list->table, reeve_state_name(job->state));
    table_text(&list->table, job->kind);
    table_number(&list->table, (uint64_t)job->attempt);
    table_text(&list->table, text_time(time, job->created_at_ms));
    table_text(&list->table, job->worker);
    return 0;
}

static int list_jobs(const struct cli *cli, reeve *r, const struct reeve_filter *filter) {
    static const char *const heads[] = {"QUEUE",    "ID",      "STATE",  "KIND",
                                        ">ATTEMPT", "CREATED", "WORKER", NULL};
    struct listing list = {.json = cli->json};
    char *cursor = NULL;
    table_init(&list.table, heads);
    int rc = reeve_list(r, filter, show, &list, &cursor);
    int exit_code = table_print(&list.table);
    if (rc) return fail_api(rc);
    if (cursor) {
        (void)fflush(stdout);
        (void)fprintf(stderr, "more: --after %s\n", cursor);
    }
    reeve_free(cursor);
    return exit_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct reeve_filter filter = {.size = sizeof filter};
    int state = 0, limit = 100;
    struct arg args[] = {
        arg_choice("state", &state, JOB_STATES, "only those"),
        arg_text("kind", &filter.kind, "K", "only those"),
        arg_int("limit", &limit, 1, 1000, "at most that many (100, at most 1000)"),
        arg_text("after", &filter.after, "CURSOR", "go on behind an earlier page"),
        {0},
    };
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 0, 1, &operands, &exit_code)) return exit_code;
    filter.state = (enum reeve_state)state;
    filter.queue = operands.items[0];
    filter.limit = (size_t)limit;
    reeve *r = cli_open(cli, &exit_code);
    if (r) exit_code = list_jobs(cli, r, &filter);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_job_list = {
    .name = "job list",
    .summary = "list jobs, by state and kind if wanted",
    .usage = "Usage: reeve job list [QUEUE] [--state S] [--kind K] [--limit N] [--after CURSOR]\n"
             "\n"
             "Lists jobs in no particular order. If there are more than N, the last line on\n"
             "stderr is 'more: --after CURSOR'.\n",
    .run = run,
};
