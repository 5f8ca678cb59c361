/* The register of workers: for people; no decision hangs on it. It lies with the space, not with a
 * queue: a hash of rows and when each of them expires (J13). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "store/redis/fitness.h"
#include "store/redis/script.h"
#include "store/redis/space.h"

enum {
    WORKERS_MAX = 10000, /* J11: shown at once */
    PRUNE_MAX = 100,     /* J11: expired ones that a beat removes */
    ROW_MAX = 4096,
};

static struct rv_bytes text(const char *string) {
    return (struct rv_bytes){string, strlen(string)};
}

/* ---- beat ---- */
static void pack_row(struct rv_buf *buf, const struct rv_worker_row *row) {
    (void)rv_buf_add_sized(buf, row->name, strlen(row->name));
    (void)rv_buf_add_sized(buf, row->queues, strlen(row->queues));
    (void)rv_buf_add_sized(buf, row->kinds, strlen(row->kinds));
    (void)rv_buf_add_u32(buf, (uint32_t)row->threads);
    (void)rv_buf_add_u64(buf, row->running);
    (void)rv_buf_add_u64(buf, (uint64_t)row->started_at_ms);
    (void)rv_buf_add_u64(buf, (uint64_t)row->degraded_since_ms);
    (void)rv_buf_add_u64(buf, (uint64_t)row->claimed_at_ms);
}

/* A worker that is told of nothing would go on while its jobs are thrown away. */
static void look_at_server(struct rv_rd *store) {
    static const char *const words[] = {"INFO", "memory"};
    const struct rv_rd_command command = {.argc = 2, .argv = words};
    redisReply *reply = NULL;
    struct rv_error ignored;
    if (rv_rd_space_call_briefly(store, &command, 1, &reply, &ignored)) return;
    rv_rd_fitness_note(store, reply);
    rv_rd_replies_free(&reply, 1);
}

int rv_rd_beat(struct rv_store *s, const struct rv_worker_row *worker, int64_t ttl_ms,
               struct rv_error *err) {
    struct rv_buf row;
    char ttl[24], prune[24];
    redisReply *reply = NULL;
    rv_buf_init(&row, ROW_MAX);
    pack_row(&row, worker);
    (void)snprintf(ttl, sizeof ttl, "%" PRId64, ttl_ms);
    (void)snprintf(prune, sizeof prune, "%d", PRUNE_MAX);
    const struct rv_rd_space_script script = {
        .which = RV_REDIS_LUA_BEAT,
        .keys = {"workers", "seen"},
        .key_count = 2,
        .args = {text(worker->id), {row.data, row.size}, text(ttl), text(prune)},
        .arg_count = 4,
        .brief = ((struct rv_rd *)s)->topology.shape == RV_RD_CLUSTER};
    int rc = row.error ? rv_fail(err, row.error, "the row of worker '%s'", worker->id)
                       : rv_rd_space_run((struct rv_rd *)s, &script, &reply, err);
    rv_rd_replies_free(&reply, 1);
    rv_buf_release(&row);
    if (!rc) look_at_server((struct rv_rd *)s);
    return rc;
}

/* ---- leave ---- */
/* If only the first is obeyed, what is left expires. */
int rv_rd_leave(struct rv_store *s, const char *worker_id, struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    char rows_key[RV_RD_KEY_SIZE], seen_key[RV_RD_KEY_SIZE];
    rv_rd_key(store, NULL, "workers", rows_key);
    rv_rd_key(store, NULL, "seen", seen_key);
    const char *const rows[] = {"HDEL", rows_key, worker_id};
    const char *const seen[] = {"ZREM", seen_key, worker_id};
    const struct rv_rd_command commands[] = {{.argc = 3, .argv = rows}, {.argc = 3, .argv = seen}};
    redisReply *replies[2] = {NULL};
    int rc = rv_rd_space_call_briefly(store, commands, 2, replies, err);
    rv_rd_replies_free(replies, 2);
    return rc;
}

/* ---- workers ---- */
static void read_text(struct rv_reader *reader, char *out, size_t room) {
    struct rv_bytes bytes = rv_read_sized(reader);
    (void)snprintf(out, room, "%.*s", (int)bytes.size, bytes.size ? (const char *)bytes.data : "");
}

static bool read_row(struct rv_bytes bytes, struct rv_worker_row *row) {
    struct rv_reader reader;
    rv_reader_init(&reader, bytes);
    row->seen_at_ms = (int64_t)rv_read_uint(&reader, 6);
    read_text(&reader, row->name, sizeof row->name);
    read_text(&reader, row->queues, sizeof row->queues);
    read_text(&reader, row->kinds, sizeof row->kinds);
    row->threads = (int)rv_read_u32(&reader);
    row->running = rv_read_u64(&reader);
    row->started_at_ms = (int64_t)rv_read_u64(&reader);
    row->degraded_since_ms = (int64_t)rv_read_u64(&reader);
    if (reader.at < reader.end) /* or it is of an older version, which does not tell */
        row->claimed_at_ms = (int64_t)rv_read_u64(&reader);
    return !reader.failed;
}

static int compare(const void *a, const void *b) {
    const struct rv_worker_row *one = a, *other = b;
    if (one->started_at_ms != other->started_at_ms)
        return one->started_at_ms < other->started_at_ms ? -1 : 1;
    return strcmp(one->id, other->id);
}

static int gather(const struct rv_rd *store, const redisReply *reply, struct rv_workers *out,
                  struct rv_error *err) {
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements % 2)
        return rv_fail(err, REEVE_ECORRUPT, "space %s: its workers cannot be read", store->space);
    out->rows = calloc(reply->elements / 2 + 1, sizeof *out->rows);
    if (!out->rows) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    for (size_t i = 0; i < reply->elements; i += 2) {
        struct rv_worker_row *row = &out->rows[out->count++];
        struct rv_bytes id = rv_rd_bytes(reply->element[i]);
        (void)snprintf(row->id, sizeof row->id, "%.*s", (int)id.size, (const char *)id.data);
        if (!read_row(rv_rd_bytes(reply->element[i + 1]), row))
            return rv_fail(err, REEVE_ECORRUPT, "the row of worker '%s' cannot be read", row->id);
    }
    qsort(out->rows, out->count, sizeof *out->rows, compare);
    return 0;
}

int rv_rd_workers(struct rv_store *s, struct rv_workers *out, struct rv_error *err) {
    struct rv_rd *store = (struct rv_rd *)s;
    char most[24];
    redisReply *reply;
    (void)snprintf(most, sizeof most, "%d", WORKERS_MAX);
    const struct rv_rd_space_script script = {.which = RV_REDIS_LUA_WORKERS,
                                              .keys = {"workers", "seen"},
                                              .key_count = 2,
                                              .args = {text(most)},
                                              .arg_count = 1};
    int rc = rv_rd_space_run(store, &script, &reply, err);
    if (rc) return rv_rd_only_asked(rc, err);
    rc = gather(store, reply, out, err);
    freeReplyObject(reply);
    return rc;
}
