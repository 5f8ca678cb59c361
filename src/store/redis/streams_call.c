#include "store/redis/streams_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/redis/streams_split.h"
#include "store/redis/types.h"

enum { DEAD = 5 }; /* of keys */

/* In the order of lua/group.lua. */
static const struct {
    const char *name, *type, *published; /* what GROUP is followed by where the name is published */
} keys[RV_RD_STREAM_KEYS] = {
    {"meta", "string", NULL},  {"input", "stream", "-input"}, {"stream", "hash", NULL},
    {"lease", "zset", NULL},   {"held", "zset", NULL},        {"dead", "stream", "-input-dlq"},
    {"members", "hash", NULL}, {"seen", "zset", NULL},
};

enum rv_rd_layout rv_rd_stream_layout(const struct rv_rd *store, const struct rv_group *group) {
    if (!group->compat) return RV_RD_OWN;
    return store->topology.shape == RV_RD_CLUSTER ? RV_RD_SPLIT : RV_RD_PUBLISHED;
}

struct rv_rd_shard rv_rd_stream_place(const struct rv_group *group, char name[RV_RD_PLACE_SIZE]) {
    (void)snprintf(name, RV_RD_PLACE_SIZE, group->compat ? "=%s-input" : "~%s", group->name);
    return (struct rv_rd_shard){.queue = name};
}

const char *rv_rd_stream_key(const struct rv_rd *store, const struct rv_group *group, size_t i,
                             char *out) {
    char name[RV_RD_PLACE_SIZE];
    struct rv_rd_shard place = rv_rd_stream_place(group, name);
    bool elsewhere = i == DEAD && rv_rd_stream_layout(store, group) == RV_RD_SPLIT;
    if (group->compat && keys[i].published && !elsewhere)
        (void)snprintf(out, RV_RD_KEY_SIZE, "%s%s", group->name, keys[i].published);
    else
        rv_rd_key(store, &place, keys[i].name, out);
    return keys[i].type;
}

/* The keys of a script that looks at dead letters where they are: there is nothing of the group. */
static void write_letter_keys(const struct rv_rd *store, const struct rv_group *group,
                              char (*out)[RV_RD_KEY_SIZE], char place[RV_RD_PLACE_SIZE]) {
    (void)snprintf(place, RV_RD_PLACE_SIZE, "=%s%s", group->name, keys[DEAD].published);
    const struct rv_rd_shard shard = {.queue = place};
    for (size_t i = 0; i < RV_RD_STREAM_KEYS; i++)
        rv_rd_key(store, &shard, keys[i].name, out[i]);
    (void)snprintf(out[DEAD], RV_RD_KEY_SIZE, "%s", place + 1);
}

/* ---- errors ---- */
int rv_rd_stream_fail_answer(const struct rv_group *group, struct rv_error *err) {
    return rv_fail(err, REEVE_ECORRUPT, "group %s: the server's answer cannot be read",
                   group->name);
}

int rv_rd_stream_fail_absent(const struct rv_group *group, const char *name, struct rv_error *err) {
    return rv_fail(err, REEVE_ENOENT, "no stream %s in group %s", name, group->name);
}

/* ---- running ---- */
void rv_rd_stream_call_init(struct rv_rd_stream_call *call, struct rv_store *s,
                            const struct rv_group *group, enum rv_redis_lua which,
                            size_t bytes_max) {
    struct rv_rd *store = (struct rv_rd *)s;
    *call = (struct rv_rd_stream_call){
        .store = store, .group = group, .which = which, .timeout_ms = store->timeout_ms};
    rv_rd_args_init(&call->args, bytes_max);
}

/* What stands before the arguments. */
struct head {
    char keys[RV_RD_STREAM_KEYS][RV_RD_KEY_SIZE];
    char place[RV_RD_PLACE_SIZE];
    char count[8], offset[24], layout[8], readers[RV_RD_PLACE_SIZE];
};

static void prepare(const struct rv_rd_stream_call *call, struct head *head) {
    const struct rv_group *group = call->group;
    enum rv_rd_layout layout = rv_rd_stream_layout(call->store, group);
    (void)rv_rd_stream_place(group, head->place);
    for (size_t i = 0; i < RV_RD_STREAM_KEYS; i++)
        (void)rv_rd_stream_key(call->store, group, i, head->keys[i]);
    if (call->of_letters && layout == RV_RD_SPLIT)
        write_letter_keys(call->store, group, head->keys, head->place);
    (void)snprintf(head->count, sizeof head->count, "%d", RV_RD_STREAM_KEYS);
    (void)snprintf(head->offset, sizeof head->offset, "%" PRId64,
                   (int64_t)atomic_load(&call->store->clock->offset_ms));
    (void)snprintf(head->layout, sizeof head->layout, "%d", (int)layout);
    (void)snprintf(head->readers, sizeof head->readers, group->compat ? "%s-group" : "members",
                   group->name);
}

