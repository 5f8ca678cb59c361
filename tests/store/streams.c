/* Streams, each owned by one at most: offered, taken, kept, given back (S1 to S5, S8). */
#include "store/stream_words.h"

/* ---- offering and taking ---- */
static void a_stream_is_offered_once(struct fixture *f) { /* S1 A180 T54 */
    CHECK(offer_stream(f, "a"));
    CHECK(!offer_stream(f, "a"));
    CHECK_INT(take_some(f, 10), 1);
    CHECK(!offer_stream(f, "a")); /* nor while it is owned */
    CHECK_INT(take_some(f, 10), 0);
    CHECK_INT(group_stats(f).offered_total, 1);
    CHECK_INT(group_stats(f).duplicates_total, 2);
}

static void what_is_taken_says_all_of_it(struct fixture *f) { /* S2 A160 */
    CHECK(offer_stream(f, "a feed / with, odd \"name\""));
    struct rv_streams taken = take_streams(f, draw_holder(), 5);
    CHECK_INT(taken.count, 1);
    const struct reeve_stream *stream = taken.streams[0];
    CHECK_STR(stream->group, feeds.name);
    CHECK_STR(stream->name, "a feed / with, odd \"name\"");
    CHECK_BYTES(stream->info, stream->info_size, "{\"a\":1}", 7);
    CHECK_INT(stream->state, REEVE_STREAM_OWNED);
    CHECK_INT(stream->retries, 0);
    CHECK(stream->token == taken.token && taken.token > 0);
    CHECK_STR(stream->member, "tester");
    CHECK(!taken.more);
    CHECK(stream->lease_until_ms > stream->owned_at_ms);
}

static void info_is_bytes(struct fixture *f) { /* J10 */
    static const char bytes[] = "\0\xff\r\n{\0";
    bool known;
    if (feeds.compat) return; /* others read it there: it is JSON */
    CHECK_CALL(f,
               rv_store_stream_offer(handle(f), &feeds, "a", bytes, sizeof bytes, &known, &f->err));
    CHECK_CALL(f, rv_store_stream_offer(handle(f), &feeds, "b", NULL, 0, &known, &f->err));
    CHECK_BYTES(read_stream(f, "a")->info, read_stream(f, "a")->info_size, bytes, sizeof bytes);
    CHECK_INT(read_stream(f, "b")->info_size, 0);
    struct rv_streams taken = take_streams(f, draw_holder(), 2);
    CHECK_INT(taken.count, 2);
    CHECK_BYTES(taken.streams[0]->info, taken.streams[0]->info_size, bytes, sizeof bytes);
}

static void streams_come_in_order_and_no_more_than_wanted(struct fixture *f) { /* S2 T67 T72 */
    offer_streams(f, 5);
    struct rv_streams first = take_streams(f, draw_holder(), 2);
    CHECK_INT(first.count, 2);
    CHECK_STR(first.streams[0]->name, "s000");
    CHECK_STR(first.streams[1]->name, "s001");
    CHECK(first.more);
    CHECK_INT(group_stats(f).waiting, 3);
    struct rv_streams rest = take_streams(f, draw_holder(), 10);
    CHECK_INT(rest.count, 3);
    CHECK(rest.token > first.token); /* J4 */
    CHECK(!rest.more);
    CHECK_INT(group_stats(f).owned, 5);
}

static void offered_before_anybody_came_is_delivered(struct fixture *f) { /* T61 */
    CHECK(offer_stream(f, "early"));
    move_clock(f, 3600000);
    CHECK_INT(take_some(f, 1), 1);
}

static void a_take_asked_again_tells_the_same(struct fixture *f) { /* J7 */
    uint64_t holder = draw_holder();
    offer_streams(f, 3);
    struct rv_streams first = take_streams(f, holder, 2), again = take_streams(f, holder, 3);
    CHECK_INT(again.count, 2);
    CHECK(first.token == again.token);
    CHECK_INT(group_stats(f).owned, 2);
    CHECK_INT(group_stats(f).taken_total, 2);
}

