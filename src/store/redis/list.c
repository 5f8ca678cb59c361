/* list: by HSCAN, with what it takes to go on where a page ended (lua/list.lua). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/redis/record.h"
#include "store/redis/split.h"

enum { ARGS_MAX = 256 };

/* Where the next page begins: see lua/list.lua. As text: these numbers, hexadecimal; the shard may
 * be left out if it is the first. The shards are listed one after the other. */
enum { PLACE_NUMBERS = 5 };

struct place {
    uint64_t cursor, beyond, cut, sum, shard;
};

static int parse_place(const char *text, struct place *out, struct rv_error *err) {
    uint64_t *const numbers[PLACE_NUMBERS] = {&out->cursor, &out->beyond, &out->cut, &out->sum,
                                              &out->shard};
    *out = (struct place){0};
    const char *at = text;
    for (size_t i = 0; at && i < PLACE_NUMBERS; i++) {
        char *end;
        *numbers[i] = strtoull(at, &end, 16);
        bool last = *end == '\0' && i + 2 >= PLACE_NUMBERS;
        if (end == at || (*end != '-' && !last) || out->shard >= RV_SHARDS_MAX)
            return rv_fail(err, REEVE_EINVAL, "not a cursor of this store: '%s'", text);
        at = last ? NULL : end + 1;
    }
    if (at) return rv_fail(err, REEVE_EINVAL, "not a cursor of this store: '%s'", text);
    return 0;
}

static uint64_t number_of(const redisReply *reply) {
    const char *text = rv_rd_bytes(reply).data;
    return text ? strtoull(text, NULL, 10) : 0;
}

static void write_place(redisReply *const *numbers, const struct rv_rd_split *split, unsigned shard,
                        char out[RV_CURSOR_SIZE]) {
    bool at_end = !rv_rd_bytes(numbers[0]).size;
    if (at_end && shard + 1 == split->count) return;
    if (at_end)
        (void)snprintf(out, RV_CURSOR_SIZE, "0-0-0-0-%x", shard + 1);
    else
        (void)snprintf(out, RV_CURSOR_SIZE, "%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%x",
                       number_of(numbers[0]), number_of(numbers[1]), number_of(numbers[2]),
                       number_of(numbers[3]), shard);
}

struct listing {
    const struct rv_list_query *query;
    struct place place;
    bool looked; /* anew, for the number of shards */
    struct rv_jobs *out;
};

static int show_page(const struct listing *listing, const struct rv_rd_split *split,
                     const redisReply *reply, struct rv_error *err) {
    const struct rv_list_query *query = listing->query;
    struct rv_jobs *out = listing->out;
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
    if (!rc) write_place(reply->element + 3, split, (unsigned)listing->place.shard, out->cursor);
    return rc;
}

static void add_query(struct rv_rd_args *args, const struct listing *listing, char cursor[24]) {
    const struct place *place = &listing->place;
    const struct rv_list_query *query = listing->query;
    (void)snprintf(cursor, 24, "%" PRIu64, place->cursor);
    rv_rd_args_add_text(args, cursor);
    rv_rd_args_add_number(args, (int64_t)place->beyond);
    rv_rd_args_add_number(args, (int64_t)place->cut);
    rv_rd_args_add_number(args, (int64_t)place->sum);
    rv_rd_args_add_number(args, (int64_t)query->limit);
    rv_rd_args_add_number(args, query->state);
    rv_rd_args_add_text(args, query->kind ? query->kind : "");
    rv_rd_args_add_number(args, RV_RD_TAKE_BYTES);
}

static int list_shard(struct rv_rd *store, const struct rv_rd_split *split,
                      const struct listing *listing, struct rv_error *err) {
    struct rv_rd_args args;
    struct rv_rd_script script = {.which = RV_REDIS_LUA_LIST,
                                  .shard = rv_rd_split_shard(split, (unsigned)listing->place.shard),
                                  .args = &args,
                                  .timeout_ms = store->timeout_ms};
    char cursor[24];
    redisReply *reply;
    rv_rd_args_init(&args, ARGS_MAX);
    add_query(&args, listing, cursor);
    int rc = rv_rd_script_run(store, &script, &reply, err);
    rv_rd_args_release(&args);
    if (rc) return rc;
    rc = show_page(listing, split, reply, err);
    freeReplyObject(reply);
    return rc;
}

/* The page begins in a shard that this handle does not know of. No shard is asked then that would
 * refuse it, and a handle that has not met the queue takes one for granted: it looks, once. */
static int list_beyond(struct listing *listing) {
    if (listing->looked) return 0; /* there are fewer by now */
    listing->looked = true;
    return RV_RD_STALE;
}

/* From one shard to the next as long as there is nothing to show. */
static int list(struct rv_rd *store, const struct rv_rd_split *split, void *arg,
                struct rv_error *err) {
    struct listing listing = *(const struct listing *)arg;
    if (listing.place.shard >= split->count) return list_beyond(arg);
    struct rv_jobs *out = listing.out;
    int rc = 0;
    for (bool on = true; on;) {
        uint64_t shard = listing.place.shard;
        rv_jobs_release(out);
        rc = list_shard(store, split, &listing, err);
        on = !rc && !out->count && *out->cursor;
        if (on) rc = parse_place(out->cursor, &listing.place, err);
        on = on && !rc && listing.place.shard > shard;
    }
    return rc;
}

int rv_rd_list(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
               struct rv_error *err) {
    struct listing listing = {.query = query, .out = out};
    int rc = parse_place(query->after, &listing.place, err);
    if (rc) return rc;
    return rv_rd_only_asked(rv_rd_split_over((struct rv_rd *)s, query->queue, list, &listing, err),
                            err);
}
