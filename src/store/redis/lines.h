/* The doctor walks through a queue: its records, and the lines in which READY ones stand. */
#ifndef RV_STORE_REDIS_LINES_H
#define RV_STORE_REDIS_LINES_H

#include "store/redis/examine.h"

/* READY jobs, by their ids. */
struct rv_rd_lines {
    struct rv_rd_line_entry {
        char *id;
        size_t size;
    } * entries;
    size_t count, room;
};

void rv_rd_lines_release(struct rv_rd_lines *lines);

/* What steps through the records have added up to; lua/examine_records.lua. */
struct rv_rd_tally {
    char cursor[24]; /* "0" to begin with, and when it is through */
    int64_t found[5];
    uint64_t there[REEVE_CANCELLED + 1]; /* by state */
    uint64_t seq, token;                 /* the largest */
};

/* One step. lines: gets those that should stand in one; NULL if nobody asks for them. */
int rv_rd_tally_step(struct rv_rd_exam *exam, const struct rv_rd_shard *shard, bool mend,
                     struct rv_rd_tally *tally, struct rv_rd_lines *lines, struct rv_error *err);

/* Counts the jobs that should stand in a line by wanted and do not, and mends that if it is to. */
int rv_rd_lines_check(struct rv_rd_exam *exam, const struct rv_rd_shard *shard,
                      const struct rv_rd_lines *wanted, int64_t *count, struct rv_error *err);

#endif
