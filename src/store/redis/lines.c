#include "store/redis/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/redis/script.h"

enum { ARGS_MAX = 64, SEQ_SIZE = 6, CHUNK = 1000, ALL_KEYS = RV_RD_NEEDS };

/* ---- entries ---- */
void rv_rd_lines_release(struct rv_rd_lines *lines) {
    for (size_t i = 0; i < lines->count; i++)
        free(lines->entries[i].id);
    free(lines->entries);
    *lines = (struct rv_rd_lines){0};
}

static int add_entry(struct rv_rd_lines *lines, struct rv_bytes bytes, struct rv_error *err) {
    if (!bytes.size) return 0; /* not one of ours */
    if (lines->count == lines->room) {
        size_t room = lines->room ? 2 * lines->room : 64;
        struct rv_rd_line_entry *grown = realloc(lines->entries, room * sizeof *grown);
        if (!grown) return rv_fail(err, REEVE_ENOMEM, "out of memory");
        lines->entries = grown;
        lines->room = room;
    }
    char *copy = malloc(bytes.size);
    if (!copy) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    memcpy(copy, bytes.data, bytes.size);
    lines->entries[lines->count++] = (struct rv_rd_line_entry){copy, bytes.size};
    return 0;
}

/* before: how many bytes of each stand before the id. */
static int add_entries(struct rv_rd_lines *lines, const redisReply *reply, size_t before,
                       struct rv_error *err) {
    int rc = 0;
    for (size_t i = 0; !rc && i < reply->elements; i++) {
        struct rv_bytes entry = rv_rd_bytes(reply->element[i]);
        if (entry.size < before) continue;
        struct rv_bytes id = {(const char *)entry.data + before, entry.size - before};
        rc = add_entry(lines, id, err);
    }
    return rc;
}

static int compare(const void *a, const void *b) {
    const struct rv_rd_line_entry *one = a, *other = b;
    size_t size = one->size < other->size ? one->size : other->size;
    int order = memcmp(one->id, other->id, size);
    if (order) return order;
    return one->size < other->size ? -1 : one->size > other->size;
}

static bool stands_in(const struct rv_rd_lines *lines, const struct rv_rd_line_entry *entry) {
    return lines->count &&
           bsearch(entry, lines->entries, lines->count, sizeof *lines->entries, compare);
}

/* ---- records ---- */
static int add_up(const struct rv_rd_shard *shard, const redisReply *reply,
                  struct rv_rd_tally *tally, struct rv_rd_lines *lines, struct rv_error *err) {
    if (!rv_rd_is_array(reply, 6) || !rv_rd_is_array(reply->element[1], 5) ||
        !rv_rd_is_array(reply->element[2], REEVE_CANCELLED) ||
        reply->element[5]->type != REDIS_REPLY_ARRAY)
        return rv_rd_fail_answer(shard->queue, err);
    redisReply *const *parts = reply->element;
    (void)snprintf(tally->cursor, sizeof tally->cursor, "%s", parts[0]->str);
    for (size_t i = 0; i < 5; i++)
        tally->found[i] += parts[1]->element[i]->integer;
    for (size_t i = 0; i < REEVE_CANCELLED; i++)
        tally->there[1 + i] += (uint64_t)parts[2]->element[i]->integer;
    uint64_t seq = strtoull(parts[3]->str, NULL, 10), token = strtoull(parts[4]->str, NULL, 10);
    if (seq > tally->seq) tally->seq = seq;
    if (token > tally->token) tally->token = token;
    return lines ? add_entries(lines, parts[5], 0, err) : 0;
}

int rv_rd_tally_step(struct rv_rd_exam *exam, const struct rv_rd_shard *shard, bool mend,
                     struct rv_rd_tally *tally, struct rv_rd_lines *lines, struct rv_error *err) {
    struct rv_rd_args args;
    struct rv_rd_script script = {.which = RV_REDIS_LUA_EXAMINE_RECORDS,
                                  .shard = *shard,
                                  .needs = ALL_KEYS,
                                  .args = &args,
                                  .timeout_ms = exam->store->timeout_ms};
    redisReply *reply;
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add_text(&args, tally->cursor);
    rv_rd_args_add_number(&args, mend);
    int rc = rv_rd_script_run(exam->store, &script, &reply, err);
    rv_rd_args_release(&args);
    if (rc) return rc;
    rc = add_up(shard, reply, tally, lines, err);
    freeReplyObject(reply);
    return rc;
}

/* ---- lines ---- */
static int read_line(struct rv_rd *store, const struct rv_rd_shard *shard, const char *command,
                     const char *name, size_t before, struct rv_rd_lines *lines,
                     struct rv_error *err) {
    char key[RV_RD_KEY_SIZE], from[24], to[24];
    rv_rd_key(store, shard, name, key);
    for (size_t at = 0;; at += CHUNK) {
        (void)snprintf(from, sizeof from, "%zu", at);
        (void)snprintf(to, sizeof to, "%zu", at + CHUNK - 1);
        const char *const words[] = {command, key, from, to};
        const struct rv_rd_command asked = {.argc = 4, .argv = words};
        redisReply *reply = NULL;
        int rc = rv_rd_call(store, shard, &asked, 1, store->timeout_ms, &reply, err);
        if (rc) return rc;
        bool more = reply->type == REDIS_REPLY_ARRAY && reply->elements == CHUNK;
        rc = add_entries(lines, reply, before, err);
        freeReplyObject(reply);
        if (rc || !more) return rc;
    }
}

static int read_lines(struct rv_rd *store, const struct rv_rd_shard *shard, struct rv_rd_lines *out,
                      struct rv_error *err) {
    int rc = read_line(store, shard, "ZRANGE", "back", SEQ_SIZE, out, err);
    for (int level = 0; !rc && level < RV_RD_LEVELS; level++) {
        char name[16];
        (void)snprintf(name, sizeof name, "ready:%d", level);
        rc = read_line(store, shard, "LRANGE", name, 0, out, err);
    }
    if (out->count) qsort(out->entries, out->count, sizeof *out->entries, compare);
    return rc;
}

/* While we walked, lines moved: one step that sees all of them decides. */
static int confirm(struct rv_rd_exam *exam, const struct rv_rd_shard *shard,
                   const struct rv_rd_line_entry *entry, int64_t *count, struct rv_error *err) {
    struct rv_rd_args args;
    struct rv_rd_script script = {.which = RV_REDIS_LUA_EXAMINE_READY,
                                  .shard = *shard,
                                  .needs = ALL_KEYS,
                                  .args = &args,
                                  .timeout_ms = exam->store->timeout_ms};
    redisReply *reply;
    rv_rd_args_init(&args, ARGS_MAX);
    rv_rd_args_add(&args, entry->id, entry->size);
    rv_rd_args_add_number(&args, exam->repair);
    int rc = rv_rd_script_run(exam->store, &script, &reply, err);
    rv_rd_args_release(&args);
    if (rc) return rc;
    *count += reply->integer;
    freeReplyObject(reply);
    return 0;
}

int rv_rd_lines_check(struct rv_rd_exam *exam, const struct rv_rd_shard *shard,
                      const struct rv_rd_lines *wanted, int64_t *count, struct rv_error *err) {
    struct rv_rd_lines there = {0};
    int rc = wanted->count ? read_lines(exam->store, shard, &there, err) : 0;
    for (size_t i = 0; !rc && i < wanted->count; i++)
        if (!stands_in(&there, &wanted->entries[i]))
            rc = confirm(exam, shard, &wanted->entries[i], count, err);
    rv_rd_lines_release(&there);
    return rc;
}
