/* base/url: no password is ever shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
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
}

static void a_password_in_the_query_is_hidden(void **state) {
    (void)state;
    check("postgres://h/db?password=secret", "postgres://h/db?password=***");
    check("postgres://h/db?user=u&PassWord=a=b&x=1", "postgres://h/db?user=u&PassWord=***&x=1");
    check("postgres://u:p@h?sslpassword=", "postgres://u:***@h?sslpassword=***");
    check("x:?pass=1&pass=2&pass=3", "x:?pass=***&pass=***&pass=***");
    check("x:?passport=1&mypassword=2", "x:?passport=1&mypassword=2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_without_a_password_stays_as_it_is),
        cmocka_unit_test(the_password_of_the_user_part_is_hidden),
        cmocka_unit_test(a_password_with_separators_in_it_is_hidden_whole),
        cmocka_unit_test(a_password_in_the_query_is_hidden),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("url", tests, NULL, NULL);
}
