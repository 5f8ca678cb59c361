/* Streams of owners who are gone, dead letters, lists and members (S4, S6, S7, S9). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "store/stream_words.h"

/* ---- recovering ---- */
static void a_dead_owners_stream_is_handed_out_again(struct fixture *f) { /* S4 A161 A162 R07 */
    offer_streams(f, 5);
    uint64_t holder = draw_holder();
    struct rv_streams taken = take_streams(f, holder, 5);
    for (size_t i = 0; i < 2; i++) {
        struct rv_stream_ref ref = {taken.streams[i]->name, holder, taken.token};
        CHECK_OK(end_stream(f, &ref));
    }
    CHECK_INT(scan_group(f).count, 0);
    move_clock(f, LEASE_MS + 1);
    struct rv_stream_scanned scanned = scan_group(f);
    CHECK_INT(scanned.requeued, 3);
    CHECK_INT(scanned.count, 3);
    CHECK_STR(scanned.lapsed[0]->member, "tester");
    CHECK(scanned.lapsed[0]->token == taken.token);
    CHECK_STR(scanned.cursor, "");
    CHECK_INT(scan_group(f).count, 0); /* A173: once */
    struct rv_streams again = take_streams(f, draw_holder(), 10);
    CHECK_INT(again.count, 3);
    CHECK_INT(again.streams[0]->retries, 1);
    CHECK_BYTES(again.streams[0]->info, again.streams[0]->info_size, "{\"a\":1}", 7);
    CHECK_INT(group_stats(f).lapsed_total, 3);
    CHECK_INT(group_stats(f).requeued_total, 3);
}

static void what_was_touched_lately_is_let_be(struct fixture *f) { /* S4 R02 */
    struct rv_stream_scan patient = {
        .min_idle_ms = 3 * LEASE_MS, .max_retries = RETRIES, .dead_max = DEAD_MAX};
    (void)take_new_stream(f, "a");
    move_clock(f, LEASE_MS + 1);
    struct rv_stream_scanned scanned = scan_streams(f, patient);
    CHECK_INT(scanned.count, 0);
    CHECK_BETWEEN(scanned.next_in_ms, 1, 2 * LEASE_MS);
    move_clock(f, 2 * LEASE_MS);
    CHECK_INT(scan_streams(f, patient).requeued, 1);
}

static void a_scan_tells_when_to_look_again(struct fixture *f) {
    CHECK_INT(scan_group(f).next_in_ms, -1);
    (void)take_new_stream(f, "a");
    CHECK_BETWEEN(scan_group(f).next_in_ms, 1, LEASE_MS);
}

static void beyond_its_retries_it_is_a_dead_letter(struct fixture *f) { /* S6 S7 A174 R08 */
    CHECK(offer_stream(f, "a"));
    for (int i = 0; i < RETRIES; i++) {
        (void)take_stream(f);
        move_clock(f, LEASE_MS + 1);
        CHECK_INT(scan_group(f).requeued, 1);
    }
    (void)take_stream(f);
    move_clock(f, LEASE_MS + 1);
    struct rv_stream_scanned scanned = scan_group(f);
    CHECK_INT(scanned.dead, 1);
    CHECK_INT(scanned.requeued, 0);
    CHECK(!has_stream(f, "a"));
    struct rv_letters dead = read_letters(f);
    CHECK_INT(dead.count, 1);
    CHECK_STR(dead.letters[0]->name, "a");
    CHECK_STR(dead.letters[0]->reason, "max_retries_exceeded");
    CHECK_STR(dead.letters[0]->member, "tester");
    CHECK_INT(dead.letters[0]->retries, RETRIES + 1);
    CHECK_BYTES(dead.letters[0]->info, dead.letters[0]->info_size, "{\"a\":1}", 7);
    CHECK(dead.letters[0]->failed_at_ms > 0);
    CHECK_INT(group_stats(f).failed, 1);
    CHECK_INT(group_stats(f).failed_total, 1);
    CHECK(offer_stream(f, "a")); /* a letter is not in the way */
}

static void an_owner_fails_it_with_a_reason(struct fixture *f) { /* S6 */
    struct rv_stream_ref a = take_new_stream(f, "a");
    CHECK(!fail_stream(f, &a, 1));
    CHECK_INT(read_stream(f, "a")->retries, 1);
    a = take_stream(f);
    CHECK(fail_stream(f, &a, 1));
    CHECK_STR(read_letters(f).letters[0]->reason, "exit:1");
    a = take_new_stream(f, "b");
    CHECK(!fail_stream(f, &a, REEVE_NONE)); /* no bound */
    a = take_stream(f);
    CHECK(fail_stream(f, &a, 0));
    CHECK_INT(group_stats(f).failed_total, 2);
    CHECK_INT(group_stats(f).requeued_total, 2);
}

