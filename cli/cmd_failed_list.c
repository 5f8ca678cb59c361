#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "exit.h"
#include "failed.h"
#include "job.h"
#include "json.h"
#include "table.h"
#include "text.h"

enum { SHOWN = 100, PAGE = 500, MESSAGE_MAX = 100 };

struct listing {
    const struct failed_choice *choice;
    bool json;
    size_t left; /* to be shown */
    bool more;
    struct table table;
};

static void add_row(struct table *table, const struct reeve_job *job) {
    const struct reeve_failure *error = job->error;
    char time[TEXT_TIME_SIZE], message[MESSAGE_MAX + 4];
    table_text(table, job->id);
    table_text(table, job->kind);
    table_number(table, (uint64_t)job->attempt);
    table_text(table, text_time(time, job->ended_at_ms));
    table_text(table, error ? error->code : NULL);
    if (!error || !error->message) {
        table_text(table, NULL);
        return;
    }
    bool cut = strlen(error->message) > MESSAGE_MAX;
    (void)snprintf(message, sizeof message, "%.*s%s", MESSAGE_MAX, error->message,
                   cut ? "..." : "");
    table_text(table, message);
}

static int show(void *arg, const struct reeve_job *job) {
    struct listing *list = arg;
    if (!failed_is_meant(list->choice, job)) return 0;
    list->more = !list->left;
    if (list->more) return 1;
    list->left--;
    if (list->json) return json_line(job_json(job));
    add_row(&list->table, job);
    return 0;
}

/* Page by page, each a table of its own: a queue may have any number of failed jobs. */
static int list_all(reeve *r, struct listing *list) {
    static const char *const heads[] = {"ID", "KIND", ">ATTEMPT", "ENDED", "CODE", "ERROR", NULL};
    struct reeve_filter filter = {
        .size = sizeof filter, .queue = list->choice->queue, .state = REEVE_FAILED, .limit = PAGE};
    char *cursor = NULL;
    int rc, exit_code;
    do {
        char *next = NULL;
        filter.after = cursor;
        table_init(&list->table, heads);
        rc = reeve_list(r, &filter, show, list, &next);
        exit_code = table_print(&list->table);
        reeve_free(cursor);
        cursor = next;
    } while (!rc && !exit_code && cursor && !list->more);
    reeve_free(cursor);
    if (list->more) (void)fputs("there are more: --all shows them\n", stderr);
    return rc ? fail_api(rc) : exit_code;
}

static int list_queue(const struct cli *cli, reeve *r, const struct failed_choice *choice) {
    struct listing list = {
        .choice = choice, .json = cli->json, .left = choice->all ? SIZE_MAX : SHOWN};
    struct reeve_queue *queue;
    int rc = reeve_queue_read(r, choice->queue, &queue);
    if (rc) return fail_api(rc);
    reeve_free(queue);
    return list_all(r, &list);
}

static int run(struct cli *cli, int argc, char **argv) {
    struct failed_choice choice = {0};
    struct arg args[] = {
        arg_flag("all", &choice.all, "however many there are; without it the first 100"),
        arg_text("error-matches", &choice.matches, "S", FAILED_MATCHES_ABOUT),
        {0},
    };
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 1, 1, &operands, &exit_code)) return exit_code;
    exit_code = failed_check(&choice);
    if (exit_code) return exit_code;
    choice.queue = operands.items[0];
    reeve *r = cli_open(cli, &exit_code);
    if (r) exit_code = list_queue(cli, r, &choice);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_failed_list = {
    .name = "failed list",
    .summary = "list the failed jobs of a queue and why",
    .usage = "Usage: reeve failed list QUEUE [--all] [--error-matches S]\n"
             "\n"
             "With --json: each job as 'job show' has it.\n",
    .run = run,
};
