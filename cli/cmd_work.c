#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "notify.h"
#include "signals.h"
#include "words.h"

enum { OPEN_RETRY_MS = 250, OPEN_RETRY_MS_MAX = 10000, GRACE_MS = 25000 };

struct options {
    struct reeve_worker_options worker;
    struct texts kinds;
    const char *in_doubt;
    int64_t grace_ms;
    bool once;
};

/* The worker, and the thread that takes its signals. */
struct supervisor {
    reeve_worker *worker;
    int64_t grace_ms;
    sigset_t set;
    atomic_bool over;
};

static bool is_program(const char *folder, size_t folder_size, const char *name) {
    char path[4096];
    int size = snprintf(path, sizeof path, "%.*s%s%s", (int)folder_size, folder,
                        folder_size ? "/" : "", name);
    return size > 0 && (size_t)size < sizeof path && !access(path, X_OK);
}

/* A program that is not there would fail every job, attempt after attempt: that is said at the
 * start. */
static int check_program(const char *name) {
    const char *path = getenv("PATH");
    if (strchr(name, '/') || !path)
        return is_program("", 0, name) ? EXIT_DONE : fail_usage("cannot run %s", name);
    for (const char *at = path; *at;) {
        size_t size = strcspn(at, ":");
        if (is_program(at, size, name)) return EXIT_DONE;
        at += size + (at[size] == ':');
    }
    return fail_usage("cannot run %s: no such program in $PATH", name);
}

static int check_options(struct options *o, const struct operands *operands) {
    bool has_command = operands->rest && operands->rest[0];
    if (!operands->count) return fail_usage("work: no queue is named; see 'reeve help work'");
    for (int i = 0; i < operands->count; i++) {
        if (strchr(operands->items[i], '='))
            return fail_usage("'%s': weights of queues are not supported yet", operands->items[i]);
    }
    if (!has_command && !o->kinds.count)
        return fail_usage("work: no program is named: reeve work QUEUE -- CMD [ARG...]");
    if (o->in_doubt && !strcmp(o->in_doubt, "stop"))
        o->worker.in_doubt = REEVE_DOUBT_STOP;
    else if (o->in_doubt && strcmp(o->in_doubt, "continue") != 0)
        return fail_usage("--in-doubt: '%s' is neither continue nor stop", o->in_doubt);
    return has_command ? check_program(operands->rest[0]) : EXIT_DONE;
}

