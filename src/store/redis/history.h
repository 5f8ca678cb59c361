/* Where a server is in the history of what was written to it and to those it followed. A replica
 * has the history of its primary up to some point; when it takes over, it begins one of its own
 * there, and tells whose it was before, and up to where (Redis: replication ids and offsets). */
#ifndef RV_STORE_REDIS_HISTORY_H
#define RV_STORE_REDIS_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

enum { RV_RD_HISTORY_SIZE = 41 };

struct rv_rd_point {
    char history[RV_RD_HISTORY_SIZE]; /* "": not known */
    int64_t offset;
};

struct rv_rd_history {
    struct rv_rd_point now;
    struct rv_rd_point forked; /* the history it took over, and how much of that it has */
    int64_t passed_on;         /* what all of its replicas have; -1: it has none */
};

/* Reads what INFO tells of the replication of a primary; false: it is none. */
bool rv_rd_history_read(const char *info, struct rv_rd_history *out);

enum rv_rd_standing {
    RV_RD_STANDING_SAME,    /* in the history of this server itself */
    RV_RD_STANDING_COMMON,  /* in the part that it took over */
    RV_RD_STANDING_LOST,    /* in what came after that: this server has never had it */
    RV_RD_STANDING_UNKNOWN, /* nobody can tell */
};

/* Where a step stands that a server took when it was at point. */
enum rv_rd_standing rv_rd_history_standing(const struct rv_rd_history *history,
                                           const struct rv_rd_point *point);

#endif
