/* What a server answers means the same in whatever pieces it comes, and never goes beyond the
 * bounds. */
#include "fuzz.h"
#include "store/redis/reader.h"

static void check_bounds(const redisReply *reply, int depth, size_t *items) {
    promise(depth <= RV_RD_REPLY_DEPTH_MAX || reply->type != REDIS_REPLY_ARRAY, "it is not deep");
    if (reply->type != REDIS_REPLY_ARRAY) return;
    *items += reply->elements;
    promise(*items <= RV_RD_REPLY_ITEMS_MAX, "it has not too many items");
    for (size_t i = 0; i < reply->elements; i++)
        check_bounds(reply->element[i], depth + 1, items);
}

static uint64_t mix(uint64_t sum, uint64_t value) {
    return (sum ^ value) * UINT64_C(1099511628211);
}

/* A number that tells replies apart. */
static uint64_t sum_of(const redisReply *reply, uint64_t sum) {
    sum = mix(mix(sum, (uint64_t)reply->type), (uint64_t)reply->integer);
    for (size_t i = 0; reply->str && i < reply->len; i++)
        sum = mix(sum, (unsigned char)reply->str[i]);
    for (size_t i = 0; i < reply->elements; i++)
        sum = sum_of(reply->element[i], sum);
    return mix(sum, reply->elements);
}

/* All replies that are there; false when there can be no more. */
static bool take(struct rv_rd_reader *reader, uint64_t *sum) {
    redisReply *reply;
    for (;;) {
        if (!rv_rd_reader_next(reader, &reply)) {
            promise(rv_rd_reader_reason(reader) && !reply, "a failure has its reason");
            return false;
        }
        if (!reply) return true;
        size_t items = 0;
        check_bounds(reply, 1, &items);
        *sum = sum_of(reply, *sum);
        freeReplyObject(reply);
    }
}

static uint64_t read_in_pieces(const uint8_t *data, size_t size, size_t piece) {
    struct rv_rd_reader *reader = rv_rd_reader_create();
    uint64_t sum = 0;
    promise(reader != NULL, "there is memory");
    bool good = true;
    for (size_t at = 0; good && at < size; at += piece) {
        size_t length = size - at < piece ? size - at : piece;
        good = rv_rd_reader_feed(reader, data + at, length) && take(reader, &sum);
    }
    promise(good || !rv_rd_reader_feed(reader, "+OK\r\n", 5), "after a failure it takes no more");
    rv_rd_reader_destroy(reader);
    return mix(sum, good);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    size_t piece = (size_t)data[0] + 1;
    uint64_t whole = read_in_pieces(data + 1, size - 1, size);
    promise(whole == read_in_pieces(data + 1, size - 1, piece), "pieces make no difference");
    return 0;
}
