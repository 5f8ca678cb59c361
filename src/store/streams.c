/* The part of the dispatch that is about streams: see store.c. */
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "store/ops.h"

/* ---- checks ---- */
static int check_caps(const struct rv_store *s, struct rv_error *err) {
    if (rv_store_caps(s) & RV_CAP_STREAMS) return 0;
    return rv_fail(err, REEVE_ENOTSUP, "this store knows no streams");
}

static int check_group(const struct rv_store *s, const struct rv_group *group,
                       struct rv_error *err) {
    int rc = check_caps(s, err);
    return rc ? rc : rv_check_name("group", group->name, err);
}

static int check_stream(const struct rv_store *s, const struct rv_group *group, const char *name,
                        struct rv_error *err) {
    int rc = check_group(s, group, err);
    return rc ? rc : rv_check_stream(name, err);
}

static int check_count(const char *what, size_t count, size_t most, struct rv_error *err) {
    if (count >= 1 && count <= most) return 0;
    return rv_fail(err, REEVE_EINVAL, "%s must be 1 to %zu, not %zu", what, most, count);
}

static int check_holder(uint64_t holder, struct rv_error *err) {
    return holder ? 0 : rv_fail(err, REEVE_EINVAL, "an ownership needs a holder");
}

static int check_bounds(int64_t max_retries, uint64_t dead_max, struct rv_error *err) {
    if (max_retries < REEVE_NONE || max_retries > RV_ATTEMPTS_MAX)
        return rv_fail(err, REEVE_EINVAL, "max_retries must be -1 to %d, not %lld", RV_ATTEMPTS_MAX,
                       (long long)max_retries);
    if (dead_max > RV_QUEUE_LENGTH_MAX)
        return rv_fail(err, REEVE_EINVAL, "a bound of dead letters must be 0 to %lld",
                       (long long)RV_QUEUE_LENGTH_MAX);
    return 0;
}

static int check_cursor(const char *cursor, struct rv_error *err) {
    return cursor ? rv_check_cursor(cursor, RV_STREAM_CURSOR_SIZE, err) : 0;
}

static int check_letter(const char *id, struct rv_error *err) {
    size_t size = strspn(id, "0123456789-");
    if (size > 0 && size <= RV_LETTER_ID_MAX && !id[size]) return 0;
    return rv_fail(err, REEVE_EINVAL,
                   "'%.64s' is not the id of a dead letter: digits, as its list shows", id);
}

static void free_streams(struct reeve_stream **streams, size_t count) {
    for (size_t i = 0; streams && i < count; i++)
        free(streams[i]);
    free(streams);
}

/* ---- offer, own ---- */
int rv_store_stream_offer(struct rv_store *s, const struct rv_group *group, const char *name,
                          const void *info, size_t info_size, bool *known, struct rv_error *err) {
    *known = false;
    int rc = check_stream(s, group, name, err);
    if (!rc) rc = rv_check_stream_info(info_size, err);
    return rc ? rc : s->ops->streams->offer(s, group, name, info, info_size, known, err);
}

int rv_store_stream_take(struct rv_store *s, const struct rv_group *group,
                         const struct rv_stream_ask *ask, struct rv_streams *out,
                         struct rv_error *err) {
    *out = (struct rv_streams){0};
    int rc = check_group(s, group, err);
    if (!rc) rc = check_holder(ask->holder, err);
    if (!rc) rc = check_count("streams of a take", ask->want, RV_CLAIM_MAX, err);
    if (!rc) rc = rv_check_lease(ask->lease_ms, err);
    if (!rc) rc = rv_check_id(ask->member, err);
    if (!rc) rc = rv_check_id(ask->by, err);
    if (!rc) rc = check_bounds(0, ask->dead_max, err);
    if (!rc) rc = s->ops->streams->take(s, group, ask, out, err);
    if (rc) rv_streams_release(out);
    return rc;
}

void rv_streams_release(struct rv_streams *streams) {
    free_streams(streams->streams, streams->count);
    *streams = (struct rv_streams){0};
}

