#include "store/redis/streams_bells.h"

#include <string.h>

#include "store/redis/streams_call.h"

enum {
    META = 0,       /* the key, and the channel: streams_call.c */
    LOOK_MS = 1000, /* at a group that strangers offer to */
};

static void see(struct rv_bell *bell, uint64_t waiting, uint64_t asked, bool *rings) {
    bell->ready = bell->want_ready && waiting > 0;
    if (bell->ready || (bell->cancelled != asked && !(bell->mute & RV_MUTE_CANCELLED)))
        *rings = true;
    bell->cancelled = asked;
}

/* ---- channels ---- one per group */
int rv_rd_group_bells_want(struct rv_rd *store, const struct rv_rd_group_bells *bells,
                           struct rv_error *err) {
    char channel[RV_RD_KEY_SIZE];
    int rc = 0;
    for (size_t i = 0; !rc && i < bells->count; i++) {
        const struct rv_group *group = bells->bells[i].group;
        (void)rv_rd_stream_key(store, group, META, channel);
        rc = rv_rd_channels_want(&store->ear.channels, channel, err);
    }
    return rc;
}

/* ---- hints ---- */
static bool has_hints(const struct rv_bell *bell) {
    return bell->group->hints && bell->group->compat;
}

void rv_rd_group_bells_listen(struct rv_rd *store, const struct rv_rd_group_bells *bells) {
    bool wanted = false;
    for (size_t i = 0; i < bells->count; i++)
        wanted = wanted || has_hints(&bells->bells[i]);
    if (wanted)
        rv_rd_posts_listen(&store->ear.posts, store);
    else
        rv_rd_posts_close(&store->ear.posts);
}

/* Somebody's lock: whose, a scan finds out. */
void rv_rd_group_bells_hear_hints(struct rv_rd *store, const struct rv_rd_group_bells *bells,
                                  bool *rings) {
    if (!rv_rd_posts_hear(&store->ear.posts, store)) return;
    for (size_t i = 0; i < bells->count; i++) {
        struct rv_bell *bell = &bells->bells[i];
        if (!has_hints(bell)) continue;
        bell->ended++;
        if (!(bell->mute & RV_MUTE_ENDED)) *rings = true;
    }
}

/* ---- messages ---- */
/* A message may be older than the latest look. */
void rv_rd_group_bells_hear(const struct rv_rd *store, const struct rv_rd_group_bells *bells,
                            const struct rv_rd_message *message, bool *rings) {
    char channel[RV_RD_KEY_SIZE];
    for (size_t i = 0; i < bells->count; i++) {
        struct rv_bell *bell = &bells->bells[i];
        struct rv_reader reader;
        (void)rv_rd_stream_key(store, bell->group, META, channel);
        if (strcmp(channel, message->channel) != 0) continue;
        rv_reader_init(&reader, message->text);
        (void)rv_read_bytes(&reader, 8); /* version and token: lua/group.lua */
        uint64_t waiting = rv_read_uint(&reader, 6), asked = rv_read_uint(&reader, 6);
        if (!reader.failed && asked >= bell->cancelled) see(bell, waiting, asked, rings);
    }
}

/* ---- looking ---- */
static int look(struct rv_rd *store, struct rv_bell *bell, bool *rings, struct rv_error *err) {
    struct rv_rd_stream_call call;
    redisReply *reply;
    rv_rd_stream_call_init(&call, &store->base, bell->group, RV_REDIS_LUA_STREAM_LOOK, 64);
    call.brief = true;
    int rc = rv_rd_stream_run(&call, &reply, err);
    if (rc) return rc;
    if (rv_rd_is_array(reply, 2))
        see(bell, (uint64_t)reply->element[0]->integer, (uint64_t)reply->element[1]->integer,
            rings);
    else
        rc = rv_rd_stream_fail_answer(bell->group, err);
    freeReplyObject(reply);
    return rc;
}

int rv_rd_group_bells_look(struct rv_rd *store, const struct rv_rd_group_bells *bells, bool *rings,
                           int64_t *look_at_ms, struct rv_error *err) {
    int64_t soon_ms = rv_clock_boot_ms(&rv_clock_real) + LOOK_MS;
    int rc = 0;
    for (size_t i = 0; !rc && i < bells->count; i++) {
        rc = look(store, &bells->bells[i], rings, err);
        if (bells->bells[i].group->compat && soon_ms < *look_at_ms) *look_at_ms = soon_ms;
    }
    return rc;
}
