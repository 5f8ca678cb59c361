/* The doctor on queues and servers that were harmed on purpose: each harm is found, told by its
 * word, and mended without losing a job where it can be. And keys that hold what is not ours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/queue.h"

static const char meta_key[] = KEY("meta"), job_key[] = KEY("job"), claims_key[] = KEY("claims");

static void show(const struct rv_finding *finding) {
    print_error("%s (%d): %s\n", finding->check, (int)finding->health, finding->text);
}

/* All that is not fine is of this check and this health; there is some, unless that is FINE. */
static void check_only(struct line *line, struct rv_store *store, bool repair, const char *check,
                       enum reeve_health health) {
    struct rv_findings findings;
    size_t found = 0;
    CHECK_OK(rv_store_examine(store, repair, &findings, &line->err));
    for (size_t i = 0; i < findings.count; i++) {
        const struct rv_finding *finding = &findings.findings[i];
        if (finding->health == REEVE_FINE) continue;
        if (strcmp(finding->check, check) != 0 || finding->health != health) show(finding);
        CHECK_STR(finding->check, check);
        CHECK_INT(finding->health, health);
        found++;
    }
    free(findings.findings);
    CHECK((found > 0) == (health != REEVE_FINE));
}

#define CHECK_SOUND(line, store) check_only((line), (store), false, "", REEVE_FINE)

/* A harm of the given health is found, then mended, then gone. */
static void check_mended(struct line *line, struct rv_store *store, const char *check,
                         enum reeve_health health) {
    check_only(line, store, false, check, health);
    check_only(line, store, false, check, health); /* looking changes nothing */
    check_only(line, store, true, check, REEVE_REPAIRED);
    CHECK_SOUND(line, store);
}

/* The same where other checks see it as well. */
static void check_mended_too(struct line *line, struct rv_store *store, const char *check,
                             enum reeve_health health) {
    struct rv_findings findings;
    bool found = false;
    CHECK_OK(rv_store_examine(store, false, &findings, &line->err));
    for (size_t i = 0; i < findings.count; i++)
        if (findings.findings[i].health == health)
            found = found || strcmp(findings.findings[i].check, check) == 0;
    free(findings.findings);
    CHECK(found);
    CHECK_OK(rv_store_examine(store, true, &findings, &line->err));
    free(findings.findings);
    CHECK_SOUND(line, store);
}

/* The text of the first finding of check, which is of that health. */
static void check_says(struct line *line, struct rv_store *store, const char *check,
                       enum reeve_health health, const char *words) {
    struct rv_findings findings;
    bool found = false;
    CHECK_OK(rv_store_examine(store, false, &findings, &line->err));
    for (size_t i = 0; i < findings.count; i++) {
        const struct rv_finding *finding = &findings.findings[i];
        if (strcmp(finding->check, check) != 0) continue;
        if (finding->health != health || !strstr(finding->text, words)) show(finding);
        found = found || (finding->health == health && strstr(finding->text, words));
    }
    free(findings.findings);
    CHECK(found);
}

/* A queue with something of everything: "a" runs, "b" and "c" are ready, "d" is delayed and "e" is
 * done. */
static struct held_claim fill(struct line *line, struct rv_store *store) {
    size_t got;
    push_one(line, store, "e");
    CHECK_OK(finish_one(line, store, "e", claim_some(line, store, 1, &got), REEVE_DONE));
    push_one(line, store, "a");
    struct held_claim claim = claim_some(line, store, 1, &got);
    CHECK_INT(got, 1);
    push_one(line, store, "b");
    push_one(line, store, "c");
    struct rv_new_job delayed = new_one("d");
    delayed.delay_ms = 3600000;
    push_new(line, store, &delayed);
    return claim;
}

/* What is harmed, and then checked to be as it was. */
struct patient {
    struct line *line;
    struct rv_store *store;
    struct held_claim claim; /* has "a" */
};

static struct patient admit(void **state) {
    struct patient p = {.line = *state};
    start_queue(p.line, "aof");
    p.store = open_store(p.line);
    p.claim = fill(p.line, p.store);
    CHECK_SOUND(p.line, p.store);
    return p;
}

