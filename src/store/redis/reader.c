#include "store/redis/reader.h"

#include <stdio.h>
#include <stdlib.h>

enum { IDLE_BUFFER_MAX = 256 << 10 }; /* kept between replies, so that most need no new one */

#if HIREDIS_MAJOR >= 1
typedef size_t item_count;
#else
typedef int item_count;
#endif

struct rv_rd_reader {
    redisReader *hiredis;
    redisReplyObjectFunctions usual, bounded;
    size_t bytes; /* fed since the last whole reply that was handed out */
    size_t items; /* of the reply that is under way */
    const char *reason;
};

/* Arrays alone are bounded here: they take room before their items have come. All else takes no
 * more than some times the bytes that were fed. */
static void *create_array(const redisReadTask *task, item_count count) {
    struct rv_rd_reader *reader = task->privdata;
    int depth = 1;
    for (const redisReadTask *parent = task->parent; parent; parent = parent->parent)
        depth++;
    reader->items += (size_t)count;
    if (depth > RV_RD_REPLY_DEPTH_MAX || (size_t)count > RV_RD_REPLY_ITEMS_MAX ||
        reader->items > RV_RD_REPLY_ITEMS_MAX) {
        reader->reason = "its reply is beyond all bounds";
        return NULL;
    }
    return reader->usual.createArray(task, count);
}

struct rv_rd_reader *rv_rd_reader_create(void) {
    struct rv_rd_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->hiredis = redisReaderCreate();
    if (!reader->hiredis) {
        free(reader);
        return NULL;
    }
    reader->usual = reader->bounded = *reader->hiredis->fn;
    reader->bounded.createArray = create_array;
    reader->hiredis->fn = &reader->bounded;
    reader->hiredis->privdata = reader;
    reader->hiredis->maxbuf = IDLE_BUFFER_MAX;
    return reader;
}

void rv_rd_reader_destroy(struct rv_rd_reader *reader) {
    if (!reader) return;
    redisReaderFree(reader->hiredis);
    free(reader);
}

static bool fail(struct rv_rd_reader *reader) {
    if (reader->reason) return false;
    bool memory = reader->hiredis->err == REDIS_ERR_OOM;
    reader->reason = memory ? "no memory for its reply" : "its reply is no Redis protocol";
    return false;
}

bool rv_rd_reader_feed(struct rv_rd_reader *reader, const void *data, size_t size) {
    if (reader->reason) return false;
    reader->bytes += size;
    if (reader->bytes > RV_RD_REPLY_BYTES_MAX) {
        reader->reason = "its reply is beyond all bounds";
        return false;
    }
    return redisReaderFeed(reader->hiredis, data, size) == REDIS_OK || fail(reader);
}

bool rv_rd_reader_next(struct rv_rd_reader *reader, redisReply **out) {
    void *reply = NULL;
    *out = NULL;
    if (reader->reason) return false;
    if (redisReaderGetReply(reader->hiredis, &reply) != REDIS_OK) return fail(reader);
    if (!reply) return true;
    reader->bytes = reader->hiredis->len - reader->hiredis->pos;
    reader->items = 0;
    *out = reply;
    return true;
}

bool rv_rd_reader_is_empty(const struct rv_rd_reader *reader) {
    return reader->bytes == 0;
}

const char *rv_rd_reader_reason(const struct rv_rd_reader *reader) {
    return reader->reason;
}
