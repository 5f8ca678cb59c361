/* list: by HSCAN, with what it takes to go on where a page ended (lua/list.lua). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/redis/record.h"
#include "store/redis/script.h"

enum { ARGS_MAX = 256 };

/* Where the next page begins: see lua/list.lua. As text: four numbers, hexadecimal. */
struct place {
    uint64_t cursor, beyond, cut, sum;
};

static int parse_place(const char *text, struct place *out, struct rv_error *err) {
    uint64_t *const numbers[] = {&out->cursor, &out->beyond, &out->cut, &out->sum};
    *out = (struct place){0};
    if (!text) return 0;
    const char *at = text;
    for (size_t i = 0; i < 4; i++) {
        char *end;
        *numbers[i] = strtoull(at, &end, 16);
        if (end == at || *end != (i < 3 ? '-' : '\0'))
            return rv_fail(err, REEVE_EINVAL, "not a cursor of this store: '%s'", text);
        at = end + 1;
    }
    return 0;
}

static uint64_t number_of(const redisReply *reply) {
    const char *text = rv_rd_bytes(reply).data;
    return text ? strtoull(text, NULL, 10) : 0;
}

static void write_place(redisReply *const *numbers, char out[RV_CURSOR_SIZE]) {
    if (!rv_rd_bytes(numbers[0]).size) return; /* the end */
    (void)snprintf(out, RV_CURSOR_SIZE, "%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%" PRIx64,
                   number_of(numbers[0]), number_of(numbers[1]), number_of(numbers[2]),
                   number_of(numbers[3]));
}

static int show_page(const struct rv_list_query *query, const redisReply *reply,
                     struct rv_jobs *out, struct rv_error *err) {
    if (!rv_rd_is_array(reply, 7) || reply->element[0]->type != REDIS_REPLY_ARRAY ||
        reply->element[0]->elements > query->limit)
        return rv_rd_fail_answer(query->queue, err);
    const redisReply *ids = reply->element[0];
    out->jobs = calloc(query->limit, sizeof(*out->jobs));
    if (!out->jobs) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc = rv_rd_records_show(query->queue, ids, reply->element[1], reply->element[2], out->jobs,
                                NULL, err);
    while (out->count < ids->elements && out->jobs[out->count])
        out->count++;
    if (!rc) write_place(reply->element + 3, out->cursor);
    return rc;
}

int rv_rd_list(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
               struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    struct place place;
    int rc = parse_place(query->after, &place, err);
    if (rc) return rc;
    struct rv_rd_args args;
    struct rv_rd_script script = {.which = RV_REDIS_LUA_LIST,
                                  .shard = {.queue = query->queue},
                                  .args = &args,
                                  .timeout_ms = store->timeout_ms};
    char cursor[24];
    redisReply *reply;
    (void)snprintf(cursor, sizeof cursor, "%" PRIu64, place.cursor);
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_text(&args, cursor);
    rv_rd_args_add_number(&args, (int64_t)place.beyond);
    rv_rd_args_add_number(&args, (int64_t)place.cut);
    rv_rd_args_add_number(&args, (int64_t)place.sum);
    rv_rd_args_add_number(&args, (int64_t)query->limit);
    rv_rd_args_add_number(&args, query->state);
    rv_rd_args_add_text(&args, query->kind ? query->kind : "");
    rv_rd_args_add_number(&args, RV_RD_TAKE_BYTES);
    rc = rv_rd_script_run(store, &script, &reply, err);
    rv_rd_args_release(&args);
    if (rc) return rv_rd_only_asked(rc, err);
    rc = show_page(query, reply, out, err);
    freeReplyObject(reply);
    return rc;
}