static void dismiss(struct patient *p) {
    rv_store_close(p->store);
}

static void check_claimable(struct patient *p, size_t count) {
    size_t got;
    (void)claim_some(p->line, p->store, 10, &got);
    CHECK_INT(got, count);
}

static void check_read(struct patient *p, const char *id, enum reeve_state state) {
    struct reeve_job *job;
    CHECK_OK(rv_store_read(p->store, "jobs", id, &job, &p->line->err));
    CHECK_INT(job->state, state);
    free(job);
}

static int64_t hash_remove(struct patient *p, const char *key, const char *field, size_t size) {
    const char *const words[] = {"HDEL", key, field, NULL};
    const size_t sizes[] = {4, strlen(key), size};
    return command(p->line, words, sizes);
}

/* ---- orphans ---- */
static void a_running_job_without_a_claim_is_ready_again(void **state) {
    struct patient p = admit(state);
    CHECK_INT(hash_remove(&p, KEY("claims"), p.claim.lease, 15), 1);
    check_mended_too(p.line, p.store, "orphans", REEVE_BAD); /* a lease is left over, too */
    check_claimable(&p, 3);
    dismiss(&p);
}

static void a_claim_without_a_lease_lapses(void **state) {
    struct patient p = admit(state);
    struct rv_lapsed lapsed;
    CHECK_INT(COMMAND(p.line, "DEL", KEY("lease")), 1);
    check_mended(p.line, p.store, "orphans", REEVE_BAD);
    CHECK_OK(rv_store_lapsed(p.store, "jobs", &lapsed, &p.line->err));
    CHECK_INT(lapsed.count, 1);
    rv_lapsed_release(&lapsed);
    CHECK_OK(finish_one(p.line, p.store, "a", p.claim, REEVE_DONE));
    dismiss(&p);
}

static void a_claim_that_counts_wrong_is_set_right(void **state) {
    struct patient p = admit(state);
    static const char script[] =
        "local v = redis.call('HGET', KEYS[1], ARGV[1]) "
        "return redis.call('HSET', KEYS[1], ARGV[1], '\\0\\7' .. string.sub(v, 3))";
    const char *const words[] = {"EVAL", script, "1", claims_key, p.claim.lease, NULL};
    const size_t sizes[] = {4, sizeof script - 1, 1, strlen(claims_key), 15};
    (void)command(p.line, words, sizes);
    check_mended(p.line, p.store, "orphans", REEVE_BAD);
    CHECK_OK(finish_one(p.line, p.store, "a", p.claim, REEVE_DONE));
    CHECK_INT(COMMAND(p.line, "EXISTS", KEY("claims")), 0);
    dismiss(&p);
}

static void ready_jobs_in_no_line_stand_in_line_again(void **state) {
    struct patient p = admit(state);
    CHECK_INT(COMMAND(p.line, "DEL", KEY("ready:8")), 1);
    check_mended(p.line, p.store, "orphans", REEVE_BAD);
    check_claimable(&p, 2);
    dismiss(&p);
}

static void entries_that_were_left_behind_are_no_harm(void **state) { /* T19 */
    struct patient p = admit(state);
    enum reeve_state now;
    CHECK_OK(rv_store_cancel(p.store, "jobs", "b", &now, &p.line->err));
    CHECK_SOUND(p.line, p.store);
    push_one(p.line, p.store, "b");
    CHECK_SOUND(p.line, p.store);
    check_claimable(&p, 2);
    dismiss(&p);
}

static void other_jobs_in_no_line_stand_in_line_again(void **state) {
    struct patient p = admit(state);
    size_t got;
    struct held_claim claim = claim_some(p.line, p.store, 1, &got);
    CHECK_OK(finish_one(p.line, p.store, "b", claim, REEVE_FAILED));
    CHECK_INT(COMMAND(p.line, "DEL", KEY("delayed"), KEY("kept"), KEY("failed")), 3);
    check_mended(p.line, p.store, "orphans", REEVE_BAD);
    check_read(&p, "d", REEVE_DELAYED);
    rv_clock_move(&p.line->clock, 3600001);
    struct rv_tended tended;
    CHECK_OK(rv_store_tend(p.store, "jobs", &tended, &p.line->err));
    CHECK_INT(tended.promoted, 1);
    CHECK_INT(tended.expired, 1); /* "e" */
    size_t removed;
    CHECK_OK(rv_store_purge(p.store, "jobs", REEVE_FAILED, &removed, &p.line->err));
    CHECK_INT(removed, 1);
    dismiss(&p);
}

