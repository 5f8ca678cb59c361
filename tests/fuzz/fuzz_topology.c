/* What servers tell of each other is taken or refused, and no address goes beyond its bounds. */
#include "fuzz.h"
#include "store/redis/reader.h"
#include "store/redis/sentinel.h"

static void check_address(const struct rv_rd_address *at) {
    promise(memchr(at->host, '\0', sizeof at->host) != NULL, "a host ends");
    promise(memchr(at->port, '\0', sizeof at->port) != NULL, "a port ends");
}

static void check_map(const redisReply *reply) {
    struct rv_rd_range range;
    struct rv_rd_address replica;
    for (size_t i = 0; reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++) {
        if (!rv_rd_range_parse(reply, i, &range)) continue;
        promise(range.first <= range.last && range.last < RV_RD_SLOTS, "slots are slots");
        check_address(&range.primary);
        for (size_t j = 0; j < range.replicas; j++)
            if (rv_rd_range_replica(reply, i, j, &replica)) check_address(&replica);
    }
}

static void check_reply(const redisReply *reply) {
    struct rv_rd_named named;
    struct rv_rd_address to;
    unsigned slot;
    check_map(reply);
    if (rv_rd_named_parse(reply, reply, &named)) check_address(&named.at);
    (void)rv_rd_is_primary(reply);
    if (reply->str && rv_rd_redirect_parse(reply->str, &slot, &to)) {
        promise(slot < RV_RD_SLOTS, "a slot is a slot");
        check_address(&to);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct rv_rd_reader *reader = rv_rd_reader_create();
    redisReply *reply = NULL;
    promise(reader != NULL, "there is memory");
    bool good = rv_rd_reader_feed(reader, data, size);
    while (good && rv_rd_reader_next(reader, &reply) && reply) {
        check_reply(reply);
        freeReplyObject(reply);
    }
    rv_rd_reader_destroy(reader);
    return 0;
}