static void groups_are_nothing_to_each_other(struct fixture *f) {
    const struct rv_group other = {.name = "others"};
    bool known;
    struct rv_stream_ref a = take_new_stream(f, "a");
    CHECK_CALL(f, rv_store_stream_offer(handle(f), &other, "a", NULL, 0, &known, &f->err));
    CHECK(!known);
    CHECK_FAILS(rv_store_stream_end(handle(f), &other, &a, CALL_MS, &f->err), REEVE_EFENCED);
    CHECK_OK(end_stream(f, &a));
}

/* ---- keeping ---- */
static void a_renewal_counts_from_now(struct fixture *f) { /* S5 A172 T51 */
    struct rv_stream_ref a = take_new_stream(f, "a");
    for (int i = 0; i < 4; i++) {
        move_clock(f, LEASE_MS - 5000);
        CHECK(!renew_stream(f, &a).lost);
        CHECK_INT(scan_group(f).count, 0); /* slow, but alive */
    }
    CHECK_OK(end_stream(f, &a));
}

static void only_its_owner_renews(struct fixture *f) { /* S5 T57 */
    struct rv_stream_ref a = take_new_stream(f, "a"), thief = a;
    thief.holder++;
    CHECK(renew_stream(f, &thief).lost);
    thief = a;
    thief.token--;
    CHECK(renew_stream(f, &thief).lost);
    CHECK(!renew_stream(f, &a).lost);
}

static void a_lapsed_ownership_is_not_renewed(struct fixture *f) { /* S5 T56 T68 */
    struct rv_stream_ref a = take_new_stream(f, "a");
    move_clock(f, LEASE_MS + 1);
    CHECK(renew_stream(f, &a).lost);
    CHECK_INT(scan_group(f).requeued, 1);
    struct rv_stream_ref b = take_stream(f);
    CHECK(renew_stream(f, &a).lost);
    CHECK(!renew_stream(f, &b).lost);
}

