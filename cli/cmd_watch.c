#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "exit.h"
#include "job.h"
#include "json.h"
#include "signals.h"
#include "text.h"

struct watch {
    bool json;
    pthread_t told; /* is sent SIGUSR1 when nobody reads any more */
    atomic_bool over;
};

static json_t *some_text(const char *text) {
    return text[0] ? json_text(text) : json_null();
}

static void print_json(const struct reeve_event *event) {
    const char *state = event->state ? reeve_state_name(event->state) : NULL;
    const char *why = event->why ? reeve_lost_name(event->why) : NULL;
    (void)json_line(json_pack(
        "{s:s, s:o, s:o, s:o, s:I, s:o, s:I, s:o, s:o, s:o, s:o, s:I}", "type",
        reeve_event_name(event->type), "queue", some_text(event->queue), "id", some_text(event->id),
        "state", json_text(state), "at_ms", (json_int_t)event->at_ms, "worker",
        json_text(event->worker), "token", (json_int_t)event->token, "leader",
        json_text(event->leader), "why", json_text(why), "from", json_text(event->from), "to",
        json_text(event->to), "took_ms", (json_int_t)event->took_ms));
}

static void print_failover(const struct reeve_event *event) {
    text_put(stdout, event->from, strlen(event->from));
    (void)fputs(" -> ", stdout);
    text_put(stdout, event->to, strlen(event->to));
    if (event->took_ms) (void)printf("  after %" PRId64 " ms", event->took_ms);
    (void)putchar('\n');
}

static void print_text(const struct reeve_event *event) {
    char time[TEXT_TIME_SIZE];
    (void)printf("%s  %-11s  ", text_time(time, event->at_ms), reeve_event_name(event->type));
    if (event->type == REEVE_STORE_FAILOVER) {
        print_failover(event);
        return;
    }
    const char *name = event->leader ? event->leader : event->queue;
    if (event->id[0])
        job_name_print(event->queue, event->id);
    else
        text_put(stdout, name, strlen(name));
    if (event->state) (void)printf("  %s", reeve_state_name(event->state));
    if (event->why) (void)printf("  %s", reeve_lost_name(event->why));
    if (event->worker) {
        (void)fputs("  ", stdout);
        text_put(stdout, event->worker, strlen(event->worker));
    }
    (void)putchar('\n');
}

/* From a thread of the library's; at once, so that a pipe sees it as it happens. */
static void on_event(void *arg, const struct reeve_event *event) {
    struct watch *watch = arg;
    if (atomic_load(&watch->over)) return;
    if (watch->json)
        print_json(event);
    else
        print_text(event);
    if (!fflush(stdout) && !ferror(stdout)) return;
    atomic_store(&watch->over, true);
    (void)pthread_kill(watch->told, SIGUSR1);
}

/* INT: 130, as of every command. TERM: the end that was asked for. */
static int watch_queue(const struct cli *cli, reeve *r, const char *queue, const sigset_t *set) {
    struct watch watch = {.json = cli->json, .told = pthread_self()};
    reeve_watch *handle;
    int rc = reeve_watch_open(&handle, r, queue, on_event, &watch), signal;
    if (rc) return fail_api(rc);
    if (!cli->quiet) (void)fputs("ready\n", stderr);
    do {
        signal = signals_take(set, -1);
    } while (signal != SIGINT && signal != SIGTERM && signal != SIGQUIT && signal != SIGHUP &&
             !atomic_load(&watch.over));
    reeve_watch_close(handle);
    return signal == SIGINT ? EXIT_INTERRUPTED : EXIT_DONE;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct operands operands;
    sigset_t set;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 0, 1, &operands, &exit_code)) return exit_code;
    signals_block_ends(&set);
    reeve *r = cli_open(cli, &exit_code);
    if (r) exit_code = watch_queue(cli, r, operands.items[0], &set);
    reeve_close(r);
    return exit_code;
}

const struct cmd cmd_watch = {
    .name = "watch",
    .summary = "show what happens to jobs, as it happens",
    .usage =
        "Usage: reeve watch [QUEUE]\n"
        "\n"
        "One line for each event of QUEUE, or of all and of leaders: when, what, which job,\n"
        "what it came to, whose worker. Events are hints: one may be missing, none is invented.\n"
        "A queue that comes into being is noticed within a second. 'ready' on stderr\n"
        "tells that it watches.\n"
        "Ends with 130 on INT, with 0 on TERM or when nobody reads any more.\n",
    .notes = "With --json: {\"type\", \"queue\", \"id\", \"state\", \"at_ms\", \"worker\", "
             "\"token\",\n"
             "\"leader\", \"why\", \"from\", \"to\", \"took_ms\"}. Types:\n"
             "pushed claimed retried handed_back lapsed ended; started and stopped, of a\n"
             "worker, have neither id nor state; gained and lost, of a leader (@upkeep: the\n"
             "one that tends), have no queue, and token is the term; failover, of the store's\n"
             "servers (from, to, took_ms), is told whatever QUEUE is.\n",
    .run = run,
};
