#include <stdlib.h>
#include <string.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "core/limits.h"
#include "service/member.h"

int reeve_member_open(reeve_member **out, reeve *r, const char *group,
                      const struct reeve_member_options *options) {
    struct rv_error err = {0};
    struct reeve_member_options checked;
    *out = NULL;
    int rc = rv_check_name("group", group, &err);
    if (!rc) rc = rv_check_member_options(options, &checked, &err);
    if (!rc) rc = rv_member_open(out, &r->service, group, &checked, &err);
    return rv_api_result(rc, &err);
}

void reeve_member_drain(reeve_member *m) {
    rv_member_drain(m);
}

void reeve_member_close(reeve_member *m) {
    rv_member_close(m);
}

const char *reeve_member_id(const reeve_member *m) {
    return rv_member_id(m);
}

uint64_t reeve_member_token(reeve_member *m, const char *name) {
    return rv_member_token(m, name);
}

static int settle(reeve_member *m, const char *name, enum rv_deed deed, const char *reason) {
    struct rv_error err = {0};
    int rc = rv_check_stream(name, &err);
    if (!rc) rc = rv_member_settle(m, name, deed, reason, &err);
    return rv_api_result(rc, &err);
}

int reeve_member_end(reeve_member *m, const char *name) {
    return settle(m, name, RV_DEED_END, NULL);
}

int reeve_member_yield(reeve_member *m, const char *name) {
    return settle(m, name, RV_DEED_YIELD, NULL);
}

int reeve_member_fail(reeve_member *m, const char *name, const char *reason) {
    struct rv_error err = {0};
    size_t size = reason ? strlen(reason) : 0;
    if (size >= 1 && size <= RV_STREAM_REASON_MAX) return settle(m, name, RV_DEED_FAIL, reason);
    return rv_api_result(rv_fail(&err, REEVE_EINVAL, "reason is %zu bytes long: expected 1 to %d",
                                 size, RV_STREAM_REASON_MAX),
                         &err);
}

int reeve_member_stats(reeve_member *m, struct reeve_member_stats *out) {
    struct rv_error err = {0};
    struct reeve_member_stats stats = rv_member_stats(m);
    if (rv_check_size("reeve_member_stats", out->size, sizeof stats, &err))
        return rv_api_fail(&err);
    stats.size = out->size;
    memcpy(out, &stats, sizeof stats);
    return 0;
}

int reeve_member_list(reeve *r, const char *group, unsigned flags, reeve_member_fn *fn, void *arg) {
    struct rv_error err = {0};
    struct rv_members members;
    struct rv_group of = {.name = group, .compat = flags & REEVE_COMPAT};
    int rc = rv_check_group(group, flags, &err);
    if (!rc) rc = rv_store_stream_members(r->service.store, &of, &members, &err);
    if (rc) return rv_api_fail(&err);
    bool done = false;
    for (size_t i = 0; !done && i < members.count; i++) {
        const struct rv_member_row *row = &members.rows[i];
        struct reeve_member_info info = {.id = row->id,
                                         .name = row->name,
                                         .owned = row->owned,
                                         .max = row->max,
                                         .joined_at_ms = row->joined_at_ms,
                                         .seen_at_ms = row->seen_at_ms,
                                         .stats = &row->stats};
        done = fn(arg, &info) != 0;
    }
    free(members.rows);
    return 0;
}
