/* The doctor: what the server is and how it is set up, from what it tells of itself. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/call.h"
#include "store/redis/examine.h"
#include "store/redis/fitness.h"
#include "store/redis/key.h"

enum {
    VALUE_SIZE = 64,
    SKEW_MS_MAX = 5000, /* by which clocks may differ before people are confused */
    FULL_PERCENT = 90,
};

struct value {
    char text[VALUE_SIZE];
};

static struct value told(const struct rv_rd_exam *exam, const char *name) {
    struct value value;
    rv_rd_info_value(exam->info, name, value.text, sizeof value.text);
    return value;
}

static int64_t told_number(const struct rv_rd_exam *exam, const char *name) {
    return strtoll(told(exam, name).text, NULL, 10);
}

static bool told_to_be(const struct rv_rd_exam *exam, const char *name, const char *what) {
    return strcmp(told(exam, name).text, what) == 0;
}

/* A setting, or "" if it may not be asked for. */
static struct value setting(const struct rv_rd_exam *exam, const char *name) {
    const char *const words[] = {"CONFIG", "GET", name};
    const struct rv_rd_command command = {.argc = 3, .argv = words};
    struct rv_rd *store = exam->store;
    struct rv_error ignored;
    struct value value = {""};
    redisReply *reply = NULL;
    int rc = rv_rd_call(store, NULL, &command, 1, store->timeout_ms, &reply, &ignored);
    if (!rc && reply->type == REDIS_REPLY_ARRAY && reply->elements == 2 && reply->element[1]->str)
        (void)snprintf(value.text, sizeof value.text, "%s", reply->element[1]->str);
    rv_rd_replies_free(&reply, 1);
    return value;
}

/* ---- the server ---- */
int rv_rd_examine_server(struct rv_rd_exam *exam, struct rv_error *err) {
    (void)err;
    struct value valkey = told(exam, "valkey_version"), redis = told(exam, "redis_version");
    rv_find(&exam->book, REEVE_FINE, "server", "%s %s, %s, up for %" PRId64 " s",
            *valkey.text ? "Valkey" : "Redis", *valkey.text ? valkey.text : redis.text,
            exam->store->topology.server.shown, told_number(exam, "uptime_in_seconds"));
    return 0;
}

int rv_rd_examine_layout(struct rv_rd_exam *exam, struct rv_error *err) {
    struct rv_rd *store = exam->store;
    char key[RV_RD_KEY_SIZE];
    long layout = 0, oldest = 0;
    rv_rd_key(store, NULL, "version", key);
    const char *const words[] = {"GET", key};
    const struct rv_rd_command command = {.argc = 2, .argv = words};
    redisReply *reply = NULL;
    int rc = rv_rd_call(store, NULL, &command, 1, store->timeout_ms, &reply, err);
    if (rc) return rc;
    bool read =
        reply->type == REDIS_REPLY_STRING && rv_rd_layout_parse(reply->str, &layout, &oldest);
    freeReplyObject(reply);
    if (!read)
        rv_find(&exam->book, REEVE_DOUBTFUL, "layout",
                "%s does not tell one: it is written anew when "
                "the store is opened",
                key);
    else
        rv_find(&exam->book, layout > RV_RD_LAYOUT ? REEVE_DOUBTFUL : REEVE_FINE, "layout",
                "layout %ld, open to libraries that know layout %ld; this one knows %d%s", layout,
                oldest, RV_RD_LAYOUT,
                layout > RV_RD_LAYOUT ? ": a newer one is at work here, too" : "");
    return 0;
}

int rv_rd_examine_clock(struct rv_rd_exam *exam, struct rv_error *err) {
    static const char *const words[] = {"TIME"};
    const struct rv_rd_command command = {.argc = 1, .argv = words};
    struct rv_rd *store = exam->store;
    redisReply *reply = NULL;
    int64_t asked_at_ms = rv_clock_wall_ms(&rv_clock_real);
    int rc = rv_rd_call(store, NULL, &command, 1, store->timeout_ms, &reply, err);
    if (rc) return rc;
    rv_rd_note_time(store, reply, asked_at_ms);
    freeReplyObject(reply);
    int64_t ahead_ms = atomic_load(&store->ahead_ms);
    bool far = llabs(ahead_ms) > SKEW_MS_MAX;
    rv_find(&exam->book, far ? REEVE_DOUBTFUL : REEVE_FINE, "clock",
            "the server's is %lld ms %s this machine's%s", llabs(ahead_ms),
            ahead_ms < 0 ? "behind" : "ahead of",
            far ? ": leases and delays go by it alone, but times that people name are off" : "");
    return 0;
}

