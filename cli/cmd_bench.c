#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "bench_child.h"
#include "bench_report.h"
#include "bench_scratch.h"
#include "commands.h"
#include "exit.h"

enum {
    JOBS = 10000,
    JOBS_MAX = 10000000,
    THREADS = 64,
    PREFETCH_MAX = 10000,
    WORKERS_MAX = 256,
    BODY = 100,
    TIME_MS = 5000,
    TIME_MS_MAX = 3600000
};

const struct bench_phase bench_phases[] = {
    {"push", "one caller, a job at a time", .threads = 1, .run = bench_push},
    {"push-threads", "many callers, a job at a time", .run = bench_push},
    {"push-bulk", "1000 jobs a call", .threads = 1, .run = bench_bulk},
    {"drain", "handlers that do nothing, nothing kept", .threads = 1, .run = bench_drain},
    {"drain-threads", "the same, many at once", .run = bench_drain},
    {"drain-kept", "with records kept", .threads = 1, .kept = true, .run = bench_drain},
    {"drain-kept-threads", "the same, many at once", .kept = true, .run = bench_drain},
    {"latency", "push to handler, idle queue", .threads = 1, .run = bench_latency},
    {"wait", "push and wait for the result", .threads = 1, .run = bench_trips},
    {"wait-threads", "the same, many at once", .run = bench_trips},
    {"backlog", "drain-threads of the backlog", .backlog = true, .run = bench_drain},
    {"stats", "figures of a queue", .threads = 1, .backlog = true, .run = bench_stats},
    {"list", "100 jobs of a queue", .threads = 1, .backlog = true, .run = bench_list},
    {0},
};

struct options {
    struct bench bench;
    struct texts only;
};

static const struct bench_phase *find_phase(const char *name) {
    const struct bench_phase *phase = bench_phases;
    while (phase->name && strcmp(phase->name, name) != 0)
        phase++;
    return phase->name ? phase : NULL;
}

static bool is_wanted(const struct options *o, const struct bench_phase *phase) {
    if (phase->backlog && !o->bench.backlog) return false;
    for (int i = 0; i < o->only.count; i++)
        if (!strcmp(o->only.items[i], phase->name)) return true;
    return !o->only.count;
}

static int check_options(const struct options *o) {
    for (int i = 0; i < o->only.count; i++) {
        const struct bench_phase *phase = find_phase(o->only.items[i]);
        if (!phase) return fail_usage("--only: there is no phase '%s'", o->only.items[i]);
        if (phase->backlog && !o->bench.backlog)
            return fail_usage("--only %s needs --backlog", phase->name);
    }
    if (o->bench.body_size > REEVE_BODY_MAX)
        return fail_usage("--body: at most %d bytes", REEVE_BODY_MAX);
    if (o->bench.time_ms > TIME_MS_MAX) return fail_usage("--time: at most 1h");
    return EXIT_DONE;
}

static bool parse(struct cli *cli, int argc, char **argv, struct options *o, int *exit_code) {
    struct bench *b = &o->bench;
    struct arg args[] = {
        arg_int("jobs", &b->jobs, 1, JOBS_MAX, "of each phase (10000)"),
        arg_int("threads", &b->threads, 1, 1024, "of the phases with many (64)"),
        arg_int("prefetch", &b->prefetch, 0, PREFETCH_MAX,
                "jobs that a draining worker claims ahead (0)"),
        arg_int("workers", &b->workers, 1, WORKERS_MAX,
                "in the other process of latency and wait (1)"),
        arg_int("backlog", &b->backlog, 1, JOBS_MAX,
                "jobs that wait in backlog, stats and list, which are not run without it"),
        arg_size("body", &b->body_size, "of a job (100)"),
        arg_duration("keep", &b->keep_ms, 1, 3650 * ARG_DAY_MS,
                     "of records, where they are kept (1h)"),
        arg_duration("time", &b->time_ms, 1, ARG_DAY_MS,
                     "a phase ends by then, however many jobs it has done (5s)"),
        arg_texts("only", &o->only, "PHASE", "may be given again"),
        {0},
    };
    struct operands operands;
    if (!args_parse_all(cli, args, argc, argv, 0, 0, &operands, exit_code)) return false;
    *exit_code = check_options(o);
    return !*exit_code;
}

static int measure(const struct cli *cli, struct bench *b, const struct bench_phase *phase,
                   struct table *table) {
    struct bench_scratch scratch;
    struct bench_result result = {0};
    if (!cli->quiet) (void)fprintf(stderr, "%s: %s ...\n", phase->name, phase->about);
    int exit_code = bench_scratch_make(&scratch, cli->store, phase->name);
    if (exit_code) return exit_code;
    b->url = scratch.url;
    b->space = scratch.space[0] ? scratch.space : NULL;
    b->shared = scratch.shared;
    exit_code = bench_child_run(b, phase, &result);
    bench_scratch_remove(&scratch);
    if (exit_code) return exit_code;
    if (cli->json) return bench_report_json(b, phase, &result);
    bench_report_row(table, b, phase, &result);
    return EXIT_DONE;
}

static int measure_all(const struct cli *cli, struct options *o) {
    struct table table;
    int exit_code = EXIT_DONE;
    bench_report_init(&table);
    bench_child_take_signals();
    for (const struct bench_phase *phase = bench_phases; phase->name && !exit_code; phase++) {
        if (!is_wanted(o, phase)) continue;
        exit_code = measure(cli, &o->bench, phase, &table);
        (void)fflush(stdout);
    }
    int print_code = table_print(&table);
    return exit_code ? exit_code : print_code;
}

static int run(struct cli *cli, int argc, char **argv) {
    struct options o = {.bench = {.jobs = JOBS,
                                  .threads = THREADS,
                                  .workers = 1,
                                  .body_size = BODY,
                                  .keep_ms = 3600000,
                                  .time_ms = TIME_MS}};
    int exit_code;
    if (!parse(cli, argc, argv, &o, &exit_code)) return exit_code;
    void *body = calloc(1, o.bench.body_size + 1);
    if (!body) return fail(EXIT_BROKEN, "out of memory");
    o.bench.body = memset(body, 'x', o.bench.body_size);
    exit_code = measure_all(cli, &o);
    free(body);
    return exit_code;
}

const struct cmd cmd_bench = {
    .name = "bench",
    .summary = "measure how fast jobs go through a store",
    .usage = "Usage: reeve bench [OPTIONS]\n"
             "\n"
             "Measures on stores of its own, which it removes: SQLite files in $TMPDIR, or with "
             "--store\n"
             "sqlite:PATH beside PATH (what follows a ? in the URL holds for them), or --store "
             "memory:.\n"
             "$REEVE_STORE is not looked at. The handlers do nothing.\n",
    .notes =
        "Phases: push push-threads push-bulk drain drain-threads drain-kept drain-kept-threads "
        "latency\n"
        "wait wait-threads backlog stats list. In latency and wait the worker is another process, "
        "except\n"
        "with memory:. Latency counts from the beginning of the push to the beginning of the "
        "handler.\n"
        "CPU is that of the measuring process, for each job or call.\n",
    .run = run,
};
