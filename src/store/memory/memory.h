/* The memory store from the inside: the reference model of the contract. Everything is guarded by
 * one mutex; each op of memory.c takes it, reads the clock once, and calls on.
 *
 * A job is a record. Its job block says all that people see, except while it is held: what a claim
 * says (holder, token, worker, start, deadline) is written once in the claim, and
 * rv_mem_record_view() puts both together. */
#ifndef RV_STORE_MEMORY_MEMORY_H
#define RV_STORE_MEMORY_MEMORY_H

#include <pthread.h>

#include "base/list.h"
#include "base/map.h"
#include "base/tree.h"
#include "core/bounds.h"
#include "core/limits.h"
#include "store/ops.h"

struct moment { /* the time of one step */
    int64_t wall_us, wall_ms;
    int64_t boot_ms; /* only for leases and other stays; never shown */
};

struct memory {
    struct rv_store base;
    const struct rv_clock *clock;
    pthread_mutex_t lock; /* guards all below, and all that hangs on it */
    pthread_cond_t bell;
    struct moment now;
    bool changed; /* this step may have rung a bell */
    bool woken;
    struct rv_map by_name;
    struct rv_list queues;
    struct rv_list workers;
    struct rv_list grants; /* by kind and name */
    uint64_t grants_token; /* the greatest of those forgotten (J4) */
    struct rv_list groups; /* of streams, by name: streams.h */
};

struct grant {           /* the lease of a name */
    struct rv_list link; /* in memory->grants */
    enum rv_grant_kind kind;
    char name[REEVE_NAME_SIZE];
    char by[REEVE_ID_SIZE];
    uint64_t holder;  /* 0: nobody, since it was released */
    uint64_t token;   /* the latest */
    int64_t deadline; /* boot_ms */
    int64_t since_ms;
    bool resign;
    struct rv_list line;   /* of tickets, first come first */
    uint64_t freed, asked; /* the bells */
};

struct event {
    enum reeve_event_type type;
    enum reeve_state state;
    int64_t at_ms;
    uint64_t token;
    const char *id, *worker; /* behind the struct; worker may be NULL */
};

struct events {
    struct event **ring; /* RV_EVENTS_KEPT of them once watched; NULL: lost for want of memory */
    uint64_t first,
        last; /* numbers held are first .. last; the one of number n is at n % RV_EVENTS_KEPT */
    int64_t watched_until; /* boot_ms */
};

struct queue {
    struct rv_map_node by_name;
    struct rv_list link; /* in memory->queues */
    struct memory *memory;
    char name[REEVE_NAME_SIZE];
    bool exists; /* for people: watching alone does not make a queue */
    bool paused;

    struct rv_map records;  /* by id */
    struct rv_tree listed;  /* all of them, by number */
    struct rv_tree ready;   /* by priority and seq (J9) */
    struct rv_tree delayed; /* by run_at_ms and number */
    struct rv_tree kept;    /* ended with an end to their stay, by expires_at_ms and number */
    struct rv_tree ended_in[REEVE_CANCELLED + 1]; /* all ended ones by state, by their ends */
    struct rv_tree claims;                        /* by token */
    struct rv_tree leases;                        /* the same claims, by deadline and token */
    struct rv_tree lanes;
    struct rv_list lanes_by_use; /* longest silent first */
    struct events events;

    uint64_t last_token, last_seq, last_number, last_batch, last_end;
    uint64_t counts[REEVE_CANCELLED + 1]; /* records by state */
    struct reeve_queue totals;            /* only its *_total */
    struct rv_bounds bounds;
    uint64_t ended, cancelled; /* the bells */
};

#define NEVER INT64_MAX

struct notes { /* what its handlers told of a job */
    int progress;
    size_t count;
    char *lines[RV_LOG_LINES_MAX]; /* oldest first */
};

struct record {
    struct queue *queue;
    struct rv_map_node by_id;
    struct rv_tree_node listed;
    struct rv_tree_node turn;  /* in ready, delayed or kept, as its state says */
    struct rv_tree_node ended; /* in ended_in, once it has ended */
    struct rv_list held;       /* in claim->records */
    struct claim *claim;       /* while RUNNING, else NULL (J2) */
    bool cancelling;
    uint64_t number;       /* given at push */
    uint64_t seq;          /* given when it becomes ready */
    uint64_t end;          /* given when it ends */
    uint64_t nonce;        /* of the push (J7) */
    uint64_t batch;        /* the latest push that met it: one batch answers for an id once */
    uint64_t holder;       /* who handed in last, under job->token (J7); 0: nobody, or a proxy */
    int64_t expires_at_ms; /* wall; NEVER */
    struct reeve_job *job; /* one block; while RUNNING as it was before the claim */
    struct notes *notes;   /* NULL: none */
};