static void many_are_renewed_at_once_each_by_itself(struct fixture *f) { /* T55 */
    enum { COUNT = 50 };
    offer_streams(f, COUNT);
    uint64_t holder = draw_holder();
    struct rv_streams taken = take_streams(f, holder, COUNT);
    CHECK_INT(taken.count, COUNT);
    struct rv_stream_renewal renewals[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        renewals[i] = (struct rv_stream_renewal){.name = taken.streams[i]->name,
                                                 .holder = i % 5 ? holder : holder + 1,
                                                 .token = taken.token,
                                                 .lease_ms = 2 * LEASE_MS};
    CHECK_CALL(f, rv_store_stream_renew(handle(f), &feeds, renewals, COUNT, CALL_MS, &f->err));
    for (size_t i = 0; i < COUNT; i++)
        CHECK(renewals[i].lost == (i % 5 == 0));
    move_clock(f, LEASE_MS + 1);
    CHECK_INT(scan_group(f).count, COUNT / 5);
}

/* ---- ending and yielding ---- */
static void what_is_ended_is_gone(struct fixture *f) { /* S3 A167 */
    struct rv_stream_ref a = take_new_stream(f, "a");
    CHECK_OK(end_stream(f, &a));
    CHECK(!has_stream(f, "a"));
    CHECK(renew_stream(f, &a).lost);
    CHECK_FAILS(end_stream(f, &a), REEVE_ENOENT); /* a repeat */
    move_clock(f, 2 * LEASE_MS);
    CHECK_INT(scan_group(f).count, 0);
    CHECK_INT(group_stats(f).ended_total, 1);
    CHECK(offer_stream(f, "a")); /* it may come again */
    CHECK(take_stream(f).token > a.token);
}

static void only_its_owner_ends_it(struct fixture *f) { /* S3 A179 */
    struct rv_stream_ref a = take_new_stream(f, "a"), thief = a;
    thief.holder++;
    CHECK_FAILS(end_stream(f, &thief), REEVE_EFENCED);
    CHECK_FAILS(yield_stream(f, &thief), REEVE_EFENCED);
    move_clock(f, LEASE_MS + 1);
    CHECK_INT(scan_group(f).requeued, 1);
    CHECK_FAILS(end_stream(f, &a), REEVE_EFENCED); /* while it waits */
    struct rv_stream_ref b = take_stream(f);
    CHECK(b.token > a.token);
    CHECK_FAILS(end_stream(f, &a), REEVE_EFENCED); /* T71: nor another's */
    CHECK_FAILS(yield_stream(f, &a), REEVE_EFENCED);
    CHECK_INT(group_stats(f).fenced_total, 5);
    CHECK_OK(end_stream(f, &b));
}

static void done_in_time_is_done_though_late(struct fixture *f) { /* S3 A177 */
    struct rv_stream_ref a = take_new_stream(f, "a");
    move_clock(f, LEASE_MS + 1);
    CHECK_OK(end_stream(f, &a)); /* before any scan */
    CHECK_INT(scan_group(f).count, 0);
}

static void people_end_whatever_they_name(struct fixture *f) {
    struct rv_stream_ref any = {.name = "a"}, a = take_new_stream(f, "a");
    CHECK_OK(end_stream(f, &any));
    CHECK(renew_stream(f, &a).lost);
    CHECK_FAILS(end_stream(f, &any), REEVE_ENOENT);
    CHECK(offer_stream(f, "a"));
    CHECK_OK(end_stream(f, &any)); /* also while it waits */
    CHECK_INT(take_some(f, 1), 0);
}

static void what_is_yielded_waits_behind_the_others(struct fixture *f) { /* S6 */
    struct rv_stream_ref a = take_new_stream(f, "a");
    CHECK(offer_stream(f, "b"));
    CHECK_OK(yield_stream(f, &a));
    const struct reeve_stream *stream = read_stream(f, "a");
    CHECK_INT(stream->state, REEVE_STREAM_WAITING);
    CHECK_INT(stream->retries, 0);
    CHECK(!stream->member);
    CHECK_STR(take_stream(f).name, "b");
    CHECK_STR(take_stream(f).name, "a");
    CHECK_INT(group_stats(f).yielded_total, 1);
    CHECK_INT(group_stats(f).requeued_total, 0);
}

static void an_owner_is_asked_to_yield(struct fixture *f) { /* S8 */
    struct rv_stream_ref a = take_new_stream(f, "a");
    CHECK_FAILS(rv_store_stream_recall(handle(f), &feeds, "b", &f->err), REEVE_ENOENT);
    CHECK(!renew_stream(f, &a).yield);
    CHECK_OK(rv_store_stream_recall(handle(f), &feeds, "a", &f->err));
    struct rv_stream_renewal renewal = renew_stream(f, &a);
    CHECK(renewal.yield && !renewal.lost);
    CHECK(read_stream(f, "a")->yielding);
    CHECK_OK(yield_stream(f, &a));
    CHECK_FAILS(rv_store_stream_recall(handle(f), &feeds, "a", &f->err), REEVE_ESTATE);
    struct rv_stream_ref b = take_stream(f);
    CHECK(!renew_stream(f, &b).yield);
}

/* ---- bells ---- */
static bool rings(struct fixture *f, struct rv_bell *bell) {
    CHECK_CALL(f, rv_store_wait(handle(f), bell, 1, 0, &f->err));
    return bell->ready;
}

static void a_waiting_stream_rings(struct fixture *f) {
    struct rv_bell bell = {.queue = "feeds", .group = &feeds, .want_ready = true};
    CHECK(!rings(f, &bell));
    CHECK(offer_stream(f, "a"));
    CHECK(rings(f, &bell));
    (void)take_stream(f);
    CHECK(!rings(f, &bell));
    move_clock(f, LEASE_MS + 1);
    (void)scan_group(f);
    CHECK(rings(f, &bell));
}

static void asking_to_yield_rings(struct fixture *f) { /* S8 */
    struct rv_bell bell = {.queue = "feeds", .group = &feeds};
    struct rv_stream_ref any = {.name = "a"};
    (void)take_new_stream(f, "a");
    (void)rings(f, &bell);
    uint64_t before = bell.cancelled;
    CHECK_OK(rv_store_stream_recall(handle(f), &feeds, "a", &f->err));
    (void)rings(f, &bell);
    CHECK(bell.cancelled != before);
    before = bell.cancelled;
    CHECK_OK(end_stream(f, &any));
    (void)rings(f, &bell);
    CHECK(bell.cancelled != before);
}

/* ---- refusals ---- */
static void what_breaks_the_contract_is_refused(struct fixture *f) {
    bool known, dead;
    struct rv_streams streams;
    struct rv_stream_ask ask = stream_ask(0, 1);
    struct rv_stream_ref nobody = {.name = "a"};
    const struct rv_group unnamed = {.name = "no such/name"};
    CHECK_FAILS(rv_store_stream_offer(handle(f), &feeds, "", NULL, 0, &known, &f->err),
                REEVE_EINVAL);
    CHECK_FAILS(rv_store_stream_offer(handle(f), &feeds, "a\nb", NULL, 0, &known, &f->err),
                REEVE_EINVAL);
    CHECK_FAILS(rv_store_stream_offer(handle(f), &unnamed, "a", NULL, 0, &known, &f->err),
                REEVE_EINVAL);
    CHECK_FAILS(
        rv_store_stream_offer(handle(f), &feeds, "a", "", RV_STREAM_INFO_MAX + 1, &known, &f->err),
        REEVE_ETOOBIG);
    CHECK_FAILS(rv_store_stream_take(handle(f), &feeds, &ask, &streams, &f->err), REEVE_EINVAL);
    ask = stream_ask(1, RV_CLAIM_MAX + 1);
    CHECK_FAILS(rv_store_stream_take(handle(f), &feeds, &ask, &streams, &f->err), REEVE_EINVAL);
    CHECK_FAILS(rv_store_stream_yield(handle(f), &feeds, &nobody, NULL, CALL_MS, &dead, &f->err),
                REEVE_EINVAL);
    CHECK_FAILS(rv_store_stream_revive(handle(f), &feeds, "x", &f->err), REEVE_EINVAL);
}

static void streams_survive(struct fixture *f) { /* J4 over a restart */
    struct rv_stream_ref a = take_new_stream(f, "a"), b = take_new_stream(f, "b");
    CHECK(offer_stream(f, "c"));
    CHECK(fail_stream(f, &b, 0));
    fixture_reopen(f);
    CHECK(!renew_stream(f, &a).lost);
    CHECK_INT(read_letters(f).count, 1);
    struct rv_stream_ref c = take_stream(f);
    CHECK_STR(c.name, "c");
    CHECK(c.token > b.token);
    CHECK_OK(end_stream(f, &a));
}

static const struct store_test tests[] = {
    STREAM_TEST(a_stream_is_offered_once),
    STREAM_TEST(what_is_taken_says_all_of_it),
    STREAM_TEST(info_is_bytes),
    STREAM_TEST(streams_come_in_order_and_no_more_than_wanted),
    STREAM_TEST(offered_before_anybody_came_is_delivered),
    STREAM_TEST(a_take_asked_again_tells_the_same),
    STREAM_TEST(groups_are_nothing_to_each_other),
    STREAM_TEST(a_renewal_counts_from_now),
    STREAM_TEST(only_its_owner_renews),
    STREAM_TEST(a_lapsed_ownership_is_not_renewed),
    STREAM_TEST(many_are_renewed_at_once_each_by_itself),
    STREAM_TEST(what_is_ended_is_gone),
    STREAM_TEST(only_its_owner_ends_it),
    STREAM_TEST(done_in_time_is_done_though_late),
    STREAM_TEST(people_end_whatever_they_name),
    STREAM_TEST(what_is_yielded_waits_behind_the_others),
    STREAM_TEST(an_owner_is_asked_to_yield),
    STREAM_TEST(a_waiting_stream_rings),
    STREAM_TEST(asking_to_yield_rings),
    STREAM_TEST(what_breaks_the_contract_is_refused),
    TEST_NEEDING(RV_CAP_STREAMS | RV_CAP_DURABLE, streams_survive),
    {0},
};

const struct topic topic_streams = {"streams", tests};