int rv_store_stream_renew(struct rv_store *s, const struct rv_group *group,
                          struct rv_stream_renewal *renewals, size_t count, int64_t timeout_ms,
                          struct rv_error *err) {
    int rc = check_group(s, group, err);
    if (!rc) rc = check_count("renewals", count, RV_RENEW_MAX, err);
    for (size_t i = 0; !rc && i < count; i++) {
        renewals[i].lost = renewals[i].yield = false;
        rc = rv_check_stream(renewals[i].name, err);
        if (!rc) rc = check_holder(renewals[i].holder, err);
        if (!rc) rc = rv_check_lease(renewals[i].lease_ms, err);
    }
    return rc ? rc : s->ops->streams->renew(s, group, renewals, count, timeout_ms, err);
}

int rv_store_stream_end(struct rv_store *s, const struct rv_group *group,
                        const struct rv_stream_ref *ref, int64_t timeout_ms, struct rv_error *err) {
    int rc = check_stream(s, group, ref->name, err);
    return rc ? rc : s->ops->streams->end(s, group, ref, timeout_ms, err);
}

static int check_fault(const struct rv_stream_fault *fault, struct rv_error *err) {
    if (!fault) return 0;
    int rc = check_bounds(fault->max_retries, fault->dead_max, err);
    return rc ? rc
              : check_count("bytes of a reason", strlen(fault->reason), RV_STREAM_REASON_MAX, err);
}

int rv_store_stream_yield(struct rv_store *s, const struct rv_group *group,
                          const struct rv_stream_ref *ref, const struct rv_stream_fault *fault,
                          int64_t timeout_ms, bool *dead, struct rv_error *err) {
    *dead = false;
    int rc = check_stream(s, group, ref->name, err);
    if (!rc) rc = check_holder(ref->holder, err);
    if (!rc) rc = check_fault(fault, err);
    return rc ? rc : s->ops->streams->yield(s, group, ref, fault, timeout_ms, dead, err);
}

int rv_store_stream_recall(struct rv_store *s, const struct rv_group *group, const char *name,
                           struct rv_error *err) {
    int rc = check_stream(s, group, name, err);
    return rc ? rc : s->ops->streams->recall(s, group, name, err);
}

/* ---- recovering ---- */
int rv_store_stream_recover(struct rv_store *s, const struct rv_group *group,
                            const struct rv_stream_scan *scan, struct rv_stream_scanned *out,
                            struct rv_error *err) {
    *out = (struct rv_stream_scanned){.next_in_ms = -1};
    int rc = check_group(s, group, err);
    if (!rc && (scan->min_idle_ms < 0 || scan->min_idle_ms > RV_LEASE_MS_MAX))
        rc = rv_fail(err, REEVE_EINVAL, "min_idle must be 0 to %lld ms, not %lld",
                     (long long)RV_LEASE_MS_MAX, (long long)scan->min_idle_ms);
    if (!rc) rc = check_bounds(scan->max_retries, scan->dead_max, err);
    if (!rc) rc = check_cursor(scan->after, err);
    if (!rc) rc = s->ops->streams->recover(s, group, scan, out, err);
    if (rc) rv_stream_scanned_release(out);
    return rc;
}

void rv_stream_scanned_release(struct rv_stream_scanned *scanned) {
    free_streams(scanned->lapsed, scanned->count);
    *scanned = (struct rv_stream_scanned){.next_in_ms = -1};
}

int rv_store_stream_claim(struct rv_store *s, const struct rv_group *group, const char *name,
                          struct rv_error *err) {
    int rc = check_stream(s, group, name, err);
    return rc ? rc : s->ops->streams->claim(s, group, name, err);
}

/* ---- looking ---- */
int rv_store_stream_list(struct rv_store *s, const struct rv_group *group,
                         const struct rv_stream_query *query, struct rv_streams *out,
                         struct rv_error *err) {
    *out = (struct rv_streams){0};
    int rc = check_group(s, group, err);
    if (!rc) rc = check_count("limit", query->limit, RV_LIST_MAX, err);
    if (!rc) rc = check_cursor(query->after, err);
    if (!rc && (unsigned)query->state > REEVE_STREAM_OWNED)
        rc = rv_fail(err, REEVE_EINVAL, "there is no state %d of streams", (int)query->state);
    if (!rc) rc = s->ops->streams->list(s, group, query, out, err);
    if (rc) rv_streams_release(out);
    return rc;
}