struct claim { /* one lease over up to RV_CLAIM_MAX jobs */
    struct rv_tree_node by_token, by_deadline;
    struct rv_list records; /* in the order claimed */
    uint64_t holder, token;
    int64_t deadline; /* boot_ms */
    int64_t started_at_ms;
    char worker[RV_WORKER_NAME_MAX + 1];
};

struct lane { /* what the latest request of an asker came to (J7) */
    struct rv_tree_node by_id;
    struct rv_list link; /* in queue->lanes_by_use */
    int64_t used_at;     /* boot_ms */
    uint64_t number, token;
    size_t status_count;
    int statuses[RV_CLAIM_MAX];
};

/* ---- memory.c ---- */
extern const struct rv_store_ops rv_store_memory;
struct memory *rv_mem_enter(struct rv_store *s); /* locks, and reads the clock */
void rv_mem_read_clock(struct memory *memory);
int rv_mem_leave(struct memory *memory, int rc); /* returns rc */

/* ---- queue.c ---- */
struct queue *rv_mem_queue_find(struct memory *memory, const char *name); /* or NULL */
struct queue *rv_mem_queue_make(struct memory *memory, const char *name); /* NULL: out of memory */
void rv_mem_queue_destroy(struct queue *queue);
size_t rv_mem_queue_promote(struct queue *queue); /* due jobs become ready, <= RV_PROMOTE_MAX */
/* Milliseconds until the first of tree, whose major is a time; 0 if past, -1 if there is none. */
int64_t rv_mem_first_in_ms(const struct rv_tree *tree, int64_t now_ms);

/* ---- record.c ---- */
/* A new record, in its place. NULL: out of memory. */
struct record *rv_mem_record_make(struct queue *queue, const struct rv_new_job *job);
void rv_mem_record_destroy(struct record *record); /* wherever it stands; counted nowhere */
void rv_mem_record_remove(struct record *record);  /* the same, but counted: dropped or trimmed */
struct record *rv_mem_record_find(struct queue *queue, const char *id); /* NULL also if expired */
enum reeve_state rv_mem_record_state(const struct record *record);
bool rv_mem_record_expired(const struct record *record);
/* As people see it now. Borrows from the record and from claim, which is its own or one that would
 * hold it. */
struct reeve_job rv_mem_record_view(const struct record *record, const struct claim *claim);
struct reeve_job *rv_mem_record_pack(const struct record *record); /* one block, or NULL */
/* Out of where it stands and into where its new state says; both also keep the counts. */
void rv_mem_record_take(struct record *record);
void rv_mem_record_put(struct record *record);
/* READY, at the end of its line. It has been taken. */
void rv_mem_record_line_up(struct record *record);
/* Ended just now: kept for keep_ms, or destroyed if that is 0. It has been taken and its state is
 * set. */
void rv_mem_record_end(struct record *record, int64_t keep_ms);
/* It waits, and makes room for another: cancelled without a trace but for event and count. */
void rv_mem_record_drop(struct record *record);

/* ---- claim.c ---- */
struct claim *rv_mem_claim_find(struct queue *queue, uint64_t holder, uint64_t token); /* or NULL */
void rv_mem_claim_add(struct queue *queue, struct claim *claim, int64_t lease_ms);
void rv_mem_claim_drop(struct record *record); /* lets go of it; the last one ends the claim */
bool rv_mem_claim_lapsed(const struct claim *claim, const struct memory *memory);

/* ---- lane.c ---- */
struct lane *rv_mem_lane_find(struct queue *queue, uint64_t id); /* NULL also if silent */
/* Writes down what request came to. lane: the one found, or memory for a new one. */
void rv_mem_lane_note(struct queue *queue, struct lane *lane, bool is_new,
                      const struct rv_exchange *request, uint64_t token);
void rv_mem_lane_expire(struct queue *queue); /* those silent for RV_LANE_KEPT_MS */
void rv_mem_lane_clear(struct queue *queue);

/* ---- notes.c ---- */
void rv_mem_notes_destroy(struct notes *notes);

/* ---- bounds.c ---- */
/* Who makes room for another job; NULL if there is room, or if that one is refused. */
struct record *rv_mem_bound_victim(const struct queue *queue);
bool rv_mem_bound_refuses(const struct queue *queue);       /* it is full, and none makes room */
size_t rv_mem_bound_trim(struct queue *queue, size_t most); /* failed records beyond the bound */

/* ---- events.c ---- */
void rv_mem_event_add(struct record *record, enum reeve_event_type type);
void rv_mem_event_expire(struct queue *queue); /* those of RV_EVENT_KEPT_MS ago */
void rv_mem_event_clear(struct queue *queue);

