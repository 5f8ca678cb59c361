/* Somebody else's value on one of the keys of a group of streams, for each key and each operation,
 * in either layout. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/planted.h"

enum { TIMEOUT_MS = 20000, HOUR_MS = 3600000 };

static struct rv_group group = {.name = "feeds"};

/* ---- the group ---- waiting, owned, and a dead letter ---- */
static int offer(struct patient *p, const char *name) {
    bool known;
    return rv_store_stream_offer(p->store, &group, name, "{}", 2, &known, &p->line->err);
}

static int take_as(struct patient *p, uint64_t holder, uint64_t *token) {
    struct rv_stream_ask ask = {.member = "m",
                                .by = "m",
                                .holder = holder,
                                .want = 1,
                                .lease_ms = HOUR_MS,
                                .timeout_ms = TIMEOUT_MS};
    struct rv_streams taken;
    int rc = rv_store_stream_take(p->store, &group, &ask, &taken, &p->line->err);
    if (!rc && token) *token = taken.token;
    if (!rc) rv_streams_release(&taken);
    return rc;
}

static int give_up(struct patient *p) {
    const struct rv_stream_fault fault = {.reason = "broken", .max_retries = 0};
    bool dead;
    return rv_store_stream_yield(p->store, &group, &p->ref, &fault, TIMEOUT_MS, &dead,
                                 &p->line->err);
}

static int beat(struct patient *p) {
    struct rv_member_row row = {.id = "m", .name = "m", .owned = 1, .max = 2};
    return rv_store_stream_beat(p->store, &group, &row, HOUR_MS, &p->line->err);
}

static void remember_letter(struct patient *p) {
    struct rv_letters letters;
    CHECK_OK(rv_store_stream_letters(p->store, &group, NULL, 1, &letters, &p->line->err));
    CHECK_INT(letters.count, 1);
    (void)snprintf(p->letter, sizeof p->letter, "%s", letters.letters[0]->id);
    rv_letters_release(&letters);
}

static void fill(struct patient *p) {
    p->ref = (struct rv_stream_ref){.name = "dead", .holder = 5};
    CHECK_OK(offer(p, "dead"));
    CHECK_OK(take_as(p, 5, &p->ref.token));
    CHECK_OK(give_up(p));
    remember_letter(p);
    p->ref = (struct rv_stream_ref){.name = "owned", .holder = 6};
    CHECK_OK(offer(p, "owned"));
    CHECK_OK(take_as(p, 6, &p->ref.token));
    CHECK_OK(offer(p, "waiting"));
    CHECK_OK(beat(p));
}

/* ---- the operations ---- */
static int offer_new(struct patient *p) {
    return offer(p, "new");
}

static int offer_known(struct patient *p) {
    return offer(p, "waiting");
}

static int take(struct patient *p) {
    return take_as(p, 7, NULL);
}

static int take_again(struct patient *p) {
    return take_as(p, 6, NULL);
}

static int renew(struct patient *p) {
    struct rv_stream_renewal renewal = {
        .name = p->ref.name, .holder = p->ref.holder, .token = p->ref.token, .lease_ms = HOUR_MS};
    return rv_store_stream_renew(p->store, &group, &renewal, 1, TIMEOUT_MS, &p->line->err);
}

static int end(struct patient *p) {
    return rv_store_stream_end(p->store, &group, &p->ref, TIMEOUT_MS, &p->line->err);
}

static int end_by_hand(struct patient *p) {
    const struct rv_stream_ref ref = {.name = "waiting"};
    return rv_store_stream_end(p->store, &group, &ref, TIMEOUT_MS, &p->line->err);
}

static int yield(struct patient *p) {
    bool dead;
    return rv_store_stream_yield(p->store, &group, &p->ref, NULL, TIMEOUT_MS, &dead, &p->line->err);
}

static int recall(struct patient *p) {
    return rv_store_stream_recall(p->store, &group, "owned", &p->line->err);
}

