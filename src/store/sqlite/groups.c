/* Groups of streams: their rows, and those of their streams, read and written. */
#include "store/sqlite/groups.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/stream.h"

/* ---- groups ---- */
int rv_sq_group_load(struct rv_sq_step *step, const char *name, struct rv_sq_group *out,
                     struct rv_error *err) {
    *out = (struct rv_sq_group){.name = name};
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_GROUP_READ);
    rv_sq_bind_text(&query, step->store->space);
    rv_sq_bind_text(&query, name);
    if (rv_sq_row(&query)) {
        out->n = rv_sq_int(&query, 0);
        for (int i = 0; i < RV_SQ_FIGURES; i++)
            out->figures[i] = rv_sq_int(&query, i + 1);
    }
    return rv_sq_end(&query, 0, err);
}

int rv_sq_group_make(struct rv_sq_step *step, const char *name, struct rv_sq_group *out,
                     struct rv_error *err) {
    int rc = rv_sq_group_load(step, name, out, err);
    if (rc || out->n) return rc;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_GROUP_ADD);
    rv_sq_bind_text(&query, step->store->space);
    rv_sq_bind_text(&query, name);
    rc = rv_sq_run(&query, NULL, err);
    return rc ? rc : rv_sq_group_load(step, name, out, err);
}

int rv_sq_group_save(struct rv_sq_step *step, const struct rv_sq_group *group,
                     struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_GROUP_SAVE);
    rv_sq_bind_int(&query, group->n);
    for (int i = 0; i < RV_SQ_FIGURES; i++)
        rv_sq_bind_int(&query, group->figures[i]);
    return rv_sq_run(&query, NULL, err);
}

int rv_sq_group_bells(struct rv_sq_step *step, const char *name, bool *waiting, uint64_t *asked,
                      struct rv_error *err) {
    struct rv_sq_group group;
    int rc = rv_sq_group_load(step, name, &group, err);
    if (rc || !group.n) return rc;
    *waiting = group.figures[RV_SQ_WAITING] > 0;
    *asked = (uint64_t)group.figures[RV_SQ_ASKED];
    return 0;
}

int rv_sq_stream_groups(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                        struct rv_error *err) {
    struct rv_sq_step step;
    out->names = calloc(limit, sizeof *out->names);
    if (!out->names) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    struct rv_sq_query query = rv_sq_query(step.conn, RV_SQLITE_SQL_STREAM_GROUPS);
    rv_sq_bind_text(&query, step.store->space);
    rv_sq_bind_text(&query, after ? after : "");
    rv_sq_bind_int(&query, (int64_t)limit);
    while (rv_sq_row(&query))
        (void)snprintf(out->names[out->count++], sizeof *out->names, "%s", rv_sq_text(&query, 0));
    return rv_sq_step_end(&step, rv_sq_end(&query, 0, err), err);
}

/* ---- streams ---- */
struct rv_sq_stream rv_sq_stream_at(const struct rv_sq_query *query) {
    return (struct rv_sq_stream){.n = rv_sq_int(query, 0),
                                 .name = rv_sq_text(query, 1),
                                 .holder = rv_sq_u64(query, 2),
                                 .token = rv_sq_u64(query, 3),
                                 .deadline = rv_sq_int(query, 4),
                                 .touched = rv_sq_int(query, 5),
                                 .retries = rv_sq_int(query, 6),
                                 .offered_ms = rv_sq_int(query, 7),
                                 .since_ms = rv_sq_int(query, 8),
                                 .yielding = rv_sq_int(query, 9) != 0,
                                 .by = rv_sq_text(query, 10),
                                 .info = rv_sq_bytes(query, 11)};
}

struct reeve_stream *rv_sq_stream_pack(const struct rv_sq_step *step,
                                       const struct rv_sq_group *group,
                                       const struct rv_sq_stream *stream) {
    struct reeve_stream view = {.group = group->name,
                                .name = stream->name,
                                .info = stream->info.data,
                                .info_size = stream->info.size,
                                .state = REEVE_STREAM_WAITING,
                                .retries = (uint64_t)stream->retries,
                                .token = stream->token,
                                .offered_at_ms = stream->offered_ms};
    if (stream->holder) {
        view.state = REEVE_STREAM_OWNED;
        view.member = stream->by;
        view.owned_at_ms = stream->since_ms;
        view.lease_until_ms = step->now_ms + (stream->deadline - step->boot_ms);
        view.yielding = stream->yielding;
    }
    return rv_stream_pack(&view);
}

