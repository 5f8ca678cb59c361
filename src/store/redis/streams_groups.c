/* Streams: the groups of a space, what one comes to, and its members. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "store/redis/space.h"
#include "store/redis/streams.h"
#include "store/redis/streams_show.h"
#include "store/redis/streams_split.h"

enum {
    ARGS_MAX = 1024,
    PRUNE_MAX = 20, /* J11: expired members that a beat removes */
};

/* A group of compat is in no space: each space that uses it has it in a list for the doctor. */
static const char *list_of(bool compat) {
    return compat ? "compat" : "groups";
}

bool rv_rd_stream_is_listed(struct rv_store *s, const struct rv_group *group) {
    char place[RV_RD_PLACE_SIZE];
    (void)rv_rd_stream_place(group, place);
    return rv_rd_hint_get(&((struct rv_rd *)s)->hints, place).listed;
}

int rv_rd_stream_enlist(struct rv_store *s, const struct rv_group *group, struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    char key[RV_RD_KEY_SIZE], place[RV_RD_PLACE_SIZE];
    (void)rv_rd_stream_place(group, place);
    rv_rd_key(store, NULL, list_of(group->compat), key);
    const char *const words[] = {"ZADD", key, "0", group->name};
    const struct rv_rd_command command = {.argc = 4, .argv = words};
    redisReply *reply = NULL;
    int rc = rv_rd_space_call(store, &command, 1, &reply, err);
    rv_rd_replies_free(&reply, 1);
    if (!rc) rv_rd_hint_set_listed(&store->hints, place);
    return rc;
}

int rv_rd_stream_groups(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                        struct rv_error *err) {
    return rv_rd_stream_listed((struct rv_rd *)s, false, after, limit, out, err);
}

int rv_rd_stream_listed(struct rv_rd *store, bool compat, const char *after, size_t limit,
                        struct rv_names *out, struct rv_error *err) {
    return rv_rd_space_names(store, list_of(compat), after, limit, out, err);
}

/* ---- stats ---- */
static void show_stats(const redisReply *reply, struct reeve_group *out) {
    uint64_t *const fields[] = {
        &out->waiting,           &out->owned,          &out->failed,
        &out->members,           &out->offered_total,  &out->duplicates_total,
        &out->taken_total,       &out->ended_total,    &out->yielded_total,
        &out->lapsed_total,      &out->requeued_total, &out->failed_total,
        &out->unparseable_total, &out->trimmed_total,  &out->purged_total,
        &out->revived_total,     &out->fenced_total,
    };
    for (size_t i = 0; i < sizeof fields / sizeof(*fields); i++)
        *fields[i] = (uint64_t)reply->element[1 + i]->integer;
}

int rv_rd_stream_stats(struct rv_store *s, const struct rv_group *group, struct reeve_group *out,
                       struct rv_error *err) {
    struct rv_rd_stream_call call;
    redisReply *reply;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_STATS, ARGS_MAX);
    int rc = rv_rd_stream_run(&call, &reply, err);
    if (rc) return rv_rd_only_asked(rc, err);
    if (!rv_rd_is_array(reply, 18))
        rc = rv_rd_stream_fail_answer(group, err);
    else if (!reply->element[0]->integer)
        rc = rv_fail(err, REEVE_ENOENT, "no group %s", group->name);
    else
        show_stats(reply, out);
    out->name = group->name;
    freeReplyObject(reply);
    if (!rc && rv_rd_stream_layout((struct rv_rd *)s, group) == RV_RD_SPLIT)
        rc = rv_rd_letters_count((struct rv_rd *)s, group, &out->failed, err);
    return rc;
}

/* ---- members ---- */
int rv_rd_stream_beat(struct rv_store *s, const struct rv_group *group,
                      const struct rv_member_row *member, int64_t ttl_ms, struct rv_error *err) {
    struct rv_rd_stream_call call;
    int answer, rc = rv_rd_stream_is_listed(s, group) ? 0 : rv_rd_stream_enlist(s, group, err);
    if (rc) return rc;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_BEAT, ARGS_MAX);
    rv_rd_args_add_text(&call.args, member->id);
    size_t from = call.args.bytes.size, size = strlen(member->name);
    (void)rv_buf_add_u64(&call.args.bytes, member->owned);
    (void)rv_buf_add_u64(&call.args.bytes, member->max);
    (void)rv_buf_add_u8(&call.args.bytes, (uint8_t)size);
    (void)rv_buf_add(&call.args.bytes, member->name, size);
    (void)rv_member_stats_pack(&member->stats, &call.args.bytes);
    rv_rd_args_add_packed(&call.args, from);
    rv_rd_args_add_number(&call.args, ttl_ms);
    rv_rd_args_add_number(&call.args, PRUNE_MAX);
    return rv_rd_stream_ask(&call, &answer, err);
}

static bool read_row(struct rv_bytes bytes, struct rv_member_row *row) {
    struct rv_reader reader;
    rv_reader_init(&reader, bytes);
    row->seen_at_ms = (int64_t)rv_read_uint(&reader, 6);
    row->joined_at_ms = (int64_t)rv_read_uint(&reader, 6);
    row->owned = rv_read_u64(&reader);
    row->max = rv_read_u64(&reader);
    struct rv_bytes name = rv_read_bytes(&reader, rv_read_u8(&reader));
    if (name.size) memcpy(row->name, name.data, name.size); /* zeroed: NUL-ended */
    rv_member_stats_unpack(rv_read_bytes(&reader, (size_t)(reader.end - reader.at)), &row->stats);
    return !reader.failed;
}

static int gather(const struct rv_group *group, const redisReply *reply, struct rv_members *out,
                  struct rv_error *err) {
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements % 2)
        return rv_rd_stream_fail_answer(group, err);
    out->rows = calloc(reply->elements / 2 + 1, sizeof *out->rows);
    if (!out->rows) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (size_t i = 0; i < reply->elements; i += 2) {
        struct rv_member_row *row = &out->rows[out->count++];
        struct rv_bytes id = rv_rd_bytes(reply->element[i]);
        (void)snprintf(row->id, sizeof row->id, "%.*s", (int)id.size, (const char *)id.data);
        if (!read_row(rv_rd_bytes(reply->element[i + 1]), row))
            return rv_fail(err, REEVE_ECORRUPT, "group %s: the row of member '%s' cannot be read",
                           group->name, row->id);
    }
    return 0;
}

int rv_rd_stream_members(struct rv_store *s, const struct rv_group *group, struct rv_members *out,
                         struct rv_error *err) {
    struct rv_rd_stream_call call;
    redisReply *reply;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_MEMBERS, ARGS_MAX);
    rv_rd_args_add_number(&call.args, RV_MEMBERS_MAX);
    int rc = rv_rd_stream_run(&call, &reply, err);
    if (rc) return rv_rd_only_asked(rc, err);
    rc = gather(group, reply, out, err);
    freeReplyObject(reply);
    return rc;
}
