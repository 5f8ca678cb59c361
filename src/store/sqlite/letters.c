/* Dead letters (S7). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/stream.h"
#include "store/sqlite/groups.h"

/* ---- writing one ---- */
static int add(struct rv_sq_step *step, struct rv_sq_group *group,
               const struct rv_sq_stream *stream, const char *reason, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_LETTER_ADD);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_int(&query, ++group->figures[RV_SQ_LETTER]);
    rv_sq_bind_text(&query, stream->name);
    rv_sq_bind_int(&query, stream->retries + 1);
    rv_sq_bind_int(&query, step->now_ms);
    rv_sq_bind_text(&query, reason);
    rv_sq_bind_text(&query, stream->by);
    rv_sq_bind_bytes(&query, stream->info);
    group->figures[RV_SQ_FAILED]++;
    group->figures[RV_SQ_FAILED_TOTAL]++;
    group->figures[RV_SQ_OWNED]--;
    return rv_sq_run(&query, NULL, err);
}

static int trim(struct rv_sq_step *step, struct rv_sq_group *group, uint64_t dead_max,
                struct rv_error *err) {
    int64_t beyond = group->figures[RV_SQ_FAILED] - (int64_t)dead_max;
    int64_t changes = 0;
    if (!dead_max || beyond <= 0) return 0;
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_LETTER_TRIM);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_int(&query, beyond < RV_TEND_MAX ? beyond : RV_TEND_MAX);
    int rc = rv_sq_run(&query, &changes, err);
    group->figures[RV_SQ_FAILED] -= changes;
    group->figures[RV_SQ_TRIMMED_TOTAL] += changes;
    return rc;
}

int rv_sq_stream_bounce(struct rv_sq_step *step, struct rv_sq_group *group,
                        const struct rv_sq_stream *stream, const struct rv_stream_fault *fault,
                        bool *dead, struct rv_error *err) {
    *dead = fault->max_retries != REEVE_NONE && stream->retries + 1 > fault->max_retries;
    if (!*dead) {
        group->figures[RV_SQ_REQUEUED_TOTAL]++;
        return rv_sq_stream_line_up(step, group, stream->n, stream->retries + 1, err);
    }
    int rc = add(step, group, stream, fault->reason, err);
    if (!rc) rc = rv_sq_stream_remove(step, stream->n, err);
    return rc ? rc : trim(step, group, fault->dead_max, err);
}

/* ---- looking ---- */
static struct rv_sq_query letters_query(struct rv_sq_step *step, const struct rv_sq_group *group,
                                        int64_t after, int64_t limit) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_LETTERS);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_int(&query, after);
    rv_sq_bind_int(&query, limit);
    return query;
}

static struct reeve_letter *pack(const struct rv_sq_group *group, const struct rv_sq_query *query) {
    char id[32];
    (void)snprintf(id, sizeof id, "%" PRId64, rv_sq_int(query, 0));
    struct rv_bytes info = rv_sq_bytes(query, 6);
    struct reeve_letter view = {.group = group->name,
                                .id = id,
                                .name = rv_sq_text(query, 1),
                                .retries = rv_sq_u64(query, 2),
                                .failed_at_ms = rv_sq_int(query, 3),
                                .reason = rv_sq_text(query, 4),
                                .member = rv_sq_text(query, 5),
                                .info = info.data,
                                .info_size = info.size};
    return rv_letter_pack(&view);
}

