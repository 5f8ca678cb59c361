/* The table of errors, code by code: what each means, and what a call makes of it. */
#include "store/redis/errors.h"

#include <stdio.h>
#include <string.h>

#include "redis/redis_tests.h"

static const struct {
    const char *text;
    enum rv_rd_remedy remedy;
    int error;
} cases[] = {
    {"LOADING Redis is loading the dataset in memory", RV_RD_RERESOLVE, REEVE_EUNREACHABLE},
    {"BUSY Redis is busy running a script. You can only call SCRIPT KILL", RV_RD_RETRY,
     REEVE_EUNREACHABLE},
    {"TRYAGAIN Multiple keys request during rehashing of slot", RV_RD_RETRY, REEVE_EUNREACHABLE},
    {"UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
     RV_RD_RERESOLVE, REEVE_EUNREACHABLE},
    {"NOREPLICAS Not enough good replicas to write.", RV_RD_RERESOLVE, REEVE_EUNREACHABLE},
    {"ERR max number of clients reached", RV_RD_RETRY, REEVE_EUNREACHABLE},
    {"READONLY You can't write against a read only replica.", RV_RD_SEEK, REEVE_EUNREACHABLE},
    {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", RV_RD_SEEK,
     REEVE_EUNREACHABLE},
    {"CLUSTERDOWN The cluster is down", RV_RD_RERESOLVE, REEVE_EUNREACHABLE},
    {"MOVED 3999 127.0.0.1:6381", RV_RD_REDIRECT, REEVE_ENOTSUP},
    {"ASK 3999 127.0.0.1:6381", RV_RD_REDIRECT, REEVE_ENOTSUP},
    {"NOSCRIPT No matching script. Please use EVAL.", RV_RD_RELOAD, REEVE_EBUG},
    {"OOM command not allowed when used memory > 'maxmemory'.", RV_RD_REFUSE, REEVE_EUNREACHABLE},
    {"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist",
     RV_RD_REFUSE, REEVE_EUNREACHABLE},
    {"WRONGTYPE Operation against a key holding the wrong kind of value", RV_RD_REFUSE,
     REEVE_ECORRUPT},
    {"EXECABORT Transaction discarded because of previous errors.", RV_RD_REFUSE, REEVE_EBUG},
    {"CROSSSLOT Keys in request don't hash to the same slot", RV_RD_REFUSE, REEVE_EBUG},
    {"NOTBUSY No scripts in execution right now.", RV_RD_REFUSE, REEVE_EBUG},
    {"NOAUTH Authentication required.", RV_RD_FATAL, REEVE_EUNREACHABLE},
    {"WRONGPASS invalid username-password pair or user is disabled.", RV_RD_FATAL,
     REEVE_EUNREACHABLE},
    {"NOPERM this user has no permissions to run the 'evalsha' command", RV_RD_FATAL,
     REEVE_EUNREACHABLE},
    {"ERR The user executing the script can't run this command or subcommand script: f",
     RV_RD_FATAL, REEVE_EUNREACHABLE},
    {"DENIED Redis is running in protected mode", RV_RD_FATAL, REEVE_EUNREACHABLE},
    {"ERR AUTH <password> called without any password configured for the default user.",
     RV_RD_FATAL, REEVE_EUNREACHABLE},
    {"ERR DB index is out of range", RV_RD_FATAL, REEVE_EINVAL},
    {"ERR This instance has cluster support disabled", RV_RD_FATAL, REEVE_EINVAL},
    {"ERR unknown command 'SENTINEL', with args beginning with: 'GET-MASTER-ADDR-BY-NAME' 'm' ",
     RV_RD_FATAL, REEVE_EINVAL},
    {"ERR unreadable meta: rv:{reeve/mail#0}:meta", RV_RD_REFUSE, REEVE_ECORRUPT},
    {"ERR unknown command 'TIME', with args beginning with:", RV_RD_FATAL, REEVE_ENOTSUP},
    {"ERR unknown command 'CLUSTER', with args beginning with: 'INFO' ", RV_RD_FATAL,
     REEVE_ENOTSUP},
    {"ERR unknown command 'EVALSHA', with args beginning with:", RV_RD_FATAL, REEVE_ENOTSUP},
    {"NOPROTO unsupported protocol version", RV_RD_FATAL, REEVE_ENOTSUP},
    {"ERR user_script:7: unreadable record of job x script: f_0123", RV_RD_REFUSE, REEVE_ECORRUPT},
    {"ERR syntax error", RV_RD_REFUSE, REEVE_EBUG},
    {"SOMETHING new", RV_RD_REFUSE, REEVE_EBUG},
    {"", RV_RD_REFUSE, REEVE_EBUG},
    /* Of a command inside a script, as 6.2 tells them. */
    {"ERR Error running script (call to f_0123): @user_script:7: @user_script: 7: -OOM command not "
     "allowed when used memory > 'maxmemory'.",
     RV_RD_REFUSE, REEVE_EUNREACHABLE},
    {"ERR Error running script (call to f_0123): @user_script:7: WRONGTYPE Operation against a key "
     "holding the wrong kind of value",
     RV_RD_REFUSE, REEVE_ECORRUPT},
    {"ERR Error running script (call to f_0123): @user_script:7: Script attempted to access a "
     "non local key in a cluster node",
     RV_RD_REFUSE, REEVE_EBUG},
};
enum { CASES = sizeof cases / sizeof *cases };

