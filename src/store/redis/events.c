/* announce, events: entries of a list (lua/events.lua), written only while somebody watches. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "core/arena.h"
#include "store/redis/record.h"
#include "store/redis/split.h"

enum { ARGS_MAX = 128 };

/* What is not about a job stands among those of the first shard. It is for those who watch: nobody
 * waits long to tell them. */
int rv_rd_announce(struct rv_store *s, const char *queue, const struct rv_announcement *news,
                   int64_t timeout_ms, struct rv_error *err) {
    struct rv_rd_args args;
    struct rv_rd_script script = {.which = RV_REDIS_LUA_ANNOUNCE,
                                  .args = &args,
                                  .timeout_ms = timeout_ms,
                                  .brief = true,
                                  .spare = true};
    unsigned char lease[RV_RD_LEASE_SIZE];
    redisReply *reply = NULL;
    rv_rd_lease_pack(lease, 0, news->token);
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_number(&args, news->type);
    rv_rd_args_add_number(&args, news->why);
    rv_rd_args_add_text(&args, news->id);
    rv_rd_args_add_text(&args, news->worker ? news->worker : "");
    rv_rd_args_add(&args, lease, sizeof lease);
    int rc = rv_rd_split_run((struct rv_rd *)s, &script, queue, NULL, &reply, err);
    rv_rd_replies_free(&reply, 1);
    rv_rd_args_release(&args);
    return rc;
}

/* ---- events ---- */
/* An entry, in the order of lua/events.lua. */
static bool read_entry(struct rv_bytes bytes, struct rv_arena *arena, struct reeve_event *out) {
    struct rv_reader reader;
    rv_reader_init(&reader, bytes);
    out->type = (enum reeve_event_type)rv_read_u8(&reader);
    out->state = (enum reeve_state)rv_read_u8(&reader);
    out->at_ms = (int64_t)rv_read_uint(&reader, 6);
    out->token = rv_read_uint(&reader, 7);
    bool has_worker = rv_read_u8(&reader);
    struct rv_bytes id = rv_read_bytes(&reader, rv_read_u8(&reader));
    struct rv_bytes worker = rv_read_bytes(&reader, (size_t)(reader.end - reader.at));
    if (reader.failed) return false;
    out->id = rv_arena_copy(arena, id.data, id.size);
    out->worker = has_worker ? rv_arena_copy(arena, worker.data, worker.size) : NULL;
    return true;
}

/* Entries of all shards, in the order in which they are told. */
struct entries {
    struct rv_bytes all[RV_EVENTS_MAX];
    size_t count;
};

/* Lays the entries out behind the array; events: NULL while measuring. */
static int lay_out(const char *queue, const struct entries *entries, struct rv_arena *arena,
                   struct reeve_event *events, struct rv_error *err) {
    const char *name = rv_arena_text(arena, queue);
    for (size_t i = 0; i < entries->count; i++) {
        struct reeve_event event = {.queue = name};
        if (!read_entry(entries->all[i], arena, &event)) return rv_rd_fail_answer(queue, err);
        if (events) events[i] = event;
    }
    return 0;
}

static int gather(const char *queue, const struct entries *entries, struct rv_events *out,
                  struct rv_error *err) {
    struct rv_arena arena = {0};
    size_t room = entries->count * sizeof *out->events;
    (void)rv_arena_room(&arena, room);
    int rc = lay_out(queue, entries, &arena, NULL, err);
    if (rc || !entries->count) return rc;
    arena = (struct rv_arena){.block = malloc(arena.used)};
    if (!arena.block) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    out->events = rv_arena_room(&arena, room);
    out->count = entries->count;
    return lay_out(queue, entries, &arena, out->events, err);
}

/* ---- of all shards ---- */
struct look {
    struct rv_rd_stand stand;
    struct rv_events *out;
    redisReply *replies[RV_SHARDS_MAX];
    size_t next[RV_SHARDS_MAX]; /* entry of each reply, while they are merged */
    size_t count;               /* entries of all replies */
};

