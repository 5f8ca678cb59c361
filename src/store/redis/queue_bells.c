#include "store/redis/queue_bells.h"

#include <stdlib.h>
#include <string.h>

#include "store/redis/fan.h"
#include "store/redis/fitness.h"
#include "store/redis/looks.h"
#include "store/redis/meta.h"
#include "store/redis/settle.h"
#include "store/redis/split.h"

enum {
    TIME_MS = 30000, /* between looks at the server's clock */
    FRESH_MS = 5000, /* between looks at what is heard of */
    LOOKS_MAX = 256, /* commands of one look in a cluster, but for the first */
};

/* ---- places ---- */
static void add_place(const struct rv_rd *store, struct rv_rd_queue_bells *bells,
                      struct rv_rd_shard shard, struct rv_bell *bell) {
    size_t at = bells->place_count++;
    bells->places[at] = (struct rv_rd_place){
        .shard = shard, .bell = bell, .counters = rv_rd_seen_of(&store->ear.seen, &shard, at)};
}

int rv_rd_queue_bells_init(struct rv_rd *store, struct rv_rd_queue_bells *bells,
                           struct rv_error *err) {
    struct rv_rd_split split;
    size_t count = 0;
    for (size_t i = 0; i < bells->count; i++) {
        (void)rv_rd_splits_find(&store->splits, bells->bells[i].queue, &split);
        count += split.count;
    }
    bells->places = calloc(count + 1, sizeof *bells->places);
    if (!bells->places) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (size_t i = 0; i < bells->count; i++) {
        (void)rv_rd_splits_find(&store->splits, bells->bells[i].queue, &split);
        for (unsigned j = 0; j < split.count && bells->place_count < count; j++)
            add_place(store, bells, rv_rd_split_shard(&split, j), &bells->bells[i]);
    }
    return 0;
}

void rv_rd_queue_bells_release(struct rv_rd *store, struct rv_rd_queue_bells *bells) {
    rv_rd_seen_clear(&store->ear.seen);
    for (size_t i = 0; i < bells->place_count; i++)
        rv_rd_seen_put(&store->ear.seen, &bells->places[i].shard, &bells->places[i].counters);
    free(bells->places);
    bells->places = NULL;
    bells->place_count = bells->turn = 0;
    bells->looked = false;
}

bool rv_rd_queue_bells_are_stale(const struct rv_rd_queue_bells *bells) {
    for (size_t i = 0; i < bells->place_count; i++)
        if (bells->places[i].stale) return true;
    return false;
}

/* ---- looking ---- */
/* What a queue's counters are is what those of its shards add up to. */
static void count_bells(const struct rv_rd_queue_bells *bells, bool *rings) {
    for (size_t i = 0; i < bells->count; i++) {
        struct rv_bell *bell = &bells->bells[i];
        uint64_t ended = 0, cancelled = 0, events = 0;
        for (size_t j = 0; j < bells->place_count; j++) {
            const struct rv_rd_place *place = &bells->places[j];
            if (place->bell != bell) continue;
            ended += place->counters.ended;
            cancelled += place->counters.cancelled;
            events += place->counters.events;
        }
        if ((bell->ended != ended && !(bell->mute & RV_MUTE_ENDED)) ||
            (bell->cancelled != cancelled && !(bell->mute & RV_MUTE_CANCELLED)) ||
            (bell->events != events && !(bell->mute & RV_MUTE_EVENTS)))
            *rings = true;
        bell->ended = ended;
        bell->cancelled = cancelled;
        bell->events = events;
    }
}

static void see_counters(struct rv_rd_place *place, const struct rv_rd_meta *meta) {
    place->counters.ended = meta->finished + meta->dropped;
    place->counters.cancelled = meta->marked;
    place->counters.events = meta->event;
}