static void dead_letters_are_bounded(struct fixture *f) { /* S7 R11 A176 */
    struct rv_stream_fault fault = {.reason = "no", .max_retries = 0, .dead_max = 3};
    bool dead;
    offer_streams(f, 5);
    for (int i = 0; i < 5; i++) {
        struct rv_stream_ref ref = take_stream(f);
        CHECK_CALL(f,
                   rv_store_stream_yield(handle(f), &feeds, &ref, &fault, CALL_MS, &dead, &f->err));
        CHECK(dead);
    }
    struct rv_letters left = read_letters(f);
    CHECK_INT(left.count, 3);
    CHECK_STR(left.letters[0]->name, "s002"); /* the oldest went */
    CHECK_INT(group_stats(f).trimmed_total, 2);
    CHECK_INT(group_stats(f).failed, 3);
}

static void a_claim_hands_a_dead_owners_stream_out_again(struct fixture *f) { /* R17 A163 */
    (void)take_new_stream(f, "a");
    CHECK_FAILS(rv_store_stream_claim(handle(f), &feeds, "b", &f->err), REEVE_ENOENT);
    CHECK_FAILS(rv_store_stream_claim(handle(f), &feeds, "a", &f->err), REEVE_ESTATE);
    move_clock(f, LEASE_MS + 1);
    CHECK_OK(rv_store_stream_claim(handle(f), &feeds, "a", &f->err));
    CHECK_FAILS(rv_store_stream_claim(handle(f), &feeds, "a", &f->err), REEVE_ESTATE);
    CHECK_INT(read_stream(f, "a")->state, REEVE_STREAM_WAITING); /* no ownership by it */
    CHECK_INT(read_stream(f, "a")->retries, 1);
    for (int i = 0; i < RETRIES + 2; i++) { /* and never a dead letter */
        (void)take_stream(f);
        move_clock(f, LEASE_MS + 1);
        CHECK_OK(rv_store_stream_claim(handle(f), &feeds, "a", &f->err));
    }
}

static void a_scan_gets_through_more_than_one_step(struct fixture *f) { /* T58 T60 J11 */
    enum { COUNT = 2 * RV_SCAN_MAX + 5 };
    offer_streams(f, COUNT);
    for (size_t left = COUNT; left;)
        left -= take_some(f, left < RV_CLAIM_MAX ? left : RV_CLAIM_MAX);
    move_clock(f, LEASE_MS + 1);
    char after[RV_STREAM_CURSOR_SIZE] = "";
    uint64_t found = 0;
    int steps = 0;
    do {
        struct rv_stream_scanned scanned =
            scan_streams(f, (struct rv_stream_scan){.min_idle_ms = MIN_IDLE_MS,
                                                    .max_retries = RETRIES,
                                                    .after = after[0] ? after : NULL});
        CHECK(scanned.count <= RV_SCAN_MAX);
        found += scanned.requeued;
        memcpy(after, scanned.cursor, sizeof after);
        CHECK(++steps < 20);
    } while (after[0]);
    CHECK_INT(found, COUNT);
    CHECK_INT(group_stats(f).waiting, COUNT);
}

/* ---- at once ---- */
enum { CROWD = 30, SCANNERS = 3 };

struct scanner {
    struct rv_store *store;
    uint64_t requeued;
    int rc;
};

static void *scan_all(void *arg) {
    struct scanner *scanner = arg;
    struct rv_stream_scan scan = {
        .min_idle_ms = MIN_IDLE_MS, .max_retries = RETRIES, .dead_max = DEAD_MAX};
    for (int i = 0; !scanner->rc && i < 3; i++) {
        struct rv_stream_scanned scanned;
        struct rv_error err;
        scanner->rc = rv_store_stream_recover(scanner->store, &feeds, &scan, &scanned, &err);
        scanner->requeued += scanned.requeued;
        rv_stream_scanned_release(&scanned);
    }
    return NULL;
}

