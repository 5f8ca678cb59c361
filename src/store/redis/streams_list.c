/* Streams: pages of them, and their dead letters. */
#include <string.h>

#include "core/limits.h"
#include "store/redis/streams.h"
#include "store/redis/streams_show.h"
#include "store/redis/streams_split.h"

enum { ARGS_MAX = 256 };

/* What a page goes on with is the id of an entry; NULL and "": from the first. */
static int check_id(const char *id, const char *what, struct rv_error *err) {
    if (!id || !*id) return 0;
    size_t first = strspn(id, "0123456789"), second = strspn(id + first, "-");
    size_t third = strspn(id + first + second, "0123456789");
    bool whole = !id[first + second + third] && first && first < 20 && third < 20;
    if (whole && second == (third > 0)) return 0;
    return rv_fail(err, REEVE_EINVAL, "%s '%.64s' is not one that a list has shown", what, id);
}

int rv_rd_stream_list(struct rv_store *s, const struct rv_group *group,
                      const struct rv_stream_query *query, struct rv_streams *out,
                      struct rv_error *err) {
    struct rv_rd_stream_call call;
    redisReply *reply;
    int rc = check_id(query->after, "the cursor", err);
    if (rc) return rc;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_LIST, ARGS_MAX);
    rv_rd_args_add_text(&call.args, query->after ? query->after : "");
    rv_rd_args_add_number(&call.args, (int64_t)query->limit);
    rv_rd_args_add_number(&call.args, query->state);
    rv_rd_args_add_number(&call.args, (int64_t)RV_TAKE_BYTES_MAX);
    rc = rv_rd_stream_run(&call, &reply, err);
    if (rc) return rv_rd_only_asked(rc, err);
    if (rv_rd_is_array(reply, 2)) {
        rc = rv_rd_streams_show(group, reply->element[0], &out->streams, &out->count, err);
        if (!rc) rc = rv_rd_stream_cursor(group, reply->element[1], out->cursor, err);
    } else {
        rc = rv_rd_stream_fail_answer(group, err);
    }
    freeReplyObject(reply);
    return rc;
}

/* ---- dead letters ---- */
int rv_rd_stream_letters(struct rv_store *s, const struct rv_group *group, const char *after,
                         size_t limit, struct rv_letters *out, struct rv_error *err) {
    struct rv_rd_stream_call call;
    redisReply *reply;
    int rc = check_id(after, "the cursor", err);
    if (rc) return rc;
    rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_LETTERS, ARGS_MAX);
    call.of_letters = true;
    rv_rd_args_add_text(&call.args, after ? after : "");
    rv_rd_args_add_number(&call.args, (int64_t)limit);
    rv_rd_args_add_number(&call.args, (int64_t)RV_TAKE_BYTES_MAX);
    rc = rv_rd_stream_run(&call, &reply, err);
    if (rc) return rv_rd_only_asked(rc, err);
    if (rv_rd_is_array(reply, 2)) {
        rc = rv_rd_letters_show(group, reply->element[0], out, err);
        if (!rc) rc = rv_rd_stream_cursor(group, reply->element[1], out->cursor, err);
    } else {
        rc = rv_rd_stream_fail_answer(group, err);
    }
    freeReplyObject(reply);
    return rc;
}

int rv_rd_stream_revive(struct rv_store *s, const struct rv_group *group, const char *letter,
                        struct rv_error *err) {
    enum { IN_LINE, ABSENT, THERE, UNREADABLE };
    struct rv_rd_stream_call call;
    int answer = ABSENT, rc = check_id(letter, "the id", err);
    if (rc) return rc;
    if (rv_rd_stream_layout((struct rv_rd *)s, group) == RV_RD_SPLIT) {
        rc = rv_rd_letters_revive(s, group, letter, &answer, err);
    } else {
        rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_REVIVE, ARGS_MAX);
        rv_rd_args_add_text(&call.args, letter);
        rc = rv_rd_stream_ask(&call, &answer, err);
    }
    if (rc) return rc;
    if (answer == ABSENT)
        return rv_fail(err, REEVE_ENOENT, "no dead letter %s in group %s", letter, group->name);
    if (answer == THERE)
        return rv_fail(err, REEVE_ESTATE, "the stream of %s waits or is owned already", letter);
    if (answer == UNREADABLE)
        return rv_fail(err, REEVE_ESTATE, "dead letter %s cannot be read", letter);
    return 0;
}

int rv_rd_stream_purge(struct rv_store *s, const struct rv_group *group, const char *const *letters,
                       size_t count, size_t *removed, struct rv_error *err) {
    struct rv_rd_stream_call call;
    int answer = 0, rc = 0;
    for (size_t i = 0; !rc && i < count; i++)
        rc = check_id(letters[i], "the id", err);
    if (rc) return rc;
    if (rv_rd_stream_layout((struct rv_rd *)s, group) == RV_RD_SPLIT) {
        rc = rv_rd_letters_purge(s, group, letters, count, &answer, err);
    } else {
        rv_rd_stream_call_init(&call, s, group, RV_REDIS_LUA_STREAM_PURGE, ARGS_MAX);
        for (size_t i = 0; i < count; i++)
            rv_rd_args_add_text(&call.args, letters[i]);
        rc = rv_rd_stream_ask(&call, &answer, err);
    }
    if (!rc) *removed = (size_t)answer;
    return rc;
}
