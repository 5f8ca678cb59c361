#include "store/redis/bell.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/redis/call.h"
#include "store/redis/errors.h"
#include "store/redis/key.h"

enum {
    SLEEP_S = 5, /* R14: nobody blocks for longer */
    CONNECT_MS = 1000,
    LATE_MS = 5000, /* an answer that comes later than that is not waited for */
};

void rv_rd_bell_close(struct rv_rd_bell *bell) {
    rv_rd_conn_close(bell->conn);
    *bell = (struct rv_rd_bell){0};
}

/* ---- falling asleep ---- */
static int ask_id(struct rv_rd_bell *bell, int64_t deadline_ms, struct rv_error *err) {
    static const char *const words[] = {"CLIENT", "ID"};
    struct rv_rd_command command = {.argc = 2, .argv = words};
    redisReply *reply;
    int rc = rv_rd_conn_call(bell->conn, &command, 1, &reply, deadline_ms, err);
    if (rc) return rc;
    if (reply->type == REDIS_REPLY_INTEGER)
        (void)snprintf(bell->client_id, sizeof bell->client_id, "%lld", reply->integer);
    freeReplyObject(reply); /* who may not ask cannot be woken early, that is all */
    return 0;
}

/* A shard may have moved since. */
static int connect_bell(struct rv_rd_bell *bell, struct rv_rd *store,
                        const struct rv_rd_shard *shard, struct rv_error *err) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    int64_t deadline_ms = rv_time_add(now_ms, store->timeout_ms);
    bool others = store->topology.shape == RV_RD_CLUSTER; /* there are bells elsewhere */
    const struct rv_rd_target *target;
    int rc = rv_rd_find(store, shard, deadline_ms, &target, err);
    if (rc || (bell->conn && bell->conn->target == target)) return rc;
    rv_rd_bell_close(bell);
    if (rv_rd_target_rests(target, now_ms))
        return rv_fail(err, REEVE_EUNREACHABLE, "%s: did not answer", target->shown);
    if (others && now_ms + CONNECT_MS < deadline_ms) deadline_ms = now_ms + CONNECT_MS;
    rc = rv_rd_connect(store, shard, deadline_ms, &bell->conn, err);
    if (!rc) rc = ask_id(bell, deadline_ms, err);
    now_ms = rv_clock_boot_ms(&rv_clock_real);
    if (!rc)
        rv_rd_target_answered(target);
    else if (others && now_ms >= deadline_ms) /* the next bell is not tried at this price */
        rv_rd_target_stalled(target, now_ms);
    return rc;
}

static int send_pop(struct rv_rd_bell *bell, struct rv_rd *store, const struct rv_rd_shard *shards,
                    size_t count, struct rv_error *err) {
    char seconds[8];
    const char **words = calloc(count + 2, sizeof *words);
    char(*keys)[RV_RD_KEY_SIZE] = calloc(count, sizeof *keys);
    int rc = words && keys ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (size_t i = 0; !rc && i < count; i++) {
        rv_rd_key(store, &shards[i], "bell", keys[i]);
        words[1 + i] = keys[i];
    }
    if (!rc) {
        (void)snprintf(seconds, sizeof seconds, "%d", SLEEP_S);
        words[0] = "BLPOP";
        words[1 + count] = seconds;
        struct rv_rd_command command = {.argc = (int)count + 2, .argv = words};
        int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
        rc = rv_rd_conn_send(bell->conn, &command, 1, rv_time_add(now_ms, store->timeout_ms), err);
        bell->asleep = !rc;
        bell->answer_by_ms = now_ms + SLEEP_S * 1000 + LATE_MS;
    }
    free(keys);
    free(words);
    return rc;
}

int rv_rd_bell_sleep(struct rv_rd_bell *bell, struct rv_rd *store, const struct rv_rd_shard *shards,
                     size_t count, struct rv_error *err) {
    if (bell->asleep) return 0;
    int rc = connect_bell(bell, store, &shards[0], err);
    if (!rc) rc = send_pop(bell, store, shards, count, err);
    if (rc) rv_rd_bell_close(bell);
    return rc;
}

/* ---- waking up ---- */
/* Nil: the time was over, or somebody unblocked us. */
static int read_answer(const redisReply *reply, struct rv_rd_ring *out, struct rv_error *err) {
    if (reply->type == REDIS_REPLY_ERROR) return rv_rd_error_fail("the bell", reply->str, err);
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2) return 0;
    const redisReply *key = reply->element[0], *seq = reply->element[1];
    if (key->str) (void)snprintf(out->key, out->room, "%s", key->str);
    if (seq->str) out->seq = strtoull(seq->str, NULL, 10);
    return 0;
}

int rv_rd_bell_look(struct rv_rd_bell *bell, struct rv_rd_ring *out, struct rv_error *err) {
    redisReply *reply = NULL;
    *out->key = '\0';
    out->seq = 0;
    if (!bell->asleep) return 0;
    int rc = rv_rd_conn_look(bell->conn, &reply, err);
    if (!rc && !reply && rv_clock_boot_ms(&rv_clock_real) > bell->answer_by_ms)
        rc = rv_fail(err, REEVE_EUNREACHABLE, "no answer to BLPOP");
    if (reply) {
        bell->asleep = false;
        rc = read_answer(reply, out, err);
        freeReplyObject(reply);
    }
    if (rc) rv_rd_bell_close(bell);
    return rc;
}
