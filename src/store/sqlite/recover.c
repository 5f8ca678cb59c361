/* Streams of owners who are gone: back in line, or to the dead letters (S4). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/sqlite/groups.h"

/* ---- looking ---- */

/* Until this one may be recovered; 0 or less: now. */
static int64_t recovers_in_ms(const struct rv_sq_step *step, int64_t deadline, int64_t touched,
                              int64_t min_idle_ms) {
    int64_t idle_at = rv_time_add(touched, min_idle_ms);
    return (deadline > idle_at ? deadline : idle_at) - step->boot_ms;
}

static void note_next(struct rv_stream_scanned *out, int64_t in_ms) {
    if (out->next_in_ms < 0 || in_ms < out->next_in_ms) out->next_in_ms = in_ms;
}

static int look_at_standing(struct rv_sq_step *step, const struct rv_sq_group *group,
                            const struct rv_stream_scan *scan, struct rv_stream_scanned *out,
                            struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_STANDING);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_int(&query, step->boot_ms);
    if (rv_sq_row(&query))
        note_next(out, recovers_in_ms(step, rv_sq_int(&query, 0), rv_sq_int(&query, 1),
                                      scan->min_idle_ms));
    return rv_sq_end(&query, 0, err);
}

/* Where a scan is, in the order of its statement. */
struct place {
    int64_t deadline, n;
};

/* Those that are over from *place on, up to RV_SCAN_MAX of them, into out->lapsed and ns; *place
 * goes behind the last that was looked at. full: there may be more. */
static int find_lapsed(struct rv_sq_step *step, const struct rv_sq_group *group,
                       const struct rv_stream_scan *scan, struct place *place, int64_t *ns,
                       bool *full, struct rv_stream_scanned *out, struct rv_error *err) {
    int rc = 0, looked = 0;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_STREAM_RECOVER);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_int(&query, step->boot_ms);
    rv_sq_bind_int(&query, place->deadline);
    rv_sq_bind_int(&query, place->n);
    rv_sq_bind_int(&query, RV_SCAN_MAX);
    for (; !rc && rv_sq_row(&query); looked++) {
        struct rv_sq_stream stream = rv_sq_stream_at(&query);
        int64_t in_ms = recovers_in_ms(step, stream.deadline, stream.touched, scan->min_idle_ms);
        *place = (struct place){stream.deadline, stream.n};
        if (in_ms > 0) {
            note_next(out, in_ms);
            out->alive++;
            continue;
        }
        ns[out->count] = stream.n;
        out->lapsed[out->count] = rv_sq_stream_pack(step, group, &stream);
        if (!out->lapsed[out->count++]) rc = rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    *full = looked == RV_SCAN_MAX;
    return rv_sq_end(&query, rc, err);
}

/* ---- moving ---- */
static int bounce(struct rv_sq_step *step, struct rv_sq_group *group, int64_t n,
                  const struct reeve_stream *was, const struct rv_stream_scan *scan,
                  struct rv_stream_scanned *out, struct rv_error *err) {
    const struct rv_stream_fault fault = {.reason = "max_retries_exceeded",
                                          .max_retries = scan->max_retries,
                                          .dead_max = scan->dead_max};
    struct rv_sq_stream stream = {.n = n,
                                  .name = was->name,
                                  .by = was->member,
                                  .info = {was->info, was->info_size},
                                  .retries = (int64_t)was->retries};
    bool dead;
    int rc = rv_sq_stream_bounce(step, group, &stream, &fault, &dead, err);
    group->figures[RV_SQ_LAPSED_TOTAL]++;
    if (dead)
        out->dead++;
    else
        out->requeued++;
    return rc;
}

static int recover(struct rv_sq_step *step, const char *name, const struct rv_stream_scan *scan,
                   struct rv_stream_scanned *out, struct rv_error *err) {
    struct rv_sq_group group;
    struct place place = {INT64_MIN, 0};
    int64_t ns[RV_SCAN_MAX] = {0};
    bool full = false;
    if (scan->after) (void)sscanf(scan->after, "%" SCNd64 "-%" SCNd64, &place.deadline, &place.n);
    int rc = rv_sq_group_load(step, name, &group, err);
    if (rc || !group.n) return rc;
    rc = find_lapsed(step, &group, scan, &place, ns, &full, out, err);
    if (!rc) rc = look_at_standing(step, &group, scan, out, err);
    if (!rc && full)
        (void)snprintf(out->cursor, sizeof out->cursor, "%" PRId64 "-%" PRId64, place.deadline,
                       place.n);
    if (!step->writing) return rc;
    for (size_t i = 0; !rc && i < out->count; i++)
        if (out->lapsed[i]) rc = bounce(step, &group, ns[i], out->lapsed[i], scan, out, err);
    return rc || !out->count ? rc : rv_sq_group_save(step, &group, err);
}

/* Looks first: while all owners live, a scan writes nothing and holds up nobody. */
static int look(struct rv_store *s, const char *name, const struct rv_stream_scan *scan,
                struct rv_stream_scanned *out, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, recover(&step, name, scan, out, err), err);
}

int rv_sq_stream_recover(struct rv_store *s, const struct rv_group *group,
                         const struct rv_stream_scan *scan, struct rv_stream_scanned *out,
                         struct rv_error *err) {
    struct rv_sq_step step;
    out->lapsed = calloc(RV_SCAN_MAX, sizeof(*out->lapsed));
    if (!out->lapsed) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc = look(s, group->name, scan, out, err);
    if (rc || !out->count) return rc;
    rv_stream_scanned_release(out);
    out->lapsed = calloc(RV_SCAN_MAX, sizeof(*out->lapsed));
    if (!out->lapsed) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, recover(&step, group->name, scan, out, err), err);
}

/* ---- one by name ---- */
static int claim(struct rv_sq_step *step, const char *group_name, const char *name,
                 struct rv_error *err) {
    struct rv_sq_group group;
    int rc = rv_sq_group_load(step, group_name, &group, err);
    if (rc) return rc;
    struct rv_sq_query query = rv_sq_stream_query(step, &group, name);
    struct rv_sq_stream stream = {0};
    if (rv_sq_row(&query)) stream = rv_sq_stream_at(&query);
    if (!stream.n)
        rc = rv_fail(err, REEVE_ENOENT, "no stream %s in group %s", name, group_name);
    else if (!stream.holder)
        rc = rv_fail(err, REEVE_ESTATE, "stream %s is in line already", name);
    else if (stream.deadline > step->boot_ms)
        rc = rv_fail(err, REEVE_ESTATE, "stream %s is owned by %s, who lives", name, stream.by);
    int ended = rv_sq_end(&query, 0, err);
    if (ended || rc) return ended ? ended : rc;
    group.figures[RV_SQ_LAPSED_TOTAL]++;
    group.figures[RV_SQ_REQUEUED_TOTAL]++;
    rc = rv_sq_stream_line_up(step, &group, stream.n, stream.retries + 1, err);
    return rc ? rc : rv_sq_group_save(step, &group, err);
}

int rv_sq_stream_claim(struct rv_store *s, const struct rv_group *group, const char *name,
                       struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, claim(&step, group->name, name, err), err);
}
