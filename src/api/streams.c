#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/errmsg.h"
#include "api/handle.h"
#include "core/limits.h"

static struct rv_group group_of(const char *group, unsigned flags) {
    return (struct rv_group){
        .name = group, .compat = flags & REEVE_COMPAT, .hints = flags & REEVE_HINTS};
}

int reeve_stream_offer(reeve *r, const struct reeve_offer *offer, bool *known) {
    struct rv_error err = {0};
    struct reeve_offer checked;
    bool ignored;
    if (known) *known = false;
    int rc = rv_check_offer(offer, &checked, &err);
    if (rc) return rv_api_fail(&err);
    struct rv_group group = group_of(checked.group, checked.flags);
    rc = rv_store_stream_offer(r->service.store, &group, checked.name, checked.info,
                               checked.info_size, known ? known : &ignored, &err);
    return rv_api_result(rc, &err);
}

/* Something is done about one of a group, which is named. */
typedef int named_fn(struct rv_store *s, const struct rv_group *group, const char *name,
                     struct rv_error *err);

static int call_named(reeve *r, const char *group, unsigned flags, const char *name, named_fn *fn) {
    struct rv_error err = {0};
    struct rv_group of = group_of(group, flags);
    int rc = rv_check_group(group, flags, &err);
    if (!rc) rc = fn(r->service.store, &of, name, &err);
    return rv_api_result(rc, &err);
}

int reeve_stream_claim(reeve *r, const char *group, unsigned flags, const char *name) {
    return call_named(r, group, flags, name, rv_store_stream_claim);
}

/* ---- streams, for people ---- */
int reeve_stream_read(reeve *r, const char *group, unsigned flags, const char *name,
                      struct reeve_stream **out) {
    struct rv_error err = {0};
    struct rv_group of = group_of(group, flags);
    *out = NULL;
    int rc = rv_check_group(group, flags, &err);
    if (!rc) rc = rv_store_stream_read(r->service.store, &of, name, out, &err);
    return rv_api_result(rc, &err);
}

int reeve_stream_list(reeve *r, const char *group, unsigned flags, enum reeve_stream_state state,
                      reeve_stream_each_fn *fn, void *arg) {
    struct rv_error err = {0};
    struct rv_group of = group_of(group, flags);
    char after[RV_STREAM_CURSOR_SIZE] = "";
    bool done = false;
    int rc = rv_check_group(group, flags, &err);
    while (!rc && !done) {
        struct rv_streams page;
        struct rv_stream_query query = {
            .state = state, .after = after[0] ? after : NULL, .limit = RV_LIST_MAX};
        rc = rv_store_stream_list(r->service.store, &of, &query, &page, &err);
        if (rc) break;
        for (size_t i = 0; !done && i < page.count; i++)
            done = fn(arg, page.streams[i]) != 0;
        memcpy(after, page.cursor, sizeof after);
        done = done || !after[0];
        rv_streams_release(&page);
    }
    return rv_api_result(rc, &err);
}

int reeve_stream_end(reeve *r, const char *group, unsigned flags, const char *name) {
    struct rv_error err = {0};
    struct rv_group of = group_of(group, flags);
    struct rv_stream_ref whoever = {.name = name};
    int rc = rv_check_group(group, flags, &err);
    if (!rc) rc = rv_store_stream_end(r->service.store, &of, &whoever, r->service.timeout_ms, &err);
    return rv_api_result(rc, &err);
}

int reeve_stream_recall(reeve *r, const char *group, unsigned flags, const char *name) {
    return call_named(r, group, flags, name, rv_store_stream_recall);
}

/* ---- dead letters ---- */
int reeve_letter_list(reeve *r, const char *group, unsigned flags, reeve_letter_fn *fn, void *arg) {
    struct rv_error err = {0};
    struct rv_group of = group_of(group, flags);
    char after[RV_STREAM_CURSOR_SIZE] = "";
    bool done = false;
    int rc = rv_check_group(group, flags, &err);
    while (!rc && !done) {
        struct rv_letters page;
        rc = rv_store_stream_letters(r->service.store, &of, after[0] ? after : NULL, RV_LIST_MAX,
                                     &page, &err);
        if (rc) break;
        for (size_t i = 0; !done && i < page.count; i++)
            done = fn(arg, page.letters[i]) != 0;
        memcpy(after, page.cursor, sizeof after);
        done = done || !after[0];
        rv_letters_release(&page);
    }
    return rv_api_result(rc, &err);
}

int reeve_letter_revive(reeve *r, const char *group, unsigned flags, const char *id) {
    return call_named(r, group, flags, id, rv_store_stream_revive);
}

int reeve_letter_purge(reeve *r, const char *group, unsigned flags, const char *id,
                       size_t *removed) {
    struct rv_error err = {0};
    struct rv_group of = group_of(group, flags);
    size_t count = 0;
    int rc = rv_check_group(group, flags, &err);
    if (!rc) rc = rv_store_stream_purge(r->service.store, &of, &id, 1, &count, &err);
    if (removed) *removed = count;
    return rv_api_result(rc, &err);
}

/* ---- groups ---- */
int reeve_group_read(reeve *r, const char *group, unsigned flags, struct reeve_group **out) {
    struct rv_error err = {0};
    struct rv_group of = group_of(group, flags);
    struct reeve_group stats;
    *out = NULL;
    int rc = rv_check_group(group, flags, &err);
    if (!rc) rc = rv_store_stream_stats(r->service.store, &of, &stats, &err);
    if (rc) return rv_api_fail(&err);
    size_t name_size = strlen(group) + 1;
    struct reeve_group *block = malloc(sizeof *block + name_size);
    if (!block) return rv_api_result(rv_fail(&err, REEVE_ENOMEM, "out of memory"), &err);
    *block = stats;
    block->name = memcpy(block + 1, group, name_size);
    *out = block;
    return 0;
}

int reeve_group_list(reeve *r, reeve_name_fn *fn, void *arg) {
    struct rv_error err = {0};
    char after[REEVE_NAME_SIZE] = "";
    bool done = false;
    int rc = 0;
    while (!rc && !done) {
        struct rv_names names;
        rc = rv_store_stream_groups(r->service.store, after[0] ? after : NULL, RV_LIST_MAX, &names,
                                    &err);
        if (rc) break;
        for (size_t i = 0; !done && i < names.count; i++)
            done = fn(arg, names.names[i]) != 0;
        if (names.count) memcpy(after, names.names[names.count - 1], sizeof after);
        done = done || names.count < RV_LIST_MAX;
        free(names.names);
    }
    return rv_api_result(rc, &err);
}

int reeve_reset_topology(reeve *r) {
    struct rv_error err = {0};
    return rv_api_result(rv_store_stream_reset(r->service.store, &err), &err);
}
