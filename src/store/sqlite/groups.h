/* Groups of streams in a step: their figures, and the rows of their streams. */
#ifndef RV_STORE_SQLITE_GROUPS_H
#define RV_STORE_SQLITE_GROUPS_H

#include "store/sqlite/step.h"

/* What the row of a group holds, in the order of sql/stream_group_read.sql. */
enum rv_sq_figure {
    RV_SQ_TOKEN,
    RV_SQ_SEQ,
    RV_SQ_LETTER,
    RV_SQ_ASKED,
    RV_SQ_WAITING,
    RV_SQ_OWNED,
    RV_SQ_FAILED,
    RV_SQ_OFFERED_TOTAL,
    RV_SQ_DUPLICATES_TOTAL,
    RV_SQ_TAKEN_TOTAL,
    RV_SQ_ENDED_TOTAL,
    RV_SQ_YIELDED_TOTAL,
    RV_SQ_LAPSED_TOTAL,
    RV_SQ_REQUEUED_TOTAL,
    RV_SQ_FAILED_TOTAL,
    RV_SQ_TRIMMED_TOTAL,
    RV_SQ_PURGED_TOTAL,
    RV_SQ_REVIVED_TOTAL,
    RV_SQ_FENCED_TOTAL,
    RV_SQ_FIGURES
};

struct rv_sq_group {
    const char *name;
    int64_t n; /* 0: there is none */
    int64_t figures[RV_SQ_FIGURES];
};

/* A stream as its row has it; texts and bytes live as long as the query stands on that row. */
struct rv_sq_stream {
    int64_t n; /* 0: there is none */
    const char *name, *by;
    struct rv_bytes info;
    uint64_t holder, token;
    int64_t deadline, touched, retries, offered_ms, since_ms;
    bool yielding;
};

int rv_sq_group_load(struct rv_sq_step *step, const char *name, struct rv_sq_group *out,
                     struct rv_error *err);
int rv_sq_group_make(struct rv_sq_step *step, const char *name, struct rv_sq_group *out,
                     struct rv_error *err);
int rv_sq_group_save(struct rv_sq_step *step, const struct rv_sq_group *group,
                     struct rv_error *err);

struct rv_sq_stream rv_sq_stream_at(const struct rv_sq_query *query); /* its current row */
/* One block, or NULL. */
struct reeve_stream *rv_sq_stream_pack(const struct rv_sq_step *step,
                                       const struct rv_sq_group *group,
                                       const struct rv_sq_stream *stream);
/* Begins the query for a stream by name: the caller looks at its one row, and ends it. */
struct rv_sq_query rv_sq_stream_query(struct rv_sq_step *step, const struct rv_sq_group *group,
                                      const char *name);
/* In line as new. */
int rv_sq_stream_add(struct rv_sq_step *step, struct rv_sq_group *group, const char *name,
                     struct rv_bytes info, struct rv_error *err);
/* Back to the end of the line, with so many retries. */
int rv_sq_stream_line_up(struct rv_sq_step *step, struct rv_sq_group *group, int64_t n,
                         int64_t retries, struct rv_error *err);
int rv_sq_stream_remove(struct rv_sq_step *step, int64_t n, struct rv_error *err);
/* What the bells of a group say. */
int rv_sq_group_bells(struct rv_sq_step *step, const char *name, bool *waiting, uint64_t *asked,
                      struct rv_error *err);

/* ---- letters.c ---- */
/* What becomes of an owned stream that comes back, counted (S6). */
int rv_sq_stream_bounce(struct rv_sq_step *step, struct rv_sq_group *group,
                        const struct rv_sq_stream *stream, const struct rv_stream_fault *fault,
                        bool *dead, struct rv_error *err);

extern const struct rv_stream_ops rv_sq_streams;

/* ---- the ops of recover.c, letters.c and members.c, as in stream_ops.h ---- */
int rv_sq_stream_recover(struct rv_store *s, const struct rv_group *group,
                         const struct rv_stream_scan *scan, struct rv_stream_scanned *out,
                         struct rv_error *err);
int rv_sq_stream_claim(struct rv_store *s, const struct rv_group *group, const char *name,
                       struct rv_error *err);
int rv_sq_stream_list(struct rv_store *s, const struct rv_group *group,
                      const struct rv_stream_query *query, struct rv_streams *out,
                      struct rv_error *err);
int rv_sq_stream_read(struct rv_store *s, const struct rv_group *group, const char *name,
                      struct reeve_stream **out, struct rv_error *err);
int rv_sq_stream_groups(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                        struct rv_error *err);
int rv_sq_stream_letters(struct rv_store *s, const struct rv_group *group, const char *after,
                         size_t limit, struct rv_letters *out, struct rv_error *err);
int rv_sq_stream_revive(struct rv_store *s, const struct rv_group *group, const char *letter,
                        struct rv_error *err);
int rv_sq_stream_purge(struct rv_store *s, const struct rv_group *group, const char *const *letters,
                       size_t count, size_t *removed, struct rv_error *err);
int rv_sq_stream_stats(struct rv_store *s, const struct rv_group *group, struct reeve_group *out,
                       struct rv_error *err);
int rv_sq_stream_beat(struct rv_store *s, const struct rv_group *group,
                      const struct rv_member_row *member, int64_t ttl_ms, struct rv_error *err);
int rv_sq_stream_members(struct rv_store *s, const struct rv_group *group, struct rv_members *out,
                         struct rv_error *err);

#endif
