#include "store/redis/errors.h"

#include <string.h>

const struct rv_rd_error_row rv_rd_error_rows[] = {
    /* Passes by itself. */
    {"LOADING", RV_RD_RETRY, REEVE_EUNREACHABLE, "it is still loading its data"},
    {"BUSY", RV_RD_RETRY, REEVE_EUNREACHABLE, "a script has been running there for too long"},
    {"TRYAGAIN", RV_RD_RETRY, REEVE_EUNREACHABLE, "the queue is being moved to another node"},
    {"UNBLOCKED", RV_RD_RETRY, REEVE_EUNREACHABLE, "it stopped waiting: its role changed"},
    {"NOREPLICAS", RV_RD_RETRY, REEVE_EUNREACHABLE,
     "it has fewer replicas than min-replicas-to-write wants"},
    /* Another server's. */
    {"READONLY", RV_RD_RERESOLVE, REEVE_EUNREACHABLE, "it is a replica, which takes no writes"},
    {"MASTERDOWN", RV_RD_RERESOLVE, REEVE_EUNREACHABLE, "it is a replica cut off from its primary"},
    {"CLUSTERDOWN", RV_RD_RERESOLVE, REEVE_EUNREACHABLE, "its cluster is down"},
    {"MOVED", RV_RD_RERESOLVE, REEVE_ENOTSUP, "it is a node of a cluster: not supported yet"},
    {"ASK", RV_RD_RERESOLVE, REEVE_ENOTSUP, "it is a node of a cluster: not supported yet"},
    {"NOSCRIPT", RV_RD_RELOAD, REEVE_EBUG, NULL},
    /* Not now. */
    {"OOM", RV_RD_REFUSE, REEVE_EUNREACHABLE,
     "its memory is full (maxmemory), and it takes nothing new"},
    {"MISCONF", RV_RD_REFUSE, REEVE_EUNREACHABLE,
     "it takes no writes because it cannot save to its disk"},
    {"WRONGTYPE", RV_RD_REFUSE, REEVE_ECORRUPT, "one of our keys holds what is not ours"},
    {"EXECABORT", RV_RD_REFUSE, REEVE_EBUG, NULL},
    {"CROSSSLOT", RV_RD_REFUSE, REEVE_EBUG, NULL},
    {"NOTBUSY", RV_RD_REFUSE, REEVE_EBUG, NULL},
    /* Not until somebody changes something. */
    {"NOAUTH", RV_RD_FATAL, REEVE_EUNREACHABLE, "it wants a password, and the url gives none"},
    {"WRONGPASS", RV_RD_FATAL, REEVE_EUNREACHABLE, "it does not take this user and password"},
    {"NOPERM", RV_RD_FATAL, REEVE_EUNREACHABLE,
     "this user may not do what a queue needs (see docs/redis.md)"},
    {"DENIED", RV_RD_FATAL, REEVE_EUNREACHABLE, "it is in protected mode"},
    {"NOPROTO", RV_RD_FATAL, REEVE_ENOTSUP, NULL},
    {"ERR", RV_RD_REFUSE, REEVE_EBUG, NULL},
    {NULL, RV_RD_REFUSE, REEVE_EBUG, NULL},
};

const struct rv_rd_error_row *rv_rd_error_find(const char *text) {
    size_t size = strcspn(text, " ");
    const struct rv_rd_error_row *row = rv_rd_error_rows;
    while (row->code && (strlen(row->code) != size || memcmp(row->code, text, size) != 0))
        row++;
    return row;
}

int rv_rd_error_fail(const char *shown, const char *text, struct rv_error *err) {
    const struct rv_rd_error_row *row = rv_rd_error_find(text);
    if (!row->advice) return rv_fail(err, row->error, "%s: %.300s", shown, text);
    return rv_fail(err, row->error, "%s: %s (%.200s)", shown, row->advice, text);
}
