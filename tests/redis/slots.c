/* Slots, redirections, and what nodes and Sentinels tell of each other. */
#include "store/redis/slots.h"

#include <string.h>

#include "redis/redis_tests.h"
#include "store/redis/reader.h"
#include "store/redis/sentinel.h"

static void a_key_lies_in_the_slot_that_the_server_says(void **state) {
    (void)state;
    CHECK_INT(rv_rd_slot_of("123456789", 9), 0x31c3); /* of the specification */
    CHECK_INT(rv_rd_slot_of("foo", 3), 12182);        /* CLUSTER KEYSLOT foo */
    CHECK_INT(rv_rd_slot_of("", 0), 0);
}

static void a_redirection_is_followed_only_if_it_is_one(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "MOVED",           "MOVED 1",     "MOVED 16384 h:1", "MOVED -1 h:1", "MOVED 1 h:0",
        "MOVED 1 h:70000", "MOVED 1 h:x", "MOVED 1 ?:1",     "ERR x 1 h:1",  "ASK 1 h"};
    struct rv_rd_address to;
    unsigned slot;
    CHECK(rv_rd_redirect_parse("MOVED 3999 10.0.0.1:6381", &slot, &to));
    CHECK_INT(slot, 3999);
    CHECK_STR(to.host, "10.0.0.1");
    CHECK_STR(to.port, "6381");
    CHECK(!rv_rd_is_asking("MOVED 3999 10.0.0.1:6381"));
    CHECK(rv_rd_is_asking("ASK 3999 10.0.0.1:6381"));
    CHECK(rv_rd_redirect_parse("ASK 0 fe80::1:6381", &slot, &to));
    CHECK_STR(to.host, "fe80::1");
    CHECK(rv_rd_redirect_parse("MOVED 1 :6381", &slot, &to));
    CHECK_STR(to.host, "");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!rv_rd_redirect_parse(wrong[i], &slot, &to));
}

static redisReply *reply_of(const char *text) {
    struct rv_rd_reader *reader = rv_rd_reader_create();
    redisReply *reply = NULL;
    CHECK(reader && rv_rd_reader_feed(reader, text, strlen(text)));
    CHECK(rv_rd_reader_next(reader, &reply) && reply);
    rv_rd_reader_destroy(reader);
    return reply;
}

static void the_latest_word_of_a_sentinel_is_told_by_its_epoch(void **state) {
    (void)state;
    struct rv_rd_named named;
    redisReply *address = reply_of("*2\r\n$1\r\nh\r\n$4\r\n6379\r\n"),
               *nobody = reply_of("*-1\r\n");
    redisReply *about =
        reply_of("*4\r\n$4\r\nname\r\n$1\r\nj\r\n$12\r\nconfig-epoch\r\n$1\r\n7\r\n");
    CHECK(rv_rd_named_parse(address, about, &named));
    CHECK_STR(named.at.host, "h");
    CHECK_STR(named.at.port, "6379");
    CHECK_INT(named.epoch, 7);
    CHECK(rv_rd_named_parse(address, nobody, &named));
    CHECK_INT(named.epoch, 0);
    CHECK(!rv_rd_named_parse(nobody, about, &named));
    freeReplyObject(address);
    freeReplyObject(about);
    freeReplyObject(nobody);
}

const struct CMUnitTest slot_tests[] = {
    cmocka_unit_test(a_key_lies_in_the_slot_that_the_server_says),
    cmocka_unit_test(a_redirection_is_followed_only_if_it_is_one),
    cmocka_unit_test(the_latest_word_of_a_sentinel_is_told_by_its_epoch),
};
const size_t slot_test_count = sizeof slot_tests / sizeof *slot_tests;