/* ---- memory ---- */
/* volatile-* throws away what has a time to live, and none of our keys has. */
int rv_rd_examine_eviction(struct rv_rd_exam *exam, struct rv_error *err) {
    (void)err;
    char policy[32];
    bool evicts = rv_rd_info_evicts(exam->info, policy, sizeof policy);
    bool bounded = told_number(exam, "maxmemory") > 0;
    if (!evicts)
        rv_find(&exam->book, REEVE_FINE, "eviction",
                "maxmemory-policy %s: a full server refuses "
                "pushes, and throws no job away",
                policy);
    else
        rv_find(&exam->book, bounded ? REEVE_BAD : REEVE_DOUBTFUL, "eviction",
                "maxmemory-policy %s throws jobs away when the server is full%s: set it to "
                "noeviction",
                policy, bounded ? "" : " (as long as maxmemory is 0, it is not)");
    return 0;
}

int rv_rd_examine_memory(struct rv_rd_exam *exam, struct rv_error *err) {
    (void)err;
    int64_t used = told_number(exam, "used_memory"), most = told_number(exam, "maxmemory");
    if (!most) {
        rv_find(&exam->book, REEVE_FINE, "memory",
                "%" PRId64 " KiB are used; maxmemory sets no bound", used >> 10);
        return 0;
    }
    int64_t percent = used / (most / 100 + 1);
    bool full = percent >= FULL_PERCENT;
    rv_find(&exam->book, full ? REEVE_DOUBTFUL : REEVE_FINE, "memory",
            "%" PRId64 " KiB are used of %" PRId64 " (%" PRId64 " %%)%s", used >> 10, most >> 10,
            percent, full ? ": when it is full, pushes are refused" : "");
    return 0;
}

/* ---- what a push survives ---- */
/* What an append-only file makes of it. NULL: there is none. */
static const char *survives_by_log(const struct rv_rd_exam *exam) {
    if (!told_to_be(exam, "aof_enabled", "1")) return NULL;
    struct value sync = setting(exam, "appendfsync");
    if (strcmp(sync.text, "always") == 0) return "yes; a power cut: yes (appendfsync always)";
    if (strcmp(sync.text, "everysec") == 0)
        return "yes; a power cut: all but the last second or two (appendfsync everysec)";
    if (strcmp(sync.text, "no") == 0)
        return "yes; a power cut: no, the latest half minute may be lost (appendfsync no)";
    return "yes; a power cut: that is up to appendfsync, which this user may not ask for";
}

int rv_rd_examine_durability(struct rv_rd_exam *exam, struct rv_error *err) {
    (void)err;
    const char *log = survives_by_log(exam);
    if (log && !told_to_be(exam, "aof_last_write_status", "ok"))
        rv_find(&exam->book, REEVE_BAD, "durability", "the server cannot write to its disk");
    else if (log)
        rv_find(&exam->book, REEVE_FINE, "durability",
                "an acknowledged push survives the end of its process: yes; the end of the "
                "server: %s",
                log);
    else
        rv_find(&exam->book, REEVE_DOUBTFUL, "durability",
                "an acknowledged push survives the end of its process: yes; the end of the "
                "server: no, it keeps no append-only file (appendonly yes), so whatever came "
                "after its last snapshot is lost");
    if (!told_to_be(exam, "rdb_last_bgsave_status", "ok"))
        rv_find(&exam->book, REEVE_BAD, "durability", "the server's latest snapshot failed");
    return 0;
}

/* ---- replication ---- */
static void examine_primary(struct rv_rd_exam *exam, int64_t replicas) {
    struct value least = setting(exam, "min-replicas-to-write");
    bool empty_after = !told_to_be(exam, "aof_enabled", "1") && !told_number(exam, "rdb_saves") &&
                       !*setting(exam, "save").text;
    if (!replicas)
        rv_find(&exam->book, REEVE_FINE, "replication", "no replicas");
    else if (empty_after)
        rv_find(&exam->book, REEVE_BAD, "replication",
                "%" PRId64 " replicas of a primary that keeps nothing on disk: should it start "
                "again, it is empty, and so are they",
                replicas);
    else
        rv_find(&exam->book, REEVE_FINE, "replication",
                "%" PRId64 " replicas, min-replicas-to-write %s: what they had not heard of is "
                "lost in a failover",
                replicas, *least.text ? least.text : "not to be asked for");
}

int rv_rd_examine_replication(struct rv_rd_exam *exam, struct rv_error *err) {
    (void)err;
    if (told_to_be(exam, "role", "slave"))
        rv_find(&exam->book, REEVE_BAD, "replication", "this is a replica, which takes no writes");
    else
        examine_primary(exam, told_number(exam, "connected_slaves"));
    return 0;
}
