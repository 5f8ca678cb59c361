/* wait and wake: sleeps on the bells of queues whose jobs are wanted, and listens to the channels
 * of what else may ring. Looks at the queues, and at the names that are waited for, first, when a
 * bell has rung, and every few seconds. */
#include <stdlib.h>
#include <string.h>

#include "store/redis/call.h"
#include "store/redis/conn.h"
#include "store/redis/fitness.h"
#include "store/redis/grant_bells.h"
#include "store/redis/key.h"
#include "store/redis/meta.h"
#include "store/redis/streams_bells.h"

enum {
    LOOK_MS = 5000,  /* between looks while nothing is heard */
    TIME_MS = 30000, /* between looks at the server's clock */
    POLL_MS = 1000,  /* a clock that was moved is noticed by then */
    APART_MS = 1000, /* losses of a connection that are no outage are farther apart */
};

struct wait {
    struct rv_rd *store;
    struct rv_bell *bells; /* of queues */
    size_t count;
    struct rv_rd_grant_bells names;
    struct rv_rd_group_bells groups;
    int64_t offset_ms;  /* of the clock, at the latest look */
    int64_t look_at_ms; /* the next one; boot, as all below */
    int64_t deadline_ms;
    int64_t lost_at_ms; /* a connection, latest; 0: none */
    bool rings, woken;
    char rung[RV_RD_KEY_SIZE]; /* a bell that was heard since the latest look; "": none */
};

static struct rv_rd_shard shard_of(const struct rv_bell *bell) {
    return (struct rv_rd_shard){.queue = bell->queue};
}

/* The key, or the channel, of that name. */
static void name_of(const struct wait *wait, const struct rv_bell *bell, const char *name,
                    char *out) {
    struct rv_rd_shard shard = shard_of(bell);
    rv_rd_key(wait->store, &shard, name, out);
}

/* ---- looking ---- */
/* Counters that differ are taken over. */
static void see_counters(struct wait *wait, struct rv_bell *bell, const struct rv_rd_meta *meta) {
    uint64_t ended = meta->finished + meta->dropped;
    if ((bell->ended != ended && !(bell->mute & RV_MUTE_ENDED)) ||
        (bell->cancelled != meta->marked && !(bell->mute & RV_MUTE_CANCELLED)) ||
        (bell->events != meta->event && !(bell->mute & RV_MUTE_EVENTS)))
        wait->rings = true;
    bell->ended = ended;
    bell->cancelled = meta->marked;
    bell->events = meta->event;
}

static void see(struct wait *wait, struct rv_bell *bell, const struct rv_rd_meta *meta,
                int64_t now_ms) {
    bool wanted = bell->want_ready && !meta->paused;
    int64_t due_in_ms = meta->due_ms ? meta->due_ms - now_ms : INT64_MAX;
    int64_t due_at_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), due_in_ms);
    bell->ready = wanted && (meta->counts[REEVE_READY] > 0 || due_in_ms <= 0);
    if (bell->ready) wait->rings = true;
    if (wanted && due_at_ms < wait->look_at_ms) wait->look_at_ms = due_at_ms;
    see_counters(wait, bell, meta);
}

static int see_all(struct wait *wait, const redisReply *values, struct rv_error *err) {
    int64_t now_ms = rv_store_now_ms(&wait->store->base);
    int rc = 0;
    if (values->type != REDIS_REPLY_ARRAY || values->elements != wait->count)
        rc = rv_fail(err, REEVE_ECORRUPT, "no answer to MGET");
    for (size_t i = 0; !rc && i < wait->count; i++) {
        struct rv_rd_meta meta;
        const redisReply *value = values->element[i];
        rc = rv_rd_meta_read(wait->bells[i].queue, (struct rv_bytes){value->str, value->len}, &meta,
                             err);
        if (!rc && meta.known) see(wait, &wait->bells[i], &meta, now_ms);
    }
    return rc;
}

/* Asks for the server's clock as well if that was not done for a while. */
static int ask(struct wait *wait, const char **words, struct rv_error *err) {
    static const char *const time[] = {"TIME"};
    const struct rv_rd_command commands[] = {{.argc = (int)wait->count + 1, .argv = words},
                                             {.argc = 1, .argv = time}};
    redisReply *replies[2] = {NULL};
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real), *timed_ms = &wait->store->ear.timed_ms;
    bool with_time = !*timed_ms || now_ms - *timed_ms > TIME_MS;
    int64_t asked_at_ms = rv_clock_wall_ms(&rv_clock_real);
    struct rv_rd_shard first = shard_of(&wait->bells[0]);
    words[0] = "MGET";
    int rc = rv_rd_call(wait->store, &first, commands, with_time ? 2 : 1, wait->store->timeout_ms,
                        replies, err);
    if (!rc && with_time) {
        rv_rd_note_time(wait->store, replies[1], asked_at_ms);
        *timed_ms = now_ms;
    }
    if (!rc) rc = see_all(wait, replies[0], err);
    rv_rd_replies_free(replies, 2);
    return rc;
}

