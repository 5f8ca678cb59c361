/* Results for people and for programs. */
#ifndef CLI_BENCH_REPORT_H
#define CLI_BENCH_REPORT_H

#include "bench.h"
#include "table.h"

void bench_report_init(struct table *table);
void bench_report_row(struct table *table, const struct bench *b, const struct bench_phase *phase,
                      const struct bench_result *result);
/* One object on one line. Returns an exit code. */
int bench_report_json(const struct bench *b, const struct bench_phase *phase,
                      const struct bench_result *result);

#endif
