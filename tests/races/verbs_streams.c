/* What a step can do to a stream. All streams of a race are in one group; a session has one at most
 * in hand, and keeps knowing it when it has lost it. */
#include <string.h>

#include "races/race.h"
#include "store/stream_words.h"

enum { SLACK_MS = LEASE_MS / 2 }; /* a server's clock is known less well than ours */

/* ---- what must hold ---- */
static struct stream_note *note_of(struct race *race, const char *name) {
    for (size_t i = 0; i < race->stream_count; i++)
        if (strcmp(race->streams[i].name, name) == 0) return &race->streams[i];
    CHECK(race->stream_count < STREAMS_MAX);
    struct stream_note *note = &race->streams[race->stream_count++];
    *note = (struct stream_note){0};
    CHECK(strlen(name) < sizeof note->name);
    memcpy(note->name, name, strlen(name) + 1);
    return note;
}

static int64_t now_ms(struct race *race) {
    return rv_store_now_ms(race->f->first);
}

/* Never two owners: the one before has come to its end, and its token was lower (S1, S2). */
static void note_owned(struct race *race, const struct rv_stream_ref *ref, int64_t asked_ms) {
    struct stream_note *note = note_of(race, ref->name);
    note->until_ms = asked_ms + LEASE_MS;
    CHECK(note->there);
    CHECK(!note->owner);
    CHECK(ref->token > race->last_owner);
    race->last_owner = note->owner = ref->token;
}

/* One end an ownership: its owner's or a scanner's, never both (S3, S4). */
static void note_over(struct race *race, const char *name, uint64_t token) {
    struct stream_note *note = note_of(race, name);
    CHECK(note->owner);
    CHECK(note->owner == token);
    note->owner = 0;
}

/* Moved by another: never from an owner who lives (S4). */
static void note_moved(struct race *race, const char *name, uint64_t token) {
    CHECK(now_ms(race) + SLACK_MS > note_of(race, name)->until_ms);
    note_over(race, name, token);
    race->requeued++;
}

static void check_stream(struct race *race, const struct stream_note *note) {
    CHECK(has_stream(race->f, note->name) == note->there);
    if (!note->there) return;
    const struct reeve_stream *stream = read_stream(race->f, note->name);
    CHECK_INT(stream->state, note->owner ? REEVE_STREAM_OWNED : REEVE_STREAM_WAITING);
    if (note->owner) CHECK(stream->token == note->owner);
}

void race_check_streams(struct race *race) {
    uint64_t owned = 0, there = 0;
    if (!race->stream_count) return;
    for (size_t i = 0; i < race->stream_count; i++) {
        check_stream(race, &race->streams[i]);
        owned += race->streams[i].owner != 0;
        there += race->streams[i].there;
    }
    struct reeve_group group = group_stats(race->f);
    CHECK_INT(group.owned, owned);
    CHECK_INT(group.waiting, there - owned);
    CHECK_INT(group.offered_total, there + group.ended_total);
    CHECK_INT(group.requeued_total, race->requeued);
    CHECK_INT(group.failed, 0);
}

/* ---- the verbs ---- */
static bool has_in_hand(const struct session *session) {
    return session->stream.token != 0;
}

const char *run_offer(struct race *race, struct session *session, const char *word) {
    (void)session;
    struct stream_note *note = note_of(race, word);
    bool fresh = offer_stream(race->f, word);
    CHECK(fresh == !note->there);
    note->there = true;
    return fresh ? "new" : "known";
}

const char *run_own(struct race *race, struct session *session, const char *word) {
    (void)word;
    uint64_t holder = draw_holder();
    int64_t asked_ms = now_ms(race);
    struct rv_streams taken = take_streams(race->f, holder, 1);
    if (!taken.count) return "none";
    session->stream = (struct rv_stream_ref){
        .name = taken.streams[0]->name, .holder = holder, .token = taken.token};
    note_owned(race, &session->stream, asked_ms);
    return "ok";
}

const char *run_keep(struct race *race, struct session *session, const char *word) {
    (void)word;
    if (!has_in_hand(session)) return "idle";
    int64_t asked_ms = now_ms(race);
    struct rv_stream_renewal renewal = renew_stream(race->f, &session->stream);
    if (renewal.lost) return "lost";
    struct stream_note *note = note_of(race, session->stream.name);
    CHECK(note->owner == session->stream.token);
    note->until_ms = asked_ms + LEASE_MS;
    return "ok";
}

const char *run_end(struct race *race, struct session *session, const char *word) {
    (void)word;
    if (!has_in_hand(session)) return "idle";
    int rc = end_stream(race->f, &session->stream);
    if (rc) return word_of(rc);
    note_over(race, session->stream.name, session->stream.token);
    note_of(race, session->stream.name)->there = false;
    return "ok";
}

const char *run_yield(struct race *race, struct session *session, const char *word) {
    (void)word;
    if (!has_in_hand(session)) return "idle";
    int rc = yield_stream(race->f, &session->stream);
    if (rc) return word_of(rc);
    note_over(race, session->stream.name, session->stream.token);
    return "ok";
}

const char *run_scan(struct race *race, struct session *session, const char *word) {
    (void)session, (void)word;
    struct rv_stream_scanned scanned = scan_group(race->f);
    for (size_t i = 0; i < scanned.count; i++)
        note_moved(race, scanned.lapsed[i]->name, scanned.lapsed[i]->token);
    CHECK_INT(scanned.requeued, scanned.count);
    return scanned.count ? "moved" : "none";
}

const char *run_reclaim(struct race *race, struct session *session, const char *word) {
    (void)session;
    struct fixture *f = race->f;
    int rc = rv_store_stream_claim(handle(f), &feeds, word, &f->err);
    if (rc) return word_of(rc);
    note_moved(race, word, note_of(race, word)->owner);
    return "ok";
}

void race_settle_streams(struct race *race) {
    struct session last = {0};
    if (!race->stream_count) return;
    lapse_leases(race->f);
    (void)run_scan(race, &last, "");
    while (strcmp(run_own(race, &last, ""), "ok") == 0)
        CHECK_STR(run_end(race, &last, ""), "ok");
    race_check_streams(race);
    CHECK_INT(group_stats(race->f).waiting, 0);
    CHECK_INT(group_stats(race->f).owned, 0);
}
