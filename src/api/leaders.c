#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "core/check.h"
#include "core/limits.h"
#include "service/leader.h"

int reeve_leader_open(reeve_leader **out, reeve *r, const char *name,
                      const struct reeve_leader_options *options) {
    struct rv_error err = {0};
    struct reeve_leader_options checked;
    *out = NULL;
    int rc = rv_check_name("leader", name, &err);
    if (!rc) rc = rv_check_leader_options(options, &checked, &err);
    if (!rc) {
        struct rv_leader_options inner = {.kind = RV_GRANT_LEADER,
                                          .name = name,
                                          .lease_ms = checked.lease_ms,
                                          .renew_ms = checked.renew_ms,
                                          .retry_ms = checked.retry_ms,
                                          .gained = checked.gained,
                                          .lost = checked.lost,
                                          .arg = checked.arg};
        rc = rv_leader_open(out, &r->service, &inner, &err);
    }
    return rv_api_result(rc, &err);
}

uint64_t reeve_leader_term(const reeve_leader *l) {
    return rv_leader_term(l);
}

int64_t reeve_leader_left_ms(const reeve_leader *l) {
    int64_t left_ms = rv_leader_left_ms(l);
    return left_ms > 0 ? left_ms : 0;
}

int reeve_leader_resign(reeve_leader *l) {
    struct rv_error err = {0};
    if (rv_leader_resign(l)) return 0;
    return rv_api_result(rv_fail(&err, REEVE_ESTATE, "who does not lead cannot resign"), &err);
}

void reeve_leader_close(reeve_leader *l) {
    rv_leader_close(l);
}

int reeve_leader_check(reeve *r, const char *name, uint64_t term) {
    struct rv_error err = {0};
    int rc = rv_store_grant_check(r->service.store, RV_GRANT_LEADER, name, term, &err);
    return rv_api_result(rc, &err);
}

int reeve_leader_recall(reeve *r, const char *name) {
    struct rv_error err = {0};
    int rc = rv_store_grant_resign(r->service.store, RV_GRANT_LEADER, name, &err);
    return rv_api_result(rc, &err);
}

/* ---- showing ---- */
static struct reeve_leader_info info_of(const struct rv_grant_row *row, enum rv_grant_kind kind) {
    return (struct reeve_leader_info){
        .name = row->name,
        .by = row->by,
        .term = row->token,
        .since_at_ms = row->since_ms,
        .until_at_ms = row->until_ms,
        .resigning = row->resign,
        .upkeep = kind == RV_GRANT_UPKEEP,
    };
}

/* *done: fn wants no more. */
static int list_kind(reeve *r, enum rv_grant_kind kind, reeve_leader_fn *fn, void *arg, bool *done,
                     struct rv_error *err) {
    char after[REEVE_NAME_SIZE] = "";
    size_t count;
    do {
        struct rv_grants grants;
        struct rv_grants_query query = {
            .kind = kind, .after = after[0] ? after : NULL, .limit = RV_LIST_MAX};
        int rc = rv_store_grants(r->service.store, &query, &grants, err);
        if (rc) return rc;
        count = grants.count;
        for (size_t i = 0; !*done && i < count; i++) {
            struct reeve_leader_info info = info_of(&grants.rows[i], kind);
            *done = fn(arg, &info) != 0;
        }
        if (count) (void)snprintf(after, sizeof after, "%s", grants.rows[count - 1].name);
        free(grants.rows);
    } while (!*done && count == RV_LIST_MAX);
    return 0;
}

int reeve_leader_list(reeve *r, reeve_leader_fn *fn, void *arg) {
    struct rv_error err = {0};
    bool done = false;
    int rc = list_kind(r, RV_GRANT_LEADER, fn, arg, &done, &err);
    if (!rc && !done) rc = list_kind(r, RV_GRANT_UPKEEP, fn, arg, &done, &err);
    return rv_api_result(rc, &err);
}

/* One block: the record, then its strings. */
static struct reeve_leader_info *pack(const struct rv_grant_row *row) {
    size_t name_size = strlen(row->name) + 1, by_size = strlen(row->by) + 1;
    struct reeve_leader_info *info = malloc(sizeof *info + name_size + by_size);
    if (!info) return NULL;
    *info = info_of(row, RV_GRANT_LEADER);
    info->name = memcpy(info + 1, row->name, name_size);
    info->by = memcpy((char *)(info + 1) + name_size, row->by, by_size);
    return info;
}

int reeve_leader_read(reeve *r, const char *name, struct reeve_leader_info **out) {
    struct rv_error err = {0};
    struct rv_grants grants;
    struct rv_grants_query query = {.kind = RV_GRANT_LEADER, .name = name, .limit = 1};
    *out = NULL;
    int rc = rv_check_name("leader", name, &err);
    if (!rc) rc = rv_store_grants(r->service.store, &query, &grants, &err);
    if (rc) return rv_api_fail(&err);
    if (!grants.count)
        rc = rv_fail(&err, REEVE_ENOENT, "nobody leads %s", name);
    else if (!(*out = pack(&grants.rows[0])))
        rc = rv_fail(&err, REEVE_ENOMEM, "out of memory");
    free(grants.rows);
    return rv_api_result(rc, &err);
}
