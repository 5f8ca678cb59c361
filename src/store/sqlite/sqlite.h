/* The SQLite store from the inside. One file, any number of processes; every op is one step
 * (step.h) of one transaction. Each .c file is named as what it does; each statement is a file in
 * sql/. */
#ifndef RV_STORE_SQLITE_SQLITE_H
#define RV_STORE_SQLITE_SQLITE_H

#include "core/limits.h"
#include "store/ops.h"
#include "store/sqlite/bell.h"
#include "store/sqlite/gate.h"
#include "store/sqlite/pool.h"

struct rv_sq {
    struct rv_store base;
    char *path; /* absolute */
    char space[REEVE_NAME_SIZE];
    int64_t timeout_ms;
    const struct rv_log *log;
    const struct rv_clock *clock;
    int64_t boot_ahead_ms; /* of the boot clock that all processes on the file share */
    struct rv_sq_pool pool;
    struct rv_sq_gate gate;
    struct rv_sq_bell bell;
    int wal_pages_next; /* a checkpoint is tried when the log is that long; guarded by the gate */
};

extern const struct rv_store_ops rv_store_sqlite;

/* ---- the ops, as in ops.h ---- */
int rv_sq_push(struct rv_store *s, const char *queue, const struct rv_new_job *jobs, size_t count,
               int64_t timeout_ms, struct rv_pushed *outs, struct rv_error *err);
int rv_sq_exchange(struct rv_store *s, struct rv_exchange *exchange, struct rv_exchanged *out,
                   struct rv_error *err);
int rv_sq_renew(struct rv_store *s, const char *queue, struct rv_renewal *claims, size_t count,
                int64_t timeout_ms, struct rv_cancel_marks *marks, struct rv_error *err);
int rv_sq_lapsed(struct rv_store *s, const char *queue, struct rv_lapsed *out,
                 struct rv_error *err);
int rv_sq_tend(struct rv_store *s, const char *queue, struct rv_tended *out, struct rv_error *err);
int rv_sq_read(struct rv_store *s, const char *queue, const char *id, int64_t timeout_ms,
               struct reeve_job **out, struct rv_error *err);
int rv_sq_cancel(struct rv_store *s, const char *queue, const char *id, enum reeve_state *now,
                 struct rv_error *err);
int rv_sq_revive(struct rv_store *s, const char *queue, const char *id, struct rv_error *err);
int rv_sq_remove(struct rv_store *s, const char *queue, const char *id, struct rv_error *err);
int rv_sq_keep(struct rv_store *s, const char *queue, const char *id, int64_t keep_ms,
               struct rv_error *err);
int rv_sq_check(struct rv_store *s, const char *queue, const char *id, uint64_t token,
                uint64_t holder, struct rv_error *err);
int rv_sq_note(struct rv_store *s, const char *queue, const struct rv_note *note,
               struct rv_error *err);
int rv_sq_purge(struct rv_store *s, const char *queue, enum reeve_state state, size_t *removed,
                struct rv_error *err);
int rv_sq_list(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
               struct rv_error *err);
int rv_sq_queues(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                 struct rv_error *err);
int rv_sq_stats(struct rv_store *s, const char *queue, bool brief, struct reeve_queue *out,
                struct rv_error *err);
int rv_sq_pause(struct rv_store *s, const char *queue, bool paused, struct rv_error *err);
int rv_sq_set(struct rv_store *s, const char *queue, const struct reeve_queue_settings *settings,
              struct rv_error *err);
int rv_sq_beat(struct rv_store *s, const struct rv_worker_row *worker, int64_t ttl_ms,
               struct rv_error *err);
int rv_sq_leave(struct rv_store *s, const char *worker_id, struct rv_error *err);
int rv_sq_workers(struct rv_store *s, struct rv_workers *out, struct rv_error *err);
int rv_sq_grant_take(struct rv_store *s, const struct rv_grant_ask *ask, int64_t timeout_ms,
                     struct rv_grant_answer *out, struct rv_error *err);
int rv_sq_grant_renew(struct rv_store *s, struct rv_grant_renewal *renewals, size_t count,
                      int64_t timeout_ms, struct rv_error *err);
int rv_sq_grant_release(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                        uint64_t holder, int64_t timeout_ms, struct rv_error *err);
int rv_sq_grant_check(struct rv_store *s, enum rv_grant_kind kind, const char *name, uint64_t token,
                      struct rv_error *err);
int rv_sq_grant_resign(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                       struct rv_error *err);
int rv_sq_grants(struct rv_store *s, const struct rv_grants_query *query, struct rv_grants *out,
                 struct rv_error *err);
int rv_sq_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
               struct rv_error *err);
void rv_sq_wake(struct rv_store *s);
int rv_sq_announce(struct rv_store *s, const char *queue, const struct rv_announcement *news,
                   int64_t timeout_ms, struct rv_error *err);
int rv_sq_events(struct rv_store *s, const char *queue, uint64_t after, struct rv_events *out,
                 struct rv_error *err);
int rv_sq_examine(struct rv_store *s, bool repair, struct rv_findings *out, struct rv_error *err);

#endif
