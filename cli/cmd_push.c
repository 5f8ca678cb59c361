#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "bulk.h"
#include "commands.h"
#include "digest.h"
#include "exit.h"
#include "input.h"
#include "job.h"
#include "json.h"
#include "spool.h"

struct options {
    struct reeve_push push;
    const char *file;
    int64_t backoff_ms, keep_ms, wait_timeout_ms; /* ARG_UNSET, or as given */
    int64_t delay_ms, run_at_ms;
    struct span span; /* for all of it, with wait */
    bool id_from_body, bulk, wait;
    char digest[DIGEST_ID_SIZE]; /* the id, with id_from_body */
};

/* 0 is what a zeroed field does not say: explicitly none. */
static int64_t or_none(int64_t ms) {
    return ms == ARG_UNSET ? 0 : ms == 0 ? REEVE_NONE : ms;
}

static int check_combination(const struct options *o, const struct operands *operands) {
    if (o->push.id && o->id_from_body) return fail_usage("--id and --id-from-body: one of them");
    if (o->delay_ms != ARG_UNSET && o->run_at_ms != ARG_UNSET)
        return fail_usage("--delay and --at: one of them");
    if (o->wait_timeout_ms != ARG_UNSET && !o->wait)
        return fail_usage("--wait-timeout needs --wait");
    if (o->wait && o->keep_ms == 0)
        return fail_usage("--wait needs what --keep 0s throws away: the result");
    if (o->bulk && (o->push.id || o->wait))
        return fail_usage("--bulk goes with neither --id nor --wait");
    if (operands->count > 1 && (o->bulk || o->file))
        return fail_usage("unexpected argument '%s': the body comes from %s", operands->items[1],
                          o->bulk ? "the lines" : "--file");
    return EXIT_DONE;
}

static void complete(struct options *o, const struct operands *operands) {
    o->push.queue = operands->items[0];
    o->push.backoff_ms = or_none(o->backoff_ms);
    o->push.keep_ms = or_none(o->keep_ms);
    if (o->delay_ms != ARG_UNSET) o->push.delay_ms = o->delay_ms;
    if (o->run_at_ms != ARG_UNSET) o->push.run_at_ms = o->run_at_ms;
}

static bool parse(struct cli *cli, int argc, char **argv, struct options *o,
                  struct operands *operands, int *exit_code) {
    struct arg args[] = {
        arg_file("file", &o->file, "the body, or with --bulk the lines; - is stdin"),
        arg_text("id", &o->push.id, "ID", "1..255 bytes; generated without it"),
        arg_flag("id-from-body", &o->id_from_body,
                 "the first 32 hexadecimal digits of the body's SHA-256"),
        arg_text("kind", &o->push.kind, "K", "which handler runs it (default)"),
        arg_int("priority", &o->push.priority, -8, 7, "-8..7, smaller sooner (0)"),
        arg_duration("delay", &o->delay_ms, 0, 3650 * ARG_DAY_MS, "not before D from now"),
        arg_time("at", &o->run_at_ms, "not before then"),
        arg_int("attempts", &o->push.attempts_max, 1, 1000000, "at most (3)"),
        arg_duration("backoff", &o->backoff_ms, 0, 3650 * ARG_DAY_MS,
                     "wait after the first failure, doubled each time (1s)"),
        arg_duration("backoff-max", &o->push.backoff_ms_max, 1, 3650 * ARG_DAY_MS,
                     "but never more (1h)"),
        arg_duration("timeout", &o->push.timeout_ms, 1, 365 * ARG_DAY_MS, "of one attempt"),
        arg_duration("keep", &o->keep_ms, 0, 3650 * ARG_DAY_MS,
                     "how long id and result are remembered (1h); 0s: not at all"),
        arg_flag("wait", &o->wait,
                 "wait for the end and print the result alone; exit 1 if the job failed"),
        arg_duration("wait-timeout", &o->wait_timeout_ms, 0, INT64_MAX, "exit 4 after that"),
        arg_flag(
            "bulk", &o->bulk,
            "read one JSON object per line: {\"body\":..., \"id\":..., \"kind\":..., "
            "\"priority\":..., \"delay_ms\":...}. A body is a string, {\"base64\": \"...\"}, or "
            "any other JSON, stored as it is written. Other options are the defaults of the lines. "
            "A line that is not right is refused with its number, the rest goes on; exit 1 then"),
        {0},
    };
    if (!args_parse_all(cli, args, argc, argv, 1, 2, operands, exit_code)) return false;
    *exit_code = check_combination(o, operands);
    if (*exit_code) return false;
    complete(o, operands);
    return true;
}

static int print_pushed(const struct cli *cli, const char *queue, const struct reeve_pushed *out) {
    const char *status = reeve_push_status_name(out->status);
    if (!cli->json) {
        job_name_print(queue, out->id);
        (void)printf(" %s\n", status);
        return EXIT_DONE;
    }
    bool has_result = out->done && out->done->result;
    json_t *result =
        has_result ? json_bytes(out->done->result, out->done->result_size) : json_null();
    const char *state = out->state ? reeve_state_name(out->state) : NULL;
    return json_line(json_pack("{s:o, s:o, s:s, s:o, s:o}", "queue", json_text(queue), "id",
                               json_text(out->id), "status", status, "state", json_text(state),
                               "result", result));
}