static int gather(struct rv_sq_step *step, const char *name, const char *after, size_t limit,
                  struct rv_letters *out, struct rv_error *err) {
    struct rv_sq_group group;
    int64_t last = after ? strtoll(after, NULL, 10) : 0;
    int rc = rv_sq_group_load(step, name, &group, err);
    if (rc || !group.n) return rc;
    struct rv_sq_query query = letters_query(step, &group, last, (int64_t)limit);
    while (!rc && rv_sq_row(&query)) {
        last = rv_sq_int(&query, 0);
        out->letters[out->count] = pack(&group, &query);
        if (!out->letters[out->count++]) rc = rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    if (out->count == limit) (void)snprintf(out->cursor, sizeof out->cursor, "%" PRId64, last);
    return rv_sq_end(&query, rc, err);
}

int rv_sq_stream_letters(struct rv_store *s, const struct rv_group *group, const char *after,
                         size_t limit, struct rv_letters *out, struct rv_error *err) {
    struct rv_sq_step step;
    out->letters = calloc(limit, sizeof(*out->letters));
    if (!out->letters) return rv_fail(err, REEVE_ENOMEM, "out of memory");
    int rc = rv_sq_step_read(&step, s, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, gather(&step, group->name, after, limit, out, err), err);
}

/* ---- back in line, or away ---- */

/* Ids are numbers; one that is none is not there. */
static int64_t number_of(const char *id) {
    char *end;
    long long number = strtoll(id, &end, 10);
    return *end || number < 0 ? 0 : number;
}

static int remove_letter(struct rv_sq_step *step, struct rv_sq_group *group, int64_t number,
                         int64_t *removed, struct rv_error *err) {
    struct rv_sq_query query = rv_sq_query(step->conn, RV_SQLITE_SQL_LETTER_REMOVE);
    rv_sq_bind_int(&query, group->n);
    rv_sq_bind_int(&query, number);
    int rc = rv_sq_run(&query, removed, err);
    group->figures[RV_SQ_FAILED] -= *removed;
    return rc;
}

/* A copy of the letter, or NULL: there is none. */
static int read_letter(struct rv_sq_step *step, const struct rv_sq_group *group, int64_t number,
                       struct reeve_letter **out, struct rv_error *err) {
    int rc = 0;
    *out = NULL;
    struct rv_sq_query query = letters_query(step, group, number - 1, 1);
    if (rv_sq_row(&query) && rv_sq_int(&query, 0) == number) {
        *out = pack(group, &query);
        if (!*out) rc = rv_fail(err, REEVE_ENOMEM, "out of memory");
    }
    return rv_sq_end(&query, rc, err);
}

static int put_back(struct rv_sq_step *step, struct rv_sq_group *group, int64_t number,
                    const struct reeve_letter *letter, struct rv_error *err) {
    int64_t removed = 0;
    struct rv_sq_query query = rv_sq_stream_query(step, group, letter->name);
    bool known = rv_sq_row(&query);
    int rc = rv_sq_end(&query, 0, err);
    if (!rc && known)
        rc = rv_fail(err, REEVE_ESTATE, "stream %s waits or is owned already", letter->name);
    if (!rc)
        rc = rv_sq_stream_add(step, group, letter->name,
                              (struct rv_bytes){letter->info, letter->info_size}, err);
    if (!rc) rc = remove_letter(step, group, number, &removed, err);
    group->figures[RV_SQ_REVIVED_TOTAL]++;
    return rc ? rc : rv_sq_group_save(step, group, err);
}

static int revive(struct rv_sq_step *step, const char *name, const char *id, struct rv_error *err) {
    struct rv_sq_group group;
    struct reeve_letter *letter = NULL;
    int rc = rv_sq_group_load(step, name, &group, err);
    if (!rc) rc = read_letter(step, &group, number_of(id), &letter, err);
    if (!rc && !letter) rc = rv_fail(err, REEVE_ENOENT, "no dead letter %s in group %s", id, name);
    if (!rc) rc = put_back(step, &group, number_of(id), letter, err);
    free(letter);
    return rc;
}

int rv_sq_stream_revive(struct rv_store *s, const struct rv_group *group, const char *letter,
                        struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    return rv_sq_step_end(&step, revive(&step, group->name, letter, err), err);
}

static int purge(struct rv_sq_step *step, const char *name, const char *const *letters,
                 size_t count, size_t *removed, struct rv_error *err) {
    struct rv_sq_group group;
    int rc = rv_sq_group_load(step, name, &group, err);
    for (size_t i = 0; !rc && i < count; i++) {
        int64_t gone = 0;
        rc = remove_letter(step, &group, number_of(letters[i]), &gone, err);
        *removed += (size_t)gone;
    }
    group.figures[RV_SQ_PURGED_TOTAL] += (int64_t)*removed;
    return rc ? rc : rv_sq_group_save(step, &group, err);
}

int rv_sq_stream_purge(struct rv_store *s, const struct rv_group *group, const char *const *letters,
                       size_t count, size_t *removed, struct rv_error *err) {
    struct rv_sq_step step;
    int rc = rv_sq_step_write(&step, s, ((struct rv_sq *)s)->timeout_ms, err);
    if (rc) return rc;
    rc = rv_sq_step_end(&step, purge(&step, group->name, letters, count, removed, err), err);
    if (rc) *removed = 0;
    return rc;
}
