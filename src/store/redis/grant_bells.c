#include "store/redis/grant_bells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "store/redis/grants.h"
#include "store/redis/script.h"
#include "store/redis/space.h"

enum { COUNTS_AT = 29 }; /* in a record: lua/grant_head.lua */

struct counts {
    uint64_t freed, asked;
};

static struct counts read_counts(struct rv_reader *reader) {
    uint64_t freed = rv_read_uint(reader, 6);
    return (struct counts){freed, rv_read_uint(reader, 6)};
}

static void see(struct rv_bell *bell, struct counts counts, bool *rings) {
    if ((bell->ended != counts.freed && !(bell->mute & RV_MUTE_ENDED)) ||
        (bell->cancelled != counts.asked && !(bell->mute & RV_MUTE_CANCELLED)))
        *rings = true;
    bell->ended = counts.freed;
    bell->cancelled = counts.asked;
}

/* ---- channels ---- one per name */
static void channel_of(const struct rv_rd *store, const struct rv_bell *bell, char *out) {
    char name[sizeof "grants:" + RV_RD_GRANT_NAME_SIZE] = "grants:";
    rv_rd_grant_name(bell->grant, bell->queue, name + strlen(name));
    rv_rd_key(store, NULL, name, out);
}

int rv_rd_grant_bells_want(struct rv_rd *store, const struct rv_rd_grant_bells *bells,
                           struct rv_error *err) {
    char channel[RV_RD_KEY_SIZE];
    int rc = 0;
    for (size_t i = 0; !rc && i < bells->count; i++) {
        channel_of(store, &bells->bells[i], channel);
        rc = rv_rd_channels_want(&store->ear.channels, channel, err);
    }
    return rc;
}

/* A message may be older than the latest look. */
void rv_rd_grant_bells_hear(const struct rv_rd *store, const struct rv_rd_grant_bells *bells,
                            const struct rv_rd_message *message, bool *rings) {
    char channel[RV_RD_KEY_SIZE];
    for (size_t i = 0; i < bells->count; i++) {
        struct rv_bell *bell = &bells->bells[i];
        struct rv_reader reader;
        channel_of(store, bell, channel);
        if (strcmp(channel, message->channel) != 0) continue;
        rv_reader_init(&reader, message->text);
        struct counts counts = read_counts(&reader);
        bool late = counts.freed < bell->ended || counts.asked < bell->cancelled;
        if (!reader.failed && !late) see(bell, counts, rings);
    }
}

/* ---- looking ---- */
static int see_all(const struct rv_rd_grant_bells *bells, const redisReply *values, bool *rings,
                   struct rv_error *err) {
    if (!rv_rd_is_array(values, bells->count))
        return rv_fail(err, REEVE_ECORRUPT, "no answer to HMGET");
    for (size_t i = 0; i < bells->count; i++) {
        struct rv_reader reader;
        rv_reader_init(&reader, rv_rd_bytes(values->element[i]));
        (void)rv_read_bytes(&reader, COUNTS_AT);
        struct counts counts = read_counts(&reader);
        see(&bells->bells[i], reader.failed ? (struct counts){0} : counts, rings);
    }
    return 0;
}

static int ask(struct rv_rd *store, const struct rv_rd_grant_bells *bells, const char **words,
               char (*names)[RV_RD_GRANT_NAME_SIZE], bool *rings, struct rv_error *err) {
    char key[RV_RD_KEY_SIZE];
    redisReply *values = NULL;
    rv_rd_key(store, NULL, "grants", key);
    words[0] = "HMGET";
    words[1] = key;
    for (size_t i = 0; i < bells->count; i++) {
        rv_rd_grant_name(bells->bells[i].grant, bells->bells[i].queue, names[i]);
        words[2 + i] = names[i];
    }
    const struct rv_rd_command command = {.argc = (int)bells->count + 2, .argv = words};
    int rc = rv_rd_space_call_briefly(store, &command, 1, &values, err);
    if (!rc) rc = see_all(bells, values, rings, err);
    rv_rd_replies_free(&values, 1);
    return rc;
}

int rv_rd_grant_bells_look(struct rv_rd *store, const struct rv_rd_grant_bells *bells, bool *rings,
                           struct rv_error *err) {
    if (!bells->count) return 0;
    const char **words = calloc(bells->count + 2, sizeof *words);
    char(*names)[RV_RD_GRANT_NAME_SIZE] = calloc(bells->count, sizeof *names);
    int rc = words && names ? ask(store, bells, words, names, rings, err)
                            : rv_fail(err, REEVE_ENOMEM, "out of memory");
    free(names);
    free(words);
    return rc;
}
