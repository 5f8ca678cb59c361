/* A connection that one sleeps on: what is told there is heard, alone or beside an answer, and what
 * breaks is told and can be mended. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/eventually.h"
#include "redis/redis_tests.h"
#include "store/redis/box.h"
#include "store/redis/call.h"

enum {
    SOON_MS = 30000,
    SHORT_MS = 50,
    BESIDE_MS = 2, /* as in conn.c */
    PLAIN = 4,     /* bytes of an integer of one digit */
    TRIES = 50,
};

struct boxed {
    struct line *line;
    struct rv_rd_boxes boxes;
    struct rv_rd_box *box;
};

static void open_boxes(struct boxed *b, struct line *line, const char *with) {
    *b = (struct boxed){.line = line};
    line->server = server_start(with);
    line_to(line, line->server->url);
    CHECK_OK(rv_rd_boxes_init(&b->boxes, "ends", &line->err));
    CHECK_OK(rv_rd_boxes_take(&b->boxes, &line->rd, soon_ms(), &b->box, &line->err));
}

static void close_boxes(struct boxed *b) {
    rv_rd_boxes_give(&b->boxes, b->box);
    rv_rd_boxes_release(&b->boxes);
}

/* How many hear it. */
static int64_t tell(struct boxed *b, const char *word) {
    char words[128];
    int64_t heard;
    (void)snprintf(words, sizeof words, "PUBLISH rv:{}:ends:%08x %s",
                   (unsigned)b->box->base.address, word);
    CHECK_OK(call_words(b->line, words, SOON_MS, &heard));
    return heard;
}

static int attend(struct boxed *b, int64_t ms, struct rv_rd_message *out) {
    return rv_rd_box_attend(b->box, rv_clock_boot_ms(&rv_clock_real) + ms, out, &b->line->err);
}

static void check_heard(struct boxed *b, const char *word) {
    struct rv_rd_message message;
    CHECK_OK(attend(b, SOON_MS, &message));
    CHECK(message.channel);
    CHECK_BYTES(message.text.data, message.text.size, word, strlen(word));
    rv_rd_message_release(&message);
}

static void check_silent(struct boxed *b) {
    struct rv_rd_message message;
    int64_t begun_ms = rv_clock_boot_ms(&rv_clock_real);
    CHECK_OK(attend(b, SHORT_MS, &message));
    CHECK(!message.channel);
    CHECK(rv_clock_boot_ms(&rv_clock_real) - begun_ms >= SHORT_MS);
}

/* ---- alone ---- */
static void hear_all(struct line *line, const char *with) {
    struct boxed b;
    open_boxes(&b, line, with);
    check_silent(&b); /* which breaks nothing */
    CHECK_INT(tell(&b, "one"), 1);
    CHECK_INT(tell(&b, "two"), 1);
    check_heard(&b, "one");
    check_heard(&b, "two");
    check_silent(&b);
    close_boxes(&b);
}

static void what_is_told_in_a_box_is_heard(void **state) {
    hear_all(*state, "");
}

static void in_a_box_by_tls_likewise(void **state) {
    hear_all(*state, "tls");
}

static void one_that_broke_says_so_and_is_mended(void **state) {
    struct line *line = *state;
    struct rv_rd_message message;
    struct boxed b;
    int64_t killed;
    open_boxes(&b, line, "");
    uint32_t address = b.box->base.address;
    CHECK_OK(call_words(line, "CLIENT KILL TYPE pubsub", SOON_MS, &killed));
    CHECK_INT(killed, 1);
    CHECK_FAILS(attend(&b, SOON_MS, &message), REEVE_EUNREACHABLE);
    CHECK(rv_rd_box_is_broken(b.box));
    CHECK_OK(rv_rd_boxes_mend(&b.boxes, &line->rd, b.box, soon_ms(), &line->err));
    CHECK_INT(b.box->base.address, address);
    CHECK_INT(tell(&b, "again"), 1);
    check_heard(&b, "again");
    server_stop(line->server);
    CHECK_FAILS(attend(&b, SOON_MS, &message), REEVE_EUNREACHABLE);
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    CHECK_FAILS(rv_rd_boxes_mend(&b.boxes, &line->rd, b.box, now_ms + SHORT_MS, &line->err),
                REEVE_EUNREACHABLE);
    CHECK(rv_rd_box_is_broken(b.box));
    close_boxes(&b);
}

static void a_server_that_stands_still_has_none(void **state) {
    struct line *line = *state;
    struct rv_rd_box *other = NULL;
    struct boxed b;
    open_boxes(&b, line, "");
    CHECK_INT(kill(line->server->pid, SIGSTOP), 0);
    int64_t now_ms = rv_clock_boot_ms(&rv_clock_real);
    CHECK_FAILS(rv_rd_boxes_take(&b.boxes, &line->rd, now_ms + SHORT_MS, &other, &line->err),
                REEVE_EUNREACHABLE);
    CHECK(rv_clock_boot_ms(&rv_clock_real) - now_ms < SOON_MS / 2);
    CHECK_INT(kill(line->server->pid, SIGCONT), 0);
    close_boxes(&b);
}

