/* What urls and the environment say. */
#include <stdlib.h>
#include <string.h>

#include "base/url.h"
#include "redis/redis_tests.h"

static void parse(const char *url, struct rv_rd_url *out) {
    struct rv_error err = {0};
    CHECK_OK(rv_rd_url_parse(url, out, &err));
}

static void a_url_says_where_the_server_is(void **state) {
    (void)state;
    static const struct {
        const char *url, *host, *port;
        int db;
    } cases[] = {
        {"redis://", "127.0.0.1", "6379", 0},
        {"redis://queue.example", "queue.example", "6379", 0},
        {"redis://queue.example:7000", "queue.example", "7000", 0},
        {"redis://10.0.0.1:7000/3", "10.0.0.1", "7000", 3},
        {"redis://10.0.0.1/?db=4", "10.0.0.1", "6379", 4},
        {"redis://[::1]:7000/1", "::1", "7000", 1},
        {"redis://[fe80::1]", "fe80::1", "6379", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv_rd_url url;
        parse(cases[i].url, &url);
        CHECK_STR(url.target.host, cases[i].host);
        CHECK_STR(url.target.port, cases[i].port);
        CHECK_STR(url.target.path, NULL);
        CHECK_STR(url.target.user, NULL);
        CHECK_STR(url.target.password, NULL);
        CHECK_INT(url.target.db, cases[i].db);
        CHECK(!url.by_tls);
        CHECK_STR(url.prefix, "rv");
        rv_rd_url_release(&url);
    }
}

static void a_url_says_who_asks(void **state) {
    (void)state;
    static const struct {
        const char *url, *user, *password;
    } cases[] = {
        {"redis://:secret@h", NULL, "secret"},
        {"redis://me:secret@h", "me", "secret"},
        {"redis://me:@h", "me", ""},
        {"redis://m%65:a%40b%2F%3a%3F%25@h", "me", "a@b/:?%"},
        {"redis://me:a@b/c@h", "me", "a@b/c"}, /* as rv_url_redact() has it */
        {"redis+unix://me:secret@/run/r.sock", "me", "secret"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv_rd_url url;
        parse(cases[i].url, &url);
        CHECK_STR(url.target.user, cases[i].user);
        CHECK_STR(url.target.password, cases[i].password);
        CHECK(!strstr(url.target.shown, "secret"));
        rv_rd_url_release(&url);
    }
}

static void a_url_names_a_socket_and_options(void **state) {
    (void)state;
    struct rv_rd_url url;
    parse("redis+unix:///run/a%20b.sock?db=2&prefix=my:jobs&eviction=allow", &url);
    CHECK_STR(url.target.path, "/run/a b.sock");
    CHECK_INT(url.target.db, 2);
    CHECK_STR(url.prefix, "my:jobs");
    CHECK(url.allow_eviction);
    CHECK_INT(1 << url.first_log2, 131072);
    rv_rd_url_release(&url);
    parse("redis://h?records_per_key=64", &url);
    CHECK_INT(1 << url.first_log2, 64);
    CHECK_INT(url.wait_replicas, 0);
    rv_rd_url_release(&url);
    parse("redis://h?wait=2", &url);
    CHECK_INT(url.wait_replicas, 2);
    CHECK_INT(url.wait_ms, 1000);
    rv_rd_url_release(&url);
    parse("redis+cluster://h?wait_timeout=3s&wait=1", &url);
    CHECK_INT(url.wait_replicas, 1);
    CHECK_INT(url.wait_ms, 3000);
    rv_rd_url_release(&url);
    parse("redis://h?wait=1&wait_timeout=250ms", &url);
    CHECK_INT(url.wait_ms, 250);
    rv_rd_url_release(&url);
    parse("rediss://h?ca=/a/ca.pem&cert=c&key=k&server_name=n&verify=none", &url);
    CHECK(url.by_tls);
    CHECK_STR(url.tls.ca, "/a/ca.pem");
    CHECK_STR(url.tls.cert, "c");
    CHECK_STR(url.tls.key, "k");
    CHECK_STR(url.tls.server_name, "n");
    CHECK(url.tls.believe_any);
    rv_rd_url_release(&url);
}

static void what_makes_no_sense_is_refused_without_showing_a_password(void **state) {
    (void)state;
    static const char *const urls[] = {
        "redis:x",
        "redis+cluster:h",
        "redis+cluster://u:s3cret@h/3",
        "redis+cluster://u:s3cret@h,h:port",
        "redis+sentinel://u:s3cret@h",
        "redis+sentinel://u:s3cret@h/",
        "redis+sentinel://u:s3cret@h/name/x",
        "redis+sentinel://u:s3cret@h/name?sentinel_user=me",
        "redis://u:s3cret@h?sentinel_user=me",
        "redis+sentinel://u:s3cret@h/name?sentinel_tls=no",
        "redis://u:s3cret@h:port",
        "redis://u:s3cret@h:0",
        "redis://u:s3cret@h:65536",
        "redis://u:s3cret@h:",
        "redis://u:s3cret@h/x",
        "redis://u:s3cret@h/-1",
        "redis://u:s3cret@h/9999999999",
        "redis://u:s3cret@[::1",
        "redis://u:s3cret@[::1]x",
        "redis://u:s3cret%@h",
        "redis://u:s3cret%00@h",
        "redis://user@h",
        "redis://u:s3cret@h?db=x",
        "redis://u:s3cret@h?prefix=",
        "redis://u:s3cret@h?prefix=a{b",
        "redis://u:s3cret@h?eviction=yes",
        "redis://u:s3cret@h?records_per_key=0",
        "redis://u:s3cret@h?records_per_key=3",
        "redis://u:s3cret@h?records_per_key=262144",
        "redis://u:s3cret@h?wait=some",
        "redis://u:s3cret@h?wait=-1",
        "redis://u:s3cret@h?wait=101",
        "redis://u:s3cret@h?wait_timeout=200",
        "redis://u:s3cret@h?wait_timeout=0s",
        "redis://u:s3cret@h?wait_timeout=2m",
        "redis://u:s3cret@h?wait_timeout=99999999999999999999s",
        "redis://u:s3cret@h?verify=none",
        "redis://u:s3cret@h?ca=x",
        "redis://u:s3cret@h?colour=red",
        "redis://u:s3cret@h?db=%zz",
        "rediss://u:s3cret@h?cert=c",
        "rediss://u:s3cret@h?key=k",
        "redis+unix://u:s3cret@host/p",
        "redis+unix:relative",
        "redis://u:s3cret?x@h", /* a '?' that should have been escaped */
        "redis://u:pass?s3cret@h",
        "redis://u:pass?colour=s3cret@h",
        "redis://h/s3cret?x@h",
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct rv_rd_url url;
        struct rv_error err = {0};
        if (strcmp(urls[i], "redis://u:s3cret@h:") == 0) { /* an empty port is the usual one */
            parse(urls[i], &url);
            rv_rd_url_release(&url);
            continue;
        }
        print_message("# %s\n", urls[i]);
        CHECK_FAILS(rv_rd_url_parse(urls[i], &url, &err), REEVE_EINVAL);
        CHECK(err.text[0] && !strstr(err.text, "s3cret"));
    }
}

static void an_error_names_what_is_wrong_and_what_is_wanted(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"redis://u:p@h:port", "'port'", "number from 1 to 65535"},
        {"redis://u:p@h:70000", "'70000'", "number from 1 to 65535"},
        {"redis://h:0", "'0'", "number from 1 to 65535"},
        {"redis://h/first", "'first'", "number"},
        {"redis://h?db=-1", "'-1'", "number"},
        {"redis://h/99999999", "'99999999'", "up to 1048576"},
        {"redis://[::1", "'[::1'", "[IPV6]:PORT"},
        {"redis://[::1]x", "'[::1]x'", "[IPV6]:PORT"},
        {"redis://h?shards=65", "'shards=65'", "from 1 to 64"},
        {"redis://h?prefix=a{b", "'a{b'", "A-Z a-z 0-9"},
        {"redis://h?colour=red", "'colour=red'", "knows no parameter"},
        {"redis+cluster://h:1,h:x", "'x'", "number from 1 to 65535"},
        {"rediss://h?verify=maybe", "'verify=maybe'", "wants verify=none"},
        {"redis://h?verify=none", "'verify'", "rediss://"},
        {"redis://h?eviction=yes", "'eviction=yes'", "wants eviction=allow"},
        {"rediss+sentinel://h/p?sentinel_tls=off", "'sentinel_tls=off'", "wants sentinel_tls=no"},
        {"rediss://h?sentinel_tls=no", "'sentinel_tls'", "redis+sentinel://"},
        {"redis://h/1?db=2", "two databases", "1 and 2"},
        {"redis+sentinel://h/p/3?db=4", "two databases", "3 and 4"},
        {"redis+sentinel://a,,b/p", "'a,,b'", "wants HOST,HOST"},
        {"redis+cluster://a,b,", "'a,b,'", "wants HOST,HOST"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv_rd_url url;
        struct rv_error err = {0};
        CHECK_FAILS(rv_rd_url_parse(cases[i][0], &url, &err), REEVE_EINVAL);
        print_message("# %s\n", err.text);
        CHECK(strstr(err.text, cases[i][1]) && strstr(err.text, cases[i][2]));
    }
}

/* ---- the environment ---- */
static const char *const names[] = {"HOST",   "PORT",          "USERNAME",      "PASSWORD",
                                    "PREFIX", "SENTINEL_HOST", "SENTINEL_PORT", "SENTINEL_NAME"};

static void set(const char *name, const char *value) {
    CHECK_INT(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void clear_environment(void) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "REEVE_REDIS_%s", names[i]);
        set(name, NULL);
        set(name + strlen("REEVE_"), NULL);
    }
}