static void a_mark_that_was_lost_is_made_again(void **state) {
    struct patient p = admit(state);
    enum reeve_state now;
    CHECK_OK(rv_store_cancel(p.store, "jobs", "a", &now, &p.line->err));
    CHECK_SOUND(p.line, p.store);
    CHECK_INT(COMMAND(p.line, "DEL", KEY("marks")), 1);
    check_mended(p.line, p.store, "orphans", REEVE_BAD);
    struct rv_renewal renewal = {
        .holder = p.claim.holder, .token = p.claim.token, .lease_ms = 30000};
    struct rv_cancel_marks marks;
    CHECK_OK(rv_store_renew(p.store, "jobs", &renewal, 1, 20000, &marks, &p.line->err));
    CHECK_INT(marks.count, 1);
    free(marks.marks);
    dismiss(&p);
}

static void litter_is_swept(void **state) {
    static const char *const sets[] = {KEY("delayed"), KEY("kept"),  KEY("failed"), KEY("back"),
                                       KEY("lease"),   KEY("marks"), KEY("silent")};
    static const char *const claims[][2] = {{"123456789012345", "some junk here"},
                                            {"123456789012345", "j"},
                                            {"nobody", "x"},
                                            {"1234567890123456", "x"}};
    static const char *const hashes[] = {KEY("body"), KEY("result"), KEY("notes"), KEY("lanes")};
    struct patient p = admit(state);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        CHECK_INT(COMMAND(p.line, "ZADD", sets[i], "99999999999999", "000000nobody 00000"), 1);
        check_mended_too(p.line, p.store, "orphans", REEVE_DOUBTFUL);
    }
    CHECK_INT(COMMAND(p.line, "RPUSH", KEY("offers"), "000000nobody 00000"), 1);
    check_mended_too(p.line, p.store, "orphans", REEVE_DOUBTFUL);
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        CHECK_INT(COMMAND(p.line, "HSET", hashes[i], "nobody", "x"), 1);
        check_mended_too(p.line, p.store, "orphans", REEVE_DOUBTFUL);
    }
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        CHECK_INT(COMMAND(p.line, "HSET", claims_key, claims[i][0], claims[i][1]), 1);
        check_mended(p.line, p.store, "orphans", REEVE_BAD);
    }
    check_claimable(&p, 2);
    dismiss(&p);
}

static void an_event_that_is_none_is_forgotten(void **state) {
    struct patient p = admit(state);
    struct rv_tended tended;
    (void)COMMAND(p.line, "LPUSH", KEY("events"), "x");
    CHECK_OK(rv_store_tend(p.store, "jobs", &tended, &p.line->err));
    CHECK_INT(COMMAND(p.line, "EXISTS", KEY("events")), 0);
    dismiss(&p);
}

/* A lane that is none is among those that are forgotten one day, as the doctor sees to. */
static void a_lane_that_is_none_is_forgotten(void **state) {
    struct patient p = admit(state);
    struct rv_tended tended;
    CHECK_INT(COMMAND(p.line, "HSET", KEY("lanes"), "nobody", "x"), 1);
    check_mended_too(p.line, p.store, "orphans", REEVE_DOUBTFUL);
    rv_clock_move(&p.line->clock, 2 * 3600000);
    CHECK_OK(rv_store_tend(p.store, "jobs", &tended, &p.line->err));
    CHECK_INT(COMMAND(p.line, "HEXISTS", KEY("lanes"), "nobody"), 0);
    dismiss(&p);
}

