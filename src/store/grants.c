/* The part of the dispatch that is about grants: see store.c. */
#include <stdlib.h>

#include "core/limits.h"
#include "store/ops.h"

static int check_grant(const struct rv_store *s, enum rv_grant_kind kind, const char *name,
                       struct rv_error *err) {
    if (!(rv_store_caps(s) & RV_CAP_GRANTS))
        return rv_fail(err, REEVE_ENOTSUP, "this store knows no leaders and no locks");
    if (kind < RV_GRANT_LEADER || kind > RV_GRANT_UPKEEP)
        return rv_fail(err, REEVE_EINVAL, "there is no kind %d of grants", (int)kind);
    return rv_check_name("name", name, err);
}

static int check_lease(int64_t lease_ms, struct rv_error *err) {
    if (lease_ms >= RV_LEASE_MS_MIN && lease_ms <= RV_LEASE_MS_MAX) return 0;
    return rv_fail(err, REEVE_EINVAL, "lease must be %lld to %lld ms, not %lld",
                   (long long)RV_LEASE_MS_MIN, (long long)RV_LEASE_MS_MAX, (long long)lease_ms);
}

static int check_holder(uint64_t holder, struct rv_error *err) {
    return holder ? 0 : rv_fail(err, REEVE_EINVAL, "a grant needs a holder");
}

int rv_store_grant_take(struct rv_store *s, const struct rv_grant_ask *ask, int64_t timeout_ms,
                        struct rv_grant_answer *out, struct rv_error *err) {
    *out = (struct rv_grant_answer){0};
    int rc = check_grant(s, ask->kind, ask->name, err);
    if (!rc) rc = check_holder(ask->holder, err);
    if (!rc) rc = check_lease(ask->lease_ms, err);
    if (!rc && ask->ticket_ms) rc = check_lease(ask->ticket_ms, err);
    if (!rc) rc = rv_check_id(ask->by, err);
    return rc ? rc : s->ops->grant_take(s, ask, timeout_ms, out, err);
}

int rv_store_grant_renew(struct rv_store *s, struct rv_grant_renewal *renewals, size_t count,
                         int64_t timeout_ms, struct rv_error *err) {
    int rc = 0;
    if (count < 1 || count > RV_RENEW_MAX)
        rc = rv_fail(err, REEVE_EINVAL, "renewals must be 1 to %d, not %zu", RV_RENEW_MAX, count);
    for (size_t i = 0; !rc && i < count; i++) {
        renewals[i].lost = renewals[i].resign = false;
        rc = check_grant(s, renewals[i].kind, renewals[i].name, err);
        if (!rc) rc = check_lease(renewals[i].lease_ms, err);
    }
    return rc ? rc : s->ops->grant_renew(s, renewals, count, timeout_ms, err);
}

int rv_store_grant_release(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                           uint64_t holder, int64_t timeout_ms, struct rv_error *err) {
    int rc = check_grant(s, kind, name, err);
    if (!rc) rc = check_holder(holder, err);
    return rc ? rc : s->ops->grant_release(s, kind, name, holder, timeout_ms, err);
}

int rv_store_grant_check(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                         uint64_t token, struct rv_error *err) {
    int rc = check_grant(s, kind, name, err);
    return rc ? rc : s->ops->grant_check(s, kind, name, token, err);
}

int rv_store_grant_resign(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                          struct rv_error *err) {
    int rc = check_grant(s, kind, name, err);
    return rc ? rc : s->ops->grant_resign(s, kind, name, err);
}

int rv_store_grants(struct rv_store *s, const struct rv_grants_query *query, struct rv_grants *out,
                    struct rv_error *err) {
    *out = (struct rv_grants){0};
    int rc = check_grant(s, query->kind, query->name ? query->name : "any", err);
    if (!rc && (query->limit < 1 || query->limit > RV_LIST_MAX))
        rc =
            rv_fail(err, REEVE_EINVAL, "limit must be 1 to %d, not %zu", RV_LIST_MAX, query->limit);
    if (!rc) rc = s->ops->grants(s, query, out, err);
    if (!rc) return 0;
    free(out->rows);
    *out = (struct rv_grants){0};
    return rc;
}