struct rv_sq_query rv_sq_stream_query(struct rv_sq_step *step, const struct rv_sq_group *group,
                                      const char *name) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_READ);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_text(&query, name);
    return query;
}

int rv_sq_stream_add(struct rv_sq_step *step, struct rv_sq_group *group, const char *name,
                     struct rv_bytes info, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_OFFER);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_text(&query, name);
    rv_sq_bind_int(&query, ++group->figures[RV_SQ_SEQ]);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_bytes(&query, info);
    group->figures[RV_SQ_WAITING]++;
    step->rings = true;
    return rv_sq_run(&query, NULL, err);
}

int rv_sq_stream_line_up(struct rv_sq_step *step, struct rv_sq_group *group, int64_t n,
                         int64_t retries, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_YIELD);
    rv_sq_bind_int(&query, n);
    rv_sq_bind_int(&query, ++group->figures[RV_SQ_SEQ]);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_int(&query, retries);
    group->figures[RV_SQ_OWNED]--;
    group->figures[RV_SQ_WAITING]++;
    step->rings = true;
    return rv_sq_run(&query, NULL, err);
}

int rv_sq_stream_remove(struct rv_sq_step *step, int64_t n, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_END);
    rv_sq_bind_int(&query, n);
    return rv_sq_run(&query, NULL, err);
}

/* ---- looking ---- */
static int gather(struct rv_sq_step *step, const char *name, const struct rv_stream_query *asked,
                  struct rv_streams *out, struct rv_error *err) {
    struct rv_sq_group group;
    int64_t last = asked->after ? strtoll(asked->after, NULL, 10) : 0;
    int rc = rv_sq_group_load(step, name, &group, err);
    if (rc || !group.n) return rc;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_LIST);
    rv_sq_bind_int(&query, group.n);
    rv_sq_bind_int(&query, last);
    rv_sq_bind_int(&query, asked->state);
    rv_sq_bind_int(&query, (int64_t)asked->limit);
    while (!rc && rv_sq_row(&query)) {
        struct rv_sq_stream stream = rv_sq_stream_at(&query);
        last = stream.n;
        out->streams[out->count] = rv_sq_stream_pack(step, &group, &stream);
        if (!out->streams[out->count++]) rc = rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    if (out->count == asked->limit)
        (void)snprintf(out->cursor, sizeof out->cursor, "%lld", (long long)last);
    return rv_sq_end(&query, rc, err);
}

int rv_sq_stream_list(struct rv_store *s, const struct rv_group *group,
                      const struct rv_stream_query *query, struct rv_streams *out,
                      struct rv_error *err) {
    struct rv_sq_step step;
    out->streams = calloc(query->limit, sizeof(*out->streams));
    if (!out->streams) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, gather(&step, group->name, query, out, err), err);
}

static int read_one(struct rv_sq_step *step, const char *group_name, const char *name,
                    struct reeve_stream **out, struct rv_error *err) {
    struct rv_sq_group group;
    int rc = rv_sq_group_load(step, group_name, &group, err);
    if (rc) return rc;
    struct rv_sq_query query = rv_sq_stream_query(step, &group, name);
    if (!rv_sq_row(&query)) {
        rc = rv_fail(err, REEVE_ENOENT, "no stream %s in group %s", name, group_name);
    } else {
        struct rv_sq_stream stream = rv_sq_stream_at(&query);
        *out = rv_sq_stream_pack(step, &group, &stream);
        if (!*out) rc = rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    int ended = rv_sq_end(&query, 0, err);
    return ended ? ended : rc;
}

int rv_sq_stream_read(struct rv_store *s, const struct rv_group *group, const char *name,
                      struct reeve_stream **out, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, read_one(&step, group->name, name, out, err), err);
}
