/* Streams: offered, owned, recovered, and the letters of those that failed too often. Groups bear
 * the names of queues, which are nothing to them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "differential/lines.h"
#include "differential/verbs.h"

enum { TIE_MS = 1, SEVERAL = 3, PAGE = 3 };

static struct rv_group group_of(uint32_t dice) {
    return (struct rv_group){.name = queue_name(dice % 4 == 0)};
}

/* Few, so that they meet. */
static const char *stream_of(uint32_t dice) {
    return id_of(dice % 16 == 0 ? IDS - 1 : dice % 4);
}

static int64_t lease_of(uint32_t dice) {
    return (int64_t)(1 + dice % 3) * MINUTE_MS;
}

static int64_t retries_of(uint32_t dice) {
    return dice % 3 == 2 ? REEVE_NONE : (int64_t)(dice % 3);
}

/* ---- telling ---- */
static void tell_stream(struct side *side, FILE *to, const struct reeve_stream *stream) {
    (void)fprintf(to, "%s/%s %s%s retries=%" PRIu64 " T%zu by %s", stream->group, stream->name,
                  reeve_stream_state_name(stream->state), stream->yielding ? "(yielding)" : "",
                  stream->retries, side_token(side, stream->token),
                  stream->member ? stream->member : "-");
    (void)fprintf(to, " offered=%lld owned=%lld lease=%lld info=%zu:%s",
                  side_minute(side, stream->offered_at_ms), side_minute(side, stream->owned_at_ms),
                  side_minute(side, stream->lease_until_ms), stream->info_size,
                  (const char *)stream->info);
}

static void tell_streams(struct side *side, struct reeve_stream **streams, size_t count,
                         struct lines *lines) {
    for (size_t i = 0; i < count; i++) {
        struct line line;
        FILE *writer = line_begin(&line);
        tell_stream(side, writer, streams[i]);
        lines_end(lines, writer, &line);
    }
}

/* ---- offering and owning ---- */
int verb_offer(struct side *side, const uint32_t dice[DICE], FILE *to) {
    static const char *const infos[] = {"", "{\"a\":1}", "some words"};
    struct rv_group group = group_of(dice[0]);
    const char *name = stream_of(dice[1]), *info = infos[dice[2] % 3];
    bool known = false;
    int rc = rv_store_stream_offer(side->store, &group, name, info, strlen(info), &known, NULL);
    (void)fprintf(to, "%s/%s %s", group.name, name, known ? "known" : "new");
    return rc;
}

static void keep_owned(struct side *side, const char *group, uint64_t holder,
                       const struct rv_streams *taken) {
    for (size_t i = 0; i < taken->count && side->owned_count < CLAIMS_MAX; i++) {
        struct owned *owned = &side->owned[side->owned_count++];
        *owned = (struct owned){.group = group, .holder = holder, .token = taken->token};
        (void)snprintf(owned->name, sizeof owned->name, "%s", taken->streams[i]->name);
    }
}

/* No two leases end at once: in which order they are then recovered is not said. Together they are
 * shorter by less than a tick, so that each is over when its minutes are. */
static int untie(struct side *side, const struct rv_group *group, const struct rv_stream_ask *ask,
                 const struct rv_streams *taken) {
    struct rv_stream_renewal renewals[SEVERAL];
    for (size_t i = 0; i < taken->count; i++)
        renewals[i] = (struct rv_stream_renewal){.name = taken->streams[i]->name,
                                                 .holder = ask->holder,
                                                 .token = taken->token,
                                                 .lease_ms = ask->lease_ms - (int64_t)i * TIE_MS};
    if (taken->count < 2) return 0;
    return rv_store_stream_renew(side->store, group, renewals, taken->count, CALL_MS, NULL);
}

/* The same request once more (J7): no order is promised then. */
static int own_again(struct side *side, const struct rv_group *group,
                     const struct rv_stream_ask *ask, FILE *to) {
    struct rv_streams taken;
    struct lines lines = {0};
    int rc = rv_store_stream_take(side->store, group, ask, &taken, NULL);
    (void)fprintf(to, "\n    again: T%zu more=%d", side_token(side, taken.token), taken.more);
    tell_streams(side, taken.streams, taken.count, &lines);
    lines_tell(&lines, to);
    rv_streams_release(&taken);
    return rc;
}

int verb_own(struct side *side, const uint32_t dice[DICE], FILE *to) {
    static const char *const names[] = {"host:1", "host:2"};
    struct rv_group group = group_of(dice[0]);
    struct rv_stream_ask ask = {.member = "m-1",
                                .by = names[dice[1] % 2],
                                .holder = side_draw(side),
                                .want = 1 + dice[2] % SEVERAL,
                                .lease_ms = lease_of(dice[3]),
                                .timeout_ms = CALL_MS};
    struct rv_streams taken;
    int rc = rv_store_stream_take(side->store, &group, &ask, &taken, NULL);
    (void)fprintf(to, "%s want=%zu T%zu more=%d", group.name, ask.want,
                  side_token(side, taken.token), taken.more);
    for (size_t i = 0; i < taken.count; i++) {
        (void)fprintf(to, "\n    ");
        tell_stream(side, to, taken.streams[i]);
    }
    if (!rc) rc = untie(side, &group, &ask, &taken);
    if (!rc && taken.count && dice[4] % 4 == 0) rc = own_again(side, &group, &ask, to);
    keep_owned(side, group.name, ask.holder, &taken);
    rv_streams_release(&taken);
    return rc;
}