static bool parse(struct cli *cli, int argc, char **argv, struct options *o,
                  struct operands *operands, int *exit_code) {
    struct reeve_worker_options *w = &o->worker;
    const struct arg args[] = {
        {.name = "threads", .kind = ARG_INT, .to = &w->threads, 1, 1024},
        {.name = "kind", .kind = ARG_TEXTS, .to = &o->kinds},
        {.name = "lease", .kind = ARG_DURATION, .to = &w->lease_ms, 1, INT64_MAX},
        {.name = "renew", .kind = ARG_DURATION, .to = &w->renew_ms, 1, INT64_MAX},
        {.name = "timeout", .kind = ARG_DURATION, .to = &w->timeout_ms},
        {.name = "grace", .kind = ARG_DURATION, .to = &o->grace_ms},
        {.name = "prefetch", .kind = ARG_INT, .to = &w->prefetch, 0, 10000},
        {.name = "result-max", .kind = ARG_SIZE, .to = &w->result_max},
        {.name = "once", .kind = ARG_FLAG, .to = &o->once},
        {.name = "until-empty", .kind = ARG_FLAG, .to = &w->until_empty},
        {.name = "in-doubt", .kind = ARG_TEXT, .to = &o->in_doubt},
        {.kind = ARG_END},
    };
    if (!args_parse(cli, args, argc, argv, operands, exit_code)) return false;
    *exit_code = check_options(o, operands);
    if (*exit_code) return false;
    w->queues = (const char *const *)operands->items;
    w->grace_ms = o->grace_ms ? o->grace_ms : REEVE_NONE;
    w->jobs_max = o->once ? 1 : 0;
    return true;
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

static int add_handlers(reeve_worker *worker, const struct options *o, char **command) {
    if (command && command[0]) {
        int rc = reeve_worker_exec(worker, NULL, (const char *const *)command);
        if (rc) return fail_api(rc);
    }
    for (int i = 0; i < o->kinds.count; i++) {
        int exit_code = handle_kind(worker, o->kinds.items[i]);
        if (exit_code) return exit_code;
    }
    return EXIT_DONE;
}

static void obey(struct supervisor *s, int signal, int *stops) {
    switch (signal) {
    case SIGTERM:
    case SIGINT:
    case SIGQUIT:
        notify("STOPPING=1");
        reeve_worker_stop(s->worker, signal == SIGQUIT || *stops > 0 ? 0 : s->grace_ms);
        ++*stops;
        break;
    case SIGTSTP:
        reeve_worker_quiet(s->worker, true);
        break;
    case SIGCONT:
        reeve_worker_quiet(s->worker, false);
        break;
    case SIGTTIN:
        reeve_worker_dump(s->worker);
        break;
    case 0:
        notify("WATCHDOG=1");
        break;
    default: /* HUP: there is no configuration to be read again yet */
        break;
    }
}

static void *supervise(void *arg) {
    struct supervisor *s = arg;
    int64_t watchdog_ms = notify_watchdog_ms();
    int stops = 0;
    while (!atomic_load(&s->over))
        obey(s, signals_take(&s->set, watchdog_ms ? watchdog_ms : -1), &stops);
    return NULL;
}

/* Until the worker ends, by a signal or by itself. */
static int run_worker(struct supervisor *s) {
    pthread_t thread;
    int rc = reeve_worker_start(s->worker);
    if (rc) return fail_api(rc);
    if (pthread_create(&thread, NULL, supervise, s))
        return fail(EXIT_BROKEN, "cannot start a thread");
    (void)fputs("ready\n", stderr);
    notify("READY=1");
    rc = reeve_worker_wait(s->worker, REEVE_NONE);
    atomic_store(&s->over, true);
    (void)pthread_kill(thread, SIGUSR1);
    (void)pthread_join(thread, NULL);
    return rc ? fail_api(rc) : EXIT_DONE;
}

static int work(reeve *r, const struct options *o, char **command, struct supervisor *s) {
    int rc = reeve_worker_open(&s->worker, r, &o->worker);
    if (rc) return fail_api(rc);
    int exit_code = add_handlers(s->worker, o, command);
    if (!exit_code) exit_code = run_worker(s);
    reeve_worker_close(s->worker);
    return exit_code;
}

/* A store that is away is waited for, and that is said once. */
static reeve *open_patiently(const struct cli *cli, const sigset_t *set, int *exit_code) {
    struct cli silent = *cli;
    reeve *r = cli_open(cli, exit_code);
    silent.silent = true;
    for (int64_t wait_ms = OPEN_RETRY_MS; *exit_code == EXIT_UNREACHABLE; wait_ms *= 2) {
        if (wait_ms > OPEN_RETRY_MS_MAX) wait_ms = OPEN_RETRY_MS_MAX;
        int signal = signals_take(set, wait_ms);
        if (signal == SIGTERM || signal == SIGINT || signal == SIGQUIT) return NULL;
        r = cli_open(&silent, exit_code);
    }
    return r;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct options o = {.worker = {.size = sizeof o.worker}, .grace_ms = GRACE_MS};
    struct supervisor s = {0};
    struct operands operands;
    int exit_code;
    if (!parse(cli, argc, argv, &o, &operands, &exit_code)) return exit_code;
    s.grace_ms = o.grace_ms;
    signals_block(&s.set);
    reeve *r = open_patiently(cli, &s.set, &exit_code);
    if (r) exit_code = work(r, &o, operands.rest, &s);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_work = {
    .name = "work",
    .summary = "run a program for each job of some queues",
    .usage = "Usage: reeve work QUEUE... [OPTIONS] -- CMD [ARG...]\n"
             "\n"
             "Runs CMD once per job, without a shell: the body on stdin, about the job in\n"
             "REEVE_QUEUE REEVE_ID REEVE_KIND REEVE_ATTEMPT REEVE_ATTEMPTS_MAX REEVE_TOKEN\n"
             "REEVE_LEASE REEVE_WORKER REEVE_DEADLINE_MS REEVE_SOCKET. Its stdout is the\n"
             "result, the end of its stderr the error. Exit 0: done. 65: failed for good. 75:\n"
             "handed back, not counted. Any other, or a signal: a failed attempt. The first\n"
             "queue is the most urgent.\n"
             "\n"
             "  --threads N        jobs at once (one per CPU)\n"
             "  --kind K=CMD       another program for jobs of kind K; may be given again.\n"
             "                     CMD is split at blanks; '...' and \"...\" keep together\n"
             "  --lease D          how long a silent worker keeps a job (30s)\n"
             "  --renew D          how often leases are renewed (a third of the lease)\n"
             "  --timeout D        of an attempt whose job names none\n"
             "  --grace D          between TERM and KILL, and for the end after a TERM (25s)\n"
             "  --prefetch N       jobs claimed beyond the free threads (0)\n"
             "  --result-max SIZE  of stdout that is kept (1M)\n"
             "  --once             end after one job\n"
             "  --until-empty      end when nothing is ready, delayed or running\n"
             "  --in-doubt continue|stop\n"
             "                     what becomes of a program whose lease may have lapsed\n"
             "                     (continue)\n"
             "\n"
             "Signals: TERM, INT: no new jobs, end within the grace; a second one: hand back\n"
             "at once. QUIT: the same at once. TSTP: no new jobs; CONT: again. TTIN: say what\n"
             "every thread is doing. 'ready' on stderr tells that it can claim.\n",
    .run = run,
};
