/* Answers that no Redis gives. */
#include <string.h>

#include "redis/redis_tests.h"

static void start(struct line *line) {
    line->fake = fake_open();
    line_to_port(line, fake_port(line->fake));
}

static void answer(struct line *line, const char *text, enum fake_then then) {
    fake_answer(line->fake, text, strlen(text), then);
}

/* The first answer is refused; the next call has a connection of its own, and is none the worse. */
static void an_answer_that_makes_no_sense_ends_the_connection(void **state) {
    struct line *line = *state;
    static const char *const texts[] = {
        "HTTP/1.1 400 Bad Request\r\n\r\n",
        "220 mail.example ESMTP\r\n",
        "*2147483647\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
        "$-7\r\n",
        "\xff\xfe\xfd",
    };
    start(line);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t reply;
        answer(line, texts[i], FAKE_STAY);
        answer(line, ":5\r\n", FAKE_STAY);
        CHECK_FAILS(call_words(line, "INCR n", 30000, &reply), REEVE_EUNSURE);
        CHECK(strstr(line->err.text, "reply") != NULL);
        CHECK_OK(call_words(line, "INCR n", 30000, &reply));
        CHECK_INT(reply, 5);
    }
}

static void a_giant_length_is_not_believed(void **state) {
    struct line *line = *state;
    int64_t reply;
    start(line);
    answer(line, "$4611686018427387904\r\nx", FAKE_STAY);
    CHECK_FAILS(call_words(line, "GET n", 100, &reply), REEVE_EUNSURE);
    answer(line, "$1000\r\nx", FAKE_HANG_UP);
    CHECK_FAILS(call_words(line, "GET n", 30000, &reply), REEVE_EUNSURE);
    CHECK(strstr(line->err.text, "closed") != NULL);
}

/* An answer too many would be taken for that to the next question. */
static void what_comes_unasked_ends_the_connection(void **state) {
    struct line *line = *state;
    int64_t reply;
    start(line);
    answer(line, ":1\r\n:666\r\n", FAKE_STAY);
    answer(line, ":2\r\n", FAKE_STAY);
    CHECK_OK(call_words(line, "INCR n", 30000, &reply));
    CHECK_INT(reply, 1);
    CHECK_OK(call_words(line, "INCR n", 30000, &reply));
    CHECK_INT(reply, 2);
}

static void nobody_at_the_port_is_unreachable(void **state) {
    struct line *line = *state;
    int64_t reply;
    line->fake = fake_open();
    int port = fake_port(line->fake);
    fake_close(line->fake);
    line->fake = NULL;
    line_to_port(line, port);
    CHECK_FAILS(call_words(line, "INCR n", 100, &reply), REEVE_EUNREACHABLE);
    CHECK(strstr(line->err.text, "refused") != NULL);
    line_to(line, "redis+unix:///nowhere/redis.sock");
    CHECK_FAILS(call_words(line, "INCR n", 100, &reply), REEVE_EUNREACHABLE);
    line_to(line, "redis://no-such-host.invalid");
    CHECK_FAILS(call_words(line, "INCR n", 100, &reply), REEVE_EUNREACHABLE);
}

const struct CMUnitTest foreign_tests[] = {
    REDIS_TEST(an_answer_that_makes_no_sense_ends_the_connection),
    REDIS_TEST(a_giant_length_is_not_believed),
    REDIS_TEST(what_comes_unasked_ends_the_connection),
    REDIS_TEST(nobody_at_the_port_is_unreachable),
};
const size_t foreign_test_count = sizeof foreign_tests / sizeof *foreign_tests;