static void each_code_has_its_remedy(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const struct rv_rd_error_row *row = rv_rd_error_find(cases[i].text);
        print_message("# %.30s\n", cases[i].text);
        CHECK_INT(row->remedy, cases[i].remedy);
        CHECK_INT(row->error, cases[i].error);
    }
}

/* A row that no case meets has not been thought about. */
static void each_row_of_the_table_is_met_by_a_case(void **state) {
    (void)state;
    for (const struct rv_rd_error_row *row = rv_rd_error_rows; row->code; row++) {
        bool met = false;
        for (size_t i = 0; i < CASES; i++)
            met = met || rv_rd_error_find(cases[i].text) == row;
        print_message("# %s\n", row->code);
        CHECK(met);
    }
}

static void the_text_tells_the_server_and_its_words(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        struct rv_error err = {0};
        CHECK_INT(rv_rd_error_fail("redis h:1", cases[i].text, &err), cases[i].error);
        CHECK_INT(err.code, cases[i].error);
        CHECK(strncmp(err.text, "redis h:1: ", 11) == 0);
        CHECK(strstr(err.text, cases[i].text) != NULL);
    }
}

static bool is_patient(size_t i) {
    return (cases[i].remedy == RV_RD_RETRY || cases[i].remedy == RV_RD_RERESOLVE ||
            cases[i].remedy == RV_RD_SEEK) &&
           cases[i].error == REEVE_EUNREACHABLE;
}

/* The server answers with the error, and with a number to whoever asks again. */
static void a_call_asks_again_only_where_that_helps(void **state) {
    struct line *line = *state;
    for (size_t i = 0; i < CASES; i++) {
        char answer[256];
        int64_t reply;
        if (cases[i].remedy == RV_RD_RELOAD) continue;
        print_message("# %.30s\n", cases[i].text);
        line->fake = fake_open();
        line_to_port(line, fake_port(line->fake));
        int size = snprintf(answer, sizeof answer, "-%s\r\n", cases[i].text);
        fake_answer(line->fake, answer, (size_t)size, FAKE_STAY);
        fake_answer(line->fake, ":7\r\n", 4, FAKE_STAY);
        int rc = call_words(line, "INCR n", 30000, &reply);
        if (is_patient(i)) {
            CHECK_OK(rc);
            CHECK_INT(reply, 7);
            CHECK_INT(fake_asked(line->fake), 2);
        } else {
            CHECK_FAILS(rc, cases[i].error);
            CHECK_INT(fake_asked(line->fake), 1);
        }
        fake_close(line->fake);
        line->fake = NULL;
    }
}

static void patience_ends_with_the_time_of_the_call(void **state) {
    struct line *line = *state;
    int64_t reply;
    line->fake = fake_open();
    line_to_port(line, fake_port(line->fake));
    for (int i = 0; i < 60; i++)
        fake_answer(line->fake, "-LOADING wait\r\n", 15, FAKE_STAY);
    int rc = call_words(line, "INCR n", 300, &reply);
    CHECK(rc == REEVE_EUNREACHABLE || rc == REEVE_EUNSURE); /* a busy machine lost the last try */
    if (rc == REEVE_EUNREACHABLE) CHECK(strstr(line->err.text, "loading") != NULL);
    CHECK(fake_asked(line->fake) > 1);
}

static void an_unknown_script_is_handed_on(void **state) {
    struct line *line = *state;
    int64_t reply;
    line->fake = fake_open();
    line_to_port(line, fake_port(line->fake));
    fake_answer(line->fake, "-NOSCRIPT no\r\n", 14, FAKE_STAY);
    CHECK_OK(call_words(line, "EVALSHA 0 0", 30000, &reply));
    CHECK_INT(fake_asked(line->fake), 1);
}

/* Of three commands the second is put off: it alone is asked again. */
static void only_what_was_put_off_is_asked_again(void **state) {
    struct line *line = *state;
    const char *const words[] = {"INCR", "n"};
    struct rv_rd_command commands[3];
    redisReply *replies[3];
    for (size_t i = 0; i < 3; i++)
        commands[i] = (struct rv_rd_command){.argc = 2, .argv = words};
    line->fake = fake_open();
    line_to_port(line, fake_port(line->fake));
    static const char first[] = ":1\r\n-BUSY script\r\n:2\r\n";
    fake_answer(line->fake, first, sizeof first - 1, FAKE_STAY);
    fake_answer(line->fake, ":3\r\n", 4, FAKE_STAY);
    CHECK_OK(rv_rd_call(&line->rd, NULL, commands, 3, 30000, replies, &line->err));
    CHECK_INT(replies[0]->integer, 1);
    CHECK_INT(replies[1]->integer, 3);
    CHECK_INT(replies[2]->integer, 2);
    CHECK_INT(fake_asked(line->fake), 2);
    rv_rd_replies_free(replies, 3);
}

const struct CMUnitTest error_tests[] = {
    cmocka_unit_test(each_code_has_its_remedy),
    cmocka_unit_test(each_row_of_the_table_is_met_by_a_case),
    cmocka_unit_test(the_text_tells_the_server_and_its_words),
    REDIS_TEST(a_call_asks_again_only_where_that_helps),
    REDIS_TEST(patience_ends_with_the_time_of_the_call),
    REDIS_TEST(an_unknown_script_is_handed_on),
    REDIS_TEST(only_what_was_put_off_is_asked_again),
};
const size_t error_test_count = sizeof error_tests / sizeof *error_tests;