static void what_cannot_be_mended_is_told(void **state) {
    static char large[1000];
    struct patient p = admit(state);
    struct reeve_job *job;
    struct rv_new_job new = new_one("large");
    new.body = (struct rv_bytes){large, sizeof large};
    push_new(p.line, p.store, &new);
    CHECK_SOUND(p.line, p.store);
    CHECK_INT(COMMAND(p.line, "DEL", KEY("body")), 1);
    check_only(p.line, p.store, true, "orphans", REEVE_BAD);
    CHECK_FAILS(rv_store_read(p.store, "jobs", "large", &job, &p.line->err), REEVE_ECORRUPT);
    CHECK_OK(rv_store_remove(p.store, "jobs", "large", &p.line->err));
    CHECK_SOUND(p.line, p.store);
    CHECK_INT(COMMAND(p.line, "HSET", job_key, "junk", "junk"), 1);
    check_only(p.line, p.store, true, "orphans", REEVE_BAD);
    CHECK_FAILS(rv_store_read(p.store, "jobs", "junk", &job, &p.line->err), REEVE_ECORRUPT);
    dismiss(&p);
}

/* ---- counters ---- */
static void counters_are_set_right(void **state) {
    struct patient p = admit(state);
    struct reeve_queue queue;
    for (int i = 0; i < 6; i++) { /* the counts by state: 6 bytes each, from 41 on */
        char at[8];
        (void)snprintf(at, sizeof at, "%d", 41 + 6 * i + 4);
        (void)COMMAND(p.line, "SETRANGE", meta_key, at, "9");
        check_mended(p.line, p.store, "counters", REEVE_BAD);
    }
    CHECK_OK(rv_store_stats(p.store, "jobs", &queue, &p.line->err));
    CHECK_INT(queue.ready, 2);
    CHECK_INT(queue.running, 1);
    CHECK_INT(queue.delayed, 1);
    CHECK_INT(queue.done, 1);
    dismiss(&p);
}

static void lines_that_were_forgotten_are_known_again(void **state) {
    static const char nothing[8];
    static const struct {
        const char *at;
        size_t size;
    } parts[] = {{"2", 2} /* levels */, {"23", 6} /* due */};
    struct patient p = admit(state);
    for (size_t i = 0; i < 2; i++) {
        const char *const words[] = {"SETRANGE", meta_key, parts[i].at, nothing, NULL};
        const size_t sizes[] = {8, strlen(meta_key), strlen(parts[i].at), parts[i].size};
        (void)command(p.line, words, sizes);
        check_mended(p.line, p.store, "counters", REEVE_BAD);
    }
    rv_clock_move(&p.line->clock, 3600001);
    check_claimable(&p, 3);
    dismiss(&p);
}

/* Its records tell that it is there. */
static void a_queue_that_was_forgotten_is_known_again(void **state) {
    struct patient p = admit(state);
    struct rv_findings findings;
    struct rv_names names;
    (void)COMMAND(p.line, "DEL", meta_key);
    CHECK_OK(rv_store_examine(p.store, true, &findings, &p.line->err));
    free(findings.findings);
    CHECK_OK(rv_store_queues(p.store, NULL, 10, &names, &p.line->err));
    CHECK_INT(names.count, 1);
    free(names.names);
    struct reeve_queue queue;
    CHECK_OK(rv_store_stats(p.store, "jobs", &queue, &p.line->err));
    CHECK(queue.ready > 0);
    CHECK_INT(queue.running, 1); /* its claim knows its place */
    CHECK(is_sound(p.line, p.store));
    dismiss(&p);
}

/* ---- types ---- */
static void check_named(struct patient *p, int rc, const char *key) {
    if (!rc || rc == REEVE_ENOENT || rc == REEVE_ESTATE) return; /* it does not hang on this key */
    if (!strstr(p->line->err.text, key)) print_error("%s\n", p->line->err.text);
    CHECK_INT(rc, REEVE_ECORRUPT);
    CHECK(strstr(p->line->err.text, key));
}

