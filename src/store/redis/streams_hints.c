#include "store/redis/streams_hints.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "store/redis/conn.h"
#include "store/redis/errors.h"
#include "store/redis/redis.h"

enum {
    FLAGS_SIZE = 64,
    CHANNEL_SIZE = 48,
    TRY_MS = 500,     /* for one primary, of the time of who wants to wait */
    APART_MS = 10000, /* between two tries of the same */
};

static const char setting[] = "notify-keyspace-events";
static const char separator[] = "<MUTEX_KEY_SEP>";

static void name_channel(const struct rv_rd *store, char out[CHANNEL_SIZE]) {
    (void)snprintf(out, CHANNEL_SIZE, "__keyevent@%d__:expired", store->topology.server.db);
}

static void close_post(struct rv_rd_post *post) {
    rv_rd_conn_close(post->conn);
    post->conn = NULL;
}

void rv_rd_posts_close(struct rv_rd_posts *posts) {
    for (size_t i = 0; i < posts->count; i++)
        close_post(&posts->all[i]);
    posts->count = 0;
    posts->known = false;
}

/* ---- the setting ---- */
/* NULL: it came to nothing, or is an error; err says why. */
static redisReply *ask(struct rv_rd_conn *conn, const char *const *words, int count,
                       int64_t deadline_ms, struct rv_error *err) {
    const struct rv_rd_command command = {.argc = count, .argv = words};
    redisReply *reply = NULL;
    if (rv_rd_conn_ask(conn, &command, 1, &reply, deadline_ms, err)) return NULL;
    if (!reply || reply->type != REDIS_REPLY_ERROR) return reply;
    (void)rv_rd_error_fail(conn->target->shown, reply->str, err);
    freeReplyObject(reply);
    return NULL;
}

/* What there is, and what it lacks for events of keys that expire. */
static bool add_flags(const char *there, char out[FLAGS_SIZE]) {
    const char *events = strchr(there, 'E') ? "" : "E";
    const char *expired = strpbrk(there, "xA") ? "" : "x";
    (void)snprintf(out, FLAGS_SIZE, "%s%s%s", there, events, expired);
    return *events || *expired;
}

static int set_flags(struct rv_rd_conn *conn, int64_t deadline_ms, struct rv_error *err) {
    char flags[FLAGS_SIZE];
    const char *const get[] = {"CONFIG", "GET", setting};
    const char *const set[] = {"CONFIG", "SET", setting, flags};
    redisReply *reply = ask(conn, get, 3, deadline_ms, err);
    if (!reply) return err->code;
    bool known = reply->type == REDIS_REPLY_ARRAY && reply->elements == 2 && reply->element[1]->str;
    bool lacking = known && add_flags(reply->element[1]->str, flags);
    freeReplyObject(reply);
    if (!known) return rv_fail(err, REEVE_ENOTSUP, "the server does not tell its %s", setting);
    if (!lacking) return 0;
    reply = ask(conn, set, 4, deadline_ms, err);
    freeReplyObject(reply);
    return reply ? 0 : err->code;
}

/* ---- listening ---- */
static bool subscribe(struct rv_rd_post *post, const char *channel, int64_t deadline_ms,
                      struct rv_error *err) {
    const char *const words[] = {"SUBSCRIBE", channel};
    redisReply *reply = ask(post->conn, words, 2, deadline_ms, err);
    freeReplyObject(reply);
    return reply != NULL;
}

static int set_up(struct rv_rd_post *post, const struct rv_rd *store, struct rv_error *err) {
    char channel[CHANNEL_SIZE];
    struct rv_error ignored;
    name_channel(store, channel);
    int64_t deadline_ms = post->tried_ms + TRY_MS;
    int rc = rv_rd_conn_open(post->target, deadline_ms, &post->conn, err);
    if (rc) return rc;
    rc = set_flags(post->conn, deadline_ms, err);
    if (subscribe(post, channel, deadline_ms, rc ? &ignored : err)) return rc;
    close_post(post);
    return rc ? rc : err->code;
}

static void try_post(struct rv_rd_posts *posts, struct rv_rd_post *post, struct rv_rd *store) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    struct rv_error err;
    if (post->conn || (post->tried_ms && now_ms - post->tried_ms < APART_MS)) return;
    post->tried_ms = now_ms;
    int rc = set_up(post, store, &err);
    (void)atomic_fetch_add(rc ? &posts->failed_total : &posts->set_up_total, 1);
    if (rc)
        rv_log(store->log, REEVE_LOG_WARN, "store.deaf",
               "server=\"%s\" reason=\"no hints of lapses: %s\"", post->target->shown, err.text);
}

/* ---- who is to be listened to ---- */
static struct rv_rd_post take_post(struct rv_rd_posts *posts, const struct rv_rd_target *target) {
    struct rv_rd_post found = {.target = target};
    for (size_t i = 0; i < posts->count; i++) {
        if (posts->all[i].target != target) continue;
        found = posts->all[i];
        posts->all[i].conn = NULL;
    }
    return found;
}

/* Those that stay keep their connections. */
static void follow(struct rv_rd_posts *posts, struct rv_rd_topology *topology) {
    struct rv_rd_post now[RV_RD_POSTS_MAX];
    const struct rv_rd_target *primary;
    size_t count = 0;
    uint64_t lookups = atomic_load(&topology->lookups);
    if (posts->known && posts->lookups == lookups) return;
    while (count < RV_RD_POSTS_MAX && (primary = rv_rd_topology_primary(topology, count)))
        now[count++] = take_post(posts, primary);
    rv_rd_posts_close(posts);
    memcpy(posts->all, now, count * sizeof *now);
    posts->count = count;
    posts->lookups = lookups;
    posts->known = true;
}

void rv_rd_posts_listen(struct rv_rd_posts *posts, struct rv_rd *store) {
    follow(posts, &store->topology);
    for (size_t i = 0; i < posts->count; i++)
        try_post(posts, &posts->all[i], store);
}

/* ---- hearing ---- */
/* A message's text is the key: one that others keep is none of ours. */
static bool is_lock(const redisReply *reply) {
    return reply->type == REDIS_REPLY_ARRAY && reply->elements == 3 && reply->element[0]->str &&
           strcmp(reply->element[0]->str, "message") == 0 && reply->element[2]->str &&
           strstr(reply->element[2]->str, separator) != NULL;
}

/* A primary that hangs up may be one no more. */
static uint64_t hear_post(struct rv_rd_post *post, struct rv_rd *store) {
    struct rv_error ignored;
    uint64_t heard = 0;
    while (post->conn) {
        redisReply *reply = NULL;
        if (rv_rd_conn_look(post->conn, &reply, &ignored)) {
            close_post(post);
            rv_rd_topology_doubt(&store->topology, 0);
        }
        if (!reply) break;
        heard += is_lock(reply);
        freeReplyObject(reply);
    }
    return heard;
}

bool rv_rd_posts_hear(struct rv_rd_posts *posts, struct rv_rd *store) {
    uint64_t heard = 0;
    for (size_t i = 0; i < posts->count; i++)
        heard += hear_post(&posts->all[i], store);
    (void)atomic_fetch_add(&posts->heard_total, heard);
    return heard > 0;
}
