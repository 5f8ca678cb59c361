/* announce, events: entries of a list (lua/events.lua), written only while somebody watches. */
#include <stdlib.h>

#include "base/buf.h"
#include "core/arena.h"
#include "store/redis/record.h"
#include "store/redis/script.h"

enum { ARGS_MAX = 128 };

/* args are released here. */
static int run(struct rv_store *s, enum rv_redis_lua which, const char *queue,
               struct rv_rd_args *args, int64_t timeout_ms, redisReply **out,
               struct rv_error *err) {
    struct rv_rd_script script = {
        .which = which, .shard = {.queue = queue}, .args = args, .timeout_ms = timeout_ms};
    int rc = rv_rd_script_run((struct rv_rd *)s, &script, out, err);
    rv_rd_args_release(args);
    return rc;
}

int rv_rd_announce(struct rv_store *s, const char *queue, const struct rv_announcement *news,
                   int64_t timeout_ms, struct rv_error *err) {
    struct rv_rd_args args;
    unsigned char lease[RV_RD_LEASE_SIZE];
    redisReply *reply = NULL;
    rv_rd_lease_pack(lease, 0, news->token);
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_number(&args, news->type);
    rv_rd_args_add_number(&args, news->why);
    rv_rd_args_add_text(&args, news->id);
    rv_rd_args_add_text(&args, news->worker ? news->worker : "");
    rv_rd_args_add(&args, lease, sizeof lease);
    int rc = run(s, RV_REDIS_LUA_ANNOUNCE, queue, &args, timeout_ms, &reply, err);
    rv_rd_replies_free(&reply, 1);
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

/* Lays the entries out behind the array; events: NULL while measuring. */
static int lay_out(const char *queue, const redisReply *entries, struct rv_arena *arena,
                   struct reeve_event *events, struct rv_error *err) {
    const char *name = rv_arena_text(arena, queue);
    for (size_t i = 0; i < entries->elements; i++) {
        struct reeve_event event = {.queue = name};
        if (!read_entry(rv_rd_bytes(entries->element[i]), arena, &event))
            return rv_rd_fail_answer(queue, err);
        if (events) events[i] = event;
    }
    return 0;
}

static int gather(const char *queue, const redisReply *entries, struct rv_events *out,
                  struct rv_error *err) {
    struct rv_arena arena = {0};
    size_t room = entries->elements * sizeof *out->events;
    (void)rv_arena_room(&arena, room);
    int rc = lay_out(queue, entries, &arena, NULL, err);
    if (rc || !entries->elements) return rc;
    arena = (struct rv_arena){.block = malloc(arena.used)};
    if (!arena.block) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    out->events = rv_arena_room(&arena, room);
    out->count = entries->elements;
    return lay_out(queue, entries, &arena, out->events, err);
}

int rv_rd_events(struct rv_store *s, const char *queue, uint64_t after, struct rv_events *out,
                 struct rv_error *err) {
    struct rv_rd_args args;
    redisReply *reply;
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_number(&args, after < INT64_MAX ? (int64_t)after : INT64_MAX);
    rv_rd_args_add_number(&args, RV_EVENTS_MAX);
    rv_rd_args_add_number(&args, RV_WATCHED_MS);
    int64_t timeout_ms = ((struct rv_rd *)s)->timeout_ms;
    int rc = run(s, RV_REDIS_LUA_WATCH, queue, &args, timeout_ms, &reply, err);
    if (rc) return rc;
    if (!rv_rd_is_array(reply, 2) || reply->element[1]->type != REDIS_REPLY_ARRAY)
        rc = rv_rd_fail_answer(queue, err);
    if (!rc) {
        out->after = (uint64_t)reply->element[0]->integer;
        rc = gather(queue, reply->element[1], out, err);
    }
    freeReplyObject(reply);
    return rc;
}