/* Those of one shard, as many as there is room for. */
static int look_at(struct rv_rd *store, const struct rv_rd_shard *shard, struct look *look,
                   struct rv_error *err) {
    struct rv_rd_args args;
    struct rv_rd_script script = {.which = RV_REDIS_LUA_WATCH,
                                  .shard = *shard,
                                  .args = &args,
                                  .timeout_ms = store->timeout_ms};
    uint64_t *at = &look->stand.at[shard->number];
    redisReply *reply = NULL;
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_number(&args, *at < INT64_MAX ? (int64_t)*at : INT64_MAX);
    rv_rd_args_add_number(&args, (int64_t)(RV_EVENTS_MAX - look->count));
    rv_rd_args_add_number(&args, RV_WATCHED_MS);
    int rc = rv_rd_script_run(store, &script, &reply, err);
    rv_rd_args_release(&args);
    if (rc) return rc;
    look->replies[shard->number] = reply;
    if (!rv_rd_is_array(reply, 2) || reply->element[1]->type != REDIS_REPLY_ARRAY)
        return rv_rd_fail_answer(shard->queue, err);
    *at = (uint64_t)reply->element[0]->integer;
    look->count += reply->element[1]->elements;
    return 0;
}

/* When the next entry of a shard was written; INT64_MAX: there is none. */
static int64_t next_at_ms(const struct look *look, unsigned shard) {
    struct rv_reader reader;
    const redisReply *reply = look->replies[shard];
    if (!reply || look->next[shard] == reply->element[1]->elements) return INT64_MAX;
    rv_reader_init(&reader, rv_rd_bytes(reply->element[1]->element[look->next[shard]]));
    (void)rv_read_u8(&reader);
    (void)rv_read_u8(&reader);
    return (int64_t)rv_read_uint(&reader, 6);
}

/* By time, those of a shard in their order: so those of a job are. */
static void merge(struct look *look, unsigned shards, struct entries *out) {
    for (out->count = 0; out->count < look->count; out->count++) {
        unsigned first = 0;
        for (unsigned i = 1; i < shards; i++)
            if (next_at_ms(look, i) < next_at_ms(look, first)) first = i;
        const redisReply *entries = look->replies[first]->element[1];
        out->all[out->count] = rv_rd_bytes(entries->element[look->next[first]++]);
    }
}

static int look_at_all(struct rv_rd *store, const struct rv_rd_split *split, struct look *look,
                       struct rv_error *err) {
    uint64_t first = look->stand.number; /* others come first next time */
    int rc = 0;
    for (unsigned i = 0; !rc && i < split->count && look->count < RV_EVENTS_MAX; i++) {
        struct rv_rd_shard shard = rv_rd_split_shard(split, (unsigned)((first + i) % split->count));
        rc = look_at(store, &shard, look, err);
    }
    struct rv_rd_stand before;
    rv_rd_stands_find(&store->stands, first, &before);
    bool moved = memcmp(before.at, look->stand.at, sizeof before.at) != 0;
    if (!rc && split->count == 1) look->stand.number = look->stand.at[0];
    if (!rc && split->count > 1 && moved) rc = rv_rd_stands_keep(&store->stands, &look->stand, err);
    return rc;
}

static int events(struct rv_rd *store, const struct rv_rd_split *split, void *arg,
                  struct rv_error *err) {
    struct look look = {.out = arg};
    struct entries entries;
    rv_rd_stands_find(&store->stands, look.out->after, &look.stand);
    int rc = look_at_all(store, split, &look, err);
    if (!rc) {
        merge(&look, split->count, &entries);
        rc = gather(split->queue, &entries, look.out, err);
    }
    if (!rc) look.out->after = look.stand.number;
    rv_rd_replies_free(look.replies, split->count);
    return rc;
}

int rv_rd_events(struct rv_store *s, const char *queue, uint64_t after, struct rv_events *out,
                 struct rv_error *err) {
    out->after = after;
    return rv_rd_split_over((struct rv_rd *)s, queue, events, out, err);
}
