/* The Redis store from the inside. From the outside in: an operation (one .c file each, or a few
 * that belong together) calls a script or a command (script.h, call.h), for which a connection is
 * taken (pool.h) to the server that keeps the queue (topology.h); a connection (conn.h) is bytes
 * (wire.h, tls.h) and replies (reader.h). What errors of the server mean stands in errors.h. */
#ifndef RV_STORE_REDIS_REDIS_H
#define RV_STORE_REDIS_REDIS_H

#include <stdatomic.h>

#include "core/limits.h"
#include "store/ops.h"
#include "store/redis/box.h"
#include "store/redis/ear.h"
#include "store/redis/hint.h"
#include "store/redis/pool.h"
#include "store/redis/recent.h"
#include "store/redis/splits.h"
#include "store/redis/stands.h"
#include "store/redis/topology.h"
#include "store/redis/url.h"

struct rv_rd {
    struct rv_store base;
    char space[REEVE_NAME_SIZE];
    struct rv_rd_url url; /* url.prefix: what keys begin with */
    int64_t timeout_ms;
    const struct rv_log *log;
    const struct rv_clock *clock;
    struct rv_rd_tls *tls; /* NULL: plain */
    struct rv_rd_topology topology;
    struct rv_rd_pool pool;
    struct rv_rd_boxes ends;   /* of those who wait for the end of a job that they pushed */
    struct rv_rd_boxes vigils; /* of those who wait for a job to do (vigil.h) */
    struct rv_rd_hints hints;
    struct rv_rd_splits splits;
    struct rv_rd_stands stands;
    struct rv_rd_recent recent;
    struct rv_rd_ear ear;
    atomic_bool evicts;       /* it was seen to, and told; see fitness.h */
    _Atomic int64_t ahead_ms; /* of our clock: the server's, when last seen */
};

/* A claim or a page that has so many bytes ends: 1 MiB takes the server some ms, in which it does
 * nothing else. As in lua/exchange.lua. */
enum { RV_RD_TAKE_BYTES = 2 << 20 };

extern const struct rv_store_ops rv_store_redis;

/* ---- the ops, as in ops.h ---- */
int rv_rd_push(struct rv_store *s, const char *queue, const struct rv_new_job *jobs, size_t count,
               int64_t timeout_ms, struct rv_pushed *outs, struct rv_error *err);
int rv_rd_exchange(struct rv_store *s, struct rv_exchange *whole, struct rv_exchanged *out,
                   struct rv_error *err);
bool rv_rd_is_patient(struct rv_store *s);
int rv_rd_attend(struct rv_store *s, const struct rv_exchange *exchange, int64_t ms,
                 struct rv_exchanged *out, struct rv_error *err);
int rv_rd_stir(struct rv_store *s, const char *queue, uint64_t lane, struct rv_error *err);
void rv_rd_exchange_all(struct rv_store *s, struct rv_trade *trades, size_t count);
int rv_rd_renew(struct rv_store *s, const char *queue, struct rv_renewal *claims, size_t count,
                int64_t timeout_ms, struct rv_cancel_marks *marks, struct rv_error *err);
void rv_rd_renew_all(struct rv_store *s, struct rv_renewing *all, size_t count);
int rv_rd_lapsed(struct rv_store *s, const char *queue, struct rv_lapsed *out,
                 struct rv_error *err);
int rv_rd_tend(struct rv_store *s, const char *queue, struct rv_tended *out, struct rv_error *err);
int rv_rd_read(struct rv_store *s, const char *queue, const char *id, int64_t timeout_ms,
               struct reeve_job **out, struct rv_error *err);
int rv_rd_cancel(struct rv_store *s, const char *queue, const char *id, enum reeve_state *now,
                 struct rv_error *err);
int rv_rd_revive(struct rv_store *s, const char *queue, const char *id, struct rv_error *err);
int rv_rd_remove(struct rv_store *s, const char *queue, const char *id, struct rv_error *err);
int rv_rd_keep(struct rv_store *s, const char *queue, const char *id, int64_t keep_ms,
               struct rv_error *err);
int rv_rd_check(struct rv_store *s, const char *queue, const char *id, uint64_t token,
                uint64_t holder, struct rv_error *err);
int rv_rd_note(struct rv_store *s, const char *queue, const struct rv_note *note,
               struct rv_error *err);
int rv_rd_purge(struct rv_store *s, const char *queue, enum reeve_state state, size_t *removed,
                struct rv_error *err);
int rv_rd_list(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
               struct rv_error *err);
int rv_rd_queues(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                 struct rv_error *err);
int rv_rd_stats(struct rv_store *s, const char *queue, bool brief, struct reeve_queue *out,
                struct rv_error *err);
int rv_rd_pause(struct rv_store *s, const char *queue, bool paused, struct rv_error *err);
int rv_rd_set(struct rv_store *s, const char *queue, const struct reeve_queue_settings *settings,
              struct rv_error *err);
int rv_rd_beat(struct rv_store *s, const struct rv_worker_row *worker, int64_t ttl_ms,
               struct rv_error *err);
int rv_rd_leave(struct rv_store *s, const char *worker_id, struct rv_error *err);
int rv_rd_workers(struct rv_store *s, struct rv_workers *out, struct rv_error *err);
int rv_rd_grant_take(struct rv_store *s, const struct rv_grant_ask *ask, int64_t timeout_ms,
                     struct rv_grant_answer *out, struct rv_error *err);
int rv_rd_grant_renew(struct rv_store *s, struct rv_grant_renewal *renewals, size_t count,
                      int64_t timeout_ms, struct rv_error *err);
int rv_rd_grant_release(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                        uint64_t holder, int64_t timeout_ms, struct rv_error *err);
int rv_rd_grant_check(struct rv_store *s, enum rv_grant_kind kind, const char *name, uint64_t token,
                      struct rv_error *err);
int rv_rd_grant_resign(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                       struct rv_error *err);
int rv_rd_grants(struct rv_store *s, const struct rv_grants_query *query, struct rv_grants *out,
                 struct rv_error *err);
int rv_rd_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
               struct rv_error *err);
void rv_rd_wake(struct rv_store *s);
int rv_rd_ends_take(struct rv_store *s, int64_t timeout_ms, struct rv_box **out,
                    struct rv_error *err);
void rv_rd_ends_give(struct rv_store *s, struct rv_box *box, bool deaf);
int rv_rd_ends_attend(struct rv_store *s, struct rv_box *box, int64_t timeout_ms,
                      struct rv_list *told, struct rv_error *err);
int rv_rd_announce(struct rv_store *s, const char *queue, const struct rv_announcement *news,
                   int64_t timeout_ms, struct rv_error *err);
int rv_rd_events(struct rv_store *s, const char *queue, uint64_t after, struct rv_events *out,
                 struct rv_error *err);
bool rv_rd_failover(struct rv_store *s, uint64_t after, struct rv_failover *out);
int rv_rd_mend(struct rv_store *s, int64_t *again_in_ms, struct rv_error *err);
int rv_rd_examine(struct rv_store *s, bool repair, struct rv_findings *out, struct rv_error *err);

#endif
