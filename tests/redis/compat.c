/* Streams in the published layout, shared with a member that knows nothing of reeve: a shell script
 * that sends plain commands (compat-client.sh). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/eventually.h"
#include "redis/queue.h"

enum {
    TIMEOUT_MS = 20000,
    LONG_MS = 600000,
    SHORT_MS = 200,
    WITHIN_MS = 30000,
    LISTEN_MS = 500, /* a wait that is over before it can listen listens to nothing */
    ANSWER_SIZE = 512
};

static const struct rv_group group = {.name = "feeds", .compat = true};

struct shared {
    struct line *line;
    struct rv_store *store;
    char answer[ANSWER_SIZE]; /* of the stranger */
};

static struct shared start(void **state) {
    struct shared shared = {.line = *state};
    start_queue(shared.line, "");
    shared.store = open_store(shared.line);
    return shared;
}

/* In the child: out is its standard output. */
static void run_stranger(const struct shared *shared, const char *words, int out) {
    char command[1024];
    const char *program = getenv("COMPAT_CLIENT");
    (void)snprintf(command, sizeof command, "%s %d %s",
                   program ? program : "tests/redis/compat-client.sh", shared->line->server->port,
                   words);
    (void)dup2(out, STDOUT_FILENO);
    (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* What the stranger answers to a command, its last newlines left out. */
static const char *stranger(struct shared *shared, const char *words) {
    int ends[2], status = -1;
    size_t size = 0;
    ssize_t got;
    CHECK_INT(pipe(ends), 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) run_stranger(shared, words, ends[1]);
    (void)close(ends[1]);
    while ((got = read(ends[0], shared->answer + size, ANSWER_SIZE - 1 - size)) > 0)
        size += (size_t)got;
    (void)close(ends[0]);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
    while (size && shared->answer[size - 1] == '\n')
        size--;
    shared->answer[size] = '\0';
    return shared->answer;
}

/* ---- our side ---- */
static bool offer(struct shared *shared, const char *name) {
    bool known;
    CHECK_OK(rv_store_stream_offer(shared->store, &group, name, "{\"a\":1}", 7, &known,
                                   &shared->line->err));
    return !known;
}

static struct rv_streams take(struct shared *shared, size_t want, uint64_t holder,
                              int64_t lease_ms) {
    const struct rv_stream_ask ask = {.member = "m",
                                      .by = "ours",
                                      .holder = holder,
                                      .want = want,
                                      .lease_ms = lease_ms,
                                      .dead_max = 100,
                                      .timeout_ms = TIMEOUT_MS};
    struct rv_streams streams;
    CHECK_OK(rv_store_stream_take(shared->store, &group, &ask, &streams, &shared->line->err));
    return streams;
}

/* Takes the one that is in line. Its name and info are compared, and its retries told. */
static struct rv_stream_ref take_one(struct shared *shared, const char *name, int64_t lease_ms,
                                     uint64_t *retries) {
    struct rv_streams streams = take(shared, 2, 77, lease_ms);
    struct rv_stream_ref ref = {.name = name, .holder = 77, .token = streams.token};
    CHECK_INT(streams.count, 1);
    CHECK_STR(streams.streams[0]->name, name);
    CHECK_BYTES(streams.streams[0]->info, streams.streams[0]->info_size, "{\"a\":1}", 7);
    *retries = streams.streams[0]->retries;
    rv_streams_release(&streams);
    return ref;
}

static bool renew(struct shared *shared, const struct rv_stream_ref *ref) {
    struct rv_stream_renewal renewal = {
        .name = ref->name, .holder = ref->holder, .token = ref->token, .lease_ms = LONG_MS};
    CHECK_OK(
        rv_store_stream_renew(shared->store, &group, &renewal, 1, TIMEOUT_MS, &shared->line->err));
    return !renewal.lost;
}

static int end(struct shared *shared, const struct rv_stream_ref *ref) {
    return rv_store_stream_end(shared->store, &group, ref, TIMEOUT_MS, &shared->line->err);
}

/* All of one pass, added up. */
static struct rv_stream_scanned scan(struct shared *shared, int64_t max_retries) {
    struct rv_stream_scan step = {.max_retries = max_retries, .dead_max = 100};
    struct rv_stream_scanned sum = {0}, part;
    char after[RV_STREAM_CURSOR_SIZE] = "";
    do {
        CHECK_OK(rv_store_stream_recover(shared->store, &group, &step, &part, &shared->line->err));
        sum.requeued += part.requeued;
        sum.dead += part.dead;
        sum.unreadable += part.unreadable;
        sum.alive += part.alive;
        (void)snprintf(after, sizeof after, "%s", part.cursor);
        rv_stream_scanned_release(&part);
        step.after = after;
    } while (*after);
    return sum;
}

static struct reeve_group stats(struct shared *shared) {
    struct reeve_group out;
    CHECK_OK(rv_store_stream_stats(shared->store, &group, &out, &shared->line->err));
    return out;
}

/* The id of the only entry. */
static const char *only_entry(struct shared *shared) {
    static char id[64];
    const char *const words[] = {"XRANGE", "feeds-input", "-", "+"};
    const struct rv_rd_command command = {.argc = 4, .argv = words};
    redisReply *reply = NULL;
    CHECK_OK(
        rv_rd_call(&shared->line->rd, NULL, &command, 1, TIMEOUT_MS, &reply, &shared->line->err));
    CHECK_INT(reply->elements, 1);
    (void)snprintf(id, sizeof id, "%s", reply->element[0]->element[0]->str);
    freeReplyObject(reply);
    return id;
}

/* A command about it. */
static const char *about(struct shared *shared, const char *before, const char *behind) {
    static char words[256];
    (void)snprintf(words, sizeof words, "%s %s %s", before, only_entry(shared), behind);
    return words;
}

/* ---- theirs come to us ---- */
static void what_a_stranger_offers_is_ours(void **state) { /* A160 R31 R32 */
    struct shared shared = start(state);
    uint64_t retries;
    (void)stranger(&shared, "join feeds");
    (void)stranger(&shared, "offer feeds one '{\"a\":1}'");
    struct rv_stream_ref ref = take_one(&shared, "one", LONG_MS, &retries);
    CHECK_INT(retries, 0);
    CHECK_STR(stranger(&shared, about(&shared, "alive one", "")), "1"); /* R33 */
    CHECK_STR(stranger(&shared, "take feeds him"), "");
    CHECK(strncmp(stranger(&shared, "recover feeds 0 3"), "alive ", 6) == 0); /* A172 */
    CHECK(renew(&shared, &ref));
    CHECK_STR(stranger(&shared, "recover feeds 5000 3"), ""); /* not idle either: T51 */
    const char *is_alive = about(&shared, "alive one", "");
    CHECK_OK(end(&shared, &ref));
    CHECK_STR(stranger(&shared, is_alive), "0"); /* R18 */
    CHECK_INT(stats(&shared).waiting + stats(&shared).owned, 0);
    CHECK_STR(stranger(&shared, "recover feeds 0 3"), "");
    CHECK_INT(ask_server(shared.line, "XLEN feeds-input"), 0);
    CHECK_INT(ask_server(shared.line, "EXISTS feeds-input"), 1); /* A167 */
    rv_store_close(shared.store);
}

static bool lock_is_gone(void *arg) {
    struct shared *shared = arg;
    return strcmp(stranger(shared, about(shared, "alive one", "")), "0") == 0;
}

static void our_dead_are_recovered_by_strangers(void **state) { /* A168 T57 */
    struct shared shared = start(state);
    uint64_t retries;
    CHECK(offer(&shared, "one"));
    struct rv_stream_ref ref = take_one(&shared, "one", SHORT_MS, &retries);
    CHECK(eventually(lock_is_gone, &shared, WITHIN_MS));
    CHECK_STR(stranger(&shared, "recover feeds 0 3"), "again one");
    CHECK(!renew(&shared, &ref)); /* he was robbed, and learns it */
    CHECK_FAILS(end(&shared, &ref), REEVE_EFENCED);
    CHECK(strncmp(stranger(&shared, "take feeds him"), "one ", 4) == 0);
    CHECK_INT(scan(&shared, 3).requeued, 1); /* he has taken no lock: nobody seems to have it */
    (void)take_one(&shared, "one", LONG_MS, &retries);
    CHECK_INT(retries, 2);
    rv_store_close(shared.store);
}

/* ---- ours go to them ---- */
static void a_stranger_who_lives_is_not_robbed(void **state) { /* R04 A172 */
    struct shared shared = start(state);
    uint64_t retries;
    CHECK(offer(&shared, "one"));
    CHECK(strncmp(stranger(&shared, "take feeds him"), "one ", 4) == 0);
    CHECK_STR(stranger(&shared, about(&shared, "lock one", "him 600000")), "OK");
    struct rv_stream_scanned seen = scan(&shared, 3);
    CHECK_INT(seen.alive, 1);
    CHECK_INT(seen.requeued, 0);
    CHECK(!offer(&shared, "one")); /* it is known, though his */
    CHECK_FAILS(rv_store_stream_claim(shared.store, &group, "one", &shared.line->err),
                REEVE_ESTATE);
    struct reeve_stream *stream;
    CHECK_OK(rv_store_stream_read(shared.store, &group, "one", &stream, &shared.line->err));
    CHECK_INT(stream->state, REEVE_STREAM_OWNED);
    CHECK_STR(stream->member, "him");
    free(stream);
    (void)stranger(&shared, about(&shared, "unlock one", "")); /* he dies */
    CHECK_INT(scan(&shared, 3).requeued, 1);
    CHECK_INT(scan(&shared, 3).requeued, 0);
    (void)take_one(&shared, "one", LONG_MS, &retries);
    CHECK_INT(retries, 1); /* R07 */
    rv_store_close(shared.store);
}

static void a_stranger_ends_what_we_offered(void **state) {
    struct shared shared = start(state);
    CHECK(offer(&shared, "one"));
    CHECK(strncmp(stranger(&shared, "take feeds him"), "one ", 4) == 0);
    CHECK_STR(stranger(&shared, about(&shared, "end feeds one", "")), "1");
    CHECK_INT(stats(&shared).waiting + stats(&shared).owned, 0);
    CHECK(offer(&shared, "one")); /* it is gone, so it is new */
    rv_store_close(shared.store);
}

/* ---- dead letters ---- */
static void both_bury_in_the_same_place(void **state) { /* A174 R08-R10 */
    struct shared shared = start(state);
    struct rv_letters letters;
    CHECK(offer(&shared, "one"));
    (void)stranger(&shared, "take feeds him");
    CHECK_STR(stranger(&shared, "recover feeds 0 0"), "dead one");
    CHECK(offer(&shared, "two"));
    (void)stranger(&shared, "take feeds him");
    CHECK_INT(scan(&shared, 0).dead, 1);
    CHECK_INT(ask_server(shared.line, "XLEN feeds-input-dlq"), 2);
    CHECK_OK(rv_store_stream_letters(shared.store, &group, NULL, 10, &letters, &shared.line->err));
    CHECK_INT(letters.count, 2);
    for (size_t i = 0; i < 2; i++) {
        CHECK_STR(letters.letters[i]->name, i ? "two" : "one");
        CHECK_STR(letters.letters[i]->reason, "max_retries_exceeded");
        CHECK_INT(letters.letters[i]->retries, 1);
    }
    CHECK_OK(
        rv_store_stream_revive(shared.store, &group, letters.letters[0]->id, &shared.line->err));
    rv_letters_release(&letters);
    CHECK(strncmp(stranger(&shared, "take feeds him"), "one ", 4) == 0);
    rv_store_close(shared.store);
}

/* What others put there that is no offer. */
static const char *const garbage[][3] = {
    {"no", "field", NULL},
    {"lbs-input", "", NULL},
    {"lbs-input", "no json", NULL},
    {"lbs-input", "[]", NULL},
    {"lbs-input", "7", NULL},
    {"lbs-input", "{}", NULL},
    {"lbs-input", "{\"DataStreamName\":\"\"}", NULL},
    {"lbs-input", "{\"DataStreamName\":7}", NULL},
    {"lbs-input", "{\"DataStreamName\":\"a\\nb\"}", NULL},
    {"lbs-input", "{\"DataStreamName\":\"a\"", NULL},
};
enum { GARBAGE = sizeof garbage / sizeof *garbage };

static void garbage_is_put_aside(void **state) { /* A170 T59 R10 */
    struct shared shared = start(state);
    uint64_t retries;
    for (size_t i = 0; i < GARBAGE; i++)
        (void)COMMAND(shared.line, "XADD", "feeds-input", "*", garbage[i][0], garbage[i][1]);
    CHECK(offer(&shared, "one"));
    struct rv_stream_ref ref = take_one(&shared, "one", LONG_MS, &retries);
    CHECK_INT(stats(&shared).failed, GARBAGE);
    CHECK_INT(stats(&shared).unparseable_total, GARBAGE);
    CHECK_OK(end(&shared, &ref));
    (void)COMMAND(shared.line, "XADD", "feeds-input", "*", "no", "field");
    (void)stranger(&shared, "take feeds him"); /* who can do nothing with it, and dies of it */
    CHECK_INT(scan(&shared, 3).unreadable, 1);
    CHECK_INT(ask_server(shared.line, "XLEN feeds-input"), 0);
    rv_store_close(shared.store);
}

static void odd_entries_are_read(void **state) { /* R07 A171 A176 J10 */
    static const char json[] =
        "{ \"x\" : [1, {\"Info\":0}, \"}\\\"\"], \"Info\" : {\"a\" : 9007199254740993, \"b\":[]} ,"
        "\"DataStreamName\" : \"odd \\u00e9 \\\"name\\\"\"}";
    static const char info[] = "{\"a\" : 9007199254740993, \"b\":[]}";
    struct shared shared = start(state);
    (void)COMMAND(shared.line, "XADD", "feeds-input", "*", "lbs-input", json, "_retry_count", "x",
                  "theirs", "kept");
    struct rv_streams streams = take(&shared, 1, 5, LONG_MS);
    CHECK_INT(streams.count, 1);
    CHECK_STR(streams.streams[0]->name, "odd \xc3\xa9 \"name\"");
    CHECK_BYTES(streams.streams[0]->info, streams.streams[0]->info_size, info, strlen(info));
    CHECK_INT(streams.streams[0]->retries, 0);
    const struct rv_stream_ref ref = {
        .name = streams.streams[0]->name, .holder = 5, .token = streams.token};
    bool dead;
    CHECK_OK(rv_store_stream_yield(shared.store, &group, &ref, NULL, TIMEOUT_MS, &dead,
                                   &shared.line->err));
    rv_streams_release(&streams);
    CHECK_INT(ask_server(shared.line, "XLEN feeds-input"), 1); /* with all its fields: */
    CHECK_INT(ask_server(shared.line, "EVAL return(#redis.call('XRANGE',KEYS[1],'-','+')[1][2]) 1 "
                                      "feeds-input"),
              6);
    rv_store_close(shared.store);
}

static void a_stream_offered_twice_has_one_owner(void **state) { /* A180 T54 */
    struct shared shared = start(state);
    uint64_t retries;
    (void)stranger(&shared, "offer feeds one '{\"a\":1}'");
    (void)stranger(&shared, "offer feeds one '{\"a\":2}'");
    (void)take_one(&shared, "one", LONG_MS, &retries);
    struct rv_streams none = take(&shared, 5, 78, LONG_MS);
    CHECK_INT(none.count, 0);
    rv_streams_release(&none);
    CHECK_INT(stats(&shared).duplicates_total, 1);
    CHECK_INT(ask_server(shared.line, "XLEN feeds-input"), 1);
    rv_store_close(shared.store);
}

static void info_that_strangers_cannot_read_is_refused(void **state) {
    static const char *const infos[] = {"text", "[1]", "7", "{", "{} {}"};
    struct shared shared = start(state);
    bool known;
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++)
        CHECK_FAILS(rv_store_stream_offer(shared.store, &group, "one", infos[i], strlen(infos[i]),
                                          &known, &shared.line->err),
                    REEVE_EINVAL);
    CHECK_OK(
        rv_store_stream_offer(shared.store, &group, "one", " {} ", 4, &known, &shared.line->err));
    CHECK_OK(
        rv_store_stream_offer(shared.store, &group, "two", NULL, 0, &known, &shared.line->err));
    CHECK(strncmp(stranger(&shared, "take feeds him"), "one ", 4) == 0);
    CHECK(strncmp(stranger(&shared, "take feeds him"), "two ", 4) == 0);
    rv_store_close(shared.store);
}

/* ---- hints ---- */
static bool has_flags(struct shared *shared, const char *wanted) {
    const char *const words[] = {"CONFIG", "GET", "notify-keyspace-events"};
    const struct rv_rd_command command = {.argc = 3, .argv = words};
    redisReply *reply = NULL;
    bool all = true;
    CHECK_OK(
        rv_rd_call(&shared->line->rd, NULL, &command, 1, TIMEOUT_MS, &reply, &shared->line->err));
    for (; *wanted; wanted++)
        all = all && strchr(reply->element[1]->str, *wanted);
    freeReplyObject(reply);
    return all;
}

static void a_lock_that_expires_rings(void **state) { /* A165 R37 T62 T63 */
    struct shared shared = start(state);
    const struct rv_group hinted = {.name = "feeds", .compat = true, .hints = true};
    struct rv_bell bell = {.queue = "feeds", .group = &hinted};
    int64_t until = elapsed_ms() + WITHIN_MS;
    (void)COMMAND(shared.line, "CONFIG", "SET", "notify-keyspace-events", "K$");
    CHECK_OK(rv_store_wait(shared.store, &bell, 1, LISTEN_MS, &shared.line->err));
    CHECK(has_flags(&shared, "K$Ex")); /* others' are still there */
    while (!bell.ended && elapsed_ms() < until) {
        (void)COMMAND(shared.line, "SET", "theirs", "x", "PX", "1"); /* says nothing to us */
        (void)COMMAND(shared.line, "SET", "one<MUTEX_KEY_SEP>1-1", "x", "PX", "50");
        CHECK_OK(rv_store_wait(shared.store, &bell, 1, 1000, &shared.line->err));
    }
    CHECK(bell.ended > 0);
    rv_store_close(shared.store);
}

static void a_reset_makes_subscriptions_anew(void **state) { /* R16 R22 */
    struct shared shared = start(state);
    const struct rv_group hinted = {.name = "feeds", .compat = true, .hints = true};
    struct rv_bell bell = {.queue = "feeds", .group = &hinted};
    CHECK_OK(rv_store_wait(shared.store, &bell, 1, LISTEN_MS, &shared.line->err));
    CHECK_OK(rv_store_wait(shared.store, &bell, 1, LISTEN_MS, &shared.line->err));
    CHECK_INT(rv_store_stream_hearing(shared.store).listens_total, 1); /* it is kept */
    CHECK_INT(rv_store_stream_hearing(shared.store).resets_total, 0);
    CHECK_OK(rv_store_stream_reset(shared.store, &shared.line->err));
    CHECK_OK(
        rv_store_wait(shared.store, &bell, 1, LISTEN_MS, &shared.line->err)); /* which that woke */
    CHECK_OK(rv_store_wait(shared.store, &bell, 1, LISTEN_MS, &shared.line->err));
    CHECK_INT(rv_store_stream_hearing(shared.store).listens_total, 2);
    CHECK_INT(rv_store_stream_hearing(shared.store).resets_total, 1);
    CHECK_INT(rv_store_stream_hearing(shared.store).listens_failed_total, 0);
    rv_store_close(shared.store);
}

/* A user who may not change settings hears what others have set, and all else goes on. */
static void who_may_not_set_flags_goes_on(void **state) { /* R15 R37 T62 */
    struct shared shared = start(state);
    const struct rv_group hinted = {.name = "feeds", .compat = true, .hints = true};
    struct rv_bell bell = {.queue = "feeds", .group = &hinted};
    (void)COMMAND(shared.line, "ACL", "SETUSER", "default", "-config");
    CHECK_OK(rv_store_wait(shared.store, &bell, 1, LISTEN_MS, &shared.line->err));
    CHECK_INT(rv_store_stream_hearing(shared.store).listens_failed_total, 1);
    CHECK(offer(&shared, "one"));
    CHECK_OK(rv_store_wait(shared.store, &bell, 1, 1000, &shared.line->err));
    rv_store_close(shared.store);
}

const struct CMUnitTest compat_tests[] = {
    REDIS_TEST(a_reset_makes_subscriptions_anew),
    REDIS_TEST(who_may_not_set_flags_goes_on),
    REDIS_TEST(a_lock_that_expires_rings),
    REDIS_TEST(what_a_stranger_offers_is_ours),
    REDIS_TEST(our_dead_are_recovered_by_strangers),
    REDIS_TEST(a_stranger_who_lives_is_not_robbed),
    REDIS_TEST(a_stranger_ends_what_we_offered),
    REDIS_TEST(both_bury_in_the_same_place),
    REDIS_TEST(garbage_is_put_aside),
    REDIS_TEST(odd_entries_are_read),
    REDIS_TEST(a_stream_offered_twice_has_one_owner),
    REDIS_TEST(info_that_strangers_cannot_read_is_refused),
};
const size_t compat_test_count = sizeof compat_tests / sizeof *compat_tests;
