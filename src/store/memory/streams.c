/* Streams: offered, owned, given back, recovered. */
#include "store/memory/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail_unknown(struct memory *memory, const struct rv_group *group, const char *name,
                        struct rv_error *err) {
    return rv_mem_leave(memory,
                        rv_fail(err, REEVE_ENOENT, "no stream %s in group %s", name, group->name));
}

int rv_mem_stream_offer(struct rv_store *s, const struct rv_group *group, const char *name,
                        const void *info, size_t info_size, bool *known, struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct group *to = rv_mem_group_make(memory, group->name);
    if (!to) return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "offer a stream"));
    *known = rv_mem_stream_find(to, name) != NULL; /* S1 */
    if (!*known && !rv_mem_stream_add(to, name, info, info_size))
        return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "offer a stream"));
    if (*known)
        to->totals.duplicates_total++;
    else
        to->totals.offered_total++;
    return rv_mem_leave(memory, 0);
}

/* ---- taking ---- */
static struct stream *stream_at(struct rv_tree_node *node) {
    return rv_container_of(node, struct stream, turn);
}

/* What this very request took before (J7). */
static int tell_again(const struct group *group, const struct rv_stream_ask *ask,
                      struct rv_streams *out) {
    struct rv_tree_node *node = rv_tree_first(&group->owned);
    for (; node && out->count < ask->want;
         node = rv_tree_after(&group->owned, node->major, node->minor)) {
        const struct stream *stream = stream_at(node);
        if (stream->holder != ask->holder) continue;
        out->token = stream->token;
        out->streams[out->count] = rv_mem_stream_pack(stream);
        if (!out->streams[out->count++]) return REEVE_ENOMEM;
    }
    return 0;
}

static uint64_t next_token(const struct group *group) { /* J4 */
    uint64_t now = (uint64_t)group->memory->now.wall_us;
    return group->last_token + 1 > now ? group->last_token + 1 : now;
}

/* If memory runs out, what was packed by then is all that is taken. */
static int take_first(struct group *group, const struct rv_stream_ask *ask,
                      struct rv_streams *out) {
    uint64_t token = next_token(group);
    for (struct rv_tree_node *node;
         out->count < ask->want && (node = rv_tree_first(&group->waiting));) {
        struct stream *stream = stream_at(node);
        rv_mem_stream_own(stream, ask, token);
        out->streams[out->count] = rv_mem_stream_pack(stream);
        if (!out->streams[out->count]) {
            rv_mem_stream_line_up(stream);
            return out->count ? 0 : REEVE_ENOMEM;
        }
        out->count++;
        out->token = group->last_token = token;
        group->totals.taken_total++;
    }
    return 0;
}

int rv_mem_stream_take(struct rv_store *s, const struct rv_group *group,
                       const struct rv_stream_ask *ask, struct rv_streams *out,
                       struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct group *of = rv_mem_group_find(memory, group->name);
    if (!of) return rv_mem_leave(memory, 0);
    out->streams = calloc(ask->want, sizeof(*out->streams));
    int rc = out->streams ? tell_again(of, ask, out) : REEVE_ENOMEM;
    if (!rc && !out->count) rc = take_first(of, ask, out);
    out->more = of->totals.waiting > 0;
    return rv_mem_leave(memory, rc ? rv_fail(err, rc, "take streams") : 0);
}

/* ---- what an owner does ---- */
static bool is_current(const struct stream *stream, const struct rv_stream_ref *ref) {
    return stream->holder && stream->holder == ref->holder && stream->token == ref->token;
}

int rv_mem_stream_renew(struct rv_store *s, const struct rv_group *group,
                        struct rv_stream_renewal *renewals, size_t count, int64_t timeout_ms,
                        struct rv_error *err) {
    (void)timeout_ms, (void)err;
    struct memory *memory = rv_mem_enter(s);
    const struct group *of = rv_mem_group_find(memory, group->name);
    for (size_t i = 0; i < count; i++) {
        struct stream *stream = rv_mem_stream_find(of, renewals[i].name);
        struct rv_stream_ref ref = {.holder = renewals[i].holder, .token = renewals[i].token};
        renewals[i].lost =
            !stream || !is_current(stream, &ref) || !rv_mem_stream_stands(stream); /* S5 */
        if (renewals[i].lost) continue;
        rv_mem_stream_prolong(stream, renewals[i].lease_ms);
        renewals[i].yield = stream->yielding;
    }
    return rv_mem_leave(memory, 0);
}

static int fence(struct stream *stream, struct rv_error *err) {
    stream->group->totals.fenced_total++;
    return rv_fail(err, REEVE_EFENCED, "stream %s is not yours any more", stream->name);
}

int rv_mem_stream_end(struct rv_store *s, const struct rv_group *group,
                      const struct rv_stream_ref *ref, int64_t timeout_ms, struct rv_error *err) {
    (void)timeout_ms;
    struct memory *memory = rv_mem_enter(s);
    struct group *of = rv_mem_group_find(memory, group->name);
    struct stream *stream = rv_mem_stream_find(of, ref->name);
    if (!stream) return fail_unknown(memory, group, ref->name, err);
    if (ref->holder && !is_current(stream, ref)) return rv_mem_leave(memory, fence(stream, err));
    if (!ref->holder && stream->holder) {
        of->asked++;
        memory->changed = true;
    }
    of->totals.ended_total++;
    rv_mem_stream_destroy(stream);
    return rv_mem_leave(memory, 0);
}