static int later(struct patient *p, int (*op)(struct patient *p)) {
    atomic_store(&p->line->clock.offset_ms, 3 * (int64_t)HOUR_MS);
    int rc = op(p);
    atomic_store(&p->line->clock.offset_ms, 0);
    return rc;
}

static int scan(struct patient *p) {
    const struct rv_stream_scan scan = {.max_retries = 5};
    struct rv_stream_scanned scanned;
    int rc = rv_store_stream_recover(p->store, &group, &scan, &scanned, &p->line->err);
    if (!rc) rv_stream_scanned_release(&scanned);
    return rc;
}

static int scan_later(struct patient *p) {
    return later(p, scan);
}

static int claim(struct patient *p) {
    return rv_store_stream_claim(p->store, &group, "owned", &p->line->err);
}

static int claim_later(struct patient *p) {
    return later(p, claim);
}

static int list(struct patient *p) {
    const struct rv_stream_query query = {.limit = 10};
    struct rv_streams streams;
    int rc = rv_store_stream_list(p->store, &group, &query, &streams, &p->line->err);
    if (!rc) rv_streams_release(&streams);
    return rc;
}

static int read_one(struct patient *p) {
    struct reeve_stream *stream = NULL;
    int rc = rv_store_stream_read(p->store, &group, "owned", &stream, &p->line->err);
    free(stream);
    return rc;
}

static int stats(struct patient *p) {
    struct reeve_group out;
    return rv_store_stream_stats(p->store, &group, &out, &p->line->err);
}

static int groups(struct patient *p) {
    struct rv_names names;
    int rc = rv_store_stream_groups(p->store, NULL, 10, &names, &p->line->err);
    if (!rc) free(names.names);
    return rc;
}

static int letters(struct patient *p) {
    struct rv_letters found;
    int rc = rv_store_stream_letters(p->store, &group, NULL, 10, &found, &p->line->err);
    if (!rc) rv_letters_release(&found);
    return rc;
}

static int revive(struct patient *p) {
    return rv_store_stream_revive(p->store, &group, p->letter, &p->line->err);
}

static int purge(struct patient *p) {
    const char *const ids[] = {p->letter};
    size_t removed;
    return rv_store_stream_purge(p->store, &group, ids, 1, &removed, &p->line->err);
}

static int members(struct patient *p) {
    struct rv_members found;
    int rc = rv_store_stream_members(p->store, &group, &found, &p->line->err);
    if (!rc) free(found.rows);
    return rc;
}

static int wait_a_moment(struct patient *p) {
    struct rv_bell bell = {.queue = group.name, .group = &group, .want_ready = true};
    return rv_store_wait(p->store, &bell, 1, 10, &p->line->err);
}

static const struct planted_op ops[] = {
    PLANTED_OP(offer_new),   PLANTED_OP(offer_known),   PLANTED_OP(take),
    PLANTED_OP(take_again),  PLANTED_OP(renew),         PLANTED_OP(end),
    PLANTED_OP(end_by_hand), PLANTED_OP(yield),         PLANTED_OP(give_up),
    PLANTED_OP(recall),      PLANTED_OP(scan),          PLANTED_OP(scan_later),
    PLANTED_OP(claim_later), PLANTED_OP(list),          PLANTED_OP(read_one),
    PLANTED_OP(stats),       PLANTED_OP(groups),        PLANTED_OP(letters),
    PLANTED_OP(revive),      PLANTED_OP(purge),         PLANTED_OP(beat),
    PLANTED_OP(members),     PLANTED_OP(wait_a_moment),
};
enum { OPS = sizeof ops / sizeof *ops };

static void a_planted_value_is_named_in_a_group(void **state) { /* R19 */
    group.compat = false;
    planted_try(state, fill, ops, OPS, OPS);
}

static void so_in_the_published_layout(void **state) {
    group.compat = true;
    planted_try(state, fill, ops, OPS, OPS);
}

const struct CMUnitTest planted_stream_tests[] = {
    REDIS_TEST(a_planted_value_is_named_in_a_group),
    REDIS_TEST(so_in_the_published_layout),
};
const size_t planted_stream_test_count = sizeof planted_stream_tests / sizeof *planted_stream_tests;
