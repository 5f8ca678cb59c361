#include "store/redis/channels.h"

#include <stdlib.h>
#include <string.h>

#include "store/redis/call.h"
#include "store/redis/errors.h"
#include "store/redis/redis.h"

enum {
    LEFT_AFTER_MS = 60000
}; /* so that who waits, and soon again, does not subscribe each time */

/* ---- messages that came while it subscribed to others ---- */
struct rv_rd_held {
    struct rv_rd_held *next;
    redisReply *reply;
};

/* Takes the reply. Without memory it is lost, as one is that comes while there is no connection. */
static void hold(struct rv_rd_channels *channels, redisReply *reply) {
    struct rv_rd_held **end = &channels->held, *held = calloc(1, sizeof *held);
    if (!held) {
        freeReplyObject(reply);
        return;
    }
    while (*end)
        end = &(*end)->next;
    held->reply = reply;
    *end = held;
}

/* The first of them, or NULL. */
static redisReply *take_held(struct rv_rd_channels *channels) {
    struct rv_rd_held *held = channels->held;
    if (!held) return NULL;
    redisReply *reply = held->reply;
    channels->held = held->next;
    free(held);
    return reply;
}

static void drop_held(struct rv_rd_channels *channels) {
    redisReply *reply;
    while ((reply = take_held(channels)) != NULL)
        freeReplyObject(reply);
}

void rv_rd_channels_disconnect(struct rv_rd_channels *channels) {
    drop_held(channels);
    rv_rd_conn_close(channels->conn);
    channels->conn = NULL;
    channels->gaps++;
    for (size_t i = 0; i < channels->count; i++)
        channels->all[i].subscribed = false;
}

void rv_rd_channels_close(struct rv_rd_channels *channels) {
    drop_held(channels);
    rv_rd_conn_close(channels->conn);
    for (size_t i = 0; i < channels->count; i++)
        free(channels->all[i].name);
    free(channels->all);
    *channels = (struct rv_rd_channels){.gaps = channels->gaps + 1};
}

/* ---- wanting ---- */
static struct rv_rd_channel *find(const struct rv_rd_channels *channels, const char *name) {
    for (size_t i = 0; i < channels->count; i++)
        if (strcmp(channels->all[i].name, name) == 0) return &channels->all[i];
    return NULL;
}

static struct rv_rd_channel *add(struct rv_rd_channels *channels, const char *name) {
    if (channels->count == channels->room) {
        size_t room = channels->room ? 2 * channels->room : 8;
        struct rv_rd_channel *grown = realloc(channels->all, room * sizeof *grown);
        if (!grown) return NULL;
        channels->all = grown;
        channels->room = room;
    }
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (!copy) return NULL;
    struct rv_rd_channel *channel = &channels->all[channels->count++];
    *channel = (struct rv_rd_channel){.name = memcpy(copy, name, size)};
    return channel;
}

int rv_rd_channels_want(struct rv_rd_channels *channels, const char *name, struct rv_error *err) {
    struct rv_rd_channel *channel = find(channels, name);
    if (!channel) channel = add(channels, name);
    if (!channel) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    channel->wanted_ms = rv_clock_boot_ms(&rv_clock_real);
    return 0;
}

/* ---- listening ---- */
static int send_word(struct rv_rd_channels *channels, const char *word, const char *name,
                     int64_t deadline_ms, struct rv_error *err) {
    const char *words[] = {word, name};
    struct rv_rd_command command = {.argc = 2, .argv = words};
    return rv_rd_conn_send(channels->conn, &command, 1, deadline_ms, err);
}

static bool is_kind(const redisReply *reply, const char *kind) {
    return reply->type == REDIS_REPLY_ARRAY && reply->elements == 3 && reply->element[0]->str &&
           strcmp(reply->element[0]->str, kind) == 0;
}

static int await_kind(struct rv_rd_channels *channels, const char *kind, int64_t deadline_ms,
                      struct rv_error *err) {
    redisReply *reply;
    for (;;) {
        int rc = rv_rd_conn_receive(channels->conn, &reply, deadline_ms, err);
        if (rc) return rc;
        bool found = is_kind(reply, kind), told = is_kind(reply, "message");
        if (reply->type == REDIS_REPLY_ERROR)
            rc = rv_rd_error_fail(channels->conn->target->shown, reply->str, err);
        if (told)
            hold(channels, reply);
        else
            freeReplyObject(reply);
        if (rc || found) return rc;
    }
}

