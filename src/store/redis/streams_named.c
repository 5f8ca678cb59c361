/* What is done to one stream, by its name: end, recall, claim, read. Where strangers offer and take
 * too, a stream may have no record: then it is looked for among the entries. */
#include <stdio.h>

#include "store/redis/record.h"
#include "store/redis/streams.h"
#include "store/redis/streams_show.h"
#include "store/redis/streams_split.h"

enum {
    ARGS_MAX = 256,
    ENTRY_SIZE = 48,     /* two numbers of 64 bits */
    SEEK_MAX = 1000,     /* J11: entries that one step looks at */
    LOCKLESS_MS = 30000, /* a stranger is given an entry first, and takes its lock then */
};

/* A script whose arguments are a name, the id of its entry if that was looked for, and one more. */
struct named {
    enum rv_redis_lua which;
    const char *name;
    struct rv_bytes more;
    int64_t timeout_ms; /* 0: that of the store */
    bool only_ours;     /* a stranger's is not meant */
    bool tells;         /* streams_call.h */
};

static int look_on(struct rv_store *s, const struct rv_group *group, const char *name,
                   char cursor[ENTRY_SIZE], char entry[ENTRY_SIZE], struct rv_error *err) {
    struct rv_rd_stream_call call;
    redisReply *reply;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_SEEK, ARGS_MAX);
    rv_rd_args_add_text(&call.args, name);
    rv_rd_args_add_text(&call.args, cursor);
    rv_rd_args_add_number(&call.args, SEEK_MAX);
    int rc = rv_rd_stream_run(&call, &reply, err);
    if (rc) return rc;
    if (rv_rd_is_array(reply, 2) && reply->element[0]->str && reply->element[1]->str) {
        (void)snprintf(entry, ENTRY_SIZE, "%s", reply->element[0]->str);
        (void)snprintf(cursor, ENTRY_SIZE, "%s", reply->element[1]->str);
    } else {
        rc = rv_rd_stream_fail_answer(group, err);
    }
    freeReplyObject(reply);
    return rc;
}

static int seek(struct rv_store *s, const struct rv_group *group, const char *name,
                char entry[ENTRY_SIZE], struct rv_error *err) {
    char cursor[ENTRY_SIZE] = "";
    int rc;
    do {
        rc = look_on(s, group, name, cursor, entry, err);
    } while (!rc && !*entry && *cursor);
    return rc;
}

static int run_at(struct rv_store *s, const struct rv_group *group, const struct named *named,
                  const char *entry, redisReply **out, struct rv_error *err) {
    struct rv_rd_stream_call call;
    rv_rd_stream_call_init(&call, s, group, named->which, ARGS_MAX);
    if (named->timeout_ms) call.timeout_ms = named->timeout_ms;
    call.tells = named->tells;
    rv_rd_args_add_text(&call.args, named->name);
    rv_rd_args_add_text(&call.args, entry);
    rv_rd_args_add(&call.args, named->more.data, named->more.size);
    return rv_rd_stream_run(&call, out, err);
}

static bool is_absent(const redisReply *reply) {
    return reply->type == REDIS_REPLY_INTEGER ? reply->integer == 1 : reply->elements == 0;
}

static int run(struct rv_store *s, const struct rv_group *group, const struct named *named,
               redisReply **out, struct rv_error *err) {
    char entry[ENTRY_SIZE] = "";
    int rc = run_at(s, group, named, entry, out, err);
    if (rc || !group->compat || named->only_ours || !is_absent(*out)) return rc;
    rc = seek(s, group, named->name, entry, err);
    if (!rc && !*entry) return 0;
    rv_rd_replies_free(out, 1);
    return rc ? rc : run_at(s, group, named, entry, out, err);
}

static int ask(struct rv_store *s, const struct rv_group *group, const struct named *named,
               int *answer, struct rv_error *err) {
    redisReply *reply;
    int rc = run(s, group, named, &reply, err);
    if (rc) return rc;
    if (reply->type == REDIS_REPLY_INTEGER)
        *answer = (int)reply->integer;
    else
        rc = rv_rd_stream_fail_answer(group, err);
    freeReplyObject(reply);
    return rc;
}

/* ---- the ops ---- */
int rv_rd_stream_end(struct rv_store *s, const struct rv_group *group,
                     const struct rv_stream_ref *ref, int64_t timeout_ms, struct rv_error *err) {
    enum { GONE, ABSENT, FENCED };
    unsigned char lease[RV_RD_LEASE_SIZE];
    rv_rd_lease_pack(lease, ref->holder, ref->token);
    const struct named named = {.which = RV_REDIS_LUA_STREAM_END,
                                .name = ref->name,
                                .more = {lease, ref->holder ? sizeof lease : 0},
                                .timeout_ms = timeout_ms,
                                .only_ours = ref->holder,
                                .tells = true};
    int answer = GONE, rc = ask(s, group, &named, &answer, err);
    if (rc) return rc;
    if (answer == ABSENT) return rv_rd_stream_fail_absent(group, ref->name, err);
    if (answer == FENCED)
        return rv_fail(err, REEVE_EFENCED, "stream %s is not yours any more", ref->name);
    return 0;
}

