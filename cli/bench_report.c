#include "bench_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "json.h"

static double per_second(const struct bench_result *result) {
    return (double)result->count * 1e9 / (double)result->elapsed_ns;
}

static double cpu_us(const struct bench_result *result) {
    return result->count ? (double)result->cpu_ns / 1e3 / (double)result->count : 0;
}

void bench_report_init(struct table *table) {
    static const char *const heads[] = {"PHASE",     ">THREADS", ">COUNT",  ">SECONDS",
                                        ">A SECOND", ">CPU us",  ">p50 us", ">p99 us",
                                        ">MAX us",   "WHAT",     NULL};
    table_init(table, heads);
}

static void add_number(struct table *table, bool known, int digits, double number) {
    char text[32];
    (void)snprintf(text, sizeof text, "%.*f", digits, number);
    table_text(table, known ? text : NULL);
}

void bench_report_row(struct table *table, const struct bench *b, const struct bench_phase *phase,
                      const struct bench_result *result) {
    bool rated = result->elapsed_ns > 0;
    table_text(table, phase->name);
    table_number(table, (uint64_t)bench_threads(b, phase));
    table_number(table, result->count);
    add_number(table, rated, 2, (double)result->elapsed_ns / 1e9);
    add_number(table, rated, 0, rated ? per_second(result) : 0);
    add_number(table, true, 1, cpu_us(result));
    add_number(table, result->timed, 0, (double)result->p50_ns / 1e3);
    add_number(table, result->timed, 0, (double)result->p99_ns / 1e3);
    add_number(table, result->timed, 0, (double)result->max_ns / 1e3);
    table_text(table, phase->about);
}

static json_t *real(bool known, double number) {
    return known ? json_real(number) : json_null();
}

int bench_report_json(const struct bench *b, const struct bench_phase *phase,
                      const struct bench_result *result) {
    bool rated = result->elapsed_ns > 0;
    return json_line(json_pack(
        "{s:s, s:i, s:I, s:I, s:o, s:o, s:f, s:o, s:o, s:o}", "phase", phase->name, "threads",
        bench_threads(b, phase), "body_size", (json_int_t)b->body_size, "count",
        (json_int_t)result->count, "seconds", real(rated, (double)result->elapsed_ns / 1e9),
        "per_second", real(rated, rated ? per_second(result) : 0), "cpu_us", cpu_us(result),
        "p50_us", real(result->timed, (double)result->p50_ns / 1e3), "p99_us",
        real(result->timed, (double)result->p99_ns / 1e3), "max_us",
        real(result->timed, (double)result->max_ns / 1e3)));
}
