#include "failed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit.h"
#include "json.h"
#include "progress.h"

enum { PAGE = 500 };

/* One pass over the failed jobs of a queue. */
struct pass {
    reeve *r;
    const struct failed_choice *choice;
    const struct failed_verb *verb;
    struct progress progress;
    uint64_t
        seen_max; /* as many as had failed at the beginning: what fails anew comes behind them */
    uint64_t seen, count;
    char *ids[PAGE]; /* of those that are meant, on this page */
    size_t id_count;
    bool failed; /* out of memory */
};

static bool contains(const char *text, const char *part) {
    return text && strstr(text, part);
}

bool failed_is_meant(const struct failed_choice *choice, const struct reeve_job *job) {
    if (job->state != REEVE_FAILED) return false;
    if (!choice->matches) return true;
    return job->error && (contains(job->error->message, choice->matches) ||
                          contains(job->error->code, choice->matches));
}

int failed_check(const struct failed_choice *choice) {
    if (choice->matches && !*choice->matches)
        return fail_usage("--error-matches: '' is in every error: say --all");
    return EXIT_DONE;
}

static int collect(void *arg, const struct reeve_job *job) {
    struct pass *pass = arg;
    if (pass->seen == pass->seen_max) return 1;
    pass->seen++;
    if (!failed_is_meant(pass->choice, job)) return 0;
    char *id = strdup(job->id);
    if (id) pass->ids[pass->id_count++] = id;
    pass->failed = !id;
    return !id;
}

/* Read again, since it may have moved on since the page was. */
static int change(struct pass *pass, const char *id) {
    struct reeve_job *job;
    int rc = reeve_get(pass->r, pass->choice->queue, id, &job);
    if (!rc && failed_is_meant(pass->choice, job)) {
        rc = pass->choice->dry_run ? 0 : pass->verb->act(pass->r, job);
        if (!rc) pass->count++;
    }
    reeve_free(job);
    return rc == REEVE_ENOENT || rc == REEVE_ESTATE ? 0 : rc;
}

static int change_page(struct pass *pass) {
    int rc = 0;
    for (size_t i = 0; i < pass->id_count; i++) {
        if (!rc) rc = change(pass, pass->ids[i]);
        free(pass->ids[i]);
        progress_show(&pass->progress, pass->count, pass->seen - pass->id_count + i);
    }
    pass->id_count = 0;
    return rc;
}

static int go_through(struct pass *pass) {
    struct reeve_filter filter = {
        .size = sizeof filter, .queue = pass->choice->queue, .state = REEVE_FAILED, .limit = PAGE};
    char *cursor = NULL;
    int rc;
    do {
        filter.after = cursor;
        char *next = NULL;
        rc = reeve_list(pass->r, &filter, collect, pass, &next);
        reeve_free(cursor);
        cursor = next;
        int changed = change_page(pass);
        if (!rc) rc = changed;
    } while (!rc && cursor && pass->seen < pass->seen_max && !pass->failed);
    reeve_free(cursor);
    return rc;
}

static int print_count(const struct cli *cli, const struct pass *pass) {
    bool dry_run = pass->choice->dry_run;
    if (cli->json)
        return json_line(json_pack("{s:o, s:I, s:b}", "queue", json_text(pass->choice->queue),
                                   pass->verb->done, (json_int_t)pass->count, "dry_run",
                                   (int)dry_run));
    (void)printf("%" PRIu64 " %s%s\n", pass->count, dry_run ? "would be " : "", pass->verb->done);
    return EXIT_DONE;
}

/* What was done is counted also when it ends early. */
static int change_all(const struct cli *cli, reeve *r, const struct failed_choice *choice,
                      const struct failed_verb *verb) {
    struct reeve_queue *queue;
    struct pass pass = {.r = r, .choice = choice, .verb = verb};
    int rc = reeve_queue_read(r, choice->queue, &queue);
    if (rc) return fail_api(rc);
    pass.seen_max = queue->failed;
    reeve_free(queue);
    if (choice->all && !choice->dry_run && verb->act_all) {
        rc = verb->act_all(cli, r, choice->queue, &pass.count);
    } else {
        progress_init(&pass.progress, verb->done, pass.seen_max, cli->quiet);
        rc = go_through(&pass);
        progress_clear(&pass.progress);
    }
    int exit_code = rc            ? fail_api(rc)
                    : pass.failed ? fail(EXIT_BROKEN, "out of memory")
                                  : EXIT_DONE;
    int printed = print_count(cli, &pass);
    return exit_code ? exit_code : printed;
}

int failed_change(struct cli *cli, int argc, char **argv, const struct failed_verb *verb) {
    struct failed_choice choice = {0};
    struct arg args[] = {
        arg_flag("all", &choice.all, "all of them"),
        arg_text("error-matches", &choice.matches, "S", FAILED_MATCHES_ABOUT),
        arg_flag("dry-run", &choice.dry_run, "only say how many it would be"),
        {0},
    };
    struct operands operands;
    int exit_code;
    if (!args_parse_all(cli, args, argc, argv, 1, 1, &operands, &exit_code)) return exit_code;
    if (choice.all == (choice.matches != NULL))
        return fail_usage("%s: which ones? Say --all or --error-matches S%s", cli->cmd->name,
                          choice.all ? ", not both" : "");
    exit_code = failed_check(&choice);
    if (exit_code) return exit_code;
    choice.queue = operands.items[0];
    reeve *r = cli_open(cli, &exit_code);
    if (r) exit_code = change_all(cli, r, &choice, verb);
    reeve_close(r);
    return exit_code;
}