static int subscribe(struct rv_rd_channels *channels, int64_t deadline_ms, struct rv_error *err) {
    int rc = 0;
    size_t asked = 0;
    for (size_t i = 0; !rc && i < channels->count; i++) {
        if (channels->all[i].subscribed) continue;
        rc = send_word(channels, "SUBSCRIBE", channels->all[i].name, deadline_ms, err);
        channels->all[i].subscribed = true;
        asked++;
    }
    if (asked) channels->gaps++;
    while (!rc && asked--)
        rc = await_kind(channels, "subscribe", deadline_ms, err);
    return rc;
}

/* Its answer is passed over by whoever reads next. */
static int leave_unwanted(struct rv_rd_channels *channels, int64_t now_ms, int64_t deadline_ms,
                          struct rv_error *err) {
    int rc = 0;
    for (size_t i = 0; !rc && i < channels->count;) {
        struct rv_rd_channel *channel = &channels->all[i];
        if (now_ms - channel->wanted_ms <= LEFT_AFTER_MS) {
            i++;
            continue;
        }
        if (channel->subscribed && channels->conn)
            rc = send_word(channels, "UNSUBSCRIBE", channel->name, deadline_ms, err);
        free(channel->name);
        *channel = channels->all[--channels->count];
    }
    return rc;
}

/* Who tells: where the space is kept or, while that one stands still, another node of the cluster:
 * what is published at one is told by all. */
static int find_teller(struct rv_rd *store, int64_t deadline_ms, const struct rv_rd_target **out,
                       struct rv_error *err) {
    int rc = rv_rd_find(store, NULL, deadline_ms, out, err);
    if (rc || store->topology.shape != RV_RD_CLUSTER) return rc;
    const struct rv_rd_target *other = *out;
    for (size_t i = 0; other && rv_rd_target_trial_ms(other); i++)
        other = rv_rd_topology_primary(&store->topology, i);
    if (other) *out = other;
    return 0;
}

/* Connects to who tells, if it is another than it was: one that was followed tells nothing. */
static int connect_teller(struct rv_rd_channels *channels, struct rv_rd *store, int64_t deadline_ms,
                          struct rv_error *err) {
    const struct rv_rd_target *target;
    if (!channels->conn && !channels->count) return 0;
    int rc = find_teller(store, deadline_ms, &target, err);
    if (!rc && channels->conn && channels->conn->target != target)
        rv_rd_channels_disconnect(channels);
    if (rc || channels->conn || !channels->count) return rc;
    rc = rv_rd_conn_open(target, deadline_ms, &channels->conn, err);
    if (rc == REEVE_EUNREACHABLE) rv_rd_topology_doubt(&store->topology, 0);
    return rc;
}

int rv_rd_channels_listen(struct rv_rd_channels *channels, struct rv_rd *store,
                          struct rv_error *err) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    int64_t deadline_ms = rv_time_add(now_ms, store->timeout_ms);
    int rc = leave_unwanted(channels, now_ms, deadline_ms, err);
    if (!rc) rc = connect_teller(channels, store, deadline_ms, err);
    if (!rc) rc = subscribe(channels, deadline_ms, err);
    if (rc) rv_rd_channels_disconnect(channels);
    return rc;
}

/* ---- hearing ---- */
/* After poll() alone there may be more to read. */
static int read_next(struct rv_rd_conn *conn, redisReply **out, struct rv_error *err) {
    return conn->drained ? rv_rd_conn_next(conn, out, err) : rv_rd_conn_look(conn, out, err);
}

void rv_rd_message_take(struct rv_rd_message *out, void *came) {
    redisReply *reply = came;
    *out = (struct rv_rd_message){0};
    if (is_kind(reply, "message") && reply->element[1]->str && reply->element[2]->str) {
        const redisReply *text = reply->element[2];
        *out = (struct rv_rd_message){reply->element[1]->str, {text->str, text->len}, reply};
    } else {
        freeReplyObject(reply);
    }
}

int rv_rd_channels_look(struct rv_rd_channels *channels, struct rv_rd_message *out,
                        struct rv_error *err) {
    int rc = 0;
    *out = (struct rv_rd_message){0};
    while (!rc && !out->reply && channels->conn) {
        redisReply *reply = take_held(channels);
        if (!reply) rc = read_next(channels->conn, &reply, err);
        if (!rc && reply) rv_rd_message_take(out, reply);
        if (!reply) break;
    }
    if (rc) rv_rd_channels_disconnect(channels);
    return rc;
}

void rv_rd_message_release(struct rv_rd_message *message) {
    freeReplyObject(message->reply);
}