/* ---- what an owner does ---- */
/* One that was owned once, the latest more often than others, now and then under a token or holder
 * that never was. NULL: there is none in that group. */
static const struct owned *pick_owned(const struct side *side, const struct rv_group *group,
                                      uint32_t dice) {
    size_t back = dice % 4 == 0 ? dice / 4 % 16 : dice / 4 % 3;
    const struct owned *found = NULL;
    for (size_t i = side->owned_count; i-- > 0;) {
        if (side->owned[i].group != group->name) continue;
        found = &side->owned[i];
        if (back-- == 0) break;
    }
    return found;
}

static struct rv_stream_ref ref_of(const struct owned *owned, uint32_t dice) {
    return (struct rv_stream_ref){.name = owned->name,
                                  .holder = owned->holder ^ (dice % 16 == 0),
                                  .token = owned->token + (dice % 16 == 1)};
}

int verb_stream_renew(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_group group = group_of(dice[0]);
    struct rv_stream_renewal renewals[SEVERAL];
    size_t count = 1 + dice[1] % SEVERAL;
    for (size_t i = 0; i < count; i++) {
        const struct owned *owned = pick_owned(side, &group, dice[2 + i]);
        if (!owned) return 0;
        struct rv_stream_ref ref = ref_of(owned, dice[5] >> 4 * i);
        renewals[i] =
            (struct rv_stream_renewal){.name = ref.name,
                                       .holder = ref.holder,
                                       .token = ref.token,
                                       .lease_ms = lease_of(dice[6]) - (int64_t)i * TIE_MS};
    }
    int rc = rv_store_stream_renew(side->store, &group, renewals, count, CALL_MS, NULL);
    (void)fprintf(to, "%s:", group.name);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(to, " %s T%zu%s%s", renewals[i].name, side_token(side, renewals[i].token),
                      renewals[i].lost ? " lost" : "", renewals[i].yield ? " yield" : "");
    return rc;
}

/* By its owner, or by people, who name the stream alone. */
int verb_end(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_group group = group_of(dice[0]);
    struct rv_stream_ref ref = {.name = stream_of(dice[1])};
    const struct owned *owned = dice[2] % 8 ? pick_owned(side, &group, dice[3]) : NULL;
    if (dice[2] % 8 && !owned) return 0;
    if (owned) ref = ref_of(owned, dice[4]);
    (void)fprintf(to, "%s/%s T%zu", group.name, ref.name, side_token(side, ref.token));
    return rv_store_stream_end(side->store, &group, &ref, CALL_MS, NULL);
}

int verb_yield(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_group group = group_of(dice[0]);
    const struct rv_stream_fault fault = {
        .reason = "exit:1", .max_retries = retries_of(dice[1]), .dead_max = dice[2] % 4};
    const struct owned *owned = pick_owned(side, &group, dice[3]);
    bool dead = false;
    if (!owned) return 0;
    struct rv_stream_ref ref = ref_of(owned, dice[4]);
    int rc = rv_store_stream_yield(side->store, &group, &ref, dice[5] % 2 ? &fault : NULL, CALL_MS,
                                   &dead, NULL);
    (void)fprintf(to, "%s/%s T%zu%s", group.name, ref.name, side_token(side, ref.token),
                  dead ? " dead" : "");
    return rc;
}

int verb_recall(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_group group = group_of(dice[0]);
    (void)fprintf(to, "%s/%s", group.name, stream_of(dice[1]));
    return rv_store_stream_recall(side->store, &group, stream_of(dice[1]), NULL);
}

/* ---- recovering ---- */
int verb_recover(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_group group = group_of(dice[0]);
    const struct rv_stream_scan scan = {.min_idle_ms = lease_of(dice[1]),
                                        .max_retries = retries_of(dice[2]),
                                        .dead_max = dice[3] % 4};
    struct rv_stream_scanned got;
    struct lines lines = {0};
    int rc = rv_store_stream_recover(side->store, &group, &scan, &got, NULL);
    (void)fprintf(to, "%s: requeued=%d dead=%d alive=%d next_in=%lld%s", group.name,
                  (int)got.requeued, (int)got.dead, (int)got.alive, minutes_until(got.next_in_ms),
                  *got.cursor ? " and more" : "");
    tell_streams(side, got.lapsed, got.count, &lines);
    lines_tell(&lines, to);
    rv_stream_scanned_release(&got);
    return rc;
}