static int send(struct rv_rd_stream_call *call, const struct head *head, bool whole,
                redisReply **out, struct rv_error *err) {
    const struct rv_redis_lua_text *text = &rv_redis_lua[call->which];
    struct rv_rd_command command;
    const struct rv_rd_shard place = {.queue = head->place};
    struct rv_bytes words[RV_RD_STREAM_KEYS + 6];
    size_t count = 0;
    words[count++] =
        (struct rv_bytes){whole ? "EVAL" : "EVALSHA", strlen(whole ? "EVAL" : "EVALSHA")};
    words[count++] = whole ? (struct rv_bytes){text->data, text->size}
                           : (struct rv_bytes){text->sha1, strlen(text->sha1)};
    words[count++] = (struct rv_bytes){head->count, strlen(head->count)};
    for (size_t i = 0; i < RV_RD_STREAM_KEYS; i++)
        words[count++] = (struct rv_bytes){head->keys[i], strlen(head->keys[i])};
    words[count++] = (struct rv_bytes){head->offset, strlen(head->offset)};
    words[count++] = (struct rv_bytes){head->layout, strlen(head->layout)};
    words[count++] = (struct rv_bytes){head->readers, strlen(head->readers)};
    rv_rd_args_command(&call->args, words, count, &command);
    struct rv_rd_ask ask = {.shard = &place,
                            .commands = &command,
                            .count = 1,
                            .replies = out,
                            .brief = call->brief,
                            .spare = call->brief};
    rv_rd_call_many(call->store, &ask, 1, call->timeout_ms);
    if (ask.rc && err) *err = ask.err;
    return ask.rc;
}

static int run(struct rv_rd_stream_call *call, redisReply **out, struct rv_error *err) {
    struct head head;
    *out = NULL;
    int rc = rv_rd_args_settle(&call->args);
    if (rc) return rv_fail(err, rc, "group %s: the request", call->group->name);
    prepare(call, &head);
    rc = send(call, &head, false, out, err);
    if (!rc && rv_rd_reply_is_noscript(*out)) {
        rv_rd_replies_free(out, 1);
        rc = send(call, &head, true, out, err);
    }
    if (rc == REEVE_ECORRUPT) (void)rv_rd_types_check_group(call->store, call->group, err);
    return rc;
}

/* Of { answer, locks } only the answer is left. */
static int see_to_locks(const struct rv_rd_stream_call *call, redisReply **out,
                        struct rv_error *err) {
    redisReply *both = *out;
    *out = NULL;
    int rc = rv_rd_is_array(both, 2) ? 0 : rv_rd_stream_fail_answer(call->group, err);
    if (!rc) {
        rv_rd_locks_set(call->store, both->element[1], call->timeout_ms);
        *out = both->element[0];
        both->element[0] = NULL;
    }
    freeReplyObject(both);
    return rc;
}

int rv_rd_stream_run(struct rv_rd_stream_call *call, redisReply **out, struct rv_error *err) {
    int rc = run(call, out, err);
    rv_rd_args_release(&call->args);
    if (rc) return rc;
    if ((*out)->type != REDIS_REPLY_STATUS) {
        bool split = rv_rd_stream_layout(call->store, call->group) == RV_RD_SPLIT;
        return call->tells && split ? see_to_locks(call, out, err) : 0;
    }
    rc = rv_fail(err, REEVE_ESCHEMA, "group %s: a newer library wrote it (%s)", call->group->name,
                 (*out)->str);
    rv_rd_replies_free(out, 1);
    return rc;
}

int rv_rd_stream_ask(struct rv_rd_stream_call *call, int *answer, struct rv_error *err) {
    redisReply *reply;
    int rc = rv_rd_stream_run(call, &reply, err);
    if (rc) return rc;
    if (reply->type == REDIS_REPLY_INTEGER)
        *answer = (int)reply->integer;
    else
        rc = rv_rd_stream_fail_answer(call->group, err);
    freeReplyObject(reply);
    return rc;
}
