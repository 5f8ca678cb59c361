/* The record of a job: what its blobs hold, and from row to struct reeve_job.
 *
 * Columns that no statement decides by are packed into blobs, because each column costs every
 * rewrite of the row: terms (as pushed), past (the latest lease that ended, and the history), error
 * (core/failure.h). Each begins with a version. Texts in them end with a NUL, so that they can be
 * shown in place. */
#ifndef RV_STORE_SQLITE_RECORD_H
#define RV_STORE_SQLITE_RECORD_H

#include "base/buf.h"
#include "core/check.h"
#include "core/outcome.h"
#include "store/sqlite/query.h"

/* ---- new jobs ---- */
int64_t rv_sq_first_run_at_ms(const struct rv_new_job *job, int64_t now_ms);
enum reeve_state rv_sq_first_state(const struct rv_new_job *job, int64_t now_ms);
/* Such a body lives in a table of its own, so that no transition of its job rewrites it. */
bool rv_sq_body_is_large(size_t size);

/* ---- blobs ---- packing overwrites buf; 0, REEVE_ENOMEM or REEVE_ETOOBIG ---- */
struct rv_sq_terms {
    uint64_t nonce;
    int64_t created_at_ms;
    struct rv_policy policy;
};
int rv_sq_terms_pack(struct rv_buf *buf, const struct rv_new_job *job, int64_t now_ms);

struct rv_sq_past {
    uint64_t token, holder; /* holder 0: finished by proxy, there is nobody to recognise (J7) */
    int64_t started_at_ms, ended_at_ms; /* ended: of the job, 0 if it has not */
    const char *worker;                 /* NULL if it was never held */
    struct rv_bytes history;
};
int rv_sq_past_pack(struct rv_buf *buf, const struct rv_sq_past *past);

/* ---- rows ---- */
/* A row of job, with the columns of sql/columns.sql. Borrowed from the query until its next step,
 * and never copied: job.error points into it. */
struct rv_sq_record {
    int64_t n;
    uint64_t seq;
    uint64_t holder;    /* of the claim that has it, if RUNNING */
    int64_t expires_ms; /* 0: never */
    bool large;         /* job.body is yet to be found */
    bool noted;         /* job.progress and job.log are yet to be found */
    struct rv_sq_terms terms;
    struct rv_sq_past past;
    struct reeve_failure error;
    struct reeve_job job; /* without queue and history; while RUNNING without what its claim says */
};

/* REEVE_ECORRUPT if a blob cannot be read. */
int rv_sq_record_read(const struct rv_sq_query *query, struct rv_sq_record *out,
                      struct rv_error *err);

#endif