static void see(struct rv_rd_place *place, const struct rv_rd_meta *meta, int64_t now_ms,
                bool *rings, int64_t *look_at_ms) {
    bool wanted = place->bell->want_ready && !meta->paused;
    int64_t due_in_ms = meta->due_ms ? meta->due_ms - now_ms : INT64_MAX;
    int64_t due_at_ms = rv_time_add(rv_clock_boot_ms(&rv_clock_real), due_in_ms);
    if (wanted && (meta->counts[REEVE_READY] > 0 || due_in_ms <= 0))
        place->bell->ready = *rings = true;
    if (wanted && due_at_ms < *look_at_ms) *look_at_ms = due_at_ms;
    place->has_due = meta->due_ms != 0;
    place->seq = meta->seq;
    see_counters(place, meta);
}

/* Messages tell of counters only: whether a job is ready has to be seen. */
static bool is_known(const struct rv_rd *store, const struct rv_rd_place *place, int64_t now_ms) {
    const struct rv_rd_channels *heard = &store->ear.channels;
    return heard->conn && !place->bell->want_ready && place->counters.gaps == heard->gaps &&
           now_ms < place->counters.fresh_ms;
}

static bool are_known(const struct rv_rd *store, const struct rv_rd_queue_bells *bells,
                      int64_t *look_at_ms) {
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    for (size_t i = 0; i < bells->place_count; i++) {
        const struct rv_rd_place *place = &bells->places[i];
        if (!is_known(store, place, now_ms)) return false;
        if (place->counters.fresh_ms < *look_at_ms) *look_at_ms = place->counters.fresh_ms;
    }
    return true;
}

/* The clocks of a cluster's nodes may differ: each is asked for its own. */
static int64_t now_there_ms(struct rv_rd *store, const redisReply *time, int64_t asked_at_ms) {
    if (time) rv_rd_note_time(store, time, asked_at_ms);
    return rv_store_now_ms(&store->base);
}

/* The queue is split in another way than we knew. Who waits is to begin anew. */
static void learn(struct rv_rd *store, struct rv_rd_place *place, bool *rings) {
    struct rv_rd_split split;
    (void)rv_rd_splits_find(&store->splits, place->shard.queue, &split);
    if (split.epoch == place->shard.epoch && rv_rd_settle(store, &split, NULL)) return;
    place->stale = true;
    *rings = true;
}

static int take(struct rv_rd *store, struct rv_rd_place *place, const struct rv_rd_look *look,
                int64_t asked_at_ms, bool *rings, int64_t *look_at_ms, struct rv_error *err) {
    struct rv_rd_meta meta;
    int64_t now_ms = now_there_ms(store, look->time, asked_at_ms);
    int rc = rv_rd_meta_read(place->shard.queue, look->meta, &meta, err);
    if (!rc && meta.known && meta.epoch != place->shard.epoch)
        learn(store, place, rings);
    else if (!rc && meta.known)
        see(place, &meta, now_ms, rings, look_at_ms);
    place->rung = false;
    place->counters.gaps = rc ? 0 : store->ear.channels.gaps;
    place->counters.fresh_ms = rv_clock_boot_ms(&rv_clock_real) + FRESH_MS;
    return rc;
}

static int take_all(struct rv_rd *store, const struct rv_rd_queue_bells *bells,
                    const struct rv_rd_looks *looks, int64_t asked_at_ms, bool *rings,
                    int64_t *look_at_ms, struct rv_error *err) {
    int rc = 0;
    size_t missed = 0;
    const struct rv_rd_ask *failed = NULL;
    for (size_t i = 0; i < looks->count; i++) {
        const struct rv_rd_look *look = &looks->all[i];
        struct rv_rd_place *place = &bells->places[(bells->turn + i) % bells->place_count];
        if (look->ask->rc) failed = look->ask;
        if (look->ask->rc) missed++;
        if (!look->ask->rc && !rc)
            rc = take(store, place, look, asked_at_ms, rings, look_at_ms, err);
    }
    int64_t again_ms = rv_clock_boot_ms(&rv_clock_real) + RV_RD_AWAY_MS;
    if (missed && again_ms < *look_at_ms) *look_at_ms = again_ms; /* another may have followed */
    if (rc || !failed || missed < looks->count) return rc;
    *err = failed->err;
    return failed->rc;
}

