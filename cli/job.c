#include "job.h"

#include <stdio.h>
#include <string.h>

#include "colour.h"
#include "exit.h"
#include "json.h"
#include "text.h"

enum { SHOWN_MAX = 1024 }; /* of a body or a result; --json has the whole */

static void label(const char *name) {
    (void)printf("%-10s ", name);
}

static void line(const char *name, const char *text) {
    if (!text) return;
    label(name);
    text_put(stdout, text, strlen(text));
    (void)putchar('\n');
}

static void time_line(const char *name, int64_t ms) {
    char time[TEXT_TIME_SIZE];
    if (ms) line(name, text_time(time, ms));
}

static void bytes_line(const char *name, const void *bytes, size_t size) {
    label(name);
    text_put(stdout, bytes, size < SHOWN_MAX ? size : SHOWN_MAX);
    if (size > SHOWN_MAX) (void)printf("...");
    (void)printf("%s(%zu bytes)\n", size ? " " : "", size);
}

static void error_text(const struct reeve_failure *error) {
    if (error->code && *error->code) {
        (void)putchar('[');
        text_put(stdout, error->code, strlen(error->code));
        (void)fputs("] ", stdout);
    }
    if (error->message) text_put(stdout, error->message, strlen(error->message));
}

static void attempt_line(const struct reeve_attempt *attempt) {
    char time[TEXT_TIME_SIZE];
    const char *outcome = reeve_attempt_outcome_name(attempt->outcome);
    (void)printf("  %-3d %s  %-11s ", attempt->attempt, text_time(time, attempt->started_at_ms),
                 outcome ? outcome : "running");
    if (attempt->ended_at_ms)
        (void)printf("%8.3fs  ", (double)(attempt->ended_at_ms - attempt->started_at_ms) / 1000);
    if (attempt->worker) text_put(stdout, attempt->worker, strlen(attempt->worker));
    if (attempt->error) {
        (void)fputs("  ", stdout);
        error_text(attempt->error);
    }
    (void)putchar('\n');
}

void job_name_print(const char *queue, const char *id) {
    text_put(stdout, queue, strlen(queue));
    (void)putchar('/');
    text_put(stdout, id, strlen(id));
}

static void state_line(const struct reeve_job *job) {
    const char *name = reeve_state_name(job->state);
    label("state");
    (void)printf("%s%s%s%s\n", colour_of(job->state), name, colour_end(),
                 job->cancelling ? ", told to stop" : "");
}

static void print_log(const struct reeve_job *job) {
    if (job->log_count) (void)puts("log");
    for (size_t i = 0; i < job->log_count; i++) {
        (void)fputs("  ", stdout);
        text_put(stdout, job->log[i], strlen(job->log[i]));
        (void)putchar('\n');
    }
}

int job_print(const struct reeve_job *job) {
    label("job");
    job_name_print(job->queue, job->id);
    (void)putchar('\n');
    state_line(job);
    line("kind", job->kind);
    label("attempt");
    (void)printf("%d of %d\n", job->attempt, job->attempts_max);
    label("priority");
    (void)printf("%d\n", job->priority);
    line("worker", job->worker);
    if (job->progress >= 0) {
        label("progress");
        (void)printf("%d%%\n", job->progress);
    }
    time_line("created", job->created_at_ms);
    time_line("run at", job->run_at_ms);
    time_line("started", job->started_at_ms);
    time_line("ended", job->ended_at_ms);
    time_line("lease", job->lease_until_ms);
    bytes_line("body", job->body, job->body_size);
    if (job->result) bytes_line("result", job->result, job->result_size);
    if (job->error) {
        label("error");
        error_text(job->error);
        (void)putchar('\n');
    }
    if (job->history_count) (void)puts("history");
    for (size_t i = 0; i < job->history_count; i++)
        attempt_line(job->history[i]);
    print_log(job);
    return EXIT_DONE;
}

int job_print_state(const struct cli *cli, const struct address *job, enum reeve_state state,
                    const char *word) {
    if (cli->json) {
        const char *name = state ? reeve_state_name(state) : NULL;
        return json_line(json_pack("{s:o, s:o, s:o}", "queue", json_text(job->queue), "id",
                                   json_text(job->id), "state", json_text(name)));
    }
    job_name_print(job->queue, job->id);
    (void)printf(" %s\n", word);
    return EXIT_DONE;
}

static int tell_failure(const struct reeve_job *job) {
    const char *message = job->error && job->error->message ? job->error->message : "";
    if (job->state == REEVE_CANCELLED)
        return fail(EXIT_NO, "%s/%s was cancelled", job->queue, job->id);
    return fail(EXIT_NO, "%s/%s failed after %d attempt%s: %s", job->queue, job->id, job->attempt,
                job->attempt == 1 ? "" : "s", message);
}

int job_print_end(const struct cli *cli, const struct reeve_job *job) {
    if (cli->json) {
        int exit_code = json_line(job_json(job));
        return exit_code || job->state == REEVE_DONE ? exit_code : tell_failure(job);
    }
    if (job->state != REEVE_DONE) return tell_failure(job);
    if (job->result_size) (void)fwrite(job->result, 1, job->result_size, stdout);
    return EXIT_DONE;
}

int job_wait(const struct cli *cli, reeve *r, const char *queue, const char *id,
             int64_t timeout_ms) {
    struct reeve_job *job;
    int rc = reeve_wait(r, queue, id, timeout_ms, &job);
    int exit_code = rc ? fail_api(rc) : job_print_end(cli, job);
    reeve_free(job);
    return exit_code;
}

bool job_address(const char *text, struct address *out, int *exit_code) {
    const char *wrong = parse_address(text, out);
    if (wrong) *exit_code = fail_usage("'%s' %s", text, wrong);
    return !wrong;
}

int job_with(struct cli *cli, int argc, char **argv,
             int (*act)(const struct cli *cli, reeve *r, const struct address *job)) {
    struct operands operands;
    struct address address;
    int exit_code;
    if (!args_parse_all(cli, NULL, argc, argv, 1, 1, &operands, &exit_code)) return exit_code;
    if (!job_address(operands.items[0], &address, &exit_code)) return exit_code;
    reeve *r = cli_open(cli, &exit_code);
    if (r) exit_code = act(cli, r, &address);
    reeve_close(r);
    return exit_code;
}
