#include "work_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exit.h"
#include "values.h"
#include "words.h"

enum { GRACE_MS = 25000, WEIGHT_MAX = 100 };

/* ---- programs ---- */

/* false: errno says why not. */
static bool is_program(const char *folder, size_t folder_size, const char *name) {
    char path[4096];
    struct stat about;
    int size = snprintf(path, sizeof path, "%.*s%s%s", (int)folder_size, folder,
                        folder_size ? "/" : "", name);
    if (size < 0 || (size_t)size >= sizeof path)
        errno = ENAMETOOLONG;
    else if (!stat(path, &about) && S_ISDIR(about.st_mode))
        errno = EISDIR;
    else
        return !access(path, X_OK);
    return false;
}

/* A program that is not there would fail every job, attempt after attempt: that is said at the
 * start. */
static int check_program(const char *name) {
    const char *path = getenv("PATH");
    if (strchr(name, '/') || !path)
        return is_program("", 0, name) ? EXIT_DONE
                                       : fail_usage("cannot run %s: %s", name, strerror(errno));
    for (const char *at = path; *at;) {
        size_t size = strcspn(at, ":");
        if (is_program(at, size, name)) return EXIT_DONE;
        at += size + (at[size] == ':');
    }
    return fail_usage("cannot run %s: no such program in $PATH", name);
}

/* --kind K=CMD */
static int handle_kind(reeve_worker *worker, const char *text) {
    const char *equals = strchr(text, '=');
    char kind[REEVE_NAME_SIZE], **words;
    size_t size = equals ? (size_t)(equals - text) : 0;
    if (!size || size >= sizeof kind)
        return fail_usage("--kind: '%s' is not of the form K=CMD", text);
    memcpy(kind, text, size);
    kind[size] = '\0';
    const char *wrong = words_split(equals + 1, &words);
    if (wrong) return fail_usage("--kind: '%s' %s", text, wrong);
    int exit_code = check_program(words[0]);
    if (!exit_code) {
        int rc = reeve_worker_exec(worker, kind, (const char *const *)words);
        if (rc) exit_code = fail_api(rc);
    }
    free(words);
    return exit_code;
}

int work_options_handle(const struct work_options *o, reeve_worker *worker) {
    if (o->command) {
        int rc = reeve_worker_exec(worker, NULL, (const char *const *)o->command);
        if (rc) return fail_api(rc);
    }
    for (int i = 0; i < o->kinds.count; i++) {
        int exit_code = handle_kind(worker, o->kinds.items[i]);
        if (exit_code) return exit_code;
    }
    return EXIT_DONE;
}

/* ---- queues and their weights ---- */

/* "high=5", at place i; a queue without a weight has 1. */
static int take_queue(struct work_options *o, char *word, int i) {
    char *equals = strchr(word, '=');
    int64_t weight = 1;
    const char *wrong = equals ? parse_int(equals + 1, &weight) : NULL;
    if (!wrong && (weight < 1 || weight > WEIGHT_MAX)) wrong = "is not a weight of 1 to 100";
    if (wrong) return fail_usage("'%s': '%s' %s", word, equals + 1, wrong);
    if (equals) {
        *equals = '\0';
        o->worker.weights = o->weights;
    }
    o->weights[i] = (int)weight;
    o->queues[i] = word;
    return EXIT_DONE;
}

static size_t count_words(char *const *words) {
    size_t count = 0;
    while (words && words[count])
        count++;
    return count;
}

/* The words are copied, to be cut at their '='. */
static int take_queues(struct work_options *o, char *const *words) {
    size_t count = count_words(words), size = 0;
    for (size_t i = 0; i < count; i++)
        size += strlen(words[i]) + 1;
    o->names = malloc(size + 1);
    o->queues = calloc(count + 1, sizeof *o->queues);
    o->weights = calloc(count + 1, sizeof *o->weights);
    if (!o->names || !o->queues || !o->weights) return fail(EXIT_BROKEN, "out of memory");
    char *at = o->names;
    for (size_t i = 0; i < count; i++) {
        size_t word_size = strlen(words[i]) + 1;
        int exit_code = take_queue(o, memcpy(at, words[i], word_size), (int)i);
        if (exit_code) return exit_code;
        at += word_size;
    }
    o->worker.queues = (const char *const *)o->queues;
    return EXIT_DONE;
}

static int choose_queues(struct work_options *o, const struct operands *operands) {
    if (!operands->count && o->config_queues) {
        const char *wrong = words_split(o->config_queues, &o->file_queues);
        if (wrong)
            return fail_usage("%s: queues: '%s' %s", o->config_path, o->config_queues, wrong);
    }
    char **words = operands->count ? operands->items : o->file_queues;
    if (!words) return fail_usage("work: no queue is named; see 'reeve help work'");
    return take_queues(o, words);
}