int rv_mem_stream_yield(struct rv_store *s, const struct rv_group *group,
                        const struct rv_stream_ref *ref, const struct rv_stream_fault *fault,
                        int64_t timeout_ms, bool *dead, struct rv_error *err) {
    (void)timeout_ms;
    struct memory *memory = rv_mem_enter(s);
    struct group *of = rv_mem_group_find(memory, group->name);
    struct stream *stream = rv_mem_stream_find(of, ref->name);
    if (!stream) return fail_unknown(memory, group, ref->name, err);
    if (!is_current(stream, ref)) return rv_mem_leave(memory, fence(stream, err));
    if (!fault) {
        of->totals.yielded_total++;
        rv_mem_stream_line_up(stream);
    } else if (rv_mem_stream_bounce(stream, fault, dead)) {
        return rv_mem_leave(memory, rv_fail(err, REEVE_ENOMEM, "give a stream back"));
    }
    return rv_mem_leave(memory, 0);
}

int rv_mem_stream_recall(struct rv_store *s, const struct rv_group *group, const char *name,
                         struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct group *of = rv_mem_group_find(memory, group->name);
    struct stream *stream = rv_mem_stream_find(of, name);
    if (!stream) return fail_unknown(memory, group, name, err);
    if (!stream->holder)
        return rv_mem_leave(memory, rv_fail(err, REEVE_ESTATE, "nobody owns stream %s", name));
    stream->yielding = true;
    of->asked++;
    memory->changed = true;
    return rv_mem_leave(memory, 0);
}

/* ---- recovering ---- */
int rv_mem_stream_claim(struct rv_store *s, const struct rv_group *group, const char *name,
                        struct rv_error *err) {
    const struct rv_stream_fault fault = {.reason = "max_retries_exceeded",
                                          .max_retries = REEVE_NONE};
    bool dead;
    struct memory *memory = rv_mem_enter(s);
    struct stream *stream = rv_mem_stream_find(rv_mem_group_find(memory, group->name), name);
    if (!stream) return fail_unknown(memory, group, name, err);
    if (!stream->holder)
        return rv_mem_leave(memory,
                            rv_fail(err, REEVE_ESTATE, "stream %s is in line already", name));
    if (rv_mem_stream_stands(stream))
        return rv_mem_leave(
            memory,
            rv_fail(err, REEVE_ESTATE, "stream %s is owned by %s, who lives", name, stream->by));
    stream->group->totals.lapsed_total++;
    (void)rv_mem_stream_bounce(stream, &fault, &dead); /* needs no memory to go in line */
    return rv_mem_leave(memory, 0);
}

/* Until this one may be recovered; 0 or less: now. */
static int64_t recovers_in_ms(const struct stream *stream, int64_t min_idle_ms) {
    int64_t idle_at = rv_time_add(stream->touched, min_idle_ms);
    int64_t at = stream->deadline > idle_at ? stream->deadline : idle_at;
    return at - stream->group->memory->now.boot_ms;
}

static int recover_one(struct stream *stream, const struct rv_stream_scan *scan,
                       struct rv_stream_scanned *out) {
    const struct rv_stream_fault fault = {.reason = "max_retries_exceeded",
                                          .max_retries = scan->max_retries,
                                          .dead_max = scan->dead_max};
    struct group *group = stream->group;
    bool dead = false;
    struct reeve_stream *was = rv_mem_stream_pack(stream);
    if (!was || rv_mem_stream_bounce(stream, &fault, &dead)) {
        free(was);
        return REEVE_ENOMEM;
    }
    out->lapsed[out->count++] = was;
    group->totals.lapsed_total++;
    if (dead)
        out->dead++;
    else
        out->requeued++;
    return 0;
}

static void note_next(struct rv_stream_scanned *out, int64_t in_ms) {
    if (out->next_in_ms < 0 || in_ms < out->next_in_ms) out->next_in_ms = in_ms;
}

/* By deadline: behind the first that stands there is nothing to do. */
static int scan_owned(struct group *group, const struct rv_stream_scan *scan,
                      struct rv_stream_scanned *out) {
    int64_t major = INT64_MIN;
    uint64_t minor = 0;
    struct rv_tree_node *node;
    if (scan->after) (void)sscanf(scan->after, "%" SCNd64 "-%" SCNu64, &major, &minor);
    while ((node = rv_tree_after(&group->owned, major, minor))) {
        struct stream *stream = stream_at(node);
        int64_t in_ms = recovers_in_ms(stream, scan->min_idle_ms);
        if (in_ms > 0) note_next(out, in_ms);
        if (rv_mem_stream_stands(stream)) return 0;
        if (out->count == RV_SCAN_MAX) {
            (void)snprintf(out->cursor, sizeof out->cursor, "%" PRId64 "-%" PRIu64, major, minor);
            return 0;
        }
        major = node->major;
        minor = node->minor;
        if (in_ms > 0)
            out->alive++;
        else if (recover_one(stream, scan, out))
            return out->count ? 0 : REEVE_ENOMEM;
    }
    return 0;
}

int rv_mem_stream_recover(struct rv_store *s, const struct rv_group *group,
                          const struct rv_stream_scan *scan, struct rv_stream_scanned *out,
                          struct rv_error *err) {
    struct memory *memory = rv_mem_enter(s);
    struct group *of = rv_mem_group_find(memory, group->name);
    if (!of) return rv_mem_leave(memory, 0);
    out->lapsed = calloc(RV_SCAN_MAX, sizeof(*out->lapsed));
    int rc = out->lapsed ? scan_owned(of, scan, out) : REEVE_ENOMEM;
    return rv_mem_leave(memory, rc ? rv_fail(err, rc, "recover streams") : 0);
}

int rv_mem_stream_reset(struct rv_store *s, struct rv_error *err) {
    (void)s, (void)err; /* there is one place, and it is here */
    return 0;
}