/* Neither queued nor known: why not. */
static int fail_push(int rc, const struct options *o, const struct reeve_pushed *out) {
    if (rc == REEVE_EUNSURE && !o->push.id)
        return fail(EXIT_UNSURE, "%s; to repeat it: --id %s", reeve_errmsg(), out->id);
    return fail_api(rc);
}

/* What a spool keeps is waited for once it was forwarded. */
static int push_and_wait(const struct cli *cli, reeve *r, const struct options *o) {
    struct reeve_pushed out = {.size = sizeof out};
    struct reeve_job *job = NULL;
    int exit_code, rc = reeve_push_wait(r, &o->push, span_left_ms(&o->span), &out, &job);
    if (out.status == REEVE_SPOOLED) {
        exit_code = spool_await(r, &o->span);
        if (!exit_code) exit_code = job_wait(cli, r, o->push.queue, out.id, span_left_ms(&o->span));
    } else {
        exit_code = rc ? fail_push(rc, o, &out) : job_print_end(cli, job);
    }
    reeve_free(job);
    return exit_code;
}

static int push_one(const struct cli *cli, reeve *r, const struct options *o) {
    struct reeve_pushed out = {.size = sizeof out};
    int rc = reeve_push(r, &o->push, &out);
    if (rc) return fail_push(rc, o, &out);
    int exit_code = print_pushed(cli, o->push.queue, &out);
    reeve_free(out.done);
    return exit_code;
}

/* Opens the store, in what is given for the push and the wait for its end. */
static reeve *open_in_time(struct cli *cli, struct options *o, int *exit_code) {
    bool bounded = o->wait && o->wait_timeout_ms != ARG_UNSET;
    o->span = span_begin(bounded ? o->wait_timeout_ms : REEVE_NONE);
    cli->call_ms = span_call_ms(&o->span);
    return cli_open(cli, exit_code);
}

/* The body is read before the store is opened: what is wrong with it is said first. */
static int run_one(struct cli *cli, struct options *o, const char *body) {
    struct input input = {0};
    int exit_code = EXIT_DONE;
    if (o->file || (body && !strcmp(body, "-"))) {
        exit_code = input_read(o->file ? o->file : "-", REEVE_BODY_MAX, &input);
        if (exit_code) return exit_code;
        o->push.body = input.data;
        o->push.body_size = input.size;
    } else if (body) {
        o->push.body = body;
        o->push.body_size = strlen(body);
    }
    if (o->id_from_body) {
        if (!digest_id(o->push.body, o->push.body_size, o->digest))
            exit_code = fail(EXIT_BROKEN, "cannot make an id of the body");
        o->push.id = o->digest;
    }
    reeve *r = exit_code ? NULL : open_in_time(cli, o, &exit_code);
    if (r) exit_code = o->wait ? push_and_wait(cli, r, o) : push_one(cli, r, o);
    reeve_close(r);
    free(input.data);
    return exit_code;
}

static int run_bulk(const struct cli *cli, const struct options *o) {
    bool is_stdin = !o->file || !strcmp(o->file, "-");
    int fd = is_stdin ? STDIN_FILENO : open(o->file, O_RDONLY | O_CLOEXEC), exit_code;
    if (fd < 0) return fail_usage("cannot open %s: %s", o->file, strerror(errno));
    reeve *r = cli_open(cli, &exit_code);
    if (r) exit_code = bulk_push(cli, r, fd, &o->push, o->id_from_body);
    reeve_close(r);
    if (!is_stdin) (void)close(fd);
    return exit_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct options o = {
        .push = {.size = sizeof o.push},
        .backoff_ms = ARG_UNSET,
        .keep_ms = ARG_UNSET,
        .wait_timeout_ms = ARG_UNSET,
        .delay_ms = ARG_UNSET,
        .run_at_ms = ARG_UNSET,
    };
    struct operands operands;
    int exit_code;
    if (!parse(cli, argc, argv, &o, &operands, &exit_code)) return exit_code;
    cli->spool_use = CLI_SPOOL_INSTEAD;
    return o.bulk ? run_bulk(cli, &o) : run_one(cli, &o, operands.items[1]);
}

const struct cmd cmd_push = {
    .name = "push",
    .summary = "put jobs into a queue",
    .usage = "Usage: reeve push QUEUE [BODY | - | --file F] [OPTIONS]\n"
             "       reeve push QUEUE --bulk [OPTIONS] < LINES\n"
             "\n"
             "Puts a job into QUEUE and prints QUEUE/ID and what became of it: queued;\n"
             "duplicate, if the id is waiting, running or failed; done, if it is finished and\n"
             "remembered; spooled, if the store is away and there is a spool: it is forwarded\n"
             "later. The id alone decides. The body is BODY, stdin (-) or a file; empty without\n"
             "any of them.\n",
    .run = run,
};
