#include "store/redis/fitness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/call.h"
#include "store/redis/errors.h"
#include "store/redis/key.h"

enum {
    MAJOR_MIN = 6,
    MINOR_MIN = 2,
    OTHER_MS = 1000, /* for a node that has nothing of the space's own: it may stand still, */
    NEXT_MS = 200,   /* and for those behind one that does */
};
enum question { ASK_SERVER, ASK_MEMORY, ASK_TIME, ASK_LAYOUT, QUESTIONS };

struct meeting {
    struct rv_rd *store;
    const struct rv_rd_target *node; /* whom it is with; NULL: who keeps what is the space's own */
    int64_t patience_ms;             /* with a node */
    char key[RV_RD_KEY_SIZE];        /* of the layout's version */
};

static const char *shown(const struct meeting *meeting) {
    return meeting->node ? meeting->node->shown : meeting->store->topology.server.shown;
}

/* One server is there or not. Of several, one may be about to follow another. */
static int ask(const struct meeting *meeting, const struct rv_rd_command *commands, size_t count,
               redisReply **replies, struct rv_error *err) {
    struct rv_rd *store = meeting->store;
    struct rv_rd_ask ask = {.node = meeting->node,
                            .commands = commands,
                            .count = count,
                            .replies = replies,
                            .harmless = true,
                            .once = meeting->node || store->topology.shape == RV_RD_ONE};
    bool hurry = meeting->node && store->timeout_ms > meeting->patience_ms;
    rv_rd_call_many(store, &ask, 1, hurry ? meeting->patience_ms : store->timeout_ms);
    if (ask.rc) *err = ask.err;
    return ask.rc;
}

void rv_rd_info_value(const char *info, const char *name, char *out, size_t size) {
    size_t length = strlen(name);
    *out = '\0';
    for (const char *at = info; (at = strstr(at, name)); at += length) {
        if ((at != info && at[-1] != '\n') || at[length] != ':') continue;
        const char *value = at + length + 1;
        (void)snprintf(out, size, "%.*s", (int)strcspn(value, "\r\n"), value);
        return;
    }
}

/* ---- the server ---- */
static int check_version(const struct meeting *meeting, const char *info, struct rv_error *err) {
    char version[32];
    rv_rd_info_value(info, "redis_version", version, sizeof version); /* Valkey tells one, too */
    char *end;
    long major = strtol(version, &end, 10);
    long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    if (major > MAJOR_MIN || (major == MAJOR_MIN && minor >= MINOR_MIN)) return 0;
    return rv_fail(err, REEVE_ENOTSUP, "%s: version '%s' is too old; %d.%d is the least",
                   shown(meeting), version, MAJOR_MIN, MINOR_MIN);
}

/* volatile-* throws away what has a time to live, and none of our keys has. */
bool rv_rd_info_evicts(const char *info, char *policy, size_t size) {
    rv_rd_info_value(info, "maxmemory_policy", policy, size);
    return strncmp(policy, "allkeys", strlen("allkeys")) == 0;
}

static int check_eviction(const struct meeting *meeting, const char *info, struct rv_error *err) {
    char policy[32];
    if (!rv_rd_info_evicts(info, policy, sizeof policy)) return 0;
    if (meeting->store->url.allow_eviction) return 0;
    return rv_fail(err, REEVE_ENOTSUP,
                   "%s: its maxmemory-policy is %s, so it would throw jobs away when its memory is "
                   "full; set it to noeviction, or add eviction=allow to the url",
                   shown(meeting), policy);
}

void rv_rd_note_time(struct rv_rd *store, const redisReply *reply, int64_t asked_at_ms) {
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2) return;
    const redisReply *seconds = reply->element[0], *us = reply->element[1];
    if (seconds->type != REDIS_REPLY_STRING || us->type != REDIS_REPLY_STRING) return;
    int64_t server_ms = strtoll(seconds->str, NULL, 10) * 1000 + strtoll(us->str, NULL, 10) / 1000;
    int64_t now_ms = rv_clock_wall_ms(&rv_clock_real);
    atomic_store(&store->ahead_ms, server_ms - (asked_at_ms + now_ms) / 2);
}

/* ---- the layout ---- */
/* When two meet an empty space at once the first one's word stands, and is the same. */
static int write_layout(struct meeting *meeting, struct rv_error *err) {
    char value[32];
    (void)snprintf(value, sizeof value, "%d %d", RV_RD_LAYOUT, RV_RD_LAYOUT);
    const char *const words[] = {"SET", meeting->key, value, "NX"};
    const struct rv_rd_command command = {.argc = 4, .argv = words};
    redisReply *reply;
    int rc = ask(meeting, &command, 1, &reply, err);
    rv_rd_replies_free(&reply, 1);
    /* A full server takes no jobs either, and must be worked off: the next to open it writes. */
    return rc && strstr(err->text, "(OOM ") ? 0 : rc;
}

