#include "store/redis/errors.h"

#include <string.h>

const struct rv_rd_error_row rv_rd_error_rows[] = {
    /* Passes by itself. */
    {"BUSY", NULL, RV_RD_RETRY, REEVE_EUNREACHABLE, "a script has been running there for too long"},
    {"TRYAGAIN", NULL, RV_RD_RETRY, REEVE_EUNREACHABLE, "the queue is being moved to another node"},
    {"ERR", "max number of clients", RV_RD_RETRY, REEVE_EUNREACHABLE,
     "it has as many clients as its maxclients allows"},
    /* Another server's, or may be by now. */
    {"LOADING", NULL, RV_RD_RERESOLVE, REEVE_EUNREACHABLE, "it is still loading its data"},
    {"UNBLOCKED", NULL, RV_RD_RERESOLVE, REEVE_EUNREACHABLE,
     "it stopped waiting: its role changed"},
    {"NOREPLICAS", NULL, RV_RD_RERESOLVE, REEVE_EUNREACHABLE,
     "it has fewer replicas than min-replicas-to-write wants"},
    {"READONLY", NULL, RV_RD_SEEK, REEVE_EUNREACHABLE, "it is a replica, which takes no writes"},
    {"MASTERDOWN", NULL, RV_RD_SEEK, REEVE_EUNREACHABLE,
     "it is a replica cut off from its primary"},
    {"CLUSTERDOWN", NULL, RV_RD_RERESOLVE, REEVE_EUNREACHABLE, "its cluster is down"},
    {"MOVED", NULL, RV_RD_REDIRECT, REEVE_ENOTSUP,
     "it is a node of a cluster: the url begins with redis+cluster:// then"},
    {"ASK", NULL, RV_RD_REDIRECT, REEVE_ENOTSUP,
     "it is a node of a cluster: the url begins with redis+cluster:// then"},
    {"NOSCRIPT", NULL, RV_RD_RELOAD, REEVE_EBUG, NULL},
    /* Not now. */
    {"OOM", NULL, RV_RD_REFUSE, REEVE_EUNREACHABLE,
     "its memory is full (maxmemory), and it takes nothing new"},
    {"MISCONF", NULL, RV_RD_REFUSE, REEVE_EUNREACHABLE,
     "it takes no writes because it cannot save to its disk"},
    {"WRONGTYPE", NULL, RV_RD_REFUSE, REEVE_ECORRUPT, "one of our keys holds what is not ours"},
    {"EXECABORT", NULL, RV_RD_REFUSE, REEVE_EBUG, NULL},
    {"CROSSSLOT", NULL, RV_RD_REFUSE, REEVE_EBUG, NULL},
    {"NOTBUSY", NULL, RV_RD_REFUSE, REEVE_EBUG, NULL},
    /* Not until somebody changes something. */
    {"NOAUTH", NULL, RV_RD_FATAL, REEVE_EUNREACHABLE,
     "it wants a password, and the url gives none"},
    {"WRONGPASS", NULL, RV_RD_FATAL, REEVE_EUNREACHABLE, "it does not take this user and password"},
    {"NOPERM", NULL, RV_RD_FATAL, REEVE_EUNREACHABLE,
     "this user may not do what a queue needs (see docs/redis.md)"},
    {"DENIED", NULL, RV_RD_FATAL, REEVE_EUNREACHABLE, "it is in protected mode"},
    {"ERR", "unreadable record", RV_RD_REFUSE, REEVE_ECORRUPT, "one of its jobs cannot be read"},
    {"ERR", "unreadable meta", RV_RD_REFUSE, REEVE_ECORRUPT,
     "one of our keys holds what is not ours"},
    {"ERR", "user executing the script", RV_RD_FATAL, REEVE_EUNREACHABLE,
     "this user may not do what a queue needs (see docs/redis.md)"},
    {"ERR", "without any password", RV_RD_FATAL, REEVE_EUNREACHABLE,
     "the url gives a password, and it has none"},
    {"ERR", "DB index", RV_RD_FATAL, REEVE_EINVAL, "it has no such database"},
    {"ERR", "cluster support disabled", RV_RD_FATAL, REEVE_EINVAL,
     "it is no node of a cluster: the url begins with redis:// then"},
    {"ERR", "SENTINEL", RV_RD_FATAL, REEVE_EINVAL,
     "it is no Sentinel: a Sentinel's port is 26379, as a rule"},
    {"ERR", "unknown command 'TIME'", RV_RD_FATAL, REEVE_ENOTSUP,
     "it lacks what a queue needs; if it is a Sentinel, the url begins with redis+sentinel://"},
    {"ERR", "unknown command 'CLUSTER'", RV_RD_FATAL, REEVE_ENOTSUP,
     "it is no node of a cluster; if it is a Sentinel, the url begins with redis+sentinel://"},
    {"ERR", "unknown command", RV_RD_FATAL, REEVE_ENOTSUP, "it lacks what a queue needs"},
    {"NOPROTO", NULL, RV_RD_FATAL, REEVE_ENOTSUP, NULL},
    {NULL, NULL, RV_RD_REFUSE, REEVE_EBUG, NULL},
};

/* Up to 7.0 an error that a command met in a script comes wrapped: its own code stands after the
 * last colon that is followed by a word in capitals, with or without its '-'. */
static const char *unwrap(const char *text) {
    static const char wrapped[] = "ERR Error running script";
    if (strncmp(text, wrapped, sizeof wrapped - 1) != 0) return text;
    const char *found = text;
    for (const char *at = text; (at = strstr(at, ": ")); at += 2) {
        const char *word = at[2] == '-' ? at + 3 : at + 2;
        size_t size = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (size > 1 && word[size] == ' ') found = word;
    }
    return found;
}

const struct rv_rd_error_row *rv_rd_error_find(const char *text) {
    const char *code = unwrap(text);
    size_t size = strcspn(code, " ");
    const struct rv_rd_error_row *row = rv_rd_error_rows;
    for (; row->code; row++) {
        if (strlen(row->code) != size || memcmp(row->code, code, size) != 0) continue;
        if (!row->phrase || strstr(code, row->phrase)) break;
    }
    return row;
}

int rv_rd_error_fail(const char *shown, const char *text, struct rv_error *err) {
    const struct rv_rd_error_row *row = rv_rd_error_find(text);
    if (!row->advice) return rv_fail(err, row->error, "%s: %.300s", shown, text);
    return rv_fail(err, row->error, "%s: %s (%.200s)", shown, row->advice, text);
}
