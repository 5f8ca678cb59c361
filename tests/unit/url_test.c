/* base/url: no password is ever shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/url.h"

static void check(const char *url, const char *expected) {
    char *shown = rv_url_redact(url);
    assert_non_null(shown);
    assert_string_equal(shown, expected);
    free(shown);
}

static void a_url_without_a_password_stays_as_it_is(void **state) {
    (void)state;
    static const char *const urls[] = {
        "",
        "memory:",
        "sqlite:/var/lib/a:b@c.db",
        "sqlite:q.db?sync=normal&x",
        "redis://host:6379/0",
        "redis://user@host:6379/0",
        "postgres://host:5432/db?user=me&sslmode=require",
        "no url at all: not even @ one",
        "x://?",
        "redis+cluster://a:1,b:2",
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        check(urls[i], urls[i]);
}

static void the_password_of_the_user_part_is_hidden(void **state) {
    (void)state;
    check("redis://user:secret@host:6379/0", "redis://user:***@host:6379/0");
    check("rediss://:secret@host", "rediss://:***@host");
    check("redis://:@host", "redis://:***@host");
    check("postgres://u:p@[::1]:5432/db?sslmode=require",
          "postgres://u:***@[::1]:5432/db?sslmode=require");
    check("redis+sentinel://u:p@a:1,b:2/name", "redis+sentinel://u:***@a:1,b:2/name");
}

/* Such a password should have been percent-encoded. It was not, and is still nobody's business. */
static void a_password_with_separators_in_it_is_hidden_whole(void **state) {
    (void)state;
    check("redis://u:a@b@host", "redis://u:***@host");
    check("redis://u:a/b@host/0", "redis://u:***@host/0");
    check("redis://u:a:b#c@host", "redis://u:***@host");
    check("redis://u:a?b@host:1/0?db=1", "redis://u:***@host:1/0?db=1");
    check("redis://u:a?password=b@c@host", "redis://u:***@host");
}

static void a_password_in_the_query_is_hidden(void **state) {
    (void)state;
    check("postgres://h/db?password=secret", "postgres://h/db?password=***");
    check("postgres://h/db?user=u&PassWord=a=b&x=1", "postgres://h/db?user=u&PassWord=***&x=1");
    check("postgres://u:p@h?sslpassword=", "postgres://u:***@h?sslpassword=***");
    check("x:?pass=1&pass=2&pass=3", "x:?pass=***&pass=***&pass=***");
    check("x:?passport=1&mypassword=2", "x:?passport=1&mypassword=2");
}

/* ---- taking one apart ---- */
static void shows(const char *actual, const char *expected) {
    if (!expected)
        assert_null(actual);
    else
        assert_string_equal(actual, expected);
}

static void a_url_is_taken_apart(void **state) {
    (void)state;
    static const struct {
        const char *url, *scheme, *user, *password, *hosts, *path, *query;
    } cases[] = {
        {"redis:", "redis", NULL, NULL, NULL, "", NULL},
        {"redis:?a=b", "redis", NULL, NULL, NULL, "", "a=b"},
        {"sqlite:/a/b.db", "sqlite", NULL, NULL, NULL, "/a/b.db", NULL},
        {"redis://", "redis", NULL, NULL, "", "", NULL},
        {"redis:///p", "redis", NULL, NULL, "", "/p", NULL},
        {"redis://h:1/0?x", "redis", NULL, NULL, "h:1", "/0", "x"},
        {"redis://h", "redis", NULL, NULL, "h", "", NULL},
        {"x://u@a:1,b:2/n?", "x", "u", NULL, "a:1,b:2", "/n", ""},
        {"x://:p@/s", "x", NULL, "p", "", "/s", NULL},
        {"x://u:a%40b%2f@h/d", "x", "u", "a@b/", "h", "/d", NULL},
        {"x://u:a@b/c@h/d", "x", "u", "a@b/c", "h", "/d", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        struct rv_url url;
        (void)snprintf(text, sizeof text, "%s", cases[i].url);
        assert_true(rv_url_split(text, &url));
        shows(url.scheme, cases[i].scheme);
        shows(url.user, cases[i].user);
        shows(url.password, cases[i].password);
        shows(url.hosts, cases[i].hosts);
        shows(url.path, cases[i].path);
        shows(url.query, cases[i].query);
    }
}

static void what_is_no_url_is_not_taken_apart(void **state) {
    (void)state;
    static const char *const urls[] = {"",           "redis",     "x://u:%@h",
                                       "x://u:%4@h", "x://%zz@h", "x://u:%00@h"};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        char text[64];
        struct rv_url url;
        (void)snprintf(text, sizeof text, "%s", urls[i]);
        assert_false(rv_url_split(text, &url));
    }
}

static void options_come_one_by_one(void **state) {
    (void)state;
    char text[] = "a=1&b&c=%26%3D=x&", *query = text, *key, *value;
    assert_true(rv_url_option(&query, &key, &value));
    shows(key, "a");
    shows(value, "1");
    assert_true(rv_url_option(&query, &key, &value));
    shows(key, "b");
    shows(value, NULL);
    assert_true(rv_url_option(&query, &key, &value));
    shows(key, "c");
    shows(value, "&==x");
    assert_false(rv_url_option(&query, &key, &value));
    assert_null(query);
    char bad[] = "a=%4", *left = bad;
    assert_false(rv_url_option(&left, &key, &value));
    assert_non_null(left);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_without_a_password_stays_as_it_is),
        cmocka_unit_test(the_password_of_the_user_part_is_hidden),
        cmocka_unit_test(a_password_with_separators_in_it_is_hidden_whole),
        cmocka_unit_test(a_password_in_the_query_is_hidden),
        cmocka_unit_test(a_url_is_taken_apart),
        cmocka_unit_test(what_is_no_url_is_not_taken_apart),
        cmocka_unit_test(options_come_one_by_one),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("url", tests, NULL, NULL);
}