/* In a cluster each place costs a command: at first all are looked at, then some at a time, so that
 * it costs little to wait for many. */
static size_t count_looks(const struct rv_rd *store, const struct rv_rd_queue_bells *bells) {
    bool all = !bells->looked || store->topology.shape != RV_RD_CLUSTER;
    return all || bells->place_count < LOOKS_MAX ? bells->place_count : LOOKS_MAX;
}

static void prepare(const struct rv_rd *store, const struct rv_rd_queue_bells *bells, bool timed,
                    struct rv_rd_looks *looks) {
    bool cluster = store->topology.shape == RV_RD_CLUSTER;
    for (size_t i = 0; i < looks->count; i++) {
        const struct rv_rd_place *place = &bells->places[(bells->turn + i) % bells->place_count];
        bool with_time = cluster ? !bells->looked || place->has_due : i == 0 && !timed;
        looks->all[i] = (struct rv_rd_look){.shard = place->shard, .with_time = with_time};
    }
}

static int look(struct rv_rd *store, struct rv_rd_queue_bells *bells, bool *rings,
                int64_t *look_at_ms, struct rv_error *err) {
    struct rv_rd_looks looks = {.count = count_looks(store, bells), .brief = true, .spare = true};
    looks.all = calloc(looks.count, sizeof *looks.all);
    if (!looks.all) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real), *timed_ms = &store->ear.timed_ms;
    bool timed = *timed_ms && now_ms - *timed_ms <= TIME_MS;
    prepare(store, bells, timed, &looks);
    int64_t asked_at_ms = rv_clock_wall_ms(&rv_clock_real);
    int rc = rv_rd_looks_ask(store, &looks, err);
    if (!rc) rc = take_all(store, bells, &looks, asked_at_ms, rings, look_at_ms, err);
    if (!rc && !timed) *timed_ms = now_ms;
    if (!rc) bells->looked = true;
    bells->turn = (bells->turn + looks.count) % bells->place_count;
    rv_rd_looks_release(&looks);
    free(looks.all);
    return rc;
}

int rv_rd_queue_bells_look(struct rv_rd *store, struct rv_rd_queue_bells *bells, bool hears,
                           bool *rings, int64_t *look_at_ms, struct rv_error *err) {
    if (!bells->place_count) return 0;
    for (size_t i = 0; i < bells->count; i++)
        bells->bells[i].ready = false;
    bool known = hears && are_known(store, bells, look_at_ms);
    int rc = known ? 0 : look(store, bells, rings, look_at_ms, err);
    if (!rc) count_bells(bells, rings);
    return rc;
}

/* ---- channels ---- */
/* The channels of a shard have names of keys of its; each message is its meta. The second is only
 * for marks: those who run its jobs need not hear of every end. */
static const struct {
    const char *name;
    unsigned mute; /* who wants none of these does not listen */
} channels[] = {
    {"events", RV_MUTE_ENDED | RV_MUTE_EVENTS},
    {"marks", RV_MUTE_CANCELLED},
};
enum { CHANNELS = sizeof channels / sizeof *channels };

int rv_rd_queue_bells_want(struct rv_rd *store, const struct rv_rd_queue_bells *bells,
                           struct rv_error *err) {
    char name[RV_RD_KEY_SIZE];
    int rc = 0;
    for (size_t i = 0; i < bells->place_count; i++) {
        const struct rv_rd_place *place = &bells->places[i];
        for (size_t j = 0; !rc && j < CHANNELS; j++) {
            if ((place->bell->mute & channels[j].mute) == channels[j].mute) continue;
            rv_rd_key(store, &place->shard, channels[j].name, name);
            rc = rv_rd_channels_want(&store->ear.channels, name, err);
        }
    }
    return rc;
}