int rv_rd_stream_recall(struct rv_store *s, const struct rv_group *group, const char *name,
                        struct rv_error *err) {
    enum { ASKED, ABSENT, WAITS, STRANGE };
    const struct named named = {.which = RV_REDIS_LUA_STREAM_RECALL, .name = name};
    int answer = ASKED, rc = ask(s, group, &named, &answer, err);
    if (rc) return rc;
    if (answer == ABSENT) return rv_rd_stream_fail_absent(group, name, err);
    if (answer == WAITS) return rv_fail(err, REEVE_ESTATE, "nobody owns stream %s", name);
    if (answer == STRANGE)
        return rv_fail(err, REEVE_ESTATE,
                       "stream %s is owned by another program, which cannot be asked", name);
    return 0;
}

enum { IN_LINE, ABSENT, WAITS, LIVES, ASK };

static int claim_at(struct rv_store *s, const struct rv_group *group, const char *name,
                    const char *entry, bool lockless, redisReply **out, struct rv_error *err) {
    struct rv_rd_stream_call call;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_CLAIM, ARGS_MAX);
    rv_rd_args_add_text(&call.args, name);
    rv_rd_args_add_text(&call.args, entry);
    rv_rd_args_add_number(&call.args, LOCKLESS_MS);
    rv_rd_args_add_number(&call.args, lockless);
    int rc = rv_rd_stream_run(&call, out, err);
    if (rc || rv_rd_is_array(*out, 2)) return rc;
    rv_rd_replies_free(out, 1);
    return rv_rd_stream_fail_answer(group, err);
}

/* A stranger's lock lies elsewhere: if the script wants to know of it, it is asked for, and then
 * the script once more. */
static int claim_lockless(struct rv_store *s, const struct rv_group *group, const char *name,
                          const char *entry, int *answer, struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    redisReply *reply = NULL;
    bool there = false;
    int rc = claim_at(s, group, name, entry, false, &reply, err);
    if (!rc && reply->element[0]->integer == ASK && rv_rd_is_array(reply->element[1], 3)) {
        const char *lock = reply->element[1]->element[0]->str;
        rc = rv_rd_locks_ask(store, &lock, 1, &there, err);
        rv_rd_replies_free(&reply, 1);
        if (!rc && !there) rc = claim_at(s, group, name, entry, true, &reply, err);
    }
    *answer = LIVES;
    if (!rc && reply) {
        *answer = (int)reply->element[0]->integer;
        rv_rd_locks_set(store, reply->element[1], store->timeout_ms);
    }
    rv_rd_replies_free(&reply, 1);
    return rc;
}

static int claim_split(struct rv_store *s, const struct rv_group *group, const char *name,
                       int *answer, struct rv_error *err) {
    char entry[ENTRY_SIZE] = "";
    int rc = claim_lockless(s, group, name, entry, answer, err);
    if (!rc && *answer == ABSENT) rc = seek(s, group, name, entry, err);
    return rc || !*entry ? rc : claim_lockless(s, group, name, entry, answer, err);
}

static int claim(struct rv_store *s, const struct rv_group *group, const char *name, int *answer,
                 struct rv_error *err) {
    char ms[16];
    int size = snprintf(ms, sizeof ms, "%d", LOCKLESS_MS);
    const struct named named = {
        .which = RV_REDIS_LUA_STREAM_CLAIM, .name = name, .more = {ms, (size_t)size}};
    if (rv_rd_stream_layout((struct rv_rd *)s, group) == RV_RD_SPLIT)
        return claim_split(s, group, name, answer, err);
    return ask(s, group, &named, answer, err);
}

int rv_rd_stream_claim(struct rv_store *s, const struct rv_group *group, const char *name,
                       struct rv_error *err) {
    int answer = IN_LINE, rc = claim(s, group, name, &answer, err);
    if (rc) return rc;
    if (answer == ABSENT) return rv_rd_stream_fail_absent(group, name, err);
    if (answer == WAITS) return rv_fail(err, REEVE_ESTATE, "stream %s is in line already", name);
    if (answer == LIVES)
        return rv_fail(err, REEVE_ESTATE, "stream %s is owned by one who lives", name);
    return 0;
}

int rv_rd_stream_read(struct rv_store *s, const struct rv_group *group, const char *name,
                      struct reeve_stream **out, struct rv_error *err) {
    const struct named named = {.which = RV_REDIS_LUA_STREAM_READ, .name = name};
    redisReply *reply;
    int rc = run(s, group, &named, &reply, err);
    if (rc) return rv_rd_only_asked(rc, err);
    if (reply->type == REDIS_REPLY_ARRAY && !reply->elements)
        rc = rv_rd_stream_fail_absent(group, name, err);
    else
        rc = rv_rd_stream_show(group, reply, out, err);
    freeReplyObject(reply);
    return rc;
}