static int choose_command(struct work_options *o, const struct operands *operands) {
    bool given = operands->rest && operands->rest[0];
    if (!given && o->config_command) {
        const char *wrong = words_split(o->config_command, &o->file_command);
        if (wrong)
            return fail_usage("%s: command: '%s' %s", o->config_path, o->config_command, wrong);
    }
    o->command = given ? operands->rest : o->file_command;
    if (!o->command && !o->kinds.count)
        return fail_usage("work: no program is named: reeve work QUEUE -- CMD [ARG...]");
    return o->command ? check_program(o->command[0]) : EXIT_DONE;
}

/* ---- all of it ---- */

static int complete(struct work_options *o, const struct operands *operands) {
    struct reeve_worker_options *w = &o->worker;
    if (o->in_doubt) w->in_doubt = (enum reeve_in_doubt)(o->in_doubt - 1);
    w->grace_ms = o->grace_ms ? o->grace_ms : REEVE_NONE;
    w->jobs_max = o->once ? 1 : 0;
    w->limits = &o->limits;
    int exit_code = choose_queues(o, operands);
    return exit_code ? exit_code : choose_command(o, operands);
}

enum { OPTIONS = 18 };

static void bind_options(struct work_options *o, struct arg out[OPTIONS]) {
    struct reeve_worker_options *w = &o->worker;
    struct reeve_limits *l = &o->limits;
    const struct arg args[] = {
        arg_int("threads", &w->threads, 1, 1024, "jobs at once (one per CPU)"),
        arg_texts("kind", &o->kinds, "K=CMD",
                  "another program for jobs of kind K; may be given again. CMD is split at blanks; "
                  "'...' and \"...\" keep together"),
        arg_duration("lease", &w->lease_ms, 1, ARG_DAY_MS,
                     "how long a silent worker keeps a job (30s)"),
        arg_duration("renew", &w->renew_ms, 1, ARG_DAY_MS,
                     "how often leases are renewed (a third of the lease)"),
        arg_duration("timeout", &w->timeout_ms, 0, 365 * ARG_DAY_MS,
                     "of an attempt whose job names none"),
        arg_duration("grace", &o->grace_ms, 0, ARG_DAY_MS,
                     "between TERM and KILL, and for the end after a TERM (25s)"),
        arg_int("prefetch", &w->prefetch, 0, 10000, "jobs claimed beyond the free threads (0)"),
        arg_size("result-max", &w->result_max, "of stdout that is kept (1M)"),
        arg_flag("once", &o->once, "end after one job"),
        arg_flag("until-empty", &w->until_empty, "end when nothing is ready, delayed or running"),
        arg_choice("in-doubt", &o->in_doubt, "continue|stop",
                   "what becomes of a program whose lease may have lapsed (continue)"),
        arg_size("limit-memory", &l->memory, "of address space, of each process of a job"),
        arg_duration("limit-cpu", &l->cpu_ms, 1, 365 * ARG_DAY_MS,
                     "of CPU time, in whole seconds; likewise"),
        arg_int("limit-files", &l->files, 1, 1 << 30, "open at once; likewise"),
        arg_int("limit-processes", &l->processes, 1, 1 << 30,
                "of the user that the worker runs as, all told"),
        arg_size("limit-file-size", &l->file_size, "of a file that is written"),
        arg_file("config", &o->config_path,
                 "settings for what the command line does not say; read again on HUP; see "
                 "reeve.conf(5)"),
        {0},
    };
    _Static_assert(sizeof args == OPTIONS * sizeof args[0], "of each option one, and the end");
    memcpy(out, args, sizeof args);
}

static int read_config(struct work_options *o, struct cli *cli, const struct arg *args) {
    const struct arg settings[] = {
        arg_text("store", &cli->config_store, "URL", ""),
        arg_text("space", &cli->config_space, "NAME", ""),
        arg_file("spool", &cli->config_spool, ""),
        arg_text("queues", &o->config_queues, "QUEUE...", ""),
        arg_text("command", &o->config_command, "CMD", ""),
        {0},
    };
    if (!o->config_path) return EXIT_DONE;
    if (!strcmp(o->config_path, "-"))
        return fail_usage("--config: stdin cannot be read again; name a file");
    cli->config_path = o->config_path;
    int exit_code = config_read(&o->config, o->config_path);
    return exit_code ? exit_code : config_apply(&o->config, args, settings);
}

bool work_options_parse(struct work_options *o, struct cli *cli, int argc, char **argv,
                        int *exit_code) {
    struct operands operands;
    struct arg args[OPTIONS];
    *o = (struct work_options){.worker = {.size = sizeof o->worker},
                               .limits = {.size = sizeof o->limits},
                               .grace_ms = GRACE_MS};
    bind_options(o, args);
    if (!args_parse(cli, args, argc, argv, &operands, exit_code)) return false;
    *exit_code = read_config(o, cli, args);
    if (!*exit_code) *exit_code = complete(o, &operands);
    if (*exit_code) work_options_release(o);
    return !*exit_code;
}

void work_options_release(struct work_options *o) {
    config_release(&o->config);
    free(o->file_command);
    free(o->file_queues);
    free(o->queues);
    free(o->weights);
    free(o->names);
    *o = (struct work_options){0};
}