static void redis_alone_takes_its_parts_from_the_environment(void **state) { /* A192 */
    (void)state;
    struct rv_rd_url url;
    clear_environment();
    set("REEVE_REDIS_HOST", "ours");
    set("REDIS_HOST", "theirs");
    set("REDIS_PORT", "7001");
    set("REEVE_REDIS_USERNAME", "me");
    set("REDIS_PASSWORD", "p@ss/word%41");
    set("REEVE_REDIS_PREFIX", "app");
    parse("redis:", &url);
    CHECK_STR(url.target.host, "ours");
    CHECK_STR(url.target.port, "7001");
    CHECK_STR(url.target.user, "me");
    CHECK_STR(url.target.password, "p@ss/word%41"); /* as it stands: it is no url */
    CHECK_STR(url.prefix, "app");
    rv_rd_url_release(&url);
    set("REEVE_REDIS_HOST", "");
    parse("redis:?prefix=other", &url);
    CHECK_STR(url.target.host, "theirs");
    CHECK_STR(url.prefix, "other");
    rv_rd_url_release(&url);
    clear_environment();
}

static void an_environment_that_names_no_server_is_told_what_to_set(void **state) {
    (void)state;
    struct rv_rd_url url;
    struct rv_error err = {0};
    clear_environment();
    CHECK_FAILS(rv_rd_url_parse("redis:", &url, &err), REEVE_EINVAL);
    CHECK(strstr(err.text, "REEVE_REDIS_HOST") != NULL);
    set("REDIS_PORT", "port");
    set("REDIS_HOST", "h");
    CHECK_FAILS(rv_rd_url_parse("redis:", &url, &err), REEVE_EINVAL);
    CHECK(strstr(err.text, "port") != NULL);
    clear_environment();
}

