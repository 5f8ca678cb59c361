#include "store/redis/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/fitness.h"

enum { REPLICAS_MAX = 64 }; /* that are looked at */

static int64_t number_of(const char *info, const char *name) {
    char text[32];
    rv_rd_info_value(info, name, text, sizeof text);
    return *text ? strtoll(text, NULL, 10) : -1;
}

/* slaveN:ip=...,port=...,state=...,offset=N,lag=... */
static int64_t least_of_replicas(const char *info) {
    int64_t least = -1;
    for (unsigned i = 0; i < REPLICAS_MAX; i++) {
        char name[16], text[256];
        (void)snprintf(name, sizeof name, "slave%u", i);
        rv_rd_info_value(info, name, text, sizeof text);
        const char *at = strstr(text, "offset=");
        if (!at) break;
        int64_t offset = strtoll(at + strlen("offset="), NULL, 10);
        if (least < 0 || offset < least) least = offset;
    }
    return least;
}

bool rv_rd_history_read(const char *info, struct rv_rd_history *out) {
    struct rv_rd_point *now = &out->now, *forked = &out->forked;
    char role[16];
    rv_rd_info_value(info, "role", role, sizeof role);
    rv_rd_info_value(info, "master_replid", now->history, sizeof now->history);
    rv_rd_info_value(info, "master_replid2", forked->history, sizeof forked->history);
    now->offset = number_of(info, "master_repl_offset");
    forked->offset = number_of(info, "second_repl_offset") - 1; /* it tells the first it has not */
    out->passed_on = least_of_replicas(info);
    return strcmp(role, "master") == 0 && *now->history && now->offset >= 0;
}

enum rv_rd_standing rv_rd_history_standing(const struct rv_rd_history *history,
                                           const struct rv_rd_point *point) {
    if (!*point->history) return RV_RD_STANDING_UNKNOWN;
    if (strcmp(point->history, history->now.history) == 0) return RV_RD_STANDING_SAME;
    if (history->forked.offset < 0 || strcmp(point->history, history->forked.history) != 0)
        return RV_RD_STANDING_UNKNOWN;
    /* Steps are whole in a history or not at all: what began before the end of it is in it. */
    return point->offset < history->forked.offset ? RV_RD_STANDING_COMMON : RV_RD_STANDING_LOST;
}
