/* A step: one transaction on one connection at one moment, mostly about one queue. It is begun,
 * does its work, and is ended with what came of that: 0 commits, all else rolls back. */
#ifndef RV_STORE_SQLITE_STEP_H
#define RV_STORE_SQLITE_STEP_H

#include "store/sqlite/query.h"
#include "store/sqlite/sqlite.h"

/* The row of a queue. All of one type, so that two can be compared as bytes. */
struct rv_sq_queue {
    int64_t n; /* 0: there is none */
    int64_t shown, paused;
    int64_t token, seq;
    int64_t counts[REEVE_CANCELLED + 1]; /* records by state */
    int64_t pushed_total, finished_total, retried_total, lapsed_total, fenced_total, expired_total;
    int64_t marked_total;
    int64_t event; /* the latest's number */
    int64_t watched_until_ms;
    /* What most queues never need, in one column. */
    struct rv_sq_queue_bounds {
        int64_t max_length, on_full, keep_failed; /* as in struct rv_bounds */
        int64_t refused_total, dropped_total;
        int64_t trimmed_total; /* without the expired */
    } bounds;
};

struct rv_sq_step {
    struct rv_sq *store;
    struct rv_sq_conn *conn;
    bool writing;
    bool rings; /* somebody may wait for what this step does */
    bool ends;  /* a job, which concerns nobody but those who wait for that */
    int64_t now_us, now_ms;
    int64_t boot_ms; /* leases only */
    const char *queue_name;
    struct rv_sq_queue queue, queue_before;
};

/* A step that only reads sees one state of the file; one that writes has waited for its turn. */
int rv_sq_step_read(struct rv_sq_step *step, struct rv_store *s, struct rv_error *err);
/* For who has less time than a call may take. */
int rv_sq_step_read_within(struct rv_sq_step *step, struct rv_store *s, int64_t timeout_ms,
                           struct rv_error *err);
int rv_sq_step_write(struct rv_sq_step *step, struct rv_store *s, int64_t timeout_ms,
                     struct rv_error *err);
/* Returns rc, or why a step that went well could not be committed. */
int rv_sq_step_end(struct rv_sq_step *step, int rc, struct rv_error *err);

/* Brings the queue's row into the step; n is 0 if there is none. It is written at the end if it
 * was changed. */
int rv_sq_queue_load(struct rv_sq_step *step, const char *name, struct rv_error *err);
int rv_sq_queue_make(struct rv_sq_step *step, const char *name, struct rv_error *err);
int rv_sq_queue_save(struct rv_sq_step *step, struct rv_error *err);

uint64_t rv_sq_queue_next_token(struct rv_sq_step *step); /* J4 */
int rv_sq_queue_promote(struct rv_sq_step *step, int64_t *count, struct rv_error *err);
/* Milliseconds until the next delayed job is due: 0 if one is, -1 if none waits. */
int rv_sq_queue_due_in(struct rv_sq_step *step, int64_t *out, struct rv_error *err);

struct rv_sq_event {
    enum reeve_event_type type;
    enum reeve_state state;
    const char *id, *worker; /* worker may be NULL */
    uint64_t token;
};
/* Written only while the queue is watched. */
int rv_sq_event_add(struct rv_sq_step *step, const struct rv_sq_event *event, struct rv_error *err);

#endif