/* Each is ended or put back, by one alone. */
static void an_end_meets_scanners(struct fixture *f) { /* S3 S4 A173 A177 T50 T69 */
    struct scanner scanners[SCANNERS] = {
        {.store = f->first}, {.store = f->second}, {f->first, 0, 0}};
    pthread_t threads[SCANNERS];
    uint64_t ended = 0, requeued = 0, holder = draw_holder();
    offer_streams(f, CROWD);
    struct rv_streams taken = take_streams(f, holder, CROWD);
    move_clock(f, LEASE_MS + 1);
    for (int i = 0; i < SCANNERS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, scan_all, &scanners[i]), 0);
    int broken = 0;
    for (size_t i = 0; i < taken.count; i++) {
        struct rv_stream_ref ref = {taken.streams[i]->name, holder, taken.token};
        int rc = rv_store_stream_end(f->second, &feeds, &ref, CALL_MS, &f->err);
        ended += rc == 0;
        broken += rc && rc != REEVE_EFENCED;
    }
    for (int i = 0; i < SCANNERS; i++) {
        (void)pthread_join(threads[i], NULL);
        broken += scanners[i].rc != 0;
        requeued += scanners[i].requeued;
    }
    CHECK_INT(broken, 0);
    CHECK_INT(ended + requeued, CROWD);
    CHECK_INT(group_stats(f).waiting, requeued);
    CHECK_INT(group_stats(f).ended_total, ended);
    CHECK_INT(group_stats(f).owned, 0);
}

/* ---- dead letters by hand ---- */
static void a_dead_letter_is_revived(struct fixture *f) {
    struct rv_stream_ref a = take_new_stream(f, "a");
    CHECK(fail_stream(f, &a, 0));
    const char *id = read_letters(f).letters[0]->id;
    CHECK(offer_stream(f, "a"));
    CHECK_FAILS(rv_store_stream_revive(handle(f), &feeds, id, &f->err), REEVE_ESTATE);
    a = take_stream(f);
    CHECK_OK(end_stream(f, &a));
    CHECK_OK(rv_store_stream_revive(handle(f), &feeds, id, &f->err));
    CHECK_FAILS(rv_store_stream_revive(handle(f), &feeds, id, &f->err), REEVE_ENOENT);
    CHECK_INT(read_letters(f).count, 0);
    const struct reeve_stream *stream = read_stream(f, "a");
    CHECK_INT(stream->state, REEVE_STREAM_WAITING);
    CHECK_INT(stream->retries, 0);
    CHECK_BYTES(stream->info, stream->info_size, "{\"a\":1}", 7);
    CHECK_INT(group_stats(f).revived_total, 1);
    (void)take_stream(f);
}

static void dead_letters_are_purged(struct fixture *f) {
    size_t removed;
    offer_streams(f, 4);
    for (int i = 0; i < 4; i++) {
        struct rv_stream_ref ref = take_stream(f);
        CHECK(fail_stream(f, &ref, 0));
    }
    struct rv_letters all = read_letters(f);
    const char *ids[] = {all.letters[0]->id, all.letters[2]->id, "99999999"};
    CHECK_CALL(f, rv_store_stream_purge(handle(f), &feeds, ids, 3, &removed, &f->err));
    CHECK_INT(removed, 2);
    CHECK_INT(read_letters(f).count, 2);
    CHECK_STR(read_letters(f).letters[0]->name, "s001");
    CHECK_INT(group_stats(f).purged_total, 2);
}

static void dead_letters_are_listed_page_by_page(struct fixture *f) {
    char after[RV_STREAM_CURSOR_SIZE] = "";
    size_t count = 0;
    offer_streams(f, 5);
    for (int i = 0; i < 5; i++) {
        struct rv_stream_ref ref = take_stream(f);
        CHECK(fail_stream(f, &ref, 0));
    }
    for (int pages = 0; pages < 10; pages++) {
        struct rv_letters page;
        CHECK_CALL(f, rv_store_stream_letters(handle(f), &feeds, after[0] ? after : NULL, 2, &page,
                                              &f->err));
        count += page.count;
        memcpy(after, page.cursor, sizeof after);
        rv_letters_release(&page);
        if (!after[0]) break;
    }
    CHECK_INT(count, 5);
}