/* Whatever fails names the key; then all is as it was. */
static void a_key_of_a_wrong_type_is_named(void **state) {
    static const char *const keys[] = {
        KEY("meta"),   KEY("job"),    KEY("claims"), KEY("lease"),  KEY("delayed"), KEY("kept"),
        KEY("failed"), KEY("back"),   KEY("marks"),  KEY("lanes"),  KEY("body"),    KEY("result"),
        KEY("notes"),  KEY("events"), KEY("bell"),   KEY("silent"), KEY("offers"),  KEY("ready:8")};
    struct patient p = admit(state);
    struct line *line = p.line;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct reeve_job *job = NULL;
        enum reeve_state now;
        size_t removed;
        bool was_there = COMMAND(line, "EXISTS", keys[i]);
        if (was_there) COMMAND(line, "RENAME", keys[i], "away");
        COMMAND(line, "XADD", keys[i], "*", "f", "v"); /* no key of ours is a stream */
        check_says(line, p.store, "types", REEVE_BAD, keys[i]);
        check_named(&p, rv_store_cancel(p.store, "jobs", "d", &now, &line->err), keys[i]);
        check_named(&p, rv_store_remove(p.store, "jobs", "e", &line->err), keys[i]);
        check_named(&p, rv_store_keep(p.store, "jobs", "e", 1000, &line->err), keys[i]);
        check_named(&p, rv_store_revive(p.store, "jobs", "e", &line->err), keys[i]);
        check_named(&p, rv_store_purge(p.store, "jobs", REEVE_READY, &removed, &line->err),
                    keys[i]);
        int rc = rv_store_read(p.store, "jobs", "a", &job, &line->err);
        check_named(&p, rc, keys[i]);
        free(job);
        COMMAND(line, "DEL", keys[i]);
        if (was_there) COMMAND(line, "RENAME", "away", keys[i]);
        check_only(line, p.store, false, "", REEVE_FINE);
        struct reeve_queue queue;
        CHECK_OK(rv_store_stats(p.store, "jobs", &queue, &line->err));
        if (queue.delayed && queue.done && queue.ready == 2) continue;
        /* It did not hang on this key: all of it was done. Begin anew. */
        COMMAND(line, "FLUSHALL");
        rv_store_close(p.store);
        p.store = open_store(line);
        p.claim = fill(line, p.store);
    }
    dismiss(&p);
}

/* ---- the server ---- */
static void what_a_push_survives_is_told(void **state) {
    struct line *line = *state;
    start_queue(line, "aof");
    struct rv_store *store = open_store(line);
    check_says(line, store, "durability", REEVE_FINE, "last second");
    COMMAND(line, "CONFIG", "SET", "appendfsync", "always");
    check_says(line, store, "durability", REEVE_FINE, "a power cut: yes");
    COMMAND(line, "CONFIG", "SET", "appendfsync", "no");
    check_says(line, store, "durability", REEVE_FINE, "a power cut: no");
    COMMAND(line, "CONFIG", "SET", "appendonly", "no");
    check_says(line, store, "durability", REEVE_DOUBTFUL, "the end of the server: no");
    rv_store_close(store);
}

