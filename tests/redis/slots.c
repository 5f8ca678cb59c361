/* Slots, redirections, and what nodes and Sentinels tell of each other. */
#include "store/redis/slots.h"

#include <stdio.h>
#include <string.h>

#include "redis/redis_tests.h"
#include "store/redis/key.h"
#include "store/redis/reader.h"
#include "store/redis/sentinel.h"

static void a_key_lies_in_the_slot_that_the_server_says(void **state) {
    (void)state;
    CHECK_INT(rv_rd_slot_of("123456789", 9), 0x31c3); /* of the specification */
    CHECK_INT(rv_rd_slot_of("foo", 3), 12182);        /* CLUSTER KEYSLOT foo */
    CHECK_INT(rv_rd_slot_of("", 0), 0);
}

/* Or no script could be given all that it needs in a cluster. */
static void all_keys_of_a_shard_lie_in_one_slot(void **state) { /* T70 */
    (void)state;
    static struct rv_rd store = {.space = "space", .url = {.prefix = "rv"}};
    static struct rv_rd_keys keys;
    for (unsigned number = 0; number < 3; number++) {
        struct rv_rd_shard shard = {.queue = "jobs", .number = number};
        rv_rd_keys_fill(&keys, &store, &shard, RV_RD_KEYS_NAMED, RV_RD_NEEDS);
        CHECK_INT(keys.count, RV_RD_KEYS_MAX);
        for (size_t i = 0; i < keys.count; i++) {
            const char *from = strchr(keys.names[i], '{') + 1, *to = strchr(from, '}');
            CHECK_INT(rv_rd_slot_of(from, (size_t)(to - from)), rv_rd_key_slot(&store, &shard));
        }
    }
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

/* ---- Sentinels that do not agree ---- */
enum { SENTINELS = 3, OLD = 0, NEW = 1 };
static const char primary[] = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n",
                  replica[] = "*1\r\n$5\r\nslave\r\n";

/* Two of them have missed the fail-over from one server to the other. */
struct dispute {
    struct fake *sentinels[SENTINELS], *servers[2];
};

static void say_who(struct fake *sentinel, int port, int epoch) {
    char text[256], port_text[16];
    int port_size = snprintf(port_text, sizeof port_text, "%d", port);
    int size = snprintf(text, sizeof text,
                        "*2\r\n$9\r\n127.0.0.1\r\n$%d\r\n%s\r\n"
                        "*2\r\n$12\r\nconfig-epoch\r\n$1\r\n%d\r\n",
                        port_size, port_text, epoch);
    fake_answer(sentinel, text, (size_t)size, FAKE_STAY);
}

static void open_dispute(struct dispute *dispute, struct line *line) {
    char url[256] = "redis+sentinel://";
    for (int i = 0; i < 2; i++)
        dispute->servers[i] = fake_open();
    for (int i = 0; i < SENTINELS; i++) {
        bool knows = i == SENTINELS - 1;
        dispute->sentinels[i] = fake_open();
        say_who(dispute->sentinels[i], fake_port(dispute->servers[knows ? NEW : OLD]), 1 + knows);
        size_t size = strlen(url);
        (void)snprintf(url + size, sizeof url - size, "127.0.0.1:%d%s",
                       fake_port(dispute->sentinels[i]), knows ? "/jobs" : ",");
    }
    line_to(line, url);
}

static void close_dispute(struct dispute *dispute) {
    for (int i = 0; i < SENTINELS; i++)
        fake_close(dispute->sentinels[i]);
    for (int i = 0; i < 2; i++)
        fake_close(dispute->servers[i]);
}

/* Whether server answers with reply, which nobody but a primary is asked for, and the other was
 * asked so often. */
static bool asks(struct line *line, const struct dispute *dispute, int server, int64_t expected,
                 unsigned other_asked) {
    int64_t reply;
    char text[16];
    int size = snprintf(text, sizeof text, ":%d\r\n", (int)expected);
    fake_answer(dispute->servers[server], primary, sizeof primary - 1, FAKE_STAY);
    fake_answer(dispute->servers[server], text, (size_t)size, FAKE_STAY);
    int rc = call_words(line, "INCR x", 20000, &reply);
    print_message("# %d, %d\n", rc, (int)reply);
    return !rc && reply == expected &&
           fake_asked(dispute->servers[server == NEW ? OLD : NEW]) == other_asked;
}

/* A machine that stood still for a second has not heard all Sentinels: then it is tried again. */
enum { TRIES = 5 };

static void sentinels_with_an_old_address_are_outdone_by_one_that_knows(void **state) {
    struct line *line = *state;
    bool right = false;
    for (int i = 0; i < TRIES && !right; i++) {
        struct dispute dispute;
        open_dispute(&dispute, line);
        right = asks(line, &dispute, NEW, 7, 0);
        close_dispute(&dispute);
    }
    CHECK(right);
}

static void a_server_is_no_primary_unless_it_says_so(void **state) {
    struct line *line = *state;
    bool right = false;
    for (int i = 0; i < TRIES && !right; i++) {
        struct dispute dispute;
        open_dispute(&dispute, line);
        fake_answer(dispute.servers[NEW], replica, sizeof replica - 1, FAKE_STAY);
        right = asks(line, &dispute, OLD, 3, 1);
        close_dispute(&dispute);
    }
    CHECK(right);
}

const struct CMUnitTest slot_tests[] = {
    cmocka_unit_test(a_key_lies_in_the_slot_that_the_server_says),
    cmocka_unit_test(all_keys_of_a_shard_lie_in_one_slot),
    cmocka_unit_test(a_redirection_is_followed_only_if_it_is_one),
    cmocka_unit_test(the_latest_word_of_a_sentinel_is_told_by_its_epoch),
    REDIS_TEST(sentinels_with_an_old_address_are_outdone_by_one_that_knows),
    REDIS_TEST(a_server_is_no_primary_unless_it_says_so),
};
const size_t slot_test_count = sizeof slot_tests / sizeof *slot_tests;