static void a_sentinel_wins_over_a_host(void **state) { /* A192 */
    (void)state;
    struct rv_rd_url url;
    struct rv_error err = {0};
    clear_environment();
    set("REEVE_REDIS_HOST", "h");
    set("REDIS_SENTINEL_HOST", "s");
    CHECK_FAILS(rv_rd_url_parse("redis:", &url, &err), REEVE_EINVAL);
    CHECK(strstr(err.text, "SENTINEL_NAME") != NULL);
    set("REDIS_SENTINEL_NAME", "jobs");
    set("REEVE_REDIS_SENTINEL_PORT", "7");
    set("REEVE_REDIS_SENTINEL_PASSWORD", "word");
    parse("redis:", &url);
    CHECK_INT(url.shape, RV_RD_SENTINEL);
    CHECK_STR(url.primary, "jobs");
    CHECK_INT(url.host_count, 1);
    CHECK_STR(url.hosts[0].host, "s");
    CHECK_STR(url.hosts[0].port, "7");
    CHECK_STR(url.sentinel_password, "word");
    rv_rd_url_release(&url);
    clear_environment();
}

static void a_url_names_sentinels_and_what_to_ask_them_for(void **state) {
    (void)state;
    struct rv_rd_url url;
    parse("redis+sentinel://me:secret@a,b:7,[::1]/jobs/3?sentinel_user=u&sentinel_password=p",
          &url);
    CHECK_INT(url.shape, RV_RD_SENTINEL);
    CHECK(!url.by_tls);
    CHECK_INT(url.host_count, 3);
    CHECK_STR(url.hosts[0].host, "a");
    CHECK_STR(url.hosts[0].port, "26379");
    CHECK_STR(url.hosts[1].port, "7");
    CHECK_STR(url.hosts[2].host, "::1");
    CHECK_STR(url.primary, "jobs");
    CHECK_INT(url.target.db, 3);
    CHECK_STR(url.target.user, "me");
    CHECK_STR(url.sentinel_user, "u");
    CHECK_STR(url.sentinel_password, "p");
    rv_rd_url_release(&url);
    parse("rediss+sentinel://a/jobs?sentinel_tls=no", &url);
    CHECK(url.by_tls && url.sentinel_plain);
    rv_rd_url_release(&url);
}