static int look_at_queues(struct wait *wait, struct rv_error *err) {
    if (!wait->count) return 0;
    const char **words = calloc(wait->count + 1, sizeof *words);
    char(*keys)[RV_RD_KEY_SIZE] = calloc(wait->count, sizeof *keys);
    int rc = words && keys ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (size_t i = 0; !rc && i < wait->count; i++) {
        name_of(wait, &wait->bells[i], "meta", keys[i]);
        words[1 + i] = keys[i];
    }
    if (!rc) rc = ask(wait, words, err);
    free(keys);
    free(words);
    return rc;
}

static int look(struct wait *wait, struct rv_error *err) {
    wait->rings = false;
    *wait->rung = '\0';
    wait->offset_ms = atomic_load(&wait->store->clock->offset_ms);
    wait->look_at_ms = rv_clock_boot_ms(&rv_clock_real) + LOOK_MS;
    int rc = look_at_queues(wait, err);
    if (!rc) rc = rv_rd_grant_bells_look(wait->store, &wait->names, &wait->rings, err);
    if (!rc)
        rc = rv_rd_group_bells_look(wait->store, &wait->groups, &wait->rings, &wait->look_at_ms,
                                    err);
    return rc;
}

/* ---- hearing ---- */
/* The channels of a queue have names of keys of its; each message is its meta. The second is only
 * for marks: those who run its jobs need not hear of every end. */
static const struct {
    const char *name;
    unsigned mute; /* who wants none of these does not listen */
} channels[] = {
    {"events", RV_MUTE_ENDED | RV_MUTE_EVENTS},
    {"marks", RV_MUTE_CANCELLED},
};
enum { CHANNELS = sizeof channels / sizeof *channels };

static int want_channels(struct wait *wait, struct rv_error *err) {
    char name[RV_RD_KEY_SIZE];
    int rc = 0;
    for (size_t i = 0; i < wait->count; i++) {
        const struct rv_bell *bell = &wait->bells[i];
        for (size_t j = 0; !rc && j < CHANNELS; j++) {
            if ((bell->mute & channels[j].mute) == channels[j].mute) continue;
            name_of(wait, bell, channels[j].name, name);
            rc = rv_rd_channels_want(&wait->store->ear.channels, name, err);
        }
    }
    if (!rc) rc = rv_rd_grant_bells_want(wait->store, &wait->names, err);
    return rc ? rc : rv_rd_group_bells_want(wait->store, &wait->groups, err);
}

static bool is_of(const struct wait *wait, const struct rv_bell *bell, const char *channel) {
    char name[RV_RD_KEY_SIZE];
    for (size_t i = 0; i < CHANNELS; i++) {
        name_of(wait, bell, channels[i].name, name);
        if (strcmp(name, channel) == 0) return true;
    }
    return false;
}

/* A message may be older than the latest look. */
static bool is_news(const struct rv_bell *bell, const struct rv_rd_meta *meta) {
    return meta->finished + meta->dropped >= bell->ended && meta->marked >= bell->cancelled &&
           meta->event >= bell->events;
}

static int take_message(struct wait *wait, const struct rv_rd_message *message,
                        struct rv_error *err) {
    int rc = 0;
    for (size_t i = 0; !rc && i < wait->count; i++) {
        struct rv_bell *bell = &wait->bells[i];
        struct rv_rd_meta meta;
        if (!is_of(wait, bell, message->channel)) continue;
        rc = rv_rd_meta_read(bell->queue, message->text, &meta, err);
        if (!rc && is_news(bell, &meta)) see_counters(wait, bell, &meta);
    }
    rv_rd_grant_bells_hear(wait->store, &wait->names, message, &wait->rings);
    rv_rd_group_bells_hear(wait->store, &wait->groups, message, &wait->rings);
    return rc;
}

static int hear_messages(struct wait *wait, struct rv_error *err) {
    struct rv_rd_message message;
    int rc;
    bool any;
    do {
        rc = rv_rd_channels_look(&wait->store->ear.channels, &message, err);
        any = !rc && message.channel;
        if (any) rc = take_message(wait, &message, err);
        rv_rd_message_release(&message);
    } while (!rc && any);
    return rc;
}

/* Falls asleep on the bells that are wanted, if any are. */
static int sleep_on_bells(struct wait *wait, struct rv_error *err) {
    size_t count = 0;
    struct rv_rd_shard *shards = calloc(wait->count + 1, sizeof *shards);
    if (!shards) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (size_t i = 0; i < wait->count; i++)
        if (wait->bells[i].want_ready) shards[count++] = shard_of(&wait->bells[i]);
    int rc = 0;
    if (count) rc = rv_rd_bell_sleep(&wait->store->ear.bell, wait->store, shards, count, err);
    free(shards);
    return rc;
}

