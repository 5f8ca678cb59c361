#include "store/redis/streams_show.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME, INFO, STATE, RETRIES, TOKEN, OWNER, OFFERED, SINCE, UNTIL, FLAGS, STREAM_PARTS };
enum { LETTER, OF, BYTES, REASON, BY, TRIES, WHEN, LETTER_PARTS };
enum { YIELD = 1 }; /* flag */

static const char *text(const redisReply *part) {
    return part->type == REDIS_REPLY_STRING ? part->str : "";
}

static const char *text_or_null(const redisReply *part) {
    const char *string = text(part);
    return *string ? string : NULL;
}

int rv_rd_stream_show(const struct rv_group *group, const redisReply *row,
                      struct reeve_stream **out, struct rv_error *err) {
    if (!rv_rd_is_array(row, STREAM_PARTS)) return rv_rd_stream_fail_answer(group, err);
    struct rv_bytes info = rv_rd_bytes(row->element[INFO]);
    const struct reeve_stream stream = {
        .group = group->name,
        .name = text(row->element[NAME]),
        .info = info.data,
        .info_size = info.size,
        .state = (enum reeve_stream_state)row->element[STATE]->integer,
        .retries = (uint64_t)row->element[RETRIES]->integer,
        .token = (uint64_t)row->element[TOKEN]->integer,
        .member = text_or_null(row->element[OWNER]),
        .offered_at_ms = row->element[OFFERED]->integer,
        .owned_at_ms = row->element[SINCE]->integer,
        .lease_until_ms = row->element[UNTIL]->integer,
        .yielding = row->element[FLAGS]->integer & YIELD,
    };
    *out = rv_stream_pack(&stream);
    return *out ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
}

int rv_rd_streams_show(const struct rv_group *group, const redisReply *rows,
                       struct reeve_stream ***out, size_t *count, struct rv_error *err) {
    if (rows->type != REDIS_REPLY_ARRAY) return rv_rd_stream_fail_answer(group, err);
    int rc = 0;
    *out = calloc(rows->elements + 1, sizeof(**out));
    if (!*out) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (size_t i = 0; !rc && i < rows->elements; i++) {
        rc = rv_rd_stream_show(group, rows->element[i], &(*out)[i], err);
        if (!rc) ++*count;
    }
    return rc;
}

static int show_letter(const struct rv_group *group, const redisReply *row,
                       struct reeve_letter **out, struct rv_error *err) {
    if (!rv_rd_is_array(row, LETTER_PARTS)) return rv_rd_stream_fail_answer(group, err);
    struct rv_bytes info = rv_rd_bytes(row->element[BYTES]);
    const struct reeve_letter letter = {
        .group = group->name,
        .id = text(row->element[LETTER]),
        .name = text(row->element[OF]),
        .info = info.data,
        .info_size = info.size,
        .reason = text(row->element[REASON]),
        .member = text_or_null(row->element[BY]),
        .retries = (uint64_t)row->element[TRIES]->integer,
        .failed_at_ms = row->element[WHEN]->integer,
    };
    *out = rv_letter_pack(&letter);
    return *out ? 0 : rv_fail(err, REEVE_ENOMEM, "out of memory");
}

int rv_rd_letters_show(const struct rv_group *group, const redisReply *rows, struct rv_letters *out,
                       struct rv_error *err) {
    if (rows->type != REDIS_REPLY_ARRAY) return rv_rd_stream_fail_answer(group, err);
    int rc = 0;
    out->letters = calloc(rows->elements + 1, sizeof(*out->letters));
    if (!out->letters) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (size_t i = 0; !rc && i < rows->elements; i++) {
        rc = show_letter(group, rows->element[i], &out->letters[i], err);
        if (!rc) out->count++;
    }
    return rc;
}

int rv_rd_stream_cursor(const struct rv_group *group, const redisReply *reply,
                        char cursor[RV_STREAM_CURSOR_SIZE], struct rv_error *err) {
    if (reply->type != REDIS_REPLY_STRING || reply->len >= RV_STREAM_CURSOR_SIZE)
        return rv_rd_stream_fail_answer(group, err);
    (void)snprintf(cursor, RV_STREAM_CURSOR_SIZE, "%s", reply->str);
    return 0;
}
