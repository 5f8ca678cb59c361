/* Who else is a member: we say that we are here, and share fairly if we are to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/share.h"
#include "service/member_inner.h"

/* One that owns something writes as often anyway; an idle one need not. */
static bool is_quiet(const struct reeve_member *m, size_t owned) {
    return !owned && !m->options.rebalance;
}

static struct rv_member_row row_of(struct reeve_member *m, size_t owned) {
    struct rv_member_row row = {.owned = owned,
                                .max = atomic_load(&m->draining) ? owned : (uint64_t)m->options.max,
                                .joined_at_ms = m->joined_ms,
                                .stats = rv_member_stats(m)};
    (void)snprintf(row.id, sizeof row.id, "%s", m->id);
    (void)snprintf(row.name, sizeof row.name, "%s", m->service->name);
    return row;
}

/* ---- sharing ---- */

/* All that could go, the last taken first: the least is undone by that. Pinned. */
static size_t pin_all(struct reeve_member *m, struct rv_owned **out, size_t most) {
    size_t count = 0;
    (void)pthread_mutex_lock(&m->holdings.lock);
    struct rv_list *at = m->holdings.list.prev;
    for (; count < most && at != &m->holdings.list; at = at->prev) {
        struct rv_owned *owned = rv_container_of(at, struct rv_owned, link);
        if (owned->busy || owned->told) continue;
        owned->pins++;
        out[count++] = owned;
    }
    (void)pthread_mutex_unlock(&m->holdings.lock);
    return count;
}

/* Without the lock: the user is asked about each. */
static void mark_idle(struct reeve_member *m, size_t owned_count, uint64_t count) {
    struct rv_owned **all = count ? calloc(owned_count, sizeof(*all)) : NULL;
    if (!all) return; /* the next beat tries again */
    size_t pinned = pin_all(m, all, owned_count);
    for (size_t i = 0; i < pinned; i++) {
        bool idle = count && (!m->options.idle || m->options.idle(m->options.arg, all[i]->stream));
        if (idle) {
            rv_tenure_mark(&all[i]->tenure, RV_TENURE_RESIGN);
            count--;
        }
        rv_holdings_unpin(&m->holdings, all[i]);
    }
    free(all);
}

static void share_out(struct reeve_member *m, const struct rv_members *members, size_t owned,
                      uint64_t waiting) {
    struct rv_sharer all[RV_MEMBERS_MAX];
    size_t me = members->count;
    for (size_t i = 0; i < members->count; i++) {
        const struct rv_member_row *row = &members->rows[i];
        all[i] = (struct rv_sharer){.owned = row->owned, .max = row->max};
        if (!strcmp(row->id, m->id)) me = i;
    }
    if (me == members->count) return; /* our row has expired: the next beat brings it back */
    all[me].owned = owned;
    struct rv_share share = rv_share_out(all, members->count, me, waiting);
    m->cap = share.cap;
    mark_idle(m, owned, share.yield);
}

static int look_around(struct reeve_member *m, size_t owned, struct rv_error *err) {
    struct reeve_group group;
    struct rv_members members;
    int rc = rv_store_stream_stats(m->service->store, &m->group, &group, err);
    if (!rc) rc = rv_store_stream_members(m->service->store, &m->group, &members, err);
    if (rc) return rc;
    share_out(m, &members, owned, group.waiting);
    free(members.rows);
    return 0;
}

/* ---- being there ---- */
void rv_member_beat(struct reeve_member *m) {
    struct rv_error err;
    size_t owned = rv_holdings_count(&m->holdings);
    struct rv_member_row row = row_of(m, owned);
    bool quiet = is_quiet(m, owned);
    int64_t ttl_ms = quiet ? RV_WORKER_SEEN_MS : m->options.lease_ms;
    int rc = rv_store_stream_beat(m->service->store, &m->group, &row, ttl_ms, &err);
    if (!rc && m->options.rebalance) rc = look_around(m, owned, &err);
    if (rv_member_heard(m, rc, &err))
        m->beat_ms =
            rv_time_add(rv_member_now_ms(m), quiet ? RV_WORKER_BEAT_MS : m->options.renew_ms);
}

void rv_member_leave(struct reeve_member *m) {
    struct rv_error err;
    struct rv_member_row row = row_of(m, 0);
    (void)rv_store_stream_beat(m->service->store, &m->group, &row, 0, &err); /* else it expires */
}