/* All that is left, in the order it is in. */
int verb_own_all(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_group group = group_of(dice[0]);
    struct rv_stream_ask ask = {.member = "last",
                                .by = "last",
                                .holder = side_draw(side),
                                .want = RV_CLAIM_MAX,
                                .lease_ms = MINUTE_MS,
                                .timeout_ms = CALL_MS};
    struct rv_streams taken;
    const uint32_t without_bounds[DICE] = {dice[0], 0, 2};
    int rc = verb_recover(side, without_bounds, to);
    if (rc) return rc;
    rc = rv_store_stream_take(side->store, &group, &ask, &taken, NULL);
    for (size_t i = 0; i < taken.count; i++)
        (void)fprintf(to, " %s", taken.streams[i]->name);
    rv_streams_release(&taken);
    return rc;
}

int verb_reclaim(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_group group = group_of(dice[0]);
    (void)fprintf(to, "%s/%s", group.name, stream_of(dice[1]));
    return rv_store_stream_claim(side->store, &group, stream_of(dice[1]), NULL);
}

/* ---- looking ---- */
int verb_streams(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_group group = group_of(dice[0]);
    struct rv_stream_query query = {.state = (enum reeve_stream_state)(dice[1] % 3),
                                    .limit = 1 + dice[2] % PAGE};
    struct lines lines = {0};
    char after[RV_STREAM_CURSOR_SIZE] = "";
    int rc;
    do {
        struct rv_streams page;
        query.after = *after ? after : NULL;
        rc = rv_store_stream_list(side->store, &group, &query, &page, NULL);
        tell_streams(side, page.streams, page.count, &lines);
        memcpy(after, page.cursor, sizeof after);
        rv_streams_release(&page);
    } while (!rc && *after);
    (void)fprintf(to, "%s", group.name);
    lines_tell(&lines, to);
    return rc;
}

int verb_stream(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_group group = group_of(dice[0]);
    struct reeve_stream *stream = NULL;
    int rc = rv_store_stream_read(side->store, &group, stream_of(dice[1]), &stream, NULL);
    if (!rc) tell_stream(side, to, stream);
    free(stream);
    return rc;
}

int verb_group(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_group group = group_of(dice[0]);
    struct reeve_group g;
    int rc = rv_store_stream_stats(side->store, &group, &g, NULL);
    (void)fprintf(to, "%s", group.name);
    if (rc) return rc;
    (void)fprintf(to, " waiting=%d owned=%d failed=%d members=%d", (int)g.waiting, (int)g.owned,
                  (int)g.failed, (int)g.members);
    (void)fprintf(
        to, " offered=%d duplicates=%d taken=%d ended=%d yielded=%d lapsed=%d requeued=%d",
        (int)g.offered_total, (int)g.duplicates_total, (int)g.taken_total, (int)g.ended_total,
        (int)g.yielded_total, (int)g.lapsed_total, (int)g.requeued_total);
    (void)fprintf(to, " failed=%d unparseable=%d trimmed=%d purged=%d revived=%d fenced=%d",
                  (int)g.failed_total, (int)g.unparseable_total, (int)g.trimmed_total,
                  (int)g.purged_total, (int)g.revived_total, (int)g.fenced_total);
    return 0;
}

/* ---- dead letters ---- */
static int read_letters(struct side *side, const struct rv_group *group, struct rv_letters *out) {
    return rv_store_stream_letters(side->store, group, NULL, RV_LIST_MAX, out, NULL);
}

int verb_letters(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_group group = group_of(dice[0]);
    struct rv_letters letters;
    int rc = read_letters(side, &group, &letters);
    (void)fprintf(to, "%s", group.name);
    for (size_t i = 0; i < letters.count; i++) {
        const struct reeve_letter *letter = letters.letters[i];
        (void)fprintf(
            to, "\n    %s/%s retries=%" PRIu64 " %s by %s at %lld info=%zu:%s", letter->group,
            letter->name, letter->retries, letter->reason, letter->member ? letter->member : "-",
            side_minute(side, letter->failed_at_ms), letter->info_size, (const char *)letter->info);
    }
    rv_letters_release(&letters);
    return rc;
}

/* One of them goes back in line, or goes. */
int verb_letter(struct side *side, const uint32_t dice[DICE], FILE *to) {
    struct rv_group group = group_of(dice[0]);
    struct rv_letters letters;
    size_t removed = 0;
    int rc = read_letters(side, &group, &letters);
    if (!rc && letters.count) {
        const struct reeve_letter *letter = letters.letters[dice[1] % letters.count];
        (void)fprintf(to, "%s/%s", group.name, letter->name);
        if (dice[2] % 4)
            rc = rv_store_stream_revive(side->store, &group, letter->id, NULL);
        else
            rc = rv_store_stream_purge(side->store, &group, (const char *[]){letter->id}, 1,
                                       &removed, NULL);
        (void)fprintf(to, " removed=%zu", removed);
    }
    rv_letters_release(&letters);
    return rc;
}