bool rv_rd_layout_parse(const char *text, long *layout, long *oldest) {
    char *end;
    *layout = strtol(text, &end, 10);
    if (end == text || *end != ' ') return false;
    text = end + 1;
    *oldest = strtol(text, &end, 10);
    return end != text && !*end;
}

static int check_layout(struct meeting *meeting, const redisReply *reply, struct rv_error *err) {
    if (reply->type == REDIS_REPLY_NIL) return write_layout(meeting, err);
    long layout, oldest;
    if (reply->type != REDIS_REPLY_STRING || !rv_rd_layout_parse(reply->str, &layout, &oldest))
        return rv_fail(err, REEVE_ECORRUPT, "%s: %s holds '%.40s': expected two numbers of layouts",
                       shown(meeting), meeting->key, reply->str ? reply->str : "");
    if (oldest <= RV_RD_LAYOUT) return 0;
    return rv_fail(
        err, REEVE_ESCHEMA,
        "%s: space '%s' has layout %ld, which only libraries that know layout %ld may use; "
        "this one knows %d",
        shown(meeting), meeting->store->space, layout, oldest, RV_RD_LAYOUT);
}

/* ---- the meeting ---- */
static int check_replies(struct meeting *meeting, redisReply **replies, struct rv_error *err) {
    if (replies[ASK_SERVER]->type != REDIS_REPLY_STRING ||
        replies[ASK_MEMORY]->type != REDIS_REPLY_STRING)
        return rv_fail(err, REEVE_ENOTSUP, "%s: this is no Redis", shown(meeting));
    int rc = check_version(meeting, replies[ASK_SERVER]->str, err);
    return rc ? rc : check_eviction(meeting, replies[ASK_MEMORY]->str, err);
}

static int meet(struct meeting *meeting, struct rv_error *err) {
    const char *const words[QUESTIONS][2] = {
        [ASK_SERVER] = {"INFO", "server"},
        [ASK_MEMORY] = {"INFO", "memory"},
        [ASK_TIME] = {"TIME", NULL},
        [ASK_LAYOUT] = {"GET", meeting->key},
    };
    struct rv_rd_command commands[QUESTIONS];
    redisReply *replies[QUESTIONS];
    size_t count = meeting->node ? ASK_TIME : QUESTIONS;
    for (size_t i = 0; i < count; i++)
        commands[i] = (struct rv_rd_command){.argc = words[i][1] ? 2 : 1, .argv = words[i]};
    int64_t asked_at_ms = rv_clock_wall_ms(&rv_clock_real);
    int rc = ask(meeting, commands, count, replies, err);
    if (rc) return rc;
    rc = check_replies(meeting, replies, err);
    if (!rc && !meeting->node) {
        rv_rd_note_time(meeting->store, replies[ASK_TIME], asked_at_ms);
        rc = check_layout(meeting, replies[ASK_LAYOUT], err);
    }
    rv_rd_replies_free(replies, count);
    return rc;
}

/* The other nodes of a cluster. One that is away is looked at another time. */
static int meet_others(struct rv_rd *store, struct rv_error *err) {
    int rc = 0;
    if (store->topology.shape != RV_RD_CLUSTER) return 0;
    struct meeting meeting = {.store = store, .patience_ms = OTHER_MS};
    for (size_t i = 0; !rc && (meeting.node = rv_rd_topology_primary(&store->topology, i)); i++) {
        rc = meet(&meeting, err);
        if (rc == REEVE_EUNREACHABLE) {
            rc = 0;
            meeting.patience_ms = NEXT_MS;
        }
    }
    return rc;
}

int rv_rd_fitness_check(struct rv_rd *store, struct rv_error *err) {
    struct meeting meeting = {.store = store};
    rv_rd_key(store, NULL, "version", meeting.key);
    int rc = meet(&meeting, err);
    return rc ? rc : meet_others(store, err);
}

/* ---- later ---- */
void rv_rd_fitness_note(struct rv_rd *store, const redisReply *info) {
    char policy[32];
    if (info->type != REDIS_REPLY_STRING || store->url.allow_eviction) return;
    bool evicts = rv_rd_info_evicts(info->str, policy, sizeof policy);
    if (evicts == atomic_exchange(&store->evicts, evicts) || !evicts) return;
    rv_log(store->log, REEVE_LOG_WARN, "store.evicts",
           "policy=%s reason=\"the server throws jobs away when its memory is full; set "
           "maxmemory-policy to noeviction\"",
           policy);
}
