#include "store/redis/call.h"

#include <string.h>
#include <time.h>

#include "base/random.h"
#include "store/redis/errors.h"

enum {
    PAUSE_MS_MIN = 5,
    PAUSE_MS_MAX = 250,
    TRY_MS_MIN = 20, /* with less it would only leave doubt */
};

/* How long a call may still try, and how long it waits before it tries again. */
struct patience {
    int64_t deadline_ms, pause_ms;
};

/* Sleeps a random moment, longer each time, so that many clients do not come back at once. False
 * when there is no time for another try. */
static bool pause_before_retry(struct patience *patience) {
    int64_t left_ms = patience->deadline_ms - rv_clock_boot_ms(&rv_clock_real);
    int64_t ms = 1 + rv_random_below(&rv_random_system, patience->pause_ms);
    if (left_ms < ms + TRY_MS_MIN) return false;
    patience->pause_ms *= 2;
    if (patience->pause_ms > PAUSE_MS_MAX) patience->pause_ms = PAUSE_MS_MAX;
    struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&pause, NULL);
    return true;
}

static bool has_remedy(const redisReply *reply, enum rv_rd_remedy remedy) {
    return reply->type == REDIS_REPLY_ERROR && rv_rd_error_find(reply->str)->remedy == remedy;
}

/* Nothing happened, and it may if one asks again, or elsewhere. */
static bool was_put_off(const redisReply *reply) {
    if (!has_remedy(reply, RV_RD_RETRY) && !has_remedy(reply, RV_RD_RERESOLVE)) return false;
    return rv_rd_error_find(reply->str)->error == REEVE_EUNREACHABLE;
}

bool rv_rd_reply_is_noscript(const redisReply *reply) {
    return has_remedy(reply, RV_RD_RELOAD);
}

/* A server that is not the one any more is left: its name may mean another by now. */
static bool shall_leave(redisReply *const *replies, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (has_remedy(replies[i], RV_RD_RERESOLVE)) return true;
    return false;
}

static int ask_once(struct rv_rd *store, const struct rv_rd_shard *shard,
                    const struct rv_rd_command *commands, size_t count, int64_t deadline_ms,
                    redisReply **replies, struct rv_error *err) {
    struct rv_rd_conn *conn;
    int rc = rv_rd_pool_take(&store->pool, shard, deadline_ms, &conn, err);
    if (rc) return rc;
    rc = rv_rd_conn_call(conn, commands, count, replies, deadline_ms, err);
    if (!rc && shall_leave(replies, count)) conn->broken = true;
    rv_rd_pool_give(&store->pool, conn);
    return rc;
}

/* Until something was sent. What the last try lacked was time: the one before tells more. */
static int ask(struct rv_rd *store, const struct rv_rd_shard *shard,
               const struct rv_rd_command *commands, size_t count, struct patience *patience,
               redisReply **replies, struct rv_error *err) {
    struct rv_error failure = {0};
    int rc = ask_once(store, shard, commands, count, patience->deadline_ms, replies, err);
    while (rc == REEVE_EUNREACHABLE && pause_before_retry(patience)) {
        rc = ask_once(store, shard, commands, count, patience->deadline_ms, replies, &failure);
        bool late = rv_clock_boot_ms(&rv_clock_real) >= patience->deadline_ms;
        if (rc && err && (rc != REEVE_EUNREACHABLE || !late)) *err = failure;
    }
    return rc;
}

void rv_rd_replies_free(redisReply **replies, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (replies[i]) freeReplyObject(replies[i]);
        replies[i] = NULL;
    }
}

/* A command that was put off is asked again by itself: the others have had their answer. */
static int ask_again(struct rv_rd *store, const struct rv_rd_shard *shard,
                     const struct rv_rd_command *command, struct patience *patience,
                     redisReply **reply, struct rv_error *err) {
    int rc = 0;
    while (!rc && was_put_off(*reply) && pause_before_retry(patience)) {
        rv_rd_replies_free(reply, 1);
        rc = ask(store, shard, command, 1, patience, reply, err);
    }
    return rc;
}

static int check(struct rv_rd *store, const struct rv_rd_shard *shard, const redisReply *reply,
                 struct rv_error *err) {
    if (reply->type != REDIS_REPLY_ERROR || rv_rd_reply_is_noscript(reply)) return 0;
    const struct rv_rd_target *target = rv_rd_topology_find(&store->topology, shard);
    return rv_rd_error_fail(target->shown, reply->str, err);
}

int rv_rd_call(struct rv_rd *store, const struct rv_rd_shard *shard,
               const struct rv_rd_command *commands, size_t count, int64_t timeout_ms,
               redisReply **replies, struct rv_error *err) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    struct patience patience = {rv_time_add(now_ms, timeout_ms), PAUSE_MS_MIN};
    int rc = ask(store, shard, commands, count, &patience, replies, err);
    if (rc) return rc;
    for (size_t i = 0; !rc && i < count; i++) {
        rc = ask_again(store, shard, &commands[i], &patience, &replies[i], err);
        if (!rc) rc = check(store, shard, replies[i], err);
    }
    if (rc) rv_rd_replies_free(replies, count);
    return rc;
}