/* How long to poll: until the next look, the end, or the clock is to be looked at. */
static int64_t poll_ms(const struct wait *wait) {
    int64_t until_ms = wait->look_at_ms < wait->deadline_ms ? wait->look_at_ms : wait->deadline_ms;
    int64_t ms = until_ms - rv_clock_boot_ms(&rv_clock_real);
    if (atomic_load(&wait->store->clock->offset_ms) != wait->offset_ms) return 0;
    return ms < POLL_MS ? ms : POLL_MS;
}

/* Until something was heard, or it is time to look. */
static int hear(struct wait *wait, struct rv_error *err) {
    struct rv_rd_ear *ear = &wait->store->ear;
    int rc = 0;
    while (!rc && !wait->rings && !wait->woken && !*wait->rung) {
        rc = sleep_on_bells(wait, err);
        int64_t ms = poll_ms(wait);
        if (rc || ms <= 0) return rc;
        wait->woken = rv_rd_ear_poll(ear, ms);
        rc = rv_rd_bell_look(&ear->bell, wait->rung, sizeof wait->rung, err);
        if (!rc) rc = hear_messages(wait, err);
    }
    return rc;
}

/* A bell that we have heard wakes nobody else: who looks no more has to tell of it. */
static void rise(struct wait *wait) {
    char name[RV_RD_KEY_SIZE];
    struct rv_rd_bell *bell = &wait->store->ear.bell;
    if (bell->asleep) rv_rd_bell_rise(bell, wait->store, wait->rung, sizeof wait->rung);
    for (size_t i = 0; *wait->rung && i < wait->count; i++) {
        name_of(wait, &wait->bells[i], "bell", name);
        if (strcmp(name, wait->rung) == 0) wait->bells[i].ready = true;
    }
}

/* ---- the ops ---- */
/* Whether a connection that was lost is made again at once, without anybody being told. */
static bool forgive(struct wait *wait, int rc) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real), before_ms = wait->lost_at_ms;
    wait->lost_at_ms = now_ms;
    return (rc == REEVE_EUNREACHABLE || rc == REEVE_EUNSURE) &&
           (!before_ms || now_ms - before_ms > APART_MS);
}

static int look_and_hear(struct wait *wait, struct rv_error *err) {
    bool over = rv_clock_boot_ms(&rv_clock_real) >= wait->deadline_ms;
    int rc;
    do {
        rc = over ? 0 : rv_rd_channels_listen(&wait->store->ear.channels, wait->store, err);
        if (!rc) rc = look(wait, err);
        if (rc || wait->rings || over) return rc;
        rc = hear(wait, err);
        if (rc && forgive(wait, rc)) rc = 0;
        over = rv_clock_boot_ms(&rv_clock_real) >= wait->deadline_ms;
    } while (!rc && !wait->rings && !wait->woken && !over);
    return rc;
}

/* Queues first, then names, then groups: they are heard of in different ways. */
enum kind { QUEUE, NAME, GROUP, KINDS };

static enum kind kind_of(const struct rv_bell *bell) {
    return bell->group ? GROUP : bell->grant ? NAME : QUEUE;
}

static void sort_bells(const struct rv_bell *bells, size_t count, struct rv_bell *sorted,
                       size_t counts[KINDS]) {
    for (int kind = QUEUE; kind < KINDS; kind++) {
        counts[kind] = 0;
        for (size_t i = 0; i < count; i++)
            if ((int)kind_of(&bells[i]) == kind) sorted[counts[kind]++] = bells[i];
        sorted += counts[kind];
    }
}

static void put_back(const struct rv_bell *sorted, const size_t counts[KINDS],
                     struct rv_bell *bells, size_t count) {
    const struct rv_bell *next[KINDS] = {sorted, sorted + counts[QUEUE],
                                         sorted + counts[QUEUE] + counts[NAME]};
    for (size_t i = 0; i < count; i++)
        bells[i] = *next[kind_of(&bells[i])]++;
}

static int wait_sorted(struct wait *wait, int64_t timeout_ms, struct rv_error *err) {
    wait->deadline_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), timeout_ms);
    int rc = timeout_ms > 0 ? want_channels(wait, err) : 0;
    if (!rc) rc = look_and_hear(wait, err);
    rise(wait);
    (void)rv_rd_ear_poll(&wait->store->ear, 0); /* a wake is for this wait */
    return rv_rd_only_asked(rc, err);
}

int rv_rd_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
               struct rv_error *err) {
    struct rv_bell *sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    size_t counts[KINDS];
    sort_bells(bells, count, sorted, counts);
    struct rv_bell *names = sorted + counts[QUEUE];
    struct wait wait = {.store = (struct rv_rd *)s,
                        .bells = sorted,
                        .count = counts[QUEUE],
                        .names = {names, counts[NAME]},
                        .groups = {names + counts[NAME], counts[GROUP]}};
    int rc = wait_sorted(&wait, timeout_ms, err);
    put_back(sorted, counts, bells, count);
    free(sorted);
    return rc;
}

void rv_rd_wake(struct rv_store *s) {
    rv_rd_ear_wake(&((struct rv_rd *)s)->ear);
}