static bool is_of(const struct rv_rd *store, const struct rv_rd_place *place, const char *channel) {
    char name[RV_RD_KEY_SIZE];
    for (size_t i = 0; i < CHANNELS; i++) {
        rv_rd_key(store, &place->shard, channels[i].name, name);
        if (strcmp(name, channel) == 0) return true;
    }
    return false;
}

/* A message may be older than the latest look. */
static bool is_news(const struct rv_rd_place *place, const struct rv_rd_meta *meta) {
    return meta->finished + meta->dropped >= place->counters.ended &&
           meta->marked >= place->counters.cancelled && meta->event >= place->counters.events;
}

int rv_rd_queue_bells_hear(struct rv_rd *store, const struct rv_rd_queue_bells *bells,
                           const struct rv_rd_message *message, bool *rings, struct rv_error *err) {
    int rc = 0;
    for (size_t i = 0; !rc && i < bells->place_count; i++) {
        struct rv_rd_place *place = &bells->places[i];
        struct rv_rd_meta meta;
        if (!is_of(store, place, message->channel)) continue;
        rc = rv_rd_meta_read(place->shard.queue, message->text, &meta, err);
        if (!rc && meta.epoch != place->shard.epoch)
            learn(store, place, rings);
        else if (!rc && is_news(place, &meta))
            see_counters(place, &meta);
    }
    if (!rc) count_bells(bells, rings);
    return rc;
}

/* ---- the bells ---- */
int rv_rd_queue_bells_sleep(struct rv_rd *store, const struct rv_rd_queue_bells *bells,
                            struct rv_error *err) {
    size_t count = 0;
    struct rv_rd_shard *shards = calloc(bells->place_count + 1, sizeof *shards);
    if (!shards) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (size_t i = 0; i < bells->place_count; i++)
        if (bells->places[i].bell->want_ready) shards[count++] = bells->places[i].shard;
    int rc = count ? rv_rd_sleepers_sleep(&store->ear.sleepers, store, shards, count, err) : 0;
    free(shards);
    return rc;
}

/* One that was rung before we looked may be about a job that we saw, or one that had gone then. */
static void note_ring(const struct rv_rd *store, const struct rv_rd_queue_bells *bells,
                      const struct rv_rd_ring *ring, bool *rings) {
    char name[RV_RD_KEY_SIZE];
    for (size_t i = 0; i < bells->place_count; i++) {
        struct rv_rd_place *place = &bells->places[i];
        rv_rd_key(store, &place->shard, "bell", name);
        if (strcmp(name, ring->key) != 0) continue;
        place->rung = true;
        if (ring->seq > place->seq) *rings = true;
    }
}

int rv_rd_queue_bells_listen(struct rv_rd *store, const struct rv_rd_queue_bells *bells,
                             bool *rings, bool *rung, struct rv_error *err) {
    char key[RV_RD_KEY_SIZE];
    struct rv_rd_ring ring = {.key = key, .room = sizeof key};
    int rc = 0;
    for (size_t i = 0; !rc && i < RV_RD_SLEEPERS_MAX; i++) {
        rc = rv_rd_sleepers_look(&store->ear.sleepers, store, i, &ring, err);
        if (rc || !*ring.key) continue;
        *rung = true;
        note_ring(store, bells, &ring, rings);
    }
    return rc;
}

void rv_rd_queue_bells_rise(struct rv_rd *store, const struct rv_rd_queue_bells *bells) {
    struct rv_error ignored;
    bool rings, rung;
    while (rv_rd_sleepers_unblock(&store->ear.sleepers, store))
        (void)rv_rd_queue_bells_listen(store, bells, &rings, &rung, &ignored);
    for (size_t i = 0; i < bells->place_count; i++)
        if (bells->places[i].rung) bells->places[i].bell->ready = true;
}
