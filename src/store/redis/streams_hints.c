#include "store/redis/streams_hints.h"

#include <stdio.h>
#include <string.h>

#include "store/redis/streams_call.h"

enum { FLAGS_SIZE = 64, CHANNEL_SIZE = 48 };

static const char setting[] = "notify-keyspace-events";
static const char separator[] = "<MUTEX_KEY_SEP>";

bool rv_rd_hears_expiry(const struct rv_rd *store, const struct rv_group *group) {
    return group->hints && rv_rd_stream_layout(store, group) == RV_RD_PUBLISHED;
}

static void name_channel(const struct rv_rd *store, char out[CHANNEL_SIZE]) {
    (void)snprintf(out, CHANNEL_SIZE, "__keyevent@%d__:expired", store->topology.server.db);
}

/* ---- the setting ---- */
static int ask(struct rv_rd *store, const char *const *words, int count, redisReply **out,
               struct rv_error *err) {
    const struct rv_rd_command command = {.argc = count, .argv = words};
    *out = NULL;
    return rv_rd_call(store, NULL, &command, 1, store->timeout_ms, out, err);
}

/* What there is, and what it lacks for events of keys that expire. */
static bool add_flags(const char *there, char out[FLAGS_SIZE]) {
    const char *events = strchr(there, 'E') ? "" : "E";
    const char *expired = strpbrk(there, "xA") ? "" : "x";
    (void)snprintf(out, FLAGS_SIZE, "%s%s%s", there, events, expired);
    return *events || *expired;
}

static int set_flags(struct rv_rd *store, struct rv_error *err) {
    char flags[FLAGS_SIZE];
    const char *const get[] = {"CONFIG", "GET", setting};
    const char *const set[] = {"CONFIG", "SET", setting, flags};
    redisReply *reply;
    int rc = ask(store, get, 3, &reply, err);
    if (rc) return rc;
    bool known = rv_rd_is_array(reply, 2) && reply->element[1]->str;
    bool lacking = known && add_flags(reply->element[1]->str, flags);
    rv_rd_replies_free(&reply, 1);
    if (!known) return rv_fail(err, REEVE_ENOTSUP, "the server does not tell its %s", setting);
    if (lacking) rc = ask(store, set, 4, &reply, err);
    rv_rd_replies_free(&reply, 1);
    return rc;
}

/* ---- hearing ---- */
int rv_rd_want_expiry(struct rv_rd *store, struct rv_error *err) {
    char channel[CHANNEL_SIZE];
    struct rv_error reason;
    name_channel(store, channel);
    if (!atomic_exchange(&store->asked_for_expiry, true) && set_flags(store, &reason))
        rv_log(store->log, REEVE_LOG_WARN, "store.deaf", "reason=\"no hints of lapses: %s\"",
               reason.text);
    return rv_rd_channels_want(&store->ear.channels, channel, err);
}

bool rv_rd_is_expiry(const struct rv_rd *store, const struct rv_rd_message *message) {
    char channel[CHANNEL_SIZE];
    name_channel(store, channel);
    return strcmp(channel, message->channel) == 0 && message->text.size &&
           strstr(message->text.data, separator) != NULL;
}