static void a_url_names_nodes_of_a_cluster(void **state) {
    (void)state;
    struct rv_rd_url url;
    parse("rediss+cluster://:secret@a,b:7/?ca=/ca.crt", &url);
    CHECK_INT(url.shape, RV_RD_CLUSTER);
    CHECK(url.by_tls);
    CHECK_INT(url.host_count, 2);
    CHECK_STR(url.hosts[0].port, "6379");
    CHECK_STR(url.hosts[1].port, "7");
    CHECK_STR(url.target.shown, "redis cluster a:6379,b:7");
    rv_rd_url_release(&url);
    parse("redis://[::1]:7/3", &url);
    CHECK_STR(url.target.shown, "redis [::1]:7 database 3");
    rv_rd_url_release(&url);
}

const struct CMUnitTest url_tests[] = {
    cmocka_unit_test(a_url_says_where_the_server_is),
    cmocka_unit_test(a_url_says_who_asks),
    cmocka_unit_test(a_url_names_a_socket_and_options),
    cmocka_unit_test(a_url_names_sentinels_and_what_to_ask_them_for),
    cmocka_unit_test(a_url_names_nodes_of_a_cluster),
    cmocka_unit_test(what_makes_no_sense_is_refused_without_showing_a_password),
    cmocka_unit_test(an_error_names_what_is_wrong_and_what_is_wanted),
    cmocka_unit_test(redis_alone_takes_its_parts_from_the_environment),
    cmocka_unit_test(an_environment_that_names_no_server_is_told_what_to_set),
    cmocka_unit_test(a_sentinel_wins_over_a_host),
};
const size_t url_test_count = sizeof url_tests / sizeof *url_tests;
