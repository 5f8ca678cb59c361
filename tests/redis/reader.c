/* Replies out of bytes, whole, in pieces and beyond the bounds. */
#include "store/redis/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/redis_tests.h"

static bool feed(struct rv_rd_reader *reader, const char *text) {
    return rv_rd_reader_feed(reader, text, strlen(text));
}

static void replies_come_in_any_pieces(void **state) {
    (void)state;
    static const char text[] = "*3\r\n:1\r\n$3\r\na\0b\r\n*2\r\n+OK\r\n$-1\r\n-ERR no\r\n";
    struct rv_rd_reader *reader = rv_rd_reader_create();
    redisReply *replies[2] = {NULL, NULL};
    size_t count = 0;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        redisReply *reply;
        CHECK(rv_rd_reader_feed(reader, text + i, 1));
        CHECK(rv_rd_reader_next(reader, &reply));
        if (!reply) continue;
        CHECK(count < 2);
        replies[count++] = reply;
    }
    CHECK_INT(count, 2);
    CHECK_INT(replies[0]->elements, 3);
    CHECK_BYTES(replies[0]->element[1]->str, replies[0]->element[1]->len, "a\0b", 3);
    CHECK_INT(replies[0]->element[2]->element[1]->type, REDIS_REPLY_NIL);
    CHECK_INT(replies[1]->type, REDIS_REPLY_ERROR);
    freeReplyObject(replies[0]);
    freeReplyObject(replies[1]);
    rv_rd_reader_destroy(reader);
}

/* Whatever is fed afterwards, there is no more to be had. */
static void refuses(const char *text) {
    struct rv_rd_reader *reader = rv_rd_reader_create();
    redisReply *reply = NULL;
    bool taken = feed(reader, text) && rv_rd_reader_next(reader, &reply);
    CHECK(!taken && !reply);
    CHECK(rv_rd_reader_reason(reader) != NULL);
    CHECK(!feed(reader, "+OK\r\n"));
    CHECK(!rv_rd_reader_next(reader, &reply) && !reply);
    rv_rd_reader_destroy(reader);
}

static void what_is_no_protocol_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "HTTP/1.1 400 Bad Request\r\n",
        "SSH-2.0-OpenSSH\r\n",
        "\r\n",
        "$x\r\n",
        "$-2\r\n",
        "*-2\r\n",
        "*x\r\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refuses(texts[i]);
}

static void what_is_beyond_bounds_is_refused(void **state) {
    (void)state;
    char text[256];
    refuses("*2147483647\r\n");
    (void)snprintf(text, sizeof text, "*%d\r\n", RV_RD_REPLY_ITEMS_MAX + 1);
    refuses(text);
    /* Each within the bound, both together beyond. */
    (void)snprintf(text, sizeof text, "*2\r\n*%d\r\n", RV_RD_REPLY_ITEMS_MAX - 1);
    refuses(text);
    text[0] = '\0';
    for (int i = 0; i <= RV_RD_REPLY_DEPTH_MAX; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "*1\r\n");
    refuses(text);
}

static void the_bound_is_per_reply(void **state) {
    (void)state;
    struct rv_rd_reader *reader = rv_rd_reader_create();
    char head[32];
    size_t count = RV_RD_REPLY_ITEMS_MAX / 2 + 1;
    for (int round = 0; round < 2; round++) {
        redisReply *reply = NULL;
        (void)snprintf(head, sizeof head, "*%zu\r\n", count);
        CHECK(feed(reader, head));
        for (size_t i = 0; i < count; i++)
            CHECK(feed(reader, ":1\r\n"));
        CHECK(rv_rd_reader_next(reader, &reply));
        CHECK(reply != NULL);
        freeReplyObject(reply);
    }
    rv_rd_reader_destroy(reader);
}

static void bytes_without_end_are_refused(void **state) {
    (void)state;
    struct rv_rd_reader *reader = rv_rd_reader_create();
    redisReply *reply = NULL;
    size_t size = (size_t)1 << 20, fed = 0;
    char *piece = calloc(1, size);
    CHECK(piece != NULL);
    CHECK(feed(reader, "$1152921504606846976\r\n"));
    while (rv_rd_reader_next(reader, &reply) && rv_rd_reader_feed(reader, piece, size))
        fed += size;
    CHECK(!reply);
    CHECK(fed <= RV_RD_REPLY_BYTES_MAX);
    free(piece);
    rv_rd_reader_destroy(reader);
}

const struct CMUnitTest reader_tests[] = {
    cmocka_unit_test(replies_come_in_any_pieces),
    cmocka_unit_test(what_is_no_protocol_is_refused),
    cmocka_unit_test(what_is_beyond_bounds_is_refused),
    cmocka_unit_test(the_bound_is_per_reply),
    cmocka_unit_test(bytes_without_end_are_refused),
};
const size_t reader_test_count = sizeof reader_tests / sizeof *reader_tests;