/* ---- idle ones ---- */
static void one_is_used_again_if_it_is_fit(void **state) {
    struct line *line = *state;
    struct boxed b;
    open_boxes(&b, line, "");
    struct rv_rd_target follower = line->rd.topology.server;
    uint32_t address = b.box->base.address;
    rv_rd_boxes_give(&b.boxes, b.box);
    CHECK_OK(rv_rd_boxes_take(&b.boxes, &line->rd, soon_ms(), &b.box, &line->err));
    CHECK_INT(b.box->base.address, address);
    rv_rd_boxes_give(&b.boxes, b.box);
    b.box->conn->target = &follower; /* as if ours had been followed by another */
    CHECK_OK(rv_rd_boxes_take(&b.boxes, &line->rd, soon_ms(), &b.box, &line->err));
    CHECK(b.box->base.address != address);
    address = b.box->base.address;
    rv_rd_boxes_give(&b.boxes, b.box);
    b.box->conn->idle_since_ms -= 60000; /* who knows what is between it and the server */
    CHECK_OK(rv_rd_boxes_take(&b.boxes, &line->rd, soon_ms(), &b.box, &line->err));
    CHECK(b.box->base.address != address);
    close_boxes(&b);
}

/* ---- beside an answer ---- */
/* How long the quickest of many takes; words: asked while the box is listened to beside. */
static int64_t ask_beside(struct boxed *b, const char *const *words, int count) {
    int64_t least_us = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        struct rv_rd_command command = {.argc = count, .argv = words};
        redisReply *reply = NULL;
        struct rv_rd_ask ask = {.commands = &command,
                                .count = 1,
                                .replies = &reply,
                                .beside = b->box->conn,
                                .passed_over = PLAIN};
        int64_t from_us = rv_clock_boot_us(&rv_clock_real);
        rv_rd_call_many(&b->line->rd, &ask, 1, SOON_MS);
        int64_t us = rv_clock_boot_us(&rv_clock_real) - from_us;
        CHECK_OK(ask.rc);
        rv_rd_replies_free(&reply, 1);
        if (us < least_us) least_us = us;
    }
    return least_us;
}

static int64_t exists_beside(struct boxed *b) {
    return ask_beside(b, (const char *const[]){"EXISTS", "rv:none"}, 2);
}

/* It is there, and nobody is woken for it: the quickest has slept for as long as may be. */
static void a_plain_answer_is_passed_over(void **state) {
    struct boxed b;
    open_boxes(&b, *state, "");
    CHECK(exists_beside(&b) >= (BESIDE_MS - 1) * 1000);
    CHECK_INT(tell(&b, "x"), 1);
    check_heard(&b, "x");
    close_boxes(&b);
}

static void any_other_is_not(void **state) {
    struct boxed b;
    open_boxes(&b, *state, "");
    CHECK(ask_beside(&b, (const char *const[]){"ECHO", "hello"}, 2) < (BESIDE_MS - 1) * 1000);
    close_boxes(&b);
}

static void what_is_told_ends_it(void **state) {
    struct line *line = *state;
    struct boxed b;
    char channel[64];
    open_boxes(&b, line, "");
    (void)snprintf(channel, sizeof channel, "rv:{}:ends:%08x", (unsigned)b.box->base.address);
    const char *const words[] = {"PUBLISH", channel, "end"}; /* whose answer is plain */
    CHECK(ask_beside(&b, words, 3) < (BESIDE_MS - 1) * 1000);
    for (int i = 0; i < TRIES; i++)
        check_heard(&b, "end");
    check_silent(&b);
    close_boxes(&b);
}

static int64_t pings(struct line *line) {
    static const char *const words[] = {"INFO", "commandstats"};
    struct rv_rd_command command = {.argc = 2, .argv = words};
    redisReply *reply = NULL;
    CHECK_OK(rv_rd_call(&line->rd, NULL, &command, 1, SOON_MS, &reply, &line->err));
    const char *at = strstr(reply->str, "cmdstat_ping:calls=");
    int64_t calls = at ? strtoll(strchr(at, '=') + 1, NULL, 10) : 0;
    rv_rd_replies_free(&reply, 1);
    return calls;
}

/* Who asks while he listens lets those go first whom the server tells something by that. */
static void its_answer_comes_behind_what_others_are_told(void **state) {
    struct line *line = *state;
    struct boxed b;
    int64_t there;
    open_boxes(&b, line, "");
    int64_t before = pings(line);
    (void)exists_beside(&b);
    CHECK_INT(pings(line) - before, TRIES);
    CHECK_OK(call_words(line, "EXISTS rv:none", SOON_MS, &there));
    CHECK_INT(there, 0); /* and not the answer to something else */
    CHECK_INT(pings(line) - before, TRIES);
    close_boxes(&b);
}

/* Nor is a box that broke, nor one by TLS, where one cannot tell how much has come. */
static void nothing_is_listened_to_in_vain(void **state) {
    struct line *line = *state;
    struct boxed b;
    int64_t killed;
    open_boxes(&b, line, "");
    CHECK_OK(call_words(line, "CLIENT KILL TYPE pubsub", SOON_MS, &killed));
    CHECK(exists_beside(&b) < (BESIDE_MS - 1) * 1000);
    CHECK(rv_rd_box_is_broken(b.box));
    close_boxes(&b);
    server_destroy(line->server);
    open_boxes(&b, line, "tls");
    CHECK(exists_beside(&b) < (BESIDE_MS - 1) * 1000);
    close_boxes(&b);
}

const struct CMUnitTest box_tests[] = {
    REDIS_TEST(what_is_told_in_a_box_is_heard),
    REDIS_TEST(in_a_box_by_tls_likewise),
    REDIS_TEST(one_that_broke_says_so_and_is_mended),
    REDIS_TEST(a_server_that_stands_still_has_none),
    REDIS_TEST(one_is_used_again_if_it_is_fit),
    REDIS_TEST(a_plain_answer_is_passed_over),
    REDIS_TEST(any_other_is_not),
    REDIS_TEST(what_is_told_ends_it),
    REDIS_TEST(its_answer_comes_behind_what_others_are_told),
    REDIS_TEST(nothing_is_listened_to_in_vain),
};
const size_t box_test_count = sizeof box_tests / sizeof *box_tests;
