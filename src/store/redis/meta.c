#include "store/redis/meta.h"

#include "base/buf.h"

enum {
    SIZE_MIN = 155,
    /* 1; plus 1 for a count of what lies outside of `job`, 2 for shards, 4 (never without that
     * count) if some of that may be delayed, kept or failed */
    VERSION_MAX = 4,
    WITH_SETS = 4,
    WITH_CLAIMED_TO = 8, /* more if it ends with the place up to which jobs were claimed unmarked */
    PAUSED = 1,          /* flags */
    EXISTS = 32,
};

static uint64_t read_count(struct rv_reader *reader) {
    return rv_read_uint(reader, 6);
}

static int64_t read_time(struct rv_reader *reader) {
    return (int64_t)rv_read_uint(reader, 6);
}

static void read_hot(struct rv_reader *reader, struct rv_rd_meta *out) {
    uint8_t flags = rv_read_u8(reader);
    out->known = true;
    out->paused = flags & PAUSED;
    out->exists = flags & EXISTS;
    (void)rv_read_u64(reader); /* levels, those ever used, the longest lease: 2 + 2 + 4 */
    out->token = rv_read_uint(reader, 7);
    out->seq = read_count(reader);
    out->due_ms = read_time(reader);
    out->pushed = read_count(reader);
    out->finished = read_count(reader);
    for (int state = REEVE_DELAYED; state <= REEVE_CANCELLED; state++)
        out->counts[state] = read_count(reader);
}

static void read_cold(struct rv_reader *reader, struct rv_rd_meta *out) {
    out->retried = read_count(reader);
    out->lapsed = read_count(reader);
    out->fenced = read_count(reader);
    out->expired = read_count(reader);
    out->marked = read_count(reader);
    out->refused = read_count(reader);
    out->dropped = read_count(reader);
    out->trimmed = read_count(reader);
    out->event = read_count(reader);
    out->watched_until_ms = read_time(reader);
    out->bounds.max_length = (int64_t)read_count(reader);
    out->bounds.keep_failed = (int64_t)read_count(reader);
    out->bounds.on_full = (enum reeve_on_full)read_count(reader);
}

static void read_split(struct rv_reader *reader, struct rv_rd_meta *out) {
    out->epoch = read_count(reader);
    out->shards = rv_read_u8(reader);
    (void)rv_read_u8(reader); /* which of them it is */
}

int rv_rd_meta_read(const char *queue, struct rv_bytes bytes, struct rv_rd_meta *out,
                    struct rv_error *err) {
    struct rv_reader reader;
    *out = (struct rv_rd_meta){.shards = 1};
    if (!bytes.size) return 0;
    rv_reader_init(&reader, bytes);
    uint8_t written = rv_read_u8(&reader), version = written;
    if (version > WITH_CLAIMED_TO) version -= WITH_CLAIMED_TO;
    if (version == 2 + WITH_SETS || version == 4 + WITH_SETS) version -= WITH_SETS;
    if (version > VERSION_MAX && bytes.size >= SIZE_MIN)
        return rv_fail(err, REEVE_ESCHEMA, "queue %s: a newer library wrote it (version %d)", queue,
                       written);
    read_hot(&reader, out);
    read_cold(&reader, out);
    if (version > 2) read_split(&reader, out);
    if (version && bytes.size >= SIZE_MIN && !reader.failed) return 0;
    return rv_fail(err, REEVE_ECORRUPT, "queue %s: its key meta cannot be read", queue);
}