int rv_store_stream_read(struct rv_store *s, const struct rv_group *group, const char *name,
                         struct reeve_stream **out, struct rv_error *err) {
    *out = NULL;
    int rc = check_stream(s, group, name, err);
    return rc ? rc : s->ops->streams->read(s, group, name, out, err);
}

int rv_store_stream_groups(struct rv_store *s, const char *after, size_t limit,
                           struct rv_names *out, struct rv_error *err) {
    *out = (struct rv_names){0};
    int rc = check_caps(s, err);
    if (!rc) rc = check_count("limit", limit, RV_LIST_MAX, err);
    if (!rc) rc = s->ops->streams->groups(s, after, limit, out, err);
    if (!rc) return 0;
    free(out->names);
    *out = (struct rv_names){0};
    return rc;
}

int rv_store_stream_stats(struct rv_store *s, const struct rv_group *group, struct reeve_group *out,
                          struct rv_error *err) {
    *out = (struct reeve_group){.name = group->name};
    int rc = check_group(s, group, err);
    return rc ? rc : s->ops->streams->stats(s, group, out, err);
}

/* ---- dead letters ---- */
int rv_store_stream_letters(struct rv_store *s, const struct rv_group *group, const char *after,
                            size_t limit, struct rv_letters *out, struct rv_error *err) {
    *out = (struct rv_letters){0};
    int rc = check_group(s, group, err);
    if (!rc) rc = check_count("limit", limit, RV_LIST_MAX, err);
    if (!rc) rc = check_cursor(after, err);
    if (!rc) rc = s->ops->streams->letters(s, group, after, limit, out, err);
    if (rc) rv_letters_release(out);
    return rc;
}

void rv_letters_release(struct rv_letters *letters) {
    for (size_t i = 0; letters->letters && i < letters->count; i++)
        free(letters->letters[i]);
    free(letters->letters);
    *letters = (struct rv_letters){0};
}

int rv_store_stream_revive(struct rv_store *s, const struct rv_group *group, const char *letter,
                           struct rv_error *err) {
    int rc = check_group(s, group, err);
    if (!rc) rc = check_letter(letter, err);
    return rc ? rc : s->ops->streams->revive(s, group, letter, err);
}

int rv_store_stream_purge(struct rv_store *s, const struct rv_group *group,
                          const char *const *letters, size_t count, size_t *removed,
                          struct rv_error *err) {
    *removed = 0;
    int rc = check_group(s, group, err);
    if (!rc) rc = check_count("dead letters", count, RV_TEND_MAX, err);
    for (size_t i = 0; !rc && i < count; i++)
        rc = check_letter(letters[i], err);
    return rc ? rc : s->ops->streams->purge(s, group, letters, count, removed, err);
}

/* ---- members ---- */
int rv_store_stream_beat(struct rv_store *s, const struct rv_group *group,
                         const struct rv_member_row *member, int64_t ttl_ms, struct rv_error *err) {
    int rc = check_group(s, group, err);
    if (!rc) rc = rv_check_id(member->id, err);
    if (!rc) rc = rv_check_id(member->name, err);
    if (!rc && (ttl_ms < 0 || ttl_ms > RV_TIMEOUT_MS_MAX))
        rc = rv_fail(err, REEVE_EINVAL, "a member's time to live must be 0 to %lld ms, not %lld",
                     (long long)RV_TIMEOUT_MS_MAX, (long long)ttl_ms);
    return rc ? rc : s->ops->streams->beat(s, group, member, ttl_ms, err);
}

int rv_store_stream_members(struct rv_store *s, const struct rv_group *group,
                            struct rv_members *out, struct rv_error *err) {
    *out = (struct rv_members){0};
    int rc = check_group(s, group, err);
    if (!rc) rc = s->ops->streams->members(s, group, out, err);
    if (!rc) return 0;
    free(out->rows);
    *out = (struct rv_members){0};
    return rc;
}

int rv_store_stream_reset(struct rv_store *s, struct rv_error *err) {
    int rc = check_caps(s, err);
    return rc ? rc : s->ops->streams->reset(s, err);
}

struct rv_stream_hearing rv_store_stream_hearing(struct rv_store *s) {
    const struct rv_stream_ops *ops = s->ops->streams;
    return ops && ops->hearing ? ops->hearing(s) : (struct rv_stream_hearing){0};
}