/* ---- bells.c ---- */
void rv_mem_ring(struct queue *queue); /* whoever waits looks again when this step is over */

/* ---- workers.c ---- */
void rv_mem_worker_clear(struct memory *memory);

/* ---- grants.c ---- */
struct grant *rv_mem_grant_find(struct memory *memory, enum rv_grant_kind kind,
                                const char *name); /* or NULL */
void rv_mem_grant_clear(struct memory *memory);

/* ---- groups.c ---- */
void rv_mem_group_clear(struct memory *memory);

/* ---- the ops, as in ops.h ---- */
int rv_mem_push(struct rv_store *s, const char *queue, const struct rv_new_job *jobs, size_t count,
                int64_t timeout_ms, struct rv_pushed *outs, struct rv_error *err);
int rv_mem_exchange(struct rv_store *s, struct rv_exchange *exchange, struct rv_exchanged *out,
                    struct rv_error *err);
int rv_mem_renew(struct rv_store *s, const char *queue, struct rv_renewal *claims, size_t count,
                 int64_t timeout_ms, struct rv_cancel_marks *marks, struct rv_error *err);
int rv_mem_lapsed(struct rv_store *s, const char *queue, struct rv_lapsed *out,
                  struct rv_error *err);
int rv_mem_tend(struct rv_store *s, const char *queue, struct rv_tended *out, struct rv_error *err);
int rv_mem_read(struct rv_store *s, const char *queue, const char *id, int64_t timeout_ms,
                struct reeve_job **out, struct rv_error *err);
int rv_mem_cancel(struct rv_store *s, const char *queue, const char *id, enum reeve_state *now,
                  struct rv_error *err);
int rv_mem_revive(struct rv_store *s, const char *queue, const char *id, struct rv_error *err);
int rv_mem_remove(struct rv_store *s, const char *queue, const char *id, struct rv_error *err);
int rv_mem_keep(struct rv_store *s, const char *queue, const char *id, int64_t keep_ms,
                struct rv_error *err);
int rv_mem_check(struct rv_store *s, const char *queue, const char *id, uint64_t token,
                 uint64_t holder, struct rv_error *err);
int rv_mem_note(struct rv_store *s, const char *queue, const struct rv_note *note,
                struct rv_error *err);
int rv_mem_purge(struct rv_store *s, const char *queue, enum reeve_state state, size_t *removed,
                 struct rv_error *err);
int rv_mem_list(struct rv_store *s, const struct rv_list_query *query, struct rv_jobs *out,
                struct rv_error *err);
int rv_mem_queues(struct rv_store *s, const char *after, size_t limit, struct rv_names *out,
                  struct rv_error *err);
int rv_mem_stats(struct rv_store *s, const char *queue, bool brief, struct reeve_queue *out,
                 struct rv_error *err);
int rv_mem_pause(struct rv_store *s, const char *queue, bool paused, struct rv_error *err);
int rv_mem_set(struct rv_store *s, const char *queue, const struct reeve_queue_settings *settings,
               struct rv_error *err);
int rv_mem_beat(struct rv_store *s, const struct rv_worker_row *row, int64_t ttl_ms,
                struct rv_error *err);
int rv_mem_leave_worker(struct rv_store *s, const char *worker_id, struct rv_error *err);
int rv_mem_workers(struct rv_store *s, struct rv_workers *out, struct rv_error *err);
int rv_mem_grant_take(struct rv_store *s, const struct rv_grant_ask *ask, int64_t timeout_ms,
                      struct rv_grant_answer *out, struct rv_error *err);
int rv_mem_grant_renew(struct rv_store *s, struct rv_grant_renewal *renewals, size_t count,
                       int64_t timeout_ms, struct rv_error *err);
int rv_mem_grant_release(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                         uint64_t holder, int64_t timeout_ms, struct rv_error *err);
int rv_mem_grant_check(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                       uint64_t token, struct rv_error *err);
int rv_mem_grant_resign(struct rv_store *s, enum rv_grant_kind kind, const char *name,
                        struct rv_error *err);
int rv_mem_grants(struct rv_store *s, const struct rv_grants_query *query, struct rv_grants *out,
                  struct rv_error *err);
int rv_mem_wait(struct rv_store *s, struct rv_bell *bells, size_t count, int64_t timeout_ms,
                struct rv_error *err);
void rv_mem_wake(struct rv_store *s);
int rv_mem_announce(struct rv_store *s, const char *queue, const struct rv_announcement *news,
                    int64_t timeout_ms, struct rv_error *err);
int rv_mem_events(struct rv_store *s, const char *queue, uint64_t after, struct rv_events *out,
                  struct rv_error *err);
int rv_mem_examine(struct rv_store *s, bool repair, struct rv_findings *out, struct rv_error *err);

#endif