/* ---- looking ---- */
static size_t list_all(struct fixture *f, enum reeve_stream_state state, size_t limit) {
    char after[RV_STREAM_CURSOR_SIZE] = "";
    size_t count = 0;
    for (int pages = 0; pages < 100; pages++) {
        struct rv_streams page;
        struct rv_stream_query query = {
            .state = state, .after = after[0] ? after : NULL, .limit = limit};
        CHECK_CALL(f, rv_store_stream_list(handle(f), &feeds, &query, &page, &f->err));
        for (size_t i = 0; state && i < page.count; i++)
            CHECK_INT(page.streams[i]->state, state);
        count += page.count;
        memcpy(after, page.cursor, sizeof after);
        rv_streams_release(&page);
        if (!after[0]) return count;
    }
    return 0;
}

static void streams_are_listed(struct fixture *f) {
    CHECK_INT(list_all(f, 0, 10), 0);
    offer_streams(f, 7);
    CHECK_INT(take_some(f, 3), 3);
    CHECK_INT(list_all(f, 0, RV_LIST_MAX), 7);
    CHECK_INT(list_all(f, 0, 2), 7);
    CHECK_INT(list_all(f, REEVE_STREAM_OWNED, 2), 3);
    CHECK_INT(list_all(f, REEVE_STREAM_WAITING, 3), 4);
}

static void groups_are_listed(struct fixture *f) {
    struct rv_names names;
    struct reeve_group none;
    if (feeds.compat) return; /* they are in no list */
    CHECK_FAILS(rv_store_stream_stats(handle(f), &feeds, &none, &f->err), REEVE_ENOENT);
    CHECK(offer_stream(f, "a"));
    CHECK_CALL(f, rv_store_stream_groups(handle(f), NULL, 10, &names, &f->err));
    CHECK_INT(names.count, 1);
    CHECK_STR(names.names[0], "feeds");
    free(names.names);
    CHECK_CALL(f, rv_store_stream_groups(handle(f), "feeds", 10, &names, &f->err));
    CHECK_INT(names.count, 0);
    free(names.names);
}

static void members_come_and_go(struct fixture *f) { /* S9 R22 R39 */
    struct rv_member_row a = {.id = "m-a", .name = "host a", .owned = 3, .max = 10},
                         b = {.id = "m-b", .name = "host b"};
    b.stats.owned = 7; /* the first of its figures, one between, and the last */
    b.stats.scan_us_max = UINT64_MAX;
    b.stats.degraded_since_ms = 123456789012;
    struct rv_members members;
    CHECK_CALL(f, rv_store_stream_beat(handle(f), &feeds, &a, 10000, &f->err));
    CHECK_CALL(f, rv_store_stream_beat(handle(f), &feeds, &b, 60000, &f->err));
    CHECK_CALL(f, rv_store_stream_members(handle(f), &feeds, &members, &f->err));
    CHECK_INT(members.count, 2);
    free(members.rows);
    CHECK_INT(group_stats(f).members, 2);
    move_clock(f, 10001);
    CHECK_CALL(f, rv_store_stream_members(handle(f), &feeds, &members, &f->err));
    CHECK_INT(members.count, 1);
    CHECK_STR(members.rows[0].name, "host b");
    CHECK_INT(members.rows[0].stats.owned, 7);
    CHECK(members.rows[0].stats.scan_us_max == UINT64_MAX);
    CHECK_INT(members.rows[0].stats.degraded_since_ms, 123456789012);
    free(members.rows);
    CHECK_CALL(f, rv_store_stream_beat(handle(f), &feeds, &b, 0, &f->err));
    CHECK_INT(group_stats(f).members, 0);
}

static const struct store_test tests[] = {
    STREAM_TEST(a_dead_owners_stream_is_handed_out_again),
    STREAM_TEST(what_was_touched_lately_is_let_be),
    STREAM_TEST(a_scan_tells_when_to_look_again),
    STREAM_TEST(beyond_its_retries_it_is_a_dead_letter),
    STREAM_TEST(an_owner_fails_it_with_a_reason),
    STREAM_TEST(dead_letters_are_bounded),
    STREAM_TEST(a_claim_hands_a_dead_owners_stream_out_again),
    STREAM_TEST(a_scan_gets_through_more_than_one_step),
    STREAM_TEST(an_end_meets_scanners),
    STREAM_TEST(a_dead_letter_is_revived),
    STREAM_TEST(dead_letters_are_purged),
    STREAM_TEST(dead_letters_are_listed_page_by_page),
    STREAM_TEST(streams_are_listed),
    STREAM_TEST(groups_are_listed),
    STREAM_TEST(members_come_and_go),
    {0},
};

const struct topic topic_recover = {"recover", tests};