static void a_server_that_throws_away_is_found(void **state) {
    struct line *line = *state;
    start_queue(line, "aof");
    struct rv_store *store = open_store(line);
    check_says(line, store, "eviction", REEVE_FINE, "noeviction");
    COMMAND(line, "CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    check_says(line, store, "eviction", REEVE_DOUBTFUL, "allkeys-lru");
    COMMAND(line, "CONFIG", "SET", "maxmemory", "100mb");
    check_says(line, store, "eviction", REEVE_BAD, "allkeys-lru");
    rv_store_close(store);
}

static void a_server_that_is_nearly_full_is_found(void **state) {
    struct patient p = admit(state);
    check_says(p.line, p.store, "memory", REEVE_FINE, "no bound");
    COMMAND(p.line, "CONFIG", "SET", "maxmemory", "1gb");
    check_says(p.line, p.store, "memory", REEVE_FINE, "of 1048576");
    COMMAND(p.line, "CONFIG", "SET", "maxmemory", "1mb");
    check_says(p.line, p.store, "memory", REEVE_DOUBTFUL, "refused");
    /* An operator can still put things in order there. */
    enum reeve_state now;
    CHECK_OK(rv_store_cancel(p.store, "jobs", "b", &now, &p.line->err));
    CHECK_OK(rv_store_pause(p.store, "jobs", true, &p.line->err));
    CHECK_OK(rv_store_remove(p.store, "jobs", "c", &p.line->err));
    check_only(p.line, p.store, true, "memory", REEVE_DOUBTFUL);
    dismiss(&p);
}

static void a_replica_is_found(void **state) {
    struct patient p = admit(state);
    check_says(p.line, p.store, "replication", REEVE_FINE, "no replicas");
    COMMAND(p.line, "REPLICAOF", "127.0.0.1", "1");
    check_says(p.line, p.store, "replication", REEVE_BAD, "replica");
    COMMAND(p.line, "REPLICAOF", "NO", "ONE");
    CHECK_SOUND(p.line, p.store);
    dismiss(&p);
}

static void rights_that_lack_are_named(void **state) {
    struct patient p = admit(state);
    check_says(p.line, p.store, "rights", REEVE_FINE, "all that a queue needs");
    COMMAND(p.line, "ACL", "SETUSER", "default", "-client|unblock");
    check_says(p.line, p.store, "rights", REEVE_FINE, "CLIENT UNBLOCK");
    COMMAND(p.line, "ACL", "SETUSER", "default", "-hdel", "-blpop");
    check_says(p.line, p.store, "rights", REEVE_BAD, "BLPOP HDEL");
    COMMAND(p.line, "ACL", "SETUSER", "default", "+@all", "-zmscore", "-setrange");
    check_says(p.line, p.store, "rights", REEVE_BAD, "SETRANGE ZMSCORE");
    COMMAND(p.line, "ACL", "SETUSER", "default", "+@all", "-hrandfield", "-persist");
    check_says(p.line, p.store, "rights", REEVE_BAD, "HRANDFIELD");
    check_says(p.line, p.store, "rights", REEVE_FINE, "PERSIST");   /* only with ?wait=N */
    COMMAND(p.line, "ACL", "SETUSER", "default", "+@all", "-ping"); /* else none could be opened */
    check_says(p.line, p.store, "rights", REEVE_BAD, "PING");
    COMMAND(p.line, "ACL", "SETUSER", "default", "+@all", "resetchannels");
    check_says(p.line, p.store, "rights", REEVE_BAD, "SUBSCRIBE");
    dismiss(&p);
}

static void few_rights_are_enough_for_a_queue(void **state) {
    struct line *line = *state;
    line->server = server_start("acl aof");
    line_to(line, line->server->url);
    struct rv_store *store = open_store(line);
    (void)fill(line, store);
    check_says(line, store, "rights", REEVE_FINE, "");
    check_says(line, store, "durability", REEVE_FINE, "may not ask for");
    CHECK_SOUND(line, store);
    check_only(line, store, true, "", REEVE_FINE);
    rv_store_close(store);
}

const struct CMUnitTest doctor_tests[] = {
    REDIS_TEST(a_running_job_without_a_claim_is_ready_again),
    REDIS_TEST(a_claim_without_a_lease_lapses),
    REDIS_TEST(a_claim_that_counts_wrong_is_set_right),
    REDIS_TEST(ready_jobs_in_no_line_stand_in_line_again),
    REDIS_TEST(entries_that_were_left_behind_are_no_harm),
    REDIS_TEST(other_jobs_in_no_line_stand_in_line_again),
    REDIS_TEST(a_mark_that_was_lost_is_made_again),
    REDIS_TEST(litter_is_swept),
    REDIS_TEST(an_event_that_is_none_is_forgotten),
    REDIS_TEST(a_lane_that_is_none_is_forgotten),
    REDIS_TEST(what_cannot_be_mended_is_told),
    REDIS_TEST(counters_are_set_right),
    REDIS_TEST(lines_that_were_forgotten_are_known_again),
    REDIS_TEST(a_queue_that_was_forgotten_is_known_again),
    REDIS_TEST(a_key_of_a_wrong_type_is_named),
    REDIS_TEST(what_a_push_survives_is_told),
    REDIS_TEST(a_server_that_throws_away_is_found),
    REDIS_TEST(a_server_that_is_nearly_full_is_found),
    REDIS_TEST(a_replica_is_found),
    REDIS_TEST(rights_that_lack_are_named),
    REDIS_TEST(few_rights_are_enough_for_a_queue),
};
const size_t doctor_test_count = sizeof doctor_tests / sizeof *doctor_tests;
